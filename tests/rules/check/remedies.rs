//! Remedies in messages work: once pasted, the finding is gone. The manifests are the bad examples of the rules' pages.

use std::collections::BTreeSet;
use std::process::Command;

use hostnet::rule;
use serde_json::{Value, json};

/// The config and the objects of the bad example on a page.
fn example(page: &str) -> (Vec<Value>, Vec<Value>) {
    let (_, text) = page.split_once("\nBad:\n\n```yaml\n").unwrap();
    let (text, _) = text.split_once("```\n").unwrap();
    let documents = text.split("---\n").filter_map(|document| serde_yaml::from_str::<Value>(document).ok());
    documents.partition(|document| document["kind"] == "HostNetworkCheck")
}

/// The findings of a check of these objects.
fn findings(configs: &[Value], objects: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, documents: &[Value]| {
        let text: Vec<String> = documents.iter().map(ToString::to_string).collect();
        std::fs::write(folder.path().join(name), text.join("\n---\n")).unwrap();
    };
    write("objects.yaml", objects);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    command.args(["check", "-o", "json", "objects.yaml"]).current_dir(folder.path());
    for (index, config) in configs.iter().enumerate() {
        let name = format!("config-{index}.yaml");
        write(&name, std::slice::from_ref(config));
        command.args(["-c", &name]);
    }
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    report["findings"].as_array().unwrap().clone()
}

/// The code spans of a message that are YAML with fields, in sentences with `Write`, `Add` or `Label`.
fn spans(message: &str) -> Vec<Value> {
    let parts: Vec<&str> = message.split('`').collect();
    let is_advice = |index: usize| {
        let before = parts.iter().take(index).copied().collect::<String>();
        let sentence = before.rsplit(". ").next().unwrap_or_default();
        ["rite ", "dd ", "abel "].iter().any(|word| sentence.contains(word))
    };
    let spans =
        parts.iter().enumerate().skip(1).step_by(2).filter(|(index, span)| span.contains(": ") && is_advice(*index));
    let yaml = spans.filter_map(|(_, span)| {
        let value = serde_yaml::from_str::<Value>(span).ok().filter(|value| !value.is_string());
        value.or_else(|| serde_yaml::from_str(&format!("{{{span}}}")).ok())
    });
    yaml.filter(|value| value.is_array() || value.as_object().is_some_and(|map| !map.is_empty())).collect()
}

/// The path `spec.containers[0].ports` as a JSON pointer.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('[', ".").replace(']', "").replace('.', "/"))
}

/// The config and the objects with the pasted remedy of a finding. `None` if the form belongs in neither a manifest nor
/// a config.
fn written(
    (configs, objects): (&[Value], &[Value]),
    finding: &Value,
    value: &Value,
) -> Option<(Vec<Value>, Vec<Value>)> {
    let (mut configs, mut objects) = (configs.to_vec(), objects.to_vec());
    let fields = value.as_object();
    if fields.is_some_and(|fields| fields.contains_key("apiVersion")) {
        objects.push(value.clone());
        return Some((configs, objects));
    }
    if let Some(shared) = fields.and_then(|fields| fields.get("shared")) {
        let spec = json!({"targets": [{"select": {"kind": ".*"}}], "unmatched": "Ignore", "shared": shared});
        configs.push(json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "spec": spec}));
        return Some((configs, objects));
    }
    if let Some(fields) = fields.filter(|fields| fields.keys().any(|key| key.starts_with("pod-security."))) {
        let namespace = objects.iter_mut().find(|object| object["kind"] == "Namespace")?;
        namespace["metadata"]["labels"].as_object_mut()?.extend(fields.clone());
        return Some((configs, objects));
    }
    let (kind, name) = (&finding["resourceRef"]["kind"], &finding["resourceRef"]["name"]);
    let object = objects.iter_mut().find(|object| object["kind"] == *kind && object["metadata"]["name"] == *name)?;
    let path = pointer(finding["field"]["path"].as_str()?);
    let (parent, last) = path.rsplit_once('/')?;
    match value {
        Value::Array(items) => {
            let at = object.pointer_mut(&path)?;
            let declared = if at.is_object() { &mut at["ports"] } else { at };
            let old = declared.as_array().cloned().unwrap_or_default();
            *declared = old.into_iter().chain(items.iter().cloned()).collect();
        }
        Value::Object(fields) if fields.contains_key(last) => {
            object.pointer_mut(parent)?.as_object_mut()?.extend(fields.clone());
        }
        Value::Object(fields) => {
            let at = match object.pointer(&path) {
                Some(_) => object.pointer_mut(&path)?,
                None => object.pointer_mut(parent)?.as_object_mut()?.entry(last).or_insert(json!({})),
            };
            let at = if last == "strategy" { &mut at["rollingUpdate"] } else { at };
            let new: Value = fields.clone().into();
            match at.as_object_mut() {
                Some(old) => old.extend(fields.clone()),
                None => *at = new,
            }
        }
        _ => return None,
    }
    Some((configs, objects))
}

#[test]
fn the_remedy_of_a_finding_works_when_it_is_pasted() {
    let mut pasted = BTreeSet::new();
    for rule in rule::checked() {
        let (configs, objects) = example(rule.page);
        for finding in findings(&configs, &objects) {
            let message = finding["message"].as_str().unwrap();
            let mut advice = spans(message).into_iter();
            let mended = advice.find_map(|value| written((&configs, &objects), &finding, &value));
            let Some((configs, objects)) = mended else { continue };
            pasted.insert(rule.id);
            let again = findings(&configs, &objects);
            let is_same = |other: &&Value| other["message"] == finding["message"] && other["suppressed"].is_null();
            assert!(!again.iter().any(|other| is_same(&other)), "{message}\n{objects:?}");
            assert!(again.iter().all(|other| other["rule"] == rule.id), "{message}\nmakes {again:?}");
        }
    }
    let rules = [
        "admission-policy",
        "dns-policy",
        "host-port",
        "pod-security",
        "port-conflict",
        "port-declared",
        "rollout-surge",
    ];
    assert_eq!(pasted, BTreeSet::from(rules));
}
