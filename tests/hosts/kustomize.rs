//! `kustomize build --enable-alpha-plugins --enable-exec`: the binary as a KRM function.

use crate::cases::{Case, EXAMPLE, Failures, case, cases, command, command_with, host, refusals, unmoved};
use crate::support::{project, run, text};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

pub(crate) const FLAGS: [&str; 3] = ["build", "--enable-alpha-plugins", "--enable-exec"];

#[test]
fn every_case_builds_into_its_want() {
    let Some(kustomize) = host("kustomize") else { return };
    let mut failures = Failures::default();
    for Case { name, folder, want } in cases() {
        assert_ne!(unmoved(&kustomize, &folder), want, "{name}: this want.yaml passes without the function");
        let output = run(command(&kustomize).args(FLAGS).arg(&folder), b"");
        failures.compare_build(&name, &want, &output);
    }
    failures.end();
}

#[test]
fn every_refusal_fails_the_build() {
    let Some(kustomize) = host("kustomize") else { return };
    let mut failures = Failures::default();
    for case in refusals() {
        failures.add(case.not_refused(&run(command(&kustomize).args(FLAGS).arg(&case.folder), b"")));
    }
    failures.end();
}

/// A build without the function, or with another failure, does not count as a refusal.
#[test]
fn other_failures_do_not_count_as_refusals() {
    let Some(kustomize) = host("kustomize") else { return };
    let nothing = tempfile::tempdir().unwrap();
    let other = nothing.path().join("hostnet");
    std::fs::write(&other, "#!/bin/sh\ncat >/dev/null\necho error: no >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o755)).unwrap();
    for case in refusals() {
        let skipped = run(command(&kustomize).args(["build", "--enable-alpha-plugins"]).arg(&case.folder), b"");
        assert!(skipped.status.success(), "{}: {}", case.name, text(&skipped.stderr));
        assert!(case.not_refused(&skipped).is_some(), "{}", case.name);
        let failed = run(command_with(&kustomize, nothing.path()).args(FLAGS).arg(&case.folder), b"");
        assert!(!failed.status.success() && text(&failed.stderr).contains("error: no"), "{}", text(&failed.stderr));
        assert!(case.not_refused(&failed).is_some(), "{}", case.name);
    }
}

/// kustomize is recent enough to support exec functions as documented.
#[test]
fn kustomize_is_recent_enough() {
    let Some(kustomize) = host("kustomize") else { return };
    let version = text(&run(command(&kustomize).arg("version"), b"").stdout);
    let numbers: Vec<u32> = version.trim().trim_start_matches('v').split('.').flat_map(str::parse).collect();
    assert!(numbers.as_slice() >= &[5, 7], "kustomize {version} is older than v5.7: remove .tools and `make tools`");
}

/// kustomize silently skips the function without `--enable-exec`; the documentation warns about it. If kustomize
/// changes this, the warnings can be removed.
#[test]
fn without_enable_exec_the_function_is_skipped_silently() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = project().join(EXAMPLE);
    let output = run(command(&kustomize).args(["build", "--enable-alpha-plugins"]).arg(&folder), b"");
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
    assert!(text(&output.stdout).contains("hostNetwork: false"));
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(readme.contains("Without `--enable-exec` kustomize skips the function silently"));
    let kustomization = std::fs::read_to_string(folder.join("kustomization.yaml")).unwrap();
    assert!(kustomization.contains("Without --enable-exec kustomize skips the function"));
}

/// The overlay of this case renames objects that the function changed in the base; the references must follow.
#[test]
fn references_follow_a_rename_after_the_function() {
    let Some(kustomize) = host("kustomize") else { return };
    let output = run(command(&kustomize).args(FLAGS).arg(case("transformer-in-base").folder), b"");
    let build = text(&output.stdout);
    assert!(build.contains("          hostPort: 21080\n"), "{build}{}", text(&output.stderr));
    assert!(build.contains("    kind: Deployment\n    name: eu-web\n"), "{build}");
    assert!(build.contains("            name: eu-settings-"), "{build}");
    assert!(!build.contains("internal.config.kubernetes.io"), "{build}");
}

/// A second function in the same build changes nothing. It gets the output of the first, with kustomize's internal
/// annotations.
#[test]
fn applying_twice_in_one_build_changes_nothing() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let case = case("services");
    std::fs::copy(case.folder.join("input.yaml"), at.join("input.yaml")).unwrap();
    let config = std::fs::read_to_string(case.config()).unwrap();
    std::fs::write(at.join("hostnet.yaml"), &config).unwrap();
    std::fs::write(at.join("again.yaml"), config.replace("name: services", "name: again")).unwrap();
    let kustomization = "resources: [input.yaml]\ntransformers: [hostnet.yaml, again.yaml]\n";
    std::fs::write(at.join("kustomization.yaml"), kustomization).unwrap();
    let output = run(command(&kustomize).args(FLAGS).arg(at), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut failures = Failures::default();
    failures.compare("two runs", &case.want, &text(&output.stdout));
    failures.end();
}

/// Builds a folder that must fail, and returns kustomize's error output.
pub(crate) fn failing_build(kustomize: &Path, folder: &Path, functions: &Path) -> String {
    let output = run(command_with(kustomize, functions).args(FLAGS).arg(folder), b"");
    assert!(!output.status.success(), "the build succeeded:\n{}", text(&output.stdout));
    assert_eq!(text(&output.stdout), "", "a build that failed must print no manifests");
    text(&output.stderr)
}
