//! Properties over generated manifests: what must move moves completely, nothing else differs for an independent reader,
//! the bytes of untouched lines stay, applying twice changes nothing, and a refusal writes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::format_push_string, reason = "these are tests")]

mod automatic;
mod expect;
#[path = "json.rs"]
mod json_layout;
mod manifest;
mod model;
mod readers;
use crate::support::patched;
use crate::support::run;
mod text;

use hostnet::api::Config;
use manifest::State;
use model::{Form, Scenario};
use proptest::prelude::*;
use serde::Deserialize as _;
use serde_json::{Value, json};
use text::Dice;

/// The input of a scenario, in its form and style.
fn input(scenario: &Scenario) -> String {
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

/// The objects of an output, read by a reader that is not the product's.
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

/// Lines that no change can concern: they must come out as they are, in their order.
fn untouched_lines(input: &str) -> impl Iterator<Item = &str> {
    let concerned = ["containerPort", "hostPort", "hostNetwork", "dnsPolicy", "ports", "port", "80", "containers"];
    // A line of the block style that names none of these; flow collections may hold anything.
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

fn holds(scenario: &Scenario) -> Result<(), TestCaseError> {
    let (config, input) = (manifest::config(scenario), input(scenario));
    let before = read(scenario.form, &input);
    prop_assert_eq!(&before, &manifest::objects(scenario, State::Before), "the generator itself: {}", input);

    let first = run::apply(&config, &input);
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

    let second = run::apply(&config, &output);
    prop_assert_eq!(second.code, Some(0), "second run: {}{}", second.stderr, context);
    prop_assert!(second.text() == output, "second run{}\n=== again\n{}", context, second.text());
    patched::same(&Config::read(&config, "config.yaml", 1).unwrap(), &input, &output);
    Ok(())
}

/// Damages an input: what a typing mistake, a bad merge or a cut file leaves.
fn damaged(text: &str, damage: &[(prop::sample::Index, u8)]) -> String {
    const PIECES: [&str; 16] =
        ["", "\n", ":", "- ", "{", "]", "\"", "'", "  ", "\t", "#", "&a ", "*a", "---\n", "|", "hostPort: 1\n"];
    let mut letters: Vec<char> = text.chars().collect();
    for (place, kind) in damage {
        let at = place.index(letters.len());
        let end = (at + usize::from(kind % 3)).min(letters.len());
        letters.splice(at..end, PIECES[usize::from(kind >> 4)].chars());
    }
    letters.into_iter().collect()
}

/// Whatever comes in: exit 0 with a stable output, or exit 1 with a message and nothing on standard output.
fn all_or_nothing(config: &str, input: &str) -> Result<(), TestCaseError> {
    let first = run::apply(config, input);
    let context = format!("{}\n{config}\n=== input\n{input}", first.stderr);
    if first.code == Some(1) {
        prop_assert!(first.stdout.is_empty(), "output of a refusal: {}", context);
        prop_assert!(!first.stderr.trim().is_empty(), "a refusal without a word: {}", context);
        return Ok(());
    }
    prop_assert_eq!(first.code, Some(0), "{}", context);
    let output = first.text();
    let second = run::apply(config, &output);
    prop_assert_eq!(second.code, Some(0), "second run: {}\n{}\n=== output\n{}", second.stderr, context, output);
    prop_assert!(second.text() == output, "second run differs: {}\n=== output\n{}", context, output);
    Ok(())
}

fn settings(cases: u32) -> ProptestConfig {
    // Failing cases become tests of their own in this file: no file of seeds.
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() }
}

/// What the product would give back, made by the test: to see that the comparison itself can fail.
fn perfect(scenario: &Scenario) -> Vec<Value> {
    let appended: Vec<_> = (0..).zip(&scenario.workloads).map(|(index, workload)| appended(workload, index)).collect();
    manifest::objects(scenario, State::After(&appended))
}

fn appended(workload: &model::Workload, index: usize) -> manifest::Appended {
    let mut out = manifest::Appended::new();
    let placed = workload.placed(manifest::base(index));
    for placed in placed.iter().filter(|placed| workload.selected && !placed.listener.declared) {
        let entry = json!({"name": format!("p-{}", placed.index), "containerPort": placed.new, "hostPort": placed.new});
        out.entry(placed.container.clone()).or_default().push(entry);
    }
    out
}

/// Changes the n-th leaf of a value; false when there are fewer.
fn spoil(value: &mut Value, n: &mut usize) -> bool {
    match value {
        Value::Object(map) => map.values_mut().any(|inner| spoil(inner, n)),
        Value::Array(items) => items.iter_mut().any(|inner| spoil(inner, n)),
        leaf if *n == 0 => {
            *leaf = json!("SPOILT");
            true
        }
        _ => {
            *n -= 1;
            false
        }
    }
}

proptest! {
    #![proptest_config(settings(96))]

    #[test]
    fn the_generator_writes_what_it_means(scenario in model::scenario()) {
        prop_assert_eq!(read(scenario.form, &input(&scenario)), manifest::objects(&scenario, State::Before));
    }

    #[test]
    fn the_comparison_sees_every_leaf(scenario in model::scenario(), leaf in any::<prop::sample::Index>()) {
        let good = perfect(&scenario);
        prop_assert_eq!(expect::differences(&scenario, &good), [""; 0]);
        let mut bad = good.clone();
        let mut n = leaf.index(80);
        if bad.iter_mut().any(|object| spoil(object, &mut n)) {
            prop_assert!(!expect::differences(&scenario, &bad).is_empty());
        }
    }

    #[test]
    fn what_is_asked_for_and_nothing_else(scenario in model::scenario()) {
        holds(&scenario)?;
    }

    #[test]
    fn json_in_json_out(scenario in model::scenario(), layout in json_layout::layout()) {
        json_layout::holds(&scenario, layout)?;
    }

    #[test]
    fn automatic_numbers_move_all_and_conflict_with_nobody(scenario in automatic::scenario(), how in automatic::how()) {
        automatic::holds(&scenario, how)?;
    }

    #[test]
    fn damaged_input_is_all_or_nothing(
        scenario in model::scenario(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        all_or_nothing(&manifest::config(&scenario), &damaged(&input(&scenario), &damage))?;
    }

    #[test]
    fn damaged_config_is_all_or_nothing(
        scenario in model::scenario(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        all_or_nothing(&damaged(&manifest::config(&scenario), &damage), &input(&scenario))?;
    }
}
