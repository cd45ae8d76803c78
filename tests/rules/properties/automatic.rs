//! `ports: auto` on generated manifests: each listener that can move moves with all references; no two listeners and no
//! process of the node share a number; the old number is gone; and a second run changes nothing.

use std::collections::BTreeMap;

use hostnet::api::HostNetworkConfig;
use hostnet::catalog::NODE_PORTS;
use hostnet::kinds::host_network;
use krm::{Input, Origin};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::properties::manifest::{base, template_path};
use crate::properties::model::{self, Scenario, SetBy, Workload};
use crate::properties::{Apply, expect, input, lines_survive, read};

/// The form of `auto` in the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// `ports: auto`
    Whole,
    /// A key with `auto` for each listener.
    Keys,
    /// A pool with hardly enough numbers.
    SmallPool,
}

pub(crate) fn how() -> impl Strategy<Value = How> {
    select(vec![How::Whole, How::Keys, How::SmallPool])
}

/// Scenarios in which every listener whose number can be set moves.
pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    model::scenario().prop_map(|mut scenario| {
        for listener in
            scenario.workloads.iter_mut().flat_map(|w| &mut w.containers).flat_map(|container| &mut container.listeners)
        {
            listener.moved = listener.set_by != SetBy::Unknown;
        }
        scenario
    })
}

pub(crate) fn config(scenario: &Scenario, how: How) -> String {
    let mut targets = String::new();
    let mut listeners = 0;
    for (index, workload) in scenario.workloads.iter().enumerate().filter(|(_, workload)| workload.selected) {
        let placed = workload.placed(base(index));
        listeners += placed.len();
        targets += &format!("  - select: {{kind: {}, name: w{index}}}\n", workload.kind);
        let keys: Vec<_> = placed.iter().filter(|placed| placed.listener.moved).collect();
        if how != How::Keys || keys.is_empty() {
            targets += "    ports: auto\n";
            continue;
        }
        targets += "    ports:\n";
        for placed in keys {
            targets += &format!("      {}: auto\n", placed.key());
        }
    }
    if targets.is_empty() {
        targets += "  - select: {kind: Deployment, name: nobody}\n    ports: auto\n";
    }
    let pool = match how {
        How::SmallPool => format!("  portPool: 20000-{}\n", 20_000 + listeners),
        How::Whole | How::Keys => String::new(),
    };
    let head = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: property\nspec:\n";
    format!("{head}{pool}  unmatched: Ignore\n  targets:\n{targets}")
}

/// The new numbers by old ones for each selected workload, from `hostnet ports`.
fn given(config: &str, input: &str, workloads: usize) -> Vec<BTreeMap<u16, u16>> {
    let config = HostNetworkConfig::read(config, "config.yaml", 1).unwrap();
    let input = Input::read(Origin::stdin(), input.into()).unwrap();
    let (rows, _) = host_network::ports(&[input], &config, false).unwrap();
    let of = |index: usize| {
        let mine = rows.iter().filter(move |row| row.workload.ends_with(&format!("/w{index}")));
        mine.map(|row| (row.from, row.to)).collect()
    };
    (0..workloads).map(of).collect()
}

pub(crate) fn holds(apply: Apply, scenario: &Scenario, how: How) -> Result<(), TestCaseError> {
    let (config, input) = (config(scenario, how), input(scenario));
    let first = apply(&config, &input);
    let context = format!("\n{config}\n=== input\n{input}\n=== stderr\n{}", first.stderr);
    prop_assert_eq!(first.code, Some(0), "{}", context);
    let output = first.text();
    let context = format!("{context}\n=== output\n{output}");
    let objects = read(scenario.form, &output);

    let mut after = scenario.clone();
    for (workload, numbers) in after.workloads.iter_mut().zip(given(&config, &input, scenario.workloads.len())) {
        workload.given = numbers;
    }
    let mut taken: BTreeMap<u16, String> = BTreeMap::new();
    for (index, workload) in after.workloads.iter().enumerate().filter(|(_, workload)| workload.selected) {
        for placed in workload.placed(base(index)) {
            let call = format!("w{index} {}", placed.old);
            prop_assert_eq!(placed.new != placed.old, placed.listener.moved, "{}{}", call, context);
            let other = taken.insert(placed.new, call.clone());
            prop_assert!(other.is_none(), "{} and {:?} have {}{}", call, other, placed.new, context);
            if placed.listener.moved {
                let node = NODE_PORTS.iter().find(|row| row.port == placed.new);
                prop_assert!(node.is_none(), "{} has {}, a node's{}", call, placed.new, context);
                let left = remains(&objects, workload, index, placed.old, placed.flag(), &placed.variable());
                prop_assert!(left.is_empty(), "{}: the old number is left at {:?}{}", call, left, context);
            }
        }
    }
    let differences = expect::differences(&after, &objects);
    prop_assert!(differences.is_empty(), "{}{}", differences.join("\n"), context);
    lines_survive(&input, &output).map_err(|error| TestCaseError::fail(format!("{error}{context}")))?;

    let second = apply(&config, &output);
    prop_assert_eq!(second.code, Some(0), "second run: {}{}", second.stderr, context);
    prop_assert!(second.text() == output, "second run{}\n=== again\n{}", context, second.text());
    Ok(())
}

/// Places that still have the old number of a listener: ports, probes, annotations and listen texts of the workload,
/// and the target ports of its Service.
fn remains(objects: &[Value], workload: &Workload, index: usize, old: u16, flag: &str, variable: &str) -> Vec<String> {
    let name = format!("w{index}");
    let mut left = Vec::new();
    for object in objects.iter().filter(|object| object["metadata"]["name"] == *name) {
        if object["metadata"]["namespace"] == "elsewhere" {
            continue;
        }
        if object["kind"] == "Service" {
            search(object, "service", &["targetPort", "prometheus.io/port"], old, &mut left);
            continue;
        }
        let template = object.pointer(template_path(workload.kind)).unwrap();
        search(template, "template", &["containerPort", "hostPort", "port", "prometheus.io/port"], old, &mut left);
        listens(template, &[flag, variable], old, &mut left);
    }
    left
}

fn is_number(value: &Value, number: u16) -> bool {
    value.as_u64() == Some(number.into()) || value.as_str() == Some(number.to_string().as_str())
}

fn search(value: &Value, path: &str, keys: &[&str], old: u16, left: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let path = format!("{path}/{key}");
                // The label `port` of the generated pods is not a port.
                if keys.contains(&key.as_str()) && is_number(inner, old) && !path.ends_with("labels/port") {
                    left.push(path.clone());
                }
                // The plain init container keeps its texts.
                search(inner, &path, keys, old, left);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| search(item, path, keys, old, left)),
        _ => {}
    }
}

/// Arguments, words of a script and variables that set the number of the listener.
fn listens(template: &Value, names: &[&str], old: u16, left: &mut Vec<String>) {
    let lists = ["initContainers", "containers"].into_iter().filter_map(|list| template["spec"][list].as_array());
    for container in lists.flatten().filter(|container| container["name"] != "setup") {
        let texts = ["command", "args"].into_iter().filter_map(|list| container[list].as_array()).flatten();
        let words: Vec<&str> = texts.filter_map(Value::as_str).flat_map(str::split_whitespace).collect();
        for (position, word) in words.iter().enumerate() {
            let next = words.get(position + 1).copied().unwrap_or_default();
            let set_by = match word.split_once('=') {
                Some((flag, value)) if names.contains(&flag) => value,
                None if names.contains(word) => next,
                _ => continue,
            };
            if set_by.rsplit(':').next() == Some(old.to_string().as_str()) {
                left.push(format!("{word} {next}"));
            }
        }
        let env = container["env"].as_array().into_iter().flatten();
        for variable in env.filter(|variable| variable["name"].as_str().is_some_and(|name| names.contains(&name))) {
            if variable["value"].as_str().and_then(|value| value.rsplit(':').next()) == Some(old.to_string().as_str()) {
                left.push(variable.to_string());
            }
        }
    }
}
