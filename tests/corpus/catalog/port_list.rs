//! The list of known listeners that the catalogue was made from, where it is at hand: each row is in `catalog/programs`, or in
//! `catalog/not-covered.yaml` with the reason.

use std::path::Path;
use std::sync::Arc;

use crate::support::not_run;
use hostnet::catalog::{Program, not_covered, programs};

#[test]
fn every_known_listener_is_in_the_catalogue_or_left_out_for_a_reason() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/port-catalogue.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        not_run(&format!("{} is not there", path.display()));
        return;
    };
    let records = records(&text);
    let column = |name: &str| records[0].iter().position(|column| column == name).unwrap();
    let (project, role, port, told) =
        (column("project"), column("role"), column("default_port"), column("flag_or_env"));
    let missing: Vec<String> = records[1..]
        .iter()
        .filter(|row| !is_known(&row[project], &row[role], &row[port], &row[told]))
        .map(|row| format!("{} {} {} `{}`", row[project], row[role], row[port], row[told]))
        .collect();
    assert!(missing.is_empty(), "neither in catalog/programs nor in catalog/not-covered.yaml:\n{missing:#?}");
}

fn is_known(project: &str, role: &str, port: &str, told: &str) -> bool {
    // One file has all scaffolds of kubebuilder.
    let file = if project.starts_with("kubebuilder-") { "kubebuilder" } else { project };
    let of_project: Vec<Arc<Program>> =
        programs().filter(|(source, _)| source.project == file).map(|(_, program)| program).collect();
    let listeners = || of_project.iter().flat_map(|program| &program.listeners);
    let names = names(told);
    let sets = |name: &&str| listeners().any(|row| row.settings.iter().any(|known| known.name() == *name));
    let ports: Vec<u16> = port.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    let listens = |port: &u16| listeners().any(|row| row.default == Some(*port));
    let field = || {
        listeners().flat_map(|row| &row.settings).filter_map(|known| known.config.as_deref()).any(|f| told.contains(f))
    };
    let covered = match names.is_empty() {
        true => field() || (!ports.is_empty() && ports.iter().all(listens)),
        false => names.iter().all(sets),
    };
    let says = |text: &str| names.iter().any(|name| text.contains(name));
    let alike = |roles: &str| role.split(['+', '/']).any(|role| roles.split('+').any(|other| other == role));
    let mut left_out = not_covered().iter().filter(|row| row.project == file || row.project == project);
    covered || left_out.any(|row| says(row.program) || says(row.why) || alike(row.role))
}

/// The flags and variables of a text that is for people; remarks in brackets may name others.
fn names(text: &str) -> Vec<&str> {
    let flag = |word: &&str| word.starts_with('-') && word.len() > 1;
    let variable = |word: &&str| {
        word.contains('_') && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let text = text.split('(').next().unwrap_or_default();
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '/' | '='));
    words.filter(|word| flag(word) || variable(word)).collect()
}

/// The records of a CSV text: fields between commas, quoted ones with doubled quotes inside.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().filter(|c| *c != '\r').peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            _ => field.push(c),
        }
    }
    records
}
