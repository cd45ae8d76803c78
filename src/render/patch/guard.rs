//! What the objects of the input say of the way to a change: pointers, and the tests that a changed base fails.

use std::collections::BTreeSet;

use super::cut;
use super::operation::Operation;
use lossless_yaml::{Kind, NodeRef, Path, Step, Style, Value, is_date, is_string, is_word};

/// What an element of a list is known by, first one first. A container port's number tells it from its siblings when it
/// has no name.
const IDENTITIES: [&str; 3] = ["name", "containerPort", "port"];

/// A number, and the one beside it that it follows from: were that another one by now, this one would be wrong.
const FOLLOWS: [(&str, &str); 2] = [("hostPort", "containerPort"), ("targetPort", "port")];

/// A path as a JSON pointer.
pub(super) fn pointer(path: &Path) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Step::Item { index, .. } => format!("/{index}"),
    };
    path.steps().into_iter().map(step).collect()
}

/// All beginnings of a path, the shortest first, itself last.
pub(super) fn beginnings(path: &Path) -> Vec<Path> {
    let mut all: Vec<Path> = std::iter::successors(Some(path.clone()), Path::parent).collect();
    all.reverse();
    all
}

/// What kustomize reads at a node; else why that cannot be said in a patch.
pub(super) fn value(node: NodeRef<'_, '_>) -> Result<Value, &'static str> {
    let value = node.to_value().ok_or("it is too large")?;
    if let Some(why) = unsayable(node) {
        return Err(why);
    }
    Ok(match (value, node.resolved()) {
        (Value::Raw(_), node) if is_placeholder(node) => Value::from(cut::text(node).unwrap_or_default()),
        (value, node) => words(cut::value(node, value)),
    })
}

/// A scalar that kustomize reads in one way from a resource, and in another from a patch.
fn unsayable(node: NodeRef<'_, '_>) -> Option<&'static str> {
    let node = node.resolved();
    if node.is_sequence() {
        return node.items().find_map(unsayable);
    }
    if node.is_mapping() {
        return node.entries().find_map(|(_, value)| unsayable(value));
    }
    let text = node.text()?;
    match (node.kind(), node.tag()) {
        // kustomize makes a point in time of it, which it is in no patch.
        (Kind::Scalar(Style::Plain), "") if is_date(text) && !is_placeholder(node) => {
            Some("it is a date; write it with quotes")
        }
        // The tag `!` makes a text of it for the API server, and nothing for kustomize.
        (Kind::Scalar(Style::Plain), "!") if !is_string(text) => {
            Some("readers differ about its tag; write it with quotes")
        }
        _ if matches!(node.yaml_tag(), Some("binary" | "timestamp")) => {
            Some("kustomize decodes it; write it without its tag")
        }
        // kustomize adds an empty line before the indented ones, and one to those at the end.
        (Kind::Scalar(Style::Folded), _) if text.contains("\n ") || text.contains("\n\t") || text.ends_with("\n\n") => {
            Some("kustomize changes folded text (`>`) with indented lines or empty last ones; write it with `|`")
        }
        _ => None,
    }
}

/// A placeholder is a text to both readers, and its quotes mean nothing before it is filled in.
fn is_placeholder(node: NodeRef<'_, '_>) -> bool {
    node.text().is_some_and(|text| text.contains("${"))
}

/// The reader of a patch takes `yes` for a boolean, the reader of a resource for a text.
fn words(value: Value) -> Value {
    match value {
        Value::Raw(raw) if is_word(&raw) => Value::Str(raw),
        Value::Seq(items) => Value::Seq(items.into_iter().map(words).collect()),
        Value::Map(entries) => Value::Map(entries.into_iter().map(|(key, value)| (key, words(value))).collect()),
        value => value,
    }
}

/// The tests of one patch. Each place is tested once, before anything changes there.
#[derive(Debug)]
pub(super) struct Guards<'t, 's> {
    object: NodeRef<'t, 's>,
    tested: BTreeSet<String>,
}

impl<'t, 's> Guards<'t, 's> {
    pub(super) fn new(object: NodeRef<'t, 's>) -> Self {
        Self { object, tested: BTreeSet::new() }
    }

    /// A test of a place that has not been tested.
    pub(super) fn test(&mut self, path: String, value: Value, into: &mut Vec<Operation>) {
        if self.tested.insert(path.clone()) {
            into.push(Operation { op: "test", path, value: Some(value) });
        }
    }

    /// What is there.
    pub(super) fn holds(
        &mut self,
        path: &Path,
        node: NodeRef<'_, '_>,
        into: &mut Vec<Operation>,
    ) -> Result<(), String> {
        let value = value(node).map_err(|why| format!("{path} cannot be tested: {why}"))?;
        self.test(pointer(path), value, into);
        Ok(())
    }

    /// Nothing is there. Neither kustomize nor Flux tells an absent value from null, so a test for null is one.
    pub(super) fn absent(&mut self, path: &Path, into: &mut Vec<Operation>) {
        self.test(pointer(path), Value::Null, into);
    }

    /// The elements of lists on the way to a path, by their names.
    pub(super) fn on_the_way(&mut self, path: &Path, into: &mut Vec<Operation>) {
        for beginning in beginnings(path) {
            if matches!(beginning.last(), Some(Step::Item { .. })) {
                self.element(&beginning, into);
            }
        }
    }

    /// What the number at a path follows from.
    pub(super) fn source_of(&mut self, path: &Path, into: &mut Vec<Operation>) {
        let (Some(Step::Key(key)), Some(parent)) = (path.last(), path.parent()) else { return };
        let source = FOLLOWS.into_iter().find(|(number, _)| number == key).map(|(_, source)| parent.key(source));
        let Some(source) = source else { return };
        if let Some(value) = self.object.lookup(&source).and_then(|node| value(node).ok()) {
            self.test(pointer(&source), value, into);
        }
    }

    /// The last element of a list, behind which something is added.
    pub(super) fn last_of(&mut self, list: &Path, into: &mut Vec<Operation>) -> Result<(), String> {
        let Some(node) = self.object.lookup(list) else { return Ok(()) };
        let Some((index, element)) = node.items().enumerate().last() else {
            return self.holds(list, node, into);
        };
        self.element_or_all(&list.item(index), element, into)
    }

    /// An element behind which something is added: what it is known by, else all that it holds.
    pub(super) fn element_or_all(
        &mut self,
        path: &Path,
        element: NodeRef<'_, '_>,
        into: &mut Vec<Operation>,
    ) -> Result<(), String> {
        let inside = pointer(path);
        let known =
            self.tested.iter().any(|tested| tested.strip_prefix(&inside).is_some_and(|rest| rest.starts_with('/')));
        if !self.element(path, into) && !known {
            self.holds(path, element, into)?;
        }
        Ok(())
    }

    /// Tests what an element is known by; whether there is such a thing.
    fn element(&mut self, path: &Path, into: &mut Vec<Operation>) -> bool {
        let Some(element) = self.object.lookup(path).filter(|element| element.is_mapping()) else { return false };
        let known = IDENTITIES.into_iter().find_map(|field| {
            let node = element.get(field).filter(|node| node.non_null_text().is_some())?;
            Some((field, value(node).ok()?))
        });
        let Some((field, value)) = known else { return false };
        self.test(pointer(&path.key(field)), value, into);
        true
    }
}
