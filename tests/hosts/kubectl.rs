//! `kubectl kustomize --enable-alpha-plugins`: kubectl finds the binary as an exec plugin by the kind of its config.

use crate::cases::{Case, EXAMPLE, Failures, HOSTNET, cases, command, copy, host, refusals};
use crate::support::{files_below, project, run, text};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The annotation of a function config; the config of an exec plugin is equal without these lines.
const FUNCTION: &str = "  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: hostnet}\n";

fn install(home: &Path) {
    let output = run(Command::new(HOSTNET).args(["install", "--kustomize-plugin"]).arg(home), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(home.join("hostnet.dev/v1alpha1/hostnetwork/HostNetwork").is_file());
}

fn build(kubectl: &Path, home: &Path, folder: &Path) -> Output {
    let mut command = command(kubectl);
    command.env("KUSTOMIZE_PLUGIN_HOME", home);
    run(command.args(["kustomize", "--enable-alpha-plugins"]).arg(folder), b"")
}

fn remove_function_annotations(folder: &Path) {
    for path in files_below(folder).iter().filter(|path| path.ends_with("hostnet.yaml")) {
        let config = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, config.replace(FUNCTION, "")).unwrap();
    }
}

/// A folder with the plugin, and all cases and examples with configs for kubectl.
fn scratch() -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().join("plugins");
    install(&home);
    for folder in ["kustomization-tests", "examples"] {
        copy(&project().join(folder), &scratch.path().join(folder));
    }
    remove_function_annotations(scratch.path());
    (scratch, home)
}

#[test]
fn every_refusal_fails_the_build() {
    let Some(kubectl) = host("kubectl") else { return };
    let (scratch, home) = scratch();
    let mut failures = Failures::default();
    for case in refusals() {
        let folder = scratch.path().join("kustomization-tests").join(&case.name);
        failures.add(case.not_refused(&build(&kubectl, &home, &folder)));
    }
    failures.end();
}

#[test]
fn every_case_builds_into_its_want() {
    let Some(kubectl) = host("kubectl") else { return };
    let (scratch, home) = scratch();
    let mut failures = Failures::default();
    for Case { name, want, .. } in cases() {
        // The config is a ConfigMap, which only works as a function: kustomize would search for a plugin named
        // ConfigMap.
        if name == "configmap-config" {
            continue;
        }
        let output = build(&kubectl, &home, &scratch.path().join("kustomization-tests").join(&name));
        failures.compare_build(&name, &want, &output);
    }
    failures.end();
}

#[test]
fn the_example_has_a_folder_for_kubectl() {
    let Some(kubectl) = host("kubectl") else { return };
    let home = tempfile::tempdir().unwrap();
    install(home.path());
    let output = build(&kubectl, home.path(), &project().join(EXAMPLE).join("plugin"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let want = crate::cases::case("crossplane-core").want;
    let mut failures = Failures::default();
    failures.compare("plugin", &want, &text(&output.stdout));
    failures.end();
}

/// The two configs of the example are equal below the first line, which names the schema for editors.
#[test]
fn the_plugin_config_equals_the_function_config_without_annotation() {
    let folder = project().join(EXAMPLE);
    let function = std::fs::read_to_string(folder.join("hostnet.yaml")).unwrap();
    let plugin = std::fs::read_to_string(folder.join("plugin/hostnet.yaml")).unwrap();
    assert!(function.contains(FUNCTION));
    let below = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
    assert_eq!(below(&function.replace(FUNCTION, "")), below(&plugin));
}

#[test]
fn kubectl_skips_an_exec_function_silently() {
    let Some(kubectl) = host("kubectl") else { return };
    let home = tempfile::tempdir().unwrap();
    install(home.path());
    let output = build(&kubectl, home.path(), &project().join(EXAMPLE));
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("hostNetwork: false"), "the README's warning can go");
    let readme = std::fs::read_to_string(project().join(EXAMPLE).join("README.md")).unwrap();
    assert!(readme.contains("never runs an exec function"));
}

#[test]
fn a_config_error_fails_the_build_with_its_reason() {
    let Some(kubectl) = host("kubectl") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().join("plugins");
    install(&home);
    let folder = scratch.path().join("example");
    copy(&project().join(EXAMPLE), &folder);
    let config = folder.join("plugin/hostnet.yaml");
    let broken = std::fs::read_to_string(&config).unwrap().replace("20443", "70000");
    std::fs::write(&config, broken).unwrap();
    let output = build(&kubectl, &home, &folder.join("plugin"));
    assert!(!output.status.success());
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("70000"), "{}", text(&output.stderr));
}
