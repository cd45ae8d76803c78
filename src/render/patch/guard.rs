//! Tests before each operation, so that a patch fails if its base has changed; and JSON pointers.

use std::collections::BTreeSet;

use super::operation::Operation;
use super::unterminated;
use lossless_yaml::{Kind, NodeRef, Path, Step, Style, Value, is_date, is_string, is_word};

/// Keys that identify a list element, most specific first. A container port without a name is identified by its number.
const IDENTITIES: [&str; 3] = ["name", "containerPort", "port"];

/// Fields whose value derives from a sibling field: a change of the sibling would invalidate the new value.
pub(super) const FOLLOWS: [(&str, &str); 2] = [("hostPort", "containerPort"), ("targetPort", "port")];

/// Converts a path to a JSON pointer.
pub(super) fn pointer(path: &Path) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Step::Item { index, .. } => format!("/{index}"),
    };
    path.steps().into_iter().map(step).collect()
}

/// All prefixes of a path, shortest first, including the path itself.
pub(super) fn beginnings(path: &Path) -> Vec<Path> {
    let mut all: Vec<Path> = std::iter::successors(Some(path.clone()), Path::parent).collect();
    all.reverse();
    all
}

/// Value of a node as kustomize reads it; the error is a reason why a patch cannot express the value.
pub(super) fn value(node: NodeRef<'_, '_>) -> Result<Value, &'static str> {
    let value = node.to_value().ok_or("it is too large")?;
    if let Some(why) = difference_in_patch(node) {
        return Err(why);
    }
    Ok(match (value, node.resolved()) {
        (Value::Raw(_), node) if is_placeholder(node) => Value::from(unterminated::text(node).unwrap_or_default()),
        (value, node) => as_kustomize_reads(unterminated::value(node, value)),
    })
}

/// Reason why kustomize reads a scalar differently in a resource than in a patch.
fn difference_in_patch(node: NodeRef<'_, '_>) -> Option<&'static str> {
    let node = node.resolved();
    if node.is_sequence() {
        return node.items().find_map(difference_in_patch);
    }
    if node.is_mapping() {
        return node.entries().find_map(|(_, value)| difference_in_patch(value));
    }
    let text = node.text()?;
    match (node.kind(), node.tag()) {
        // kustomize converts this resource value to a timestamp, but not in a patch.
        (Kind::Scalar(Style::Plain), "") if is_date(text) && !is_placeholder(node) => {
            Some("it is a date; write it with quotes")
        }
        // With the tag `!` this is a string for the API server, but not for kustomize.
        (Kind::Scalar(Style::Plain), "!") if !is_string(text) => {
            Some("readers differ about its tag; write it with quotes")
        }
        _ if matches!(node.yaml_tag(), Some("binary" | "timestamp")) => {
            Some("kustomize decodes it; write it without its tag")
        }
        // kustomize adds a line break before indented lines, and one at the end.
        (Kind::Scalar(Style::Folded), _) if text.contains("\n ") || text.contains("\n\t") || text.ends_with("\n\n") => {
            Some("kustomize changes folded text (`>`) with indented lines or empty last lines; write the text with `|`")
        }
        _ => None,
    }
}

/// Placeholders are strings for both parsers; their quotes have no effect before substitution.
fn is_placeholder(node: NodeRef<'_, '_>) -> bool {
    node.text().is_some_and(|text| text.contains("${"))
}

/// kustomize reads `yes` as a boolean in a patch and as a string in a resource.
fn as_kustomize_reads(value: Value) -> Value {
    value.map_scalars(&|scalar| match scalar {
        Value::Raw(raw) if is_word(&raw) => Value::Str(raw),
        scalar => scalar,
    })
}

/// Tests of one patch. Each path is tested once, before its first change.
#[derive(Debug)]
pub(super) struct Guards<'t, 's> {
    object: NodeRef<'t, 's>,
    tested: BTreeSet<String>,
}

impl<'t, 's> Guards<'t, 's> {
    pub(super) fn new(object: NodeRef<'t, 's>) -> Self {
        Self { object, tested: BTreeSet::new() }
    }

    /// Tests a path that has no test yet.
    pub(super) fn test(&mut self, path: String, value: Value, into: &mut Vec<Operation>) {
        if self.tested.insert(path.clone()) {
            into.push(Operation { op: "test", path, value: Some(value) });
        }
    }

    /// Tests the current value of a node.
    pub(super) fn test_value(
        &mut self,
        path: &Path,
        node: NodeRef<'_, '_>,
        into: &mut Vec<Operation>,
    ) -> Result<(), String> {
        let value = value(node).map_err(|why| format!("{path} cannot be tested: {why}"))?;
        self.test(pointer(path), value, into);
        Ok(())
    }

    /// Tests that a path is missing. kustomize and Flux treat a missing value as null, so the test expects null.
    pub(super) fn test_absence(&mut self, path: &Path, into: &mut Vec<Operation>) {
        self.test(pointer(path), Value::Null, into);
    }

    /// Tests the identity of the list elements on a path.
    pub(super) fn test_list_elements(&mut self, path: &Path, into: &mut Vec<Operation>) {
        for beginning in beginnings(path) {
            if matches!(beginning.last(), Some(Step::Item { .. })) {
                self.element(&beginning, into);
            }
        }
    }

    /// Tests the sibling field from which the number at a path derives.
    pub(super) fn test_source_field(&mut self, path: &Path, into: &mut Vec<Operation>) {
        let (Some(Step::Key(key)), Some(parent)) = (path.last(), path.parent()) else { return };
        let source = FOLLOWS.into_iter().find(|(number, _)| number == key).map(|(_, source)| parent.key(source));
        let Some(source) = source else { return };
        if let Some(value) = self.object.lookup(&source).and_then(|node| value(node).ok()) {
            self.test(pointer(&source), value, into);
        }
    }

    /// Tests the last element of a list before elements are appended.
    pub(super) fn test_last_element(&mut self, list: &Path, into: &mut Vec<Operation>) -> Result<(), String> {
        let Some(node) = self.object.lookup(list) else { return Ok(()) };
        let Some((index, element)) = node.items().enumerate().last() else {
            return self.test_value(list, node, into);
        };
        self.test_element_identity_or_value(&list.item(index), element, into)
    }

    /// Tests the element before an insertion: its identity, or its whole value without an identity.
    pub(super) fn test_element_identity_or_value(
        &mut self,
        path: &Path,
        element: NodeRef<'_, '_>,
        into: &mut Vec<Operation>,
    ) -> Result<(), String> {
        let inside = pointer(path);
        let known =
            self.tested.iter().any(|tested| tested.strip_prefix(&inside).is_some_and(|rest| rest.starts_with('/')));
        if !self.element(path, into) && !known {
            self.test_value(path, element, into)?;
        }
        Ok(())
    }

    /// Tests the identity of an element; false without an identity.
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
