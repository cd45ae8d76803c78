//! The projects of the catalog as in a Flux repository, with variables for numbers and names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::{Captures, Regex};

/// Fields that become variables, with patterns for their lines.
const VARIANTS: [(&str, &str); 6] = [
    ("container ports", r"(?m)^( *(?:- )?containerPort: )(\d+)$"),
    ("target ports", r"(?m)^( *(?:- )?targetPort: )(\d+)$"),
    ("dialled ports", r"(?m)^( *(?:- )?port: )(\d+)$"),
    ("arguments", r"(?m)^( *- -.*[=:])(\d{2,5})$"),
    ("namespaces", r"(?m)^(  namespace: )(\S+)$"),
    ("images", r"(?m)^( *(?:- )?image: )(\S+)$"),
];

/// Fields that are also tested alone, while the others keep their numbers.
const ALONE: [&str; 2] = ["container ports", "arguments"];

/// Returns all variants of all projects, by project and variant. Each value becomes a variable; equal values share one.
pub(crate) fn variants() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/catalog");
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("input.yaml")) else { continue };
        let project = folder.file_name().unwrap().to_str().unwrap();
        let mut every = text.clone();
        for (name, pattern) in VARIANTS {
            let pattern = Regex::new(pattern).unwrap();
            let variable = |found: &Captures<'_>| {
                let plain: String = found[2].chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
                format!("{}${{x_{plain}:={}}}", &found[1], &found[2])
            };
            if ALONE.contains(&name) {
                all.insert(format!("{project}, {name}"), pattern.replace_all(&text, variable).into_owned());
            }
            every = pattern.replace_all(&every, variable).into_owned();
        }
        all.insert(format!("{project}, all"), every);
    }
    all
}

/// Replaces all variables by their defaults, as Flux does if no value is set.
pub(crate) fn filled_in(text: &str) -> String {
    Regex::new(r"\$\{x_\w+:=([^}]*)\}").unwrap().replace_all(text, "$1").into_owned()
}

/// Returns duplicate host ports in a pod, which the API server rejects.
pub(crate) fn declared_twice(text: &str) -> BTreeSet<String> {
    let mut twice = BTreeSet::new();
    for object in crate::flux::differ::objects(text).unwrap_or_default() {
        let spec = &object["spec"]["template"]["spec"];
        let containers = spec["containers"].as_sequence().into_iter().flatten();
        let ports = containers.flat_map(|container| container["ports"].as_sequence().into_iter().flatten());
        let mut seen = BTreeSet::new();
        for port in ports.filter(|port| !port["hostPort"].is_null()) {
            let key = format!("{:?} {:?}", port["hostPort"], port["protocol"]);
            if !seen.insert(key.clone()) {
                twice.insert(format!("{:?}: {key}", object["metadata"]["name"]));
            }
        }
    }
    twice
}
