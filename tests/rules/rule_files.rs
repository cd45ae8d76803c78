//! The tests of a rule are in `tests/rules/ROOM/ID.rs`, one file for each room that reports the rule.
#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use hostnet::rule::{self, Rule};
use regex::Regex;

use crate::support::{files_below, project};

/// Rooms of the source and their folders of tests: a rule belongs to the first prefix of the module that reports it. A
/// rule with severities in `rule.check` also belongs to `check`.
const ROOMS: [(&str, &str); 13] = [
    ("check", "check"),
    ("proxy", "proxy"),
    ("package_mirror", "package_mirror"),
    ("host_network", "host_network"),
    ("kinds::check", "check"),
    ("kinds::proxy", "proxy"),
    ("kinds::kustomize_names", "kustomize"),
    ("kinds::written_names", "kustomize"),
    // Shared code, whose rules HostNetwork and other kinds report.
    ("kinds", "host_network"),
    ("judge", "host_network"),
    ("crossplane", "host_network"),
    ("plan", "host_network"),
    ("kustomize", "kustomize"),
];

/// Module paths and code of all Rust files of the rooms, without comments and unit tests.
fn sources() -> Vec<(String, String)> {
    let root = project().join("src");
    let source = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let module = path.strip_prefix(&root).unwrap().with_extension("").display().to_string();
        (module.trim_end_matches("/mod").replace('/', "::"), code.join("\n"))
    };
    let files = files_below(&root).into_iter();
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).map(source).collect()
}

/// The folder of tests for a module; `None` for rooms that only print or parse rules.
fn folder_of(module: &str) -> Option<&'static str> {
    let (_, folder) = ROOMS.into_iter().find(|(prefix, _)| module.starts_with(prefix))?;
    Some(folder)
}

/// The folders of tests in which a rule needs a file.
fn folders_of(rule: Rule, sources: &[(String, String)]) -> BTreeSet<&'static str> {
    let constant = rule.id.to_uppercase().replace('-', "_");
    let used = Regex::new(&format!(r"\brule::(?:{constant}\b|\{{[^}}]*\b{constant}\b)")).unwrap();
    let reports = sources.iter().filter(|(_, code)| used.is_match(code));
    let mut folders: BTreeSet<&str> = reports.filter_map(|(module, _)| folder_of(module)).collect();
    folders.extend((!rule.check.is_empty()).then_some("check"));
    folders
}

#[test]
fn each_rule_has_a_test_file_in_each_module_that_reports_it() {
    let sources = sources();
    let (mut missing, mut count) = (Vec::new(), 0);
    for rule in rule::ALL {
        let folders = folders_of(*rule, &sources);
        assert!(!folders.is_empty(), "no code reports rule {}: remove it from src/rule.rs, or see ROOMS", rule.id);
        for folder in folders {
            let file = format!("tests/rules/{folder}/{}.rs", rule.id.replace('-', "_"));
            if !project().join(&file).is_file() {
                missing.push(format!("rule {} is reported by room {folder} and has no {file}", rule.id));
            }
            count += 1;
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(count > 80, "{count}");
}

/// A file without a `mod` line is not compiled, and its tests never run.
#[test]
fn each_test_file_is_a_module() {
    let mut forgotten = Vec::new();
    let rooms: BTreeSet<&str> = ROOMS.into_iter().map(|(_, folder)| folder).collect();
    for room in rooms {
        let folder = project().join("tests/rules").join(room);
        let modules = std::fs::read_to_string(folder.join("mod.rs")).unwrap();
        let is_test = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        let files = files_below(&folder).into_iter().filter(|path| path.parent() == Some(folder.as_path()));
        for path in files.filter(is_test) {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if name != "mod" && !modules.lines().any(|line| line.ends_with(&format!("mod {name};"))) {
                forgotten.push(format!("{}: write `mod {name};` in mod.rs", path.display()));
            }
        }
    }
    assert!(forgotten.is_empty(), "{}", forgotten.join("\n"));
}
