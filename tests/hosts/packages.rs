//! Crossplane packages: the exact bytes of changed streams, and the configuration that kustomize needs to rename the
//! packages.

use crate::cases::{Case, Failures, HOSTNET, case, cases, command, copy, host, refusals};
use crate::kustomize::FLAGS;
use crate::support::{project, run, text};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn apply(config: &Path, input: &str) -> Output {
    run(Command::new(HOSTNET).args(["apply", "-c"]).arg(config), input.as_bytes())
}

/// Returns the package cases with their input as the user wrote it.
fn streams(cases: Vec<Case>) -> impl Iterator<Item = (Case, String)> {
    let cases = cases.into_iter().filter(|case| case.name.starts_with("package-"));
    cases.filter_map(|case| std::fs::read_to_string(case.folder.join("input.yaml")).ok().map(|input| (case, input)))
}

/// `stream.yaml` of each case is its input after `hostnet apply`: comments, styles and order do not change. A second
/// run changes nothing.
#[test]
fn every_stream_keeps_every_other_byte() {
    let mut failures = Failures::default();
    let mut count = 0;
    for (case, input) in streams(cases()) {
        let want = std::fs::read_to_string(case.folder.join("stream.yaml")).unwrap_or_default();
        let output = apply(&case.config(), &input);
        failures.compare(&case.name, &want, &text(&output.stdout));
        let again = apply(&case.config(), &want);
        failures.compare(&format!("{}, again", case.name), &want, &text(&again.stdout));
        count += 1;
    }
    failures.end();
    assert_eq!(count, 12, "cases are missing");
}

#[test]
fn every_refused_stream_prints_only_its_reason() {
    let mut failures = Failures::default();
    for (case, input) in streams(refusals()) {
        let output = apply(&case.config(), &input);
        let want = format!("error: standard input:1:1: {}nothing was written, 1 error, 0 warnings\n", case.want);
        failures.compare(&case.name, &want, &text(&output.stderr));
        failures.add(case.not_refused(&output));
    }
    failures.end();
}

/// A copy of the case whose overlay renames the packages of its base, with a text replaced in one of its files.
fn renaming(file: &str, old: &str, new: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&case("package-name-prefix").folder, folder.path());
    replace(folder.path(), file, old, new);
    folder
}

fn replace(folder: &Path, file: &str, old: &str, new: &str) {
    let file = folder.join(file);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{text}");
    std::fs::write(file, text.replace(old, new)).unwrap();
}

fn build(kustomize: &Path, folder: &Path, flags: &[&str]) -> String {
    let output = run(command(kustomize).args(flags).arg(folder), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Returns the names of missing runtime configs that Providers of a build refer to.
fn dangling(build: &str) -> Vec<String> {
    let (mut named, mut there) = (Vec::new(), Vec::new());
    for document in serde_yaml::Deserializer::from_str(build) {
        let object = <serde_yaml::Value as serde::Deserialize>::deserialize(document).unwrap();
        if let Some(name) = object["spec"]["runtimeConfigRef"]["name"].as_str() {
            named.push(name.to_owned());
        }
        if object["kind"] == "DeploymentRuntimeConfig" {
            there.push(object["metadata"]["name"].as_str().unwrap().to_owned());
        }
    }
    assert!(named.len() == 3 && there.len() >= 2, "{build}");
    named.retain(|name| !there.contains(name));
    named
}

/// `docs/crossplane.md` states that kustomize needs `names.yaml`. If kustomize ever supports these references, that
/// part can be removed.
#[test]
fn kustomize_needs_a_configuration_for_names_of_runtime_configs() {
    let Some(kustomize) = host("kustomize") else { return };
    assert_eq!(dangling(&build(&kustomize, &case("package-name-prefix").folder, &FLAGS)), [""; 0]);
    let untold = renaming("kustomization.yaml", "configurations:\n- names.yaml\n", "");
    let lost = dangling(&build(&kustomize, untold.path(), &FLAGS));
    assert_eq!(lost, ["hostnet-provider-aws-s3", "hostnet-provider-aws-sqs", "helm"]);
    let names = std::fs::read_to_string(case("package-name-prefix").folder.join("names.yaml")).unwrap();
    let (_, names) = names.split_once('\n').unwrap();
    let page = std::fs::read_to_string(project().join("docs/crossplane.md")).unwrap();
    assert!(page.contains(&format!("# names.yaml\n{names}```\n")), "the page has another names.yaml");
}

/// kustomize only renames references within a namespace, and sets a namespace in packages, which are cluster-scoped.
#[test]
fn a_prefix_above_a_namespace_renames_new_objects() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = renaming("base/kustomization.yaml", "resources:\n", "namespace: crossplane-system\nresources:\n");
    replace(folder.path(), "base/input.yaml", "  runtimeConfigRef:\n    name: helm\n", "");
    let built = build(&kustomize, folder.path(), &FLAGS);
    assert!(built.contains("  runtimeConfigRef:\n    name: eu-hostnet-provider-helm-prod\n"), "{built}");
    assert_eq!(dangling(&built), [""; 0], "{built}");
}

/// kustomize renames objects immediately, but references only at the end of the whole build. A function next to or
/// above the prefix finds the runtime config by its original name.
#[test]
fn a_function_above_the_prefix_finds_the_runtime_config() {
    let Some(kustomize) = host("kustomize") else { return };
    let above = renaming("kustomization.yaml", "- base\n", "- base\ntransformers:\n- base/hostnet.yaml\n");
    replace(above.path(), "base/kustomization.yaml", "transformers:\n- hostnet.yaml\n", "");
    let built = build(&kustomize, above.path(), &FLAGS);
    assert!(
        built.contains("name: hostnet-eu-provider-aws-s3-prod\n") && built.contains("name: eu-helm-prod\n"),
        "{built}"
    );
    let rendered = build(&kustomize, above.path(), &FLAGS[..2]);
    let output = apply(&above.path().join("base/hostnet.yaml"), &rendered);
    let moved = text(&output.stdout);
    assert_eq!(dangling(&moved), [""; 0], "{}", text(&output.stderr));
    assert!(moved.contains("name: hostnet-eu-provider-aws-s3-prod\n"), "{moved}");
}
