//! Compares the output with the expectation: every object, every path.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::properties::manifest::{Appended, State, base, objects, template_path};
use crate::properties::model::{Scenario, Workload};

/// All differences between the output and the expectation, one per line; empty if they are equal.
pub(crate) fn differences(scenario: &Scenario, output: &[Value]) -> Vec<String> {
    let before = objects(scenario, State::Before);
    let ids = |all: &[Value]| {
        all.iter().map(|object| (object["kind"].clone(), object["metadata"].clone())).map(id).collect::<Vec<_>>()
    };
    if ids(&before) != ids(output) {
        return vec![format!("objects or their order: {:?}", ids(output))];
    }
    let mut out = Vec::new();
    let mut appended = Vec::new();
    for (index, workload) in scenario.workloads.iter().enumerate() {
        let name = format!("w{index}");
        let object = output.iter().find(|object| object["kind"] != "Service" && object["metadata"]["name"] == *name);
        let spec = object.and_then(|object| object.pointer(&format!("{}/spec", template_path(workload.kind))));
        appended.push(appended_ports(workload, base(index), spec.unwrap_or(&Value::Null), &mut out));
    }
    let wanted = objects(scenario, State::After(&appended));
    for (wanted, got) in wanted.iter().zip(output) {
        walk(&format!("{}/{}", got["kind"], got["metadata"]["name"]), wanted, got, &mut out);
    }
    out
}

fn id((kind, metadata): (Value, Value)) -> String {
    format!("{kind}/{}/{}", metadata["namespace"], metadata["name"])
}

/// The entries after the declared ports. Each is checked, and together they must be exactly the undeclared listeners.
fn appended_ports(workload: &Workload, base: u16, spec: &Value, faults: &mut Vec<String>) -> Appended {
    let mut out = Appended::new();
    if !workload.selected {
        return out;
    }
    let placed = workload.placed(base);
    let mut names: BTreeSet<_> = placed.iter().filter_map(|placed| placed.name.clone()).collect();
    for place in 0..workload.containers.len() {
        let name = format!("c{place}");
        let lists = ["initContainers", "containers"].into_iter().filter_map(|list| spec[list].as_array());
        let container = lists.flatten().find(|container| container["name"] == *name);
        let ports = container.and_then(|container| container["ports"].as_array()).cloned().unwrap_or_default();
        let mine = || placed.iter().filter(|placed| placed.container == name);
        let declared = mine().filter(|placed| placed.listener.declared).count();
        let extra = ports.get(declared..).unwrap_or_default().to_vec();
        let numbers: BTreeSet<_> = extra.iter().filter_map(|entry| entry["containerPort"].as_u64()).collect();
        let wanted: BTreeSet<_> =
            mine().filter(|placed| !placed.listener.declared).map(|placed| u64::from(placed.new)).collect();
        if numbers != wanted || extra.len() != wanted.len() {
            faults.push(format!("{name}: appended {numbers:?}, undeclared {wanted:?}"));
        }
        for entry in &extra {
            if let Some(fault) = odd_entry(entry, &mut names) {
                faults.push(format!("{name}: {fault} in {entry}"));
            }
        }
        out.insert(name, extra);
    }
    out
}

fn odd_entry(entry: &Value, names: &mut BTreeSet<String>) -> Option<&'static str> {
    let keys: BTreeSet<_> = entry.as_object()?.keys().map(String::as_str).collect();
    if !keys.is_subset(&BTreeSet::from(["name", "containerPort", "hostPort", "protocol"])) {
        return Some("unknown field");
    }
    if entry["hostPort"] != entry["containerPort"] {
        return Some("host port");
    }
    if entry.get("protocol").is_some_and(|protocol| protocol != "TCP") {
        return Some("protocol");
    }
    let Some(name) = entry["name"].as_str() else { return Some("no name") };
    let letters = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let well_formed = (1..=15).contains(&name.len())
        && name.chars().all(letters)
        && name.chars().any(|letter| letter.is_ascii_lowercase())
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--");
    if !well_formed {
        return Some("name is not a port name");
    }
    (!names.insert(name.to_owned())).then_some("name is not unique in the pod")
}

/// Paths at which two values differ.
pub(crate) fn walk(path: &str, wanted: &Value, got: &Value, out: &mut Vec<String>) {
    match (wanted, got) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys()).collect::<BTreeSet<_>>() {
                let missing = Value::String("(absent)".into());
                let value = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(missing.clone());
                walk(&format!("{path}/{key}"), &value(left), &value(right), out);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                walk(&format!("{path}/{index}"), left, right, out);
            }
        }
        _ if wanted != got => out.push(format!("{path}: wanted {wanted}, got {got}")),
        _ => {}
    }
}
