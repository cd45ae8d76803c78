//! Known listeners in `listeners.tsv`: each row is in `catalog/programs`, or in `catalog/not-covered.yaml` with a
//! reason.

use std::sync::Arc;

use hostnet::catalog::{NOT_COVERED, Program, programs};

/// Known listeners of public programs: project, role, default port, and the setting of the port.
const LISTENERS: &str = include_str!("listeners.tsv");

#[test]
fn every_known_listener_is_in_the_catalog_or_has_a_reason() {
    let rows = LISTENERS.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let missing: Vec<String> = rows
        .filter(|row| !is_known(row[0], row[1], row[2], row[3]))
        .map(|row| format!("{} {} {} `{}`", row[0], row[1], row[2], row[3]))
        .collect();
    assert!(missing.is_empty(), "neither in catalog/programs nor in catalog/not-covered.yaml:\n{missing:#?}");
}

fn is_known(project: &str, role: &str, port: &str, settings: &str) -> bool {
    // One file contains all kubebuilder scaffolds.
    let file = if project.starts_with("kubebuilder-") { "kubebuilder" } else { project };
    let of_project: Vec<Arc<Program>> =
        programs().filter(|(source, _)| source.project == file).map(|(_, program)| program).collect();
    let listeners = || of_project.iter().flat_map(|program| &program.listeners);
    let names = names(settings);
    let sets = |name: &&str| listeners().any(|row| row.settings.iter().any(|known| known.name() == *name));
    let ports: Vec<u16> = port.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    let listens = |port: &u16| listeners().any(|row| row.default == Some(*port));
    let field = || {
        listeners()
            .flat_map(|row| &row.settings)
            .filter_map(|known| known.config.as_deref())
            .any(|f| settings.contains(f))
    };
    let covered = match names.is_empty() {
        true => field() || (!ports.is_empty() && ports.iter().all(listens)),
        false => names.iter().all(sets),
    };
    let names_one = |text: &str| names.iter().any(|name| text.contains(name));
    let alike = |roles: &str| role.split(['+', '/']).any(|role| roles.split('+').any(|other| other == role));
    let mut left_out = NOT_COVERED.iter().filter(|row| row.project == file || row.project == project);
    covered || left_out.any(|row| names_one(row.program) || names_one(row.why) || alike(row.role))
}

/// Returns the flags and variables in a descriptive text, without remarks in brackets.
fn names(text: &str) -> Vec<&str> {
    let flag = |word: &&str| word.starts_with('-') && word.len() > 1;
    let variable = |word: &&str| {
        word.contains('_') && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let text = text.split('(').next().unwrap_or_default();
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '/' | '='));
    words.filter(|word| flag(word) || variable(word)).collect()
}
