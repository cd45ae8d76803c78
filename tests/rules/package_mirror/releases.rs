//! `hostnet mirror verify` without a version: each reported range of releases has a single answer.

use hostnet::xpkg::ERAS;

use super::verify_text::package_of;
use crate::support::run::hostnet;

fn meta(version: &str, kind: &str, more: &str) -> String {
    format!("apiVersion: meta.pkg.crossplane.io/{version}\nkind: {kind}\nmetadata: {{name: p}}\n{more}")
}

/// The lines about Crossplane's releases, and the exit code.
fn judged(content: &str, arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    package_of(content).lay(folder.path());
    let run = hostnet(folder.path(), &[&["mirror", "verify"], arguments, &["oci:."]].concat(), b"");
    let lines = run
        .text()
        .lines()
        .filter(|line| line.starts_with("  Crossplane ") || line.contains(" does not resolve all dependencies "))
        .map(|line| line.trim().to_owned())
        .collect();
    (lines, run.code)
}

#[test]
fn a_function_of_v1_installs_from_v1_17_2_on() {
    let function = meta("v1", "Function", "");
    let (lines, code) = judged(&function, &[]);
    insta::assert_snapshot!(lines.join("\n"), @r#"
    Crossplane v1.14.0 to before v1.17.0: refuses: cannot parse package contents: no kind "Function" is registered for version "meta.pkg.crossplane.io/v1" in scheme "pkg/runtime/scheme.go:100"
    Crossplane v1.17.0 to before v1.17.2: refuses: linting package contents failed: package meta type is not Function
    Crossplane v1.17.2 to v1.20, v2.0 and v2.1, v2.2 and later: installs
    "#);
    assert_eq!(code, Some(0), "a refusal by older releases of a line is a warning");
    assert_eq!(judged(&function, &["--strict"]).1, Some(1));
    for (version, log) in [
        ("v1.16.5", "no kind \"Function\" is registered"),
        ("v1.17.0", "package meta type is not Function"),
        ("v1.17.1", "package meta type is not Function"),
        ("v1.17.2", "installs"),
        ("v1.20.11", "installs"),
        ("v2.3.4", "installs"),
    ] {
        let (lines, code) = judged(&function, &["--crossplane", version]);
        assert!(lines.len() == 1 && lines[0].contains(log), "{version}: {lines:?}");
        assert_eq!(code, Some(i32::from(log != "installs")), "{version}");
    }
}

/// If all releases answer the same, one line covers them.
#[test]
fn a_package_for_all_releases_has_one_line() {
    for content in [meta("v1beta1", "Function", ""), meta("v1", "Provider", ""), meta("v1", "Configuration", "")] {
        let (lines, code) = judged(&content, &["--strict"]);
        assert_eq!(lines, ["Crossplane v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: installs"], "{content}");
        assert_eq!(code, Some(0));
    }
}

/// Other differences within an era: the permitted content of a package, and the library for ranges.
#[test]
fn changes_between_other_releases_are_distinguished() {
    let hook = "---\napiVersion: ops.crossplane.io/v1alpha1\nkind: Operation\nmetadata: {name: o}\n";
    let activation = "---\napiVersion: apiextensions.crossplane.io/v1alpha1\nkind: ManagedResourceActivationPolicy\nmetadata: {name: a}\n";
    let of = |more: &str| judged(&(meta("v1", "Configuration", "") + more), &[]).0.join("\n");
    let (operation, activation) = (of(hook), of(activation));
    assert!(operation.contains("v2.0 and v2.1, v2.2 and later: installs"), "{operation}");
    assert!(activation.contains("Crossplane v2.0.0 to before v2.0.3: refuses: "), "{activation}");
    assert!(activation.contains("Crossplane v2.0.3 to v2.1, v2.2 and later: installs"), "{activation}");
    let range =
        judged(&meta("v1", "Provider", "spec: {crossplane: {version: '>=v1.14.0 <v3.0.0'}}\n"), &[]).0.join("\n");
    assert!(range.contains("v2.0 and v2.1, v2.2.0 to before v2.3.0: refuses: "), "{range}");
    assert!(range.contains("Crossplane v2.3.0 and later: installs"), "{range}");
}

/// A package's own range divides the releases at its bounds.
#[test]
fn supported_releases_divide_an_era() {
    let of =
        |range: &str| judged(&meta("v1", "Provider", &format!("spec: {{crossplane: {{version: '{range}'}}}}\n")), &[]);
    let (lines, code) = of(">=v1.17.1");
    insta::assert_snapshot!(lines.join("\n"), @"
    Crossplane v1.14.0 to before v1.17.1: refuses: incompatible Crossplane version: package is not compatible with Crossplane version (v1.17.0)
    Crossplane v1.17.1 to v1.20, v2.0 and v2.1, v2.2 and later: installs
    ");
    assert_eq!(code, Some(0), "older releases are not meant");
    for (range, ends) in [
        (">=v1.17.0, <v1.19.0", "v1.17.0 to before v1.19.0: installs"),
        ("~v1.18.0", "v1.18.0 to before v1.19.0: installs"),
        ("<=v1.18.3", "v1.14.0 to before v1.18.4: installs"),
        (">=v2.3.1", "v2.3.1 and later: installs"),
        (">=v1.12.1-0", "v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: installs"),
    ] {
        let (lines, code) = of(range);
        assert!(lines.iter().any(|line| line == &format!("Crossplane {ends}")), "{range}: {lines:?}");
        assert_eq!(code, Some(0), "{range}");
    }
}

/// Older releases do not resolve dependencies by kind and by digest.
#[test]
fn forms_of_dependencies_divide_an_era() {
    let of = |needs: &str, more: &str, arguments: &[&str]| {
        judged(&meta("v1", "Configuration", &format!("spec: {{dependsOn: [{needs}]{more}}}\n")), arguments)
    };
    let kind = "{apiVersion: pkg.crossplane.io/v1, kind: Function, package: xpkg.example.com/a/b, version: '>=v1'}";
    let digest = format!("{{provider: xpkg.example.com/a/c, version: 'sha256:{}'}}", "1".repeat(64));
    let (lines, code) = of(&format!("{kind}, {digest}"), "", &[]);
    insta::assert_snapshot!(lines.join("\n"), @"
    Crossplane v1.14.0 to before v1.18.0: refuses: cannot resolve package dependencies: missing dependencies: [ xpkg.example.com/a/c]
    Crossplane v1.18.0 to before v1.19.0: refuses: cannot resolve package dependencies: missing dependencies: []
    Crossplane v1.19.0 to v1.20, v2.0 and v2.1, v2.2 and later: installs
    warning: Crossplane v1.14.0 to before v1.18.0 does not resolve all dependencies of this Configuration: xpkg.example.com/a/b by `apiVersion`, `kind` and `package` (v1.19.0 is the first), xpkg.example.com/a/c by digest (v1.18.0 is the first); `skipDependencyResolution: true` in the object avoids it
    warning: Crossplane v1.18.0 to before v1.19.0 does not resolve all dependencies of this Configuration: xpkg.example.com/a/b by `apiVersion`, `kind` and `package` (v1.19.0 is the first); `skipDependencyResolution: true` in the object avoids it
    ");
    assert_eq!(code, Some(0));
    for (needs, version, installs) in [
        (kind, "v1.18.3", false),
        (kind, "v1.19.0", true),
        (&digest, "v1.17.6", false),
        (&digest, "v1.18.0", true),
        ("{provider: xpkg.example.com/a/c, version: '>=v1'}", "v1.14.0", true),
    ] {
        let (lines, code) = of(needs, "", &["--crossplane", version]);
        assert_eq!(lines.len(), 2 - usize::from(installs), "{version}: {lines:?}");
        assert_eq!(
            (lines[0].ends_with(": installs"), code),
            (installs, Some(i32::from(!installs))),
            "{version}: {lines:?}"
        );
    }
    // Old releases read `function`, and do not count for a package that excludes them.
    let both = kind.replace("package:", "function: xpkg.example.com/a/b, package:");
    let all = ["Crossplane v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: installs"];
    assert_eq!(of(&both, "", &["--strict"]), (all.map(str::to_owned).to_vec(), Some(0)));
    assert_eq!(of(kind, ", crossplane: {version: '>=v1.20.0'}", &["--strict"]).1, Some(0));
}

#[test]
fn parts_of_an_era_are_in_order() {
    let parts: Vec<Vec<&str>> = ERAS.iter().map(hostnet::xpkg::Era::parts).collect();
    assert_eq!(parts, [vec!["v1.14.0", "v1.17.0", "v1.17.2"], vec!["v2.0.0", "v2.0.3"], vec!["v2.2.0", "v2.3.0"]]);
}
