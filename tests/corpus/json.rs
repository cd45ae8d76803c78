//! Converts every manifest to JSON. With all workloads selected, the output is JSON, the run reports the same as for
//! YAML, and a second run changes nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hostnet::api::HostNetworkConfig;
use hostnet::kinds::{self, Run};
use hostnet::rule::Severity;
use krm::{Input, Origin};
use serde_json::Value;

use crate::support::layout::{ALL, FORMS, Form, Layout, of_list, of_yaml};
use crate::support::material::{LISTED, material};
use crate::support::{files_below, project};

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec:\n  \
                      unmatched: Ignore\n  targets: [{select: {kind: .+}, ports: auto}]\n";

fn manifests(folder: &Path, wanted: &impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    files_below(folder).into_iter().filter(|path| wanted(path)).collect()
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// Number of results by severity and rule.
type RuleCounts = BTreeMap<(Severity, String), usize>;

/// Returns the output of a run, and its errors and warnings by rule. An error if the input cannot be read or the run
/// fails.
fn run(text: &str) -> Result<(String, RuleCounts), String> {
    let config = HostNetworkConfig::read(CONFIG, "hostnet.yaml", 1).unwrap();
    let input = Input::read(Origin::stdin(), text.into()).map_err(|error| error.to_string())?;
    let run: Run = kinds::run(std::slice::from_ref(&input), &config, false).map_err(|error| error.to_string())?;
    let mut counts = RuleCounts::new();
    for result in &run.results {
        if result.severity == Severity::Error {
            return Err(result.to_string());
        }
        *counts.entry((result.severity, result.rule.to_string())).or_default() += 1;
    }
    Ok((input.output(&run.splices[0]), counts))
}

/// Results for the manifests.
#[derive(Debug, Default)]
struct Counts {
    /// Files that another reader rejects, or that contain a duplicate key.
    skipped: Vec<String>,
    /// Files whose run over YAML fails.
    refused: usize,
    same: usize,
    changed: usize,
}

fn check(name: &str, text: &str, number: usize, counts: &mut Counts) -> Result<(), String> {
    let objects = match of_yaml(text) {
        Ok(objects) => objects,
        Err(error) => {
            counts.skipped.push(format!("{name}: {error}"));
            return Ok(());
        }
    };
    let is_object = |value: &Value| value["apiVersion"].is_string() && value["kind"].is_string();
    // A list may only contain objects.
    let is_list = |form: &Form| matches!(form, Form::ResourceList | Form::List);
    let forms = FORMS.iter().filter(|form| !is_list(form) || objects.iter().all(is_object));
    let forms: Vec<Form> = forms.copied().collect();
    let (form, layout) = (forms[number % forms.len()], ALL[number / 5 % ALL.len()]);
    let json = form.write(&objects, layout);
    let of_json = run(&json);
    let Ok((in_yaml, counts_in_yaml)) = run(text) else {
        // Without YAML features such as anchors, the run may succeed.
        counts.refused += 1;
        let output = of_json.map_or_else(|_| json.clone(), |(output, _)| output);
        return form.read(&output).map(drop).map_err(|error| format!("{name}: {error}"));
    };
    let (output, rule_counts) = of_json.map_err(|error| format!("{name}: refused as JSON alone: {error}"))?;
    let found = form.read(&output).map_err(|error| format!("{name}: {form:?} {layout:?}: {error}\n{output}"))?;
    let wanted = of_yaml(&in_yaml).map_err(|error| format!("{name}: {error}"))?;
    if of_list(found.clone()) != of_list(wanted) {
        return Err(format!("{name}: {form:?} {layout:?}: differs from the run over YAML"));
    }
    let counts_in_yaml = counts_in_yaml.into_iter().filter(|((_, rule), _)| !of_comments(rule)).collect::<RuleCounts>();
    if rule_counts.into_iter().filter(|((_, rule), _)| !of_comments(rule)).ne(counts_in_yaml) {
        return Err(format!("{name}: {form:?} {layout:?}: other results than over YAML"));
    }
    if found == objects {
        counts.same += 1;
    } else {
        counts.changed += 1;
    }
    if form != Form::ResourceList && found == objects && output != json {
        return Err(format!("{name}: {form:?} {layout:?}: other bytes for the same"));
    }
    // Packages get new objects.
    let packages = text.contains("pkg.crossplane.io");
    lines_stay(&json, &output, if packages { Layout::Dense } else { layout })
        .map_err(|error| format!("{name}: {form:?}: {error}"))?;
    if of_list(found) == of_list(objects) {
        return Ok(());
    }
    // A second run gives the same objects as a second run over YAML.
    let again = run(&output).map_err(|error| format!("{name}: {form:?} {layout:?}: second run: {error}"))?.0;
    let wanted = of_yaml(&run(&in_yaml).map_err(|error| format!("{name}: second run over YAML: {error}"))?.0)?;
    if of_list(form.read(&again)?) == of_list(wanted) {
        Ok(())
    } else {
        Err(format!("{name}: {form:?} {layout:?}: second run differs"))
    }
}

/// A run over YAML reports comments of a ControllerConfig that are lost; JSON has no comments.
fn of_comments(rule: &str) -> bool {
    rule == "controller-config"
}

/// Checks that lines without port settings are still in the output, in the same order.
fn lines_stay(before: &str, after: &str, layout: Layout) -> Result<(), String> {
    if !matches!(layout, Layout::Pretty(_) | Layout::Crlf) {
        return Ok(());
    }
    let diff = similar::TextDiff::from_lines(before, after);
    let gone = diff.iter_all_changes().filter(|change| change.tag() == similar::ChangeTag::Delete);
    for line in gone.map(|change| change.value().trim()) {
        // A last entry may get a comma.
        let again = |new: &str| new.trim().trim_end_matches(',') == line.trim_end_matches(',');
        let number = line.chars().any(|c| c.is_ascii_digit());
        let word = ["Network", "dnsPolicy", "[]", "{}"].iter().any(|word| line.contains(word));
        if !number && !word && !after.lines().any(again) {
            return Err(format!("{line} is gone"));
        }
    }
    Ok(())
}

/// Checks all files, and lists the files that another reader rejects.
fn all(root: &Path, files: &[PathBuf]) -> String {
    let mut counts = Counts::default();
    let mut faults = Vec::new();
    for (number, path) in files.iter().enumerate() {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        faults.extend(check(&name, &text, number, &mut counts).err());
    }
    assert!(faults.is_empty(), "{}\n{counts:?}", faults.join("\n"));
    let _ = writeln!(std::io::stderr(), "{counts:?}");
    // With all workloads selected, many files must change; otherwise the test checks nothing.
    assert!(counts.changed > files.len() / 4, "{counts:?}");
    counts.skipped.join("\n")
}

#[test]
fn the_corpus_as_json() {
    let Some(root) = material("corpus") else { return };
    let names = LISTED.keys().filter_map(|path| path.strip_prefix("corpus/"));
    let files: Vec<PathBuf> =
        names.map(|name| root.join(name)).filter(|path| is_yaml(path) && path.is_file()).collect();
    insta::assert_snapshot!(all(&root, &files), @r#"
    flux/fluxcd__flux2/cmd/flux/testdata/build-kustomization/podinfo-kustomization.yaml: key must be a string
    packages/crossplane__crossplane/test/e2e/manifests/apiextensions/composition/legacy-propagate-field-removals/setup/functions.yaml: metadata: duplicate entry with key "name" at line 6 column 3
    workloads/argoproj__argo-rollouts/examples/traffic-management/rollout-linkerd.yaml: key must be a string
    workloads/cert-manager__cert-manager/make/config/bind/service.yaml: did not find expected key at line 11 column 33, while parsing a block mapping at line 9 column 3
    "#);
}

#[test]
fn the_manifests_of_the_tests_as_json() {
    let catalog = |path: &Path| path.file_name().is_some_and(|name| name == "input.yaml");
    let mut files = manifests(&project().join("tests/corpus/catalog"), &catalog);
    for folder in ["kustomization-tests", "examples"] {
        files.extend(manifests(&project().join(folder), &is_yaml));
    }
    insta::assert_snapshot!(all(project(), &files), @"
    examples/helm-post-renderer/chart/templates/smoke-test.yaml: did not find expected key at line 5 column 28, while parsing a block mapping at line 5 column 3
    examples/helm-post-renderer/chart/templates/tagger.yaml: key must be a string
    ");
}
