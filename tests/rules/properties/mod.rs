//! Properties over generated manifests: moves are complete, an independent reader sees no other difference, untouched
//! lines keep their bytes, a second run changes nothing, and a refusal writes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::format_push_string, reason = "these are tests")]

pub(crate) mod automatic;
mod expect;
#[path = "json.rs"]
pub(crate) mod json_layout;
pub(crate) mod manifest;
pub(crate) mod model;
#[cfg(test)]
mod readers;
#[cfg(test)]
mod tests;
pub(crate) mod text;

use crate::support::dice::Dice;
use hostnet::api::HostNetworkConfig;
use manifest::State;
use model::{Form, Scenario};
use proptest::prelude::*;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::support::in_process::Run;
use crate::support::patched;

/// Applies a config to an input, by the program in tests, by the library in fuzz targets.
pub(crate) type Apply = fn(&str, &str) -> Run;

/// The input of a scenario, in its form and style.
pub(crate) fn input(scenario: &Scenario) -> String {
    let objects = manifest::objects(scenario, State::Before);
    let mut dice = Dice::new(scenario.seed);
    let list = || json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let mut out = match scenario.form {
        Form::Json => serde_json::to_string_pretty(&list()).unwrap() + "\n",
        Form::List => text::document(&list(), &mut dice),
        Form::Stream => {
            let documents: Vec<_> = objects.iter().map(|object| text::document(object, &mut dice)).collect();
            let head = ["", "---\n", "# c0 8000\n---\n"][usize::try_from(dice.roll(3)).unwrap()];
            let gap = ["---\n", "--- # c0\n", "---\n# c0 targetPort: 8000\n"][usize::try_from(dice.roll(3)).unwrap()];
            format!("{head}{}", documents.join(gap))
        }
    };
    if !scenario.final_newline {
        out.truncate(out.trim_end_matches('\n').len());
    }
    if scenario.crlf { out.replace('\n', "\r\n") } else { out }
}

/// The objects of an output, parsed by another reader than the product's.
fn read(form: Form, text: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).expect("readable by serde_yaml"))
        .filter(|value| !value.is_null())
        .collect();
    if form == Form::Stream {
        return documents;
    }
    assert_eq!(documents.len(), 1, "one list");
    assert_eq!(documents[0]["kind"], "List");
    documents[0]["items"].as_array().unwrap().clone()
}

/// Lines that no change affects: the output has them unchanged and in order.
fn untouched_lines(input: &str) -> impl Iterator<Item = &str> {
    let concerned = ["containerPort", "hostPort", "hostNetwork", "dnsPolicy", "ports", "port", "80", "containers"];
    // A line in block style without these words; flow collections may contain anything.
    input
        .split_inclusive('\n')
        .filter(move |line| {
            line.contains('#') || !(concerned.iter().any(|word| line.contains(word)) || line.contains(['{', '[']))
        })
        .map(|line| line.find('#').map_or(line, |start| &line[start..]))
}

fn lines_survive(input: &str, output: &str) -> Result<(), TestCaseError> {
    let mut rest = output;
    for line in untouched_lines(input.trim_end()) {
        let found = rest.find(line.trim_end_matches(['\r', '\n']));
        prop_assert!(found.is_some(), "lost or moved: {line:?}");
        rest = &rest[found.unwrap() + line.trim_end_matches(['\r', '\n']).len()..];
    }
    Ok(())
}

pub(crate) fn holds(apply: Apply, scenario: &Scenario) -> Result<(), TestCaseError> {
    let (config, input) = (manifest::config(scenario), input(scenario));
    let before = read(scenario.form, &input);
    prop_assert_eq!(&before, &manifest::objects(scenario, State::Before), "the generator itself: {}", input);

    let first = apply(&config, &input);
    let context = format!("\n{config}\n=== input\n{input}\n=== stderr\n{}", first.stderr);
    prop_assert_eq!(first.code, Some(0), "{}", context);
    let output = first.text();
    let context = format!("{context}\n=== output\n{output}");

    let differences = expect::differences(scenario, &read(scenario.form, &output));
    prop_assert!(differences.is_empty(), "{}{}", differences.join("\n"), context);
    lines_survive(&input, &output).map_err(|error| TestCaseError::fail(format!("{error}{context}")))?;
    prop_assert_eq!(scenario.final_newline, output.ends_with('\n'), "final newline{}", context);
    if scenario.crlf {
        prop_assert!(!output.replace("\r\n", "").contains('\n'), "a lone LF{}", context);
    } else {
        prop_assert!(!output.contains('\r'), "a CR{}", context);
    }

    let second = apply(&config, &output);
    prop_assert_eq!(second.code, Some(0), "second run: {}{}", second.stderr, context);
    prop_assert!(second.text() == output, "second run{}\n=== again\n{}", context, second.text());
    patched::same(&HostNetworkConfig::read(&config, "config.yaml", 1).unwrap(), &input, &output);
    Ok(())
}

/// Damages an input like a typing mistake, a bad merge or a cut file.
pub(crate) fn damaged(text: &str, damage: &[(usize, u8)]) -> String {
    const PIECES: [&str; 16] =
        ["", "\n", ":", "- ", "{", "]", "\"", "'", "  ", "\t", "#", "&a ", "*a", "---\n", "|", "hostPort: 1\n"];
    let mut letters: Vec<char> = text.chars().collect();
    for (place, kind) in damage {
        let at = place % letters.len().max(1);
        let end = (at + usize::from(kind % 3)).min(letters.len());
        letters.splice(at..end, PIECES[usize::from(kind >> 4)].chars());
    }
    letters.into_iter().collect()
}

/// Asserts exit 0 with a stable output, or exit 1 with a message and without standard output.
pub(crate) fn all_or_nothing(apply: Apply, config: &str, input: &str) -> Result<(), TestCaseError> {
    let first = apply(config, input);
    let context = format!("{}\n{config}\n=== input\n{input}", first.stderr);
    if first.code == Some(1) {
        prop_assert!(first.stdout.is_empty(), "output of a refusal: {}", context);
        prop_assert!(!first.stderr.trim().is_empty(), "a refusal without a message: {}", context);
        return Ok(());
    }
    prop_assert_eq!(first.code, Some(0), "{}", context);
    let output = first.text();
    let second = apply(config, &output);
    prop_assert_eq!(second.code, Some(0), "second run: {}\n{}\n=== output\n{}", second.stderr, context, output);
    prop_assert!(second.text() == output, "second run differs: {}\n=== output\n{}", context, output);
    Ok(())
}
