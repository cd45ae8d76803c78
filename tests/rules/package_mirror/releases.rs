//! `hostnet mirror verify` without a version: each reported range of releases has a single answer.

use hostnet::xpkg::ERAS;

use super::verify_text::package_of;
use crate::support::run::hostnet;

fn meta(version: &str, kind: &str, more: &str) -> String {
    format!("apiVersion: meta.pkg.crossplane.io/{version}\nkind: {kind}\nmetadata: {{name: p}}\n{more}")
}

/// The lines about Crossplane, and the exit code.
fn judged(content: &str, arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    package_of(content).lay(folder.path());
    let run = hostnet(folder.path(), &[&["mirror", "verify"], arguments, &["oci:."]].concat(), b"");
    let lines = run
        .text()
        .lines()
        .filter(|line| line.starts_with("  Crossplane "))
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
    assert!(activation.contains("Crossplane v2.0.0 to before v2.1.0: refuses: "), "{activation}");
    assert!(activation.contains("Crossplane v2.1.0 to v2.1, v2.2 and later: installs"), "{activation}");
    let range =
        judged(&meta("v1", "Provider", "spec: {crossplane: {version: '>=v1.14.0 <v3.0.0'}}\n"), &[]).0.join("\n");
    assert!(range.contains("v2.0 and v2.1, v2.2.0 to before v2.3.0: refuses: "), "{range}");
    assert!(range.contains("Crossplane v2.3.0 and later: installs"), "{range}");
}

#[test]
fn parts_of_an_era_are_in_order() {
    let parts: Vec<Vec<&str>> = ERAS.iter().map(hostnet::xpkg::Era::parts).collect();
    assert_eq!(parts, [vec!["v1.14.0", "v1.17.0", "v1.17.2"], vec!["v2.0.0", "v2.1.0"], vec!["v2.2.0", "v2.3.0"]]);
}
