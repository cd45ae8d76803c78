//! Merges tests of one list element.
//!
//! A container port, a Service port and an environment variable are small mappings. If several of their keys are
//! tested, one test of the whole mapping replaces them: it covers name, number and the absence of a host port, and
//! documents the element.
//!
//! The name of a port has to be tested although its number is: a `targetPort` that becomes the name of a container port
//! is valid only while the port has this name, the config refers to the port by name, and a port of another protocol
//! may have the same number, so an element inserted before this one could take its index.

use std::collections::{HashMap, HashSet};

use super::change::Change;
use super::guard::value;
use super::operation::Operation;
use crate::releases::unescaped;
use lossless_yaml::{NodeRef, Value};

/// Keys of a container port, a Service port and an environment variable. An element with another key is of another
/// type, or has data that the patch does not change (a `nodePort`); a base that changes only that key must not fail the
/// build.
const WHOLE: [&[&str]; 3] = [
    &["name", "containerPort", "protocol", "hostPort", "hostIP"],
    &["name", "port", "protocol", "targetPort"],
    &["name", "value"],
];

/// Removes tests that other tests of the same patch imply.
pub(super) fn fewer(object: NodeRef<'_, '_>, changes: &mut [Change]) {
    let mut whole = elements(object, changes);
    let mut proved: HashSet<String> = whole.keys().cloned().collect();
    proved.extend(tests(changes).filter(|test| is_collection(test)).map(|test| test.path.clone()));
    for change in changes {
        let operations = std::mem::take(&mut change.operations).into_iter();
        change.operations = operations.filter_map(|operation| fewest(operation, &mut whole, &proved)).collect();
    }
}

/// Replaces the first test inside an element by a test of the whole element, and drops further tests inside it.
fn fewest(operation: Operation, whole: &mut HashMap<String, Value>, proved: &HashSet<String>) -> Option<Operation> {
    let proved_parent = || enclosing_pointers(&operation.path).find(|parent| proved.contains(*parent));
    let Some(parent) = (operation.op == "test").then(proved_parent).flatten() else { return Some(operation) };
    let value = whole.remove(parent)?;
    Some(Operation { op: "test", path: parent.to_owned(), value: Some(value) })
}

fn tests(changes: &[Change]) -> impl Iterator<Item = &Operation> {
    changes.iter().flat_map(|change| &change.operations).filter(|operation| operation.op == "test")
}

fn is_collection(test: &Operation) -> bool {
    matches!(test.value, Some(Value::Map(_) | Value::Seq(_)))
}

/// Pointers to the collections that contain a pointer, innermost first.
fn enclosing_pointers(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.rmatch_indices('/').filter_map(|(end, _)| pointer.get(..end))
}

/// Elements with several tests that one test can replace, with their values.
fn elements(object: NodeRef<'_, '_>, changes: &[Change]) -> HashMap<String, Value> {
    let mut inside: HashMap<&str, usize> = HashMap::new();
    for test in tests(changes) {
        if let Some((element, _)) = test.path.rsplit_once('/') {
            *inside.entry(element).or_default() += 1;
        }
    }
    // An element that is already tested as a whole needs no second test.
    for test in tests(changes) {
        inside.remove(test.path.as_str());
    }
    let several = inside.into_iter().filter(|(_, tests)| *tests > 1);
    several.filter_map(|(path, _)| Some((path.to_owned(), whole(element(object, path)?)?))).collect()
}

/// The whole value of an element, if it has only known keys.
fn whole(element: NodeRef<'_, '_>) -> Option<Value> {
    let entry = |(key, node): (NodeRef<'_, '_>, NodeRef<'_, '_>)| {
        // A text of several lines is more readable as a block scalar in its own test.
        node.non_null_text().filter(|text| !text.contains('\n'))?;
        Some((key.text()?.to_owned(), value(node).ok()?))
    };
    let entries: Vec<(String, Value)> = element.entries().map(entry).collect::<Option<_>>()?;
    let is_one = |keys: &&[&str]| entries.iter().all(|(key, _)| keys.contains(&key.as_str()));
    WHOLE.iter().any(is_one).then_some(Value::Map(entries))
}

/// The mapping at a pointer, if it is a list element.
fn element<'t, 's>(object: NodeRef<'t, 's>, pointer: &str) -> Option<NodeRef<'t, 's>> {
    let (list, index) = pointer.rsplit_once('/')?;
    let list = list.split('/').skip(1).try_fold(object, |node, step| match step.parse().ok() {
        Some(index) if node.resolved().is_sequence() => node.items().nth(index),
        _ => node.get(&unescaped(step)),
    })?;
    list.items().nth(index.parse().ok()?).filter(|element| element.is_mapping())
}
