//! The projects of the catalogue as a Flux repository might have them: with variables where their numbers and names are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::{Captures, Regex};

/// What is written with a variable, and the lines that this is about.
const VARIANTS: [(&str, &str); 6] = [
    ("container ports", r"(?m)^( *(?:- )?containerPort: )(\d+)$"),
    ("target ports", r"(?m)^( *(?:- )?targetPort: )(\d+)$"),
    ("dialled ports", r"(?m)^( *(?:- )?port: )(\d+)$"),
    ("arguments", r"(?m)^( *- -.*[=:])(\d{2,5})$"),
    ("namespaces", r"(?m)^(  namespace: )(\S+)$"),
    ("images", r"(?m)^( *(?:- )?image: )(\S+)$"),
];

/// Those that are a variant of their own: where the others have numbers.
const ALONE: [&str; 2] = ["container ports", "arguments"];

/// All variants of all projects, by project and variant: a variable of its own for each value, of the same name for the same
/// one.
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

/// The text with the defaults of all variables, as Flux fills them in when nothing else is set.
pub(crate) fn filled_in(text: &str) -> String {
    Regex::new(r"\$\{x_\w+:=([^}]*)\}").unwrap().replace_all(text, "$1").into_owned()
}

/// The host ports that a pod has twice: the API server refuses it.
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
