//! Edits by example, each with the resulting text.

mod append;
mod flow;
mod insert;
mod json;
mod places;
mod refuse;
mod remove;
mod set;
mod short;

use super::{EditError, KeyPosition, Op, Path, Value, edit_text};

/// Returns the edited text with visible trailing blanks and CR, or the text of the error.
fn show(text: &str, ops: &[Op]) -> String {
    match edit_text(text, 0, &Path::root(), ops) {
        Ok(text) => visible(&text),
        Err(error) => format!("ERROR: {error}"),
    }
}

fn visible(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.replace('\r', "␍").replace('\t', "→");
        let shown = line.trim_end_matches(' ');
        format!("{shown}{}", "·".repeat(line.len() - shown.len()))
    });
    let shown: Vec<String> = lines.collect();
    // A text without a final line break is marked.
    match shown.split_last() {
        Some((last, lines)) if last.is_empty() => lines.join("\n"),
        _ => format!("{}<no line break>", shown.join("\n")),
    }
}

fn at(path: &str) -> Path {
    path.split('.').filter(|step| !step.is_empty()).fold(Path::root(), |path, step| match step.parse() {
        Ok(index) => path.item(index),
        Err(_) => path.key(step.to_owned()),
    })
}

fn set(path: &str, value: impl Into<Value>) -> Op {
    Op::Set { path: at(path), value: value.into() }
}

/// Adds `key: value` to a mapping, after and before the named keys.
fn add(parent: &str, key: &str, value: impl Into<Value>, after: &[&str], before: &[&str]) -> Op {
    let owned = |keys: &[&str]| keys.iter().map(|&key| key.to_owned().into()).collect();
    let place = KeyPosition { after: owned(after), before: owned(before) };
    Op::Add { parent: at(parent), key: key.to_owned(), value: value.into(), place }
}

fn append(sequence: &str, value: impl Into<Value>) -> Op {
    Op::Append { sequence: at(sequence), value: value.into() }
}

fn insert(after: &str, value: impl Into<Value>) -> Op {
    Op::Insert { after: at(after), value: value.into() }
}

fn remove(path: &str) -> Op {
    Op::Remove { path: at(path) }
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

fn seq(items: &[&str]) -> Value {
    Value::Seq(items.iter().map(|&item| item.into()).collect())
}
