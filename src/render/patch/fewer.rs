//! One test where several say no more.
//!
//! A port, or a variable of the environment, is a small mapping. Where several of its keys are tested it is tested whole:
//! its name, its number and that there is no host port are one operation, which says what it is for as well.
//!
//! The name of a port cannot just be left out because its number is tested. A target port that becomes the name of a
//! container port is right only while that port has this name. The config calls the port by its name too. And a port of
//! another protocol may have the same number: an element that is put before this one by now would take its place.

use std::collections::{HashMap, HashSet};

use super::change::Change;
use super::guard::value;
use super::operation::Operation;
use lossless_yaml::{NodeRef, Value};

/// All that a container port, the port of a Service, and a variable are. An element with another key is something else, or
/// holds what no patch concerns (a `nodePort`), and a base that changes that alone has to go through.
const WHOLE: [&[&str]; 3] = [
    &["name", "containerPort", "protocol", "hostPort", "hostIP"],
    &["name", "port", "protocol", "targetPort"],
    &["name", "value"],
];

/// Leaves out the tests that others of the same patch prove.
pub(super) fn fewer(object: NodeRef<'_, '_>, changes: &mut [Change]) {
    let mut whole = elements(object, changes);
    let mut proved: HashSet<String> = whole.keys().cloned().collect();
    proved.extend(tests(changes).filter(|test| is_collection(test)).map(|test| test.path.clone()));
    for change in changes {
        let operations = std::mem::take(&mut change.operations).into_iter();
        change.operations = operations.filter_map(|operation| fewest(operation, &mut whole, &proved)).collect();
    }
}

/// An operation; in the place of the first test inside of an element the test of all of it, in that of others nothing.
fn fewest(operation: Operation, whole: &mut HashMap<String, Value>, proved: &HashSet<String>) -> Option<Operation> {
    let around = || around(&operation.path).find(|around| proved.contains(*around));
    let Some(around) = (operation.op == "test").then(around).flatten() else { return Some(operation) };
    let value = whole.remove(around)?;
    Some(Operation { op: "test", path: around.to_owned(), value: Some(value) })
}

fn tests(changes: &[Change]) -> impl Iterator<Item = &Operation> {
    changes.iter().flat_map(|change| &change.operations).filter(|operation| operation.op == "test")
}

fn is_collection(test: &Operation) -> bool {
    matches!(test.value, Some(Value::Map(_) | Value::Seq(_)))
}

/// The pointers to what a place is in, the nearest first.
fn around(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.rmatch_indices('/').filter_map(|(end, _)| pointer.get(..end))
}

/// The elements with several tests inside that one test can say, and their values.
fn elements(object: NodeRef<'_, '_>, changes: &[Change]) -> HashMap<String, Value> {
    let mut inside: HashMap<&str, usize> = HashMap::new();
    for test in tests(changes) {
        if let Some((element, _)) = test.path.rsplit_once('/') {
            *inside.entry(element).or_default() += 1;
        }
    }
    // What is tested whole already needs no second test.
    for test in tests(changes) {
        inside.remove(test.path.as_str());
    }
    let several = inside.into_iter().filter(|(_, tests)| *tests > 1);
    several.filter_map(|(path, _)| Some((path.to_owned(), whole(element(object, path)?)?))).collect()
}

/// What an element holds, where that is all one thing.
fn whole(element: NodeRef<'_, '_>) -> Option<Value> {
    let entry = |(key, node): (NodeRef<'_, '_>, NodeRef<'_, '_>)| {
        // A text of several lines reads better as a block of its own.
        node.non_null_text().filter(|text| !text.contains('\n'))?;
        Some((key.text()?.to_owned(), value(node).ok()?))
    };
    let entries: Vec<(String, Value)> = element.entries().map(entry).collect::<Option<_>>()?;
    let is_one = |keys: &&[&str]| entries.iter().all(|(key, _)| keys.contains(&key.as_str()));
    WHOLE.iter().any(is_one).then_some(Value::Map(entries))
}

/// The mapping that is an element of a list, by its pointer.
fn element<'t, 's>(object: NodeRef<'t, 's>, pointer: &str) -> Option<NodeRef<'t, 's>> {
    let (list, index) = pointer.rsplit_once('/')?;
    let list = list.split('/').skip(1).try_fold(object, |node, step| match step.parse().ok() {
        Some(index) if node.resolved().is_sequence() => node.items().nth(index),
        _ => node.get(&step.replace("~1", "/").replace("~0", "~")),
    })?;
    list.items().nth(index.parse().ok()?).filter(|element| element.is_mapping())
}
