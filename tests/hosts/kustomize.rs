//! `kustomize build --enable-alpha-plugins --enable-exec`: the binary as a KRM function.

use crate::cases::{Case, EXAMPLE, Failures, case, cases, command, host, unmoved};
use crate::support::{project, run, text};
use std::path::Path;

const FLAGS: [&str; 3] = ["build", "--enable-alpha-plugins", "--enable-exec"];

#[test]
fn every_case_builds_into_its_want() {
    let Some(kustomize) = host("kustomize") else { return };
    let mut failures = Failures::default();
    for Case { name, folder, want } in cases() {
        assert_ne!(unmoved(&kustomize, &folder), want, "{name}: an output that needs no function proves nothing");
        let output = run(command(&kustomize).args(FLAGS).arg(&folder), b"");
        if output.status.success() {
            failures.compare(&name, &want, &text(&output.stdout));
        } else {
            failures.add(format!("{name}: {}\n{}", output.status, text(&output.stderr)));
        }
    }
    failures.end();
}

/// A version that knows exec functions as the documentation describes them.
#[test]
fn kustomize_is_recent_enough() {
    let Some(kustomize) = host("kustomize") else { return };
    let version = text(&run(command(&kustomize).arg("version"), b"").stdout);
    let numbers: Vec<u32> = version.trim().trim_start_matches('v').split('.').flat_map(str::parse).collect();
    assert!(numbers.as_slice() >= &[5, 7], "kustomize {version} is older than v5.7: remove .tools and `make tools`");
}

/// The trap that the documents warn of. Should kustomize ever close it, the warnings can go.
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

/// The overlay of this case renames what its base has moved; with an annotation lost the references would dangle.
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

/// A second function after ours gets what ours wrote, with the annotations that kustomize has invented in between.
#[test]
fn applying_twice_in_one_build_gives_the_same() {
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

/// Builds a folder that has to fail, and gives what kustomize printed on stderr.
pub(crate) fn failing_build(kustomize: &Path, folder: &Path, functions: &Path) -> String {
    let output = run(crate::cases::command_with(kustomize, functions).args(FLAGS).arg(folder), b"");
    assert!(!output.status.success(), "the build went through:\n{}", text(&output.stdout));
    assert_eq!(text(&output.stdout), "", "a build that failed must print no manifests");
    text(&output.stderr)
}
