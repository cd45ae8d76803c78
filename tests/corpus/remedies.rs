//! Applies the remedies that messages suggest, for all projects of the catalog and all programs of the truth set: the
//! message disappears, and no new error replaces it.
//!
//! The remedies are config lines in code spans: `bind: […]` and `program: …` go to a target for the workload, other
//! fields to the spec.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hostnet::api::HostNetworkConfig;
use hostnet::kinds;
use hostnet::render::Diagnostic;
use hostnet::rule::Severity;
use krm::{Input, Origin};
use serde_json::{Value, json};

/// Fields of a target and of the spec that messages suggest.
const OF_TARGET: [&str; 2] = ["bind", "program"];
const OF_SPEC: [&str; 5] = ["shared", "nodes", "podSecurity", "unmatched", "exclude"];

fn inputs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut found = Vec::new();
    for room in ["catalog", "truth"] {
        let folders = std::fs::read_dir(root.join(room)).unwrap().map(|entry| entry.unwrap().path());
        found.extend(folders.map(|folder| folder.join("input.yaml")).filter(|path| path.is_file()));
    }
    found.sort();
    found
}

fn config(target: Option<Value>, spec: &BTreeMap<String, Value>) -> HostNetworkConfig {
    let broad = [
        json!({"select": {"name": ".*"}, "ports": "auto"}),
        json!({"select": {"group": "pkg.crossplane.io"}, "ports": "auto"}),
    ];
    let targets: Vec<Value> = target.into_iter().chain(broad).collect();
    let mut all = json!({"targets": targets, "unmatched": "Ignore"});
    all.as_object_mut().unwrap().extend(spec.clone());
    let config = json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "spec": all});
    HostNetworkConfig::read(&config.to_string(), "hostnetwork.yaml", 1)
        .unwrap_or_else(|error| panic!("{error}\n{config}"))
}

fn reported(input: &Input, config: &HostNetworkConfig) -> Vec<Diagnostic> {
    kinds::run(std::slice::from_ref(input), config, false).unwrap().results
}

/// Returns the config lines in a message's code spans, by field; the first one for each field. A target has its select.
fn lines(message: &str) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for span in message.split('`').skip(1).step_by(2) {
        let is_form = span.contains("NAME@") || span.contains("@VERSION");
        let fields = match serde_yaml::from_str::<Value>(span) {
            Ok(Value::Object(fields)) if !is_form => fields,
            // A whole target.
            Ok(Value::Array(items)) => {
                let target = items.into_iter().next().and_then(|item| item.as_object().cloned()).unwrap_or_default();
                if target.contains_key("select") {
                    found.extend(target);
                }
                continue;
            }
            _ => continue,
        };
        for (key, value) in fields {
            if OF_TARGET.contains(&key.as_str()) || OF_SPEC.contains(&key.as_str()) {
                found.entry(key).or_insert(value);
            }
        }
    }
    found
}

/// Returns a target for the object of a result, with these fields; the message may have the select.
fn own_target(result: &Diagnostic, fields: BTreeMap<String, Value>) -> Option<Value> {
    let object = result.resource.as_ref()?;
    let pattern = |text: &str| text.replace('.', "\\.");
    let (kind, name) = match object.kind.as_str() {
        // A generated DeploymentRuntimeConfig belongs to a package, which the message names.
        "DeploymentRuntimeConfig" => result.message.split(", ").next()?.split_once(' ')?,
        kind => (kind, object.name.as_str()),
    };
    let group = object.api_version.split_once('/').map_or("", |(group, _)| group);
    let mut select = json!({"kind": kind, "name": pattern(name), "group": pattern(group)});
    if let Some(namespace) = &object.namespace {
        select.as_object_mut()?.insert("namespace".to_owned(), pattern(namespace).into());
    }
    let mut target = json!({"select": select, "ports": "auto"});
    target.as_object_mut()?.extend(fields);
    Some(target)
}

#[test]
fn suggested_remedies_work() {
    let (mut faults, mut pasted) = (Vec::new(), BTreeMap::<String, usize>::new());
    for path in inputs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let input = Input::read(Origin::stdin(), text.into()).unwrap();
        let plain = reported(&input, &config(None, &BTreeMap::new()));
        let errors = |results: &[Diagnostic]| results.iter().filter(|one| one.severity == Severity::Error).count();
        for result in &plain {
            let (target, spec): (BTreeMap<_, _>, BTreeMap<_, _>) =
                lines(&result.message).into_iter().partition(|(key, _)| !OF_SPEC.contains(&key.as_str()));
            if target.is_empty() && spec.is_empty() {
                continue;
            }
            for key in target.keys().chain(spec.keys()) {
                *pasted.entry(format!("{} {key}", result.rule)).or_default() += 1;
            }
            let own = if target.is_empty() { None } else { own_target(result, target) };
            let again = reported(&input, &config(own, &spec));
            let project = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
            if again.iter().any(|other| other.message == result.message) {
                faults.push(format!("{project}: reported again: {result}"));
            } else if errors(&again) > errors(&plain) {
                let new: BTreeSet<String> =
                    again.iter().filter(|one| one.severity == Severity::Error).map(ToString::to_string).collect();
                faults.push(format!("{project}: {result}\n    makes an error: {new:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} of {pasted:?}:\n{}", faults.len(), faults.join("\n"));
    for rule in ["port-setting bind", "port-setting program", "port-guess bind", "port-conflict nodes"] {
        assert!(pasted.get(rule).is_some_and(|count| *count > 0), "{rule}: {pasted:?}");
    }
}
