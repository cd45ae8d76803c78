//! Every flag and variable of the catalog matters: a change of one byte in its name changes the output for a project's
//! manifests.

use std::collections::BTreeSet;

use hostnet::catalog::{Program, check, programs};
use serde_json::Value;

use super::project::projects;

/// Names that no manifest can prove. The scaffold's flags are never added, and words in their names (listen, metrics,
/// health) have the same effect as the catalog row.
const UNPROVEN: [&str; 8] = [
    "kubebuilder-v2 --metrics-addr",
    "kubebuilder-v3 --metrics-bind-address",
    "kubebuilder-v3 --health-probe-bind-address",
    "kubebuilder-v4 --metrics-bind-address",
    "kubebuilder-v4 --health-probe-bind-address",
    "operator-sdk-helm --metrics-bind-address",
    "operator-sdk-helm --metrics-addr",
    "operator-sdk-helm --health-probe-bind-address",
];

#[test]
fn every_name_is_proven_by_a_manifest() {
    let mut unproven = Vec::new();
    for project in projects() {
        let config = project.config(&[]);
        let whole = project.run(&config);
        for (source, _) in programs().filter(|(source, _)| source.project == project.name) {
            let entry: Vec<Value> = serde_saphyr::from_str(source.yaml).unwrap();
            for (listener, known, key, old) in names(&entry[0]) {
                let entry = mutants(&old).find_map(|new| {
                    let mut entry = entry[0].clone();
                    entry["listeners"][listener]["settings"][known][key] = new.into();
                    let program: Program = serde_json::from_value(entry.clone()).unwrap();
                    check(&program).is_empty().then_some(entry)
                });
                let entry = entry.unwrap_or_else(|| panic!("{}: every byte of `{old}` is needed", source.name));
                let mut with_mutant = config.clone();
                with_mutant["spec"]["programs"] = vec![entry].into();
                if project.run(&with_mutant) == whole {
                    unproven.push(format!("{} {old}", source.name));
                }
            }
        }
    }
    assert_eq!(unproven, UNPROVEN, "left: names that no manifest of tests/corpus/catalog shows to matter");
}

/// Names that cannot be tested by mutation, such as `notListen` and `enabledBy` entries, must at least occur in a
/// manifest or message.
#[test]
fn every_name_occurs_in_a_manifest() {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut missing = Vec::new();
    for project in projects() {
        let texts = ["input.yaml", "want.yaml", "want.txt"];
        let texts = texts.map(|file| std::fs::read_to_string(project.folder.join(file)).unwrap());
        let words: BTreeSet<&str> = texts.iter().flat_map(|text| text.split(|c| !is_part(c))).collect();
        for (source, _) in programs().filter(|(source, _)| source.project == project.name) {
            let entry: Vec<Value> = serde_saphyr::from_str(source.yaml).unwrap();
            let all = names(&entry[0]).into_iter().map(|(_, _, _, name)| name).chain(other_names(&entry[0]));
            missing.extend(
                all.filter(|name| !words.contains(name.as_str())).map(|name| format!("{} {name}", source.name)),
            );
        }
    }
    assert!(missing.is_empty(), "no manifest or message of tests/corpus/catalog has {missing:?}");
}

/// Returns the flags that look like a listener but are not, and the settings that enable or disable listeners.
fn other_names(entry: &Value) -> Vec<String> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut found: Vec<String> = list(entry, "notListen").iter().filter_map(text).collect();
    for listener in list(entry, "listeners") {
        found.extend(["arg", "env"].iter().filter_map(|key| text(&listener["enabledBy"][key])));
        found.extend(list(&listener, "disabledBy").iter().filter_map(text));
    }
    found
}

/// Returns the flags and variables of an entry: index of the listener, index of the setting, key and name.
fn names(entry: &Value) -> Vec<(usize, usize, &'static str, String)> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for (position, listener) in list(entry, "listeners").iter().enumerate() {
        for (index, known) in list(listener, "settings").iter().enumerate() {
            for key in ["arg", "env"] {
                found.extend(known[key].as_str().map(|name| (position, index, key, name.to_owned())));
            }
        }
    }
    found
}

/// Returns the name with each letter replaced in turn, and with one more letter: a replaced letter may have no effect,
/// and short names such as `PORT` need all their letters.
fn mutants(name: &str) -> impl Iterator<Item = String> {
    let longer = format!("{name}q");
    let letters = name.char_indices().filter(|(_, c)| c.is_ascii_alphabetic());
    let replaced = letters.map(|(at, c)| {
        let other = match c {
            'q' | 'Q' => 'x',
            _ if c.is_uppercase() => 'Q',
            _ => 'q',
        };
        format!("{}{other}{}", &name[..at], &name[at + 1..])
    });
    replaced.chain([longer])
}
