//! Verification of an edited text: parses it again and compares it with the requested edits.

use std::collections::{HashMap, HashSet};

use super::decode;
use super::edit::{self, Change, Targets};
use super::json;
use super::node::NodeRef;
use super::op::{self, EditError, Op};
use super::path::Path;
use super::resolve;
use super::tree::{Id, Kind, ParseError, Style, Tree};
use super::value::Value;

/// Edits an object and verifies the result: the object at `prefix` in document `index` (from 0) of `text`.
///
/// ```
/// use lossless_yaml::{Op, Path, edit_text};
/// let text = "kind: List\nitems:\n- kind: Pod\n  spec:\n    hostNetwork: false # why not\n";
/// let ops = [Op::Set { path: Path::dotted("spec.hostNetwork"), value: true.into() }];
/// let edited = edit_text(text, 0, &Path::root().key("items").item(0), &ops)?;
/// assert_eq!(edited, "kind: List\nitems:\n- kind: Pod\n  spec:\n    hostNetwork: true # why not\n");
/// # Ok::<(), lossless_yaml::EditError>(())
/// ```
pub fn edit_text(text: &str, index: usize, prefix: &Path, ops: &[Op]) -> Result<String, EditError> {
    if ops.is_empty() {
        return Ok(text.to_owned());
    }
    let tree = Tree::parse(text)?;
    let root = tree.root(index).and_then(|root| root.lookup(prefix));
    let root = root.ok_or_else(|| EditError::NotFound { path: prefix.clone() })?;
    let edited = op::splice(text, &edit::edit(root, ops)?);
    verify(root, ops, &edited)?;
    Ok(edited)
}

/// Compares an edited text with the documents of `root`'s tree after the edits, and checks that Go's
/// YAML parser accepts it. Unedited parts must have their old bytes. Aliases are compared by target
/// and not expanded.
pub fn verify(root: NodeRef<'_, '_>, ops: &[Op], edited: &str) -> Result<(), EditError> {
    let targets = edit::targets(root, ops)?;
    // The cause of the error may be a tab in the old text next to the edit.
    let wrong = |error: &ParseError, why: String| {
        let near = edited.as_bytes().get(error.offset.saturating_sub(1)..).unwrap_or_default();
        let tab = if near.iter().take(2).any(|&b| b == b'\t') { root.tree.tab_refused_after_edit() } else { None };
        tab.map_or(EditError::Internal(why), EditError::ReadOnly)
    };
    let new = Tree::parse_by_granit(edited).map_err(|error| wrong(&error, format!("it cannot be read: {error}")))?;
    if new.roots.len() != root.tree.roots.len() {
        return Err(EditError::Internal(format!("{} documents instead of {}", new.roots.len(), root.tree.roots.len())));
    }
    if root.tree.json && !new.json {
        return Err(EditError::Internal("it was JSON and is not any more".to_owned()));
    }
    if let Some(error) = new.go_yaml_parse_error().filter(|_| !root.tree.json) {
        let own = root.tree.go_parse_error().map(EditError::ReadOnly);
        return Err(own.unwrap_or_else(|| wrong(&error, format!("Go cannot read it: {error}"))));
    }
    let json = json_values(root, &targets);
    let mut comparison = Comparison { targets: &targets, same: HashMap::new(), open: Vec::new(), json };
    for (old, new) in root.tree.roots().zip(new.roots()) {
        comparison.documents(old, new)?;
    }
    Ok(())
}

/// Expected entry at one position of a collection.
enum Expected<'t, 's, 'o> {
    /// An existing entry: its key (or the element itself) and its value.
    Old((NodeRef<'t, 's>, NodeRef<'t, 's>)),
    /// A new element.
    New(&'o Value),
}

struct Comparison<'t, 's, 'n, 'm, 'o> {
    targets: &'n Targets<'o>,
    /// New node for each old node.
    same: HashMap<Id, Id>,
    /// Pairs still to be compared; an explicit stack, so that deep nesting does not overflow the call stack.
    open: Vec<(NodeRef<'t, 's>, NodeRef<'n, 'm>)>,
    /// JSON values of the old text that contain changes.
    json: HashSet<Id>,
}

/// Returns the JSON values that contain changes: the document, or JSON inside of YAML.
fn json_values(root: NodeRef<'_, '_>, targets: &Targets<'_>) -> HashSet<Id> {
    let says_json = |target: &edit::Target<'_>| target.changes.iter().filter_map(Change::value).all(Value::fits_json);
    let changed = targets.iter().filter(|(_, target)| says_json(target));
    changed.filter_map(|(&id, _)| Some(json::enclosing_json(NodeRef { tree: root.tree, id })?.id)).collect()
}

impl<'t, 's, 'n, 'm> Comparison<'t, 's, 'n, 'm, '_> {
    /// Compares two documents node by node: changed nodes with their changes, all others with their old values.
    fn documents(&mut self, old: NodeRef<'t, 's>, new: NodeRef<'n, 'm>) -> Result<(), EditError> {
        self.open.push((old, new));
        while let Some((old, new)) = self.open.pop() {
            let targets = self.targets;
            if old.is_anchored() {
                self.same.insert(old.id, new.id);
            }
            let good = match targets.get(&old.id) {
                Some(target) => self.changed(old, new, &target.changes),
                None => self.unchanged(old, new),
            };
            // Nearly all nodes have no properties.
            let has_same_properties =
                old.properties() == new.properties() || old.property_words().eq(new.property_words());
            if !good || !has_same_properties {
                let line = new.tree.line(new.start());
                return Err(EditError::Internal(format!("line {line} of the result is {:?}", short(new.raw()))));
            }
            // Do not compare a value as JSON if it was rewritten in block style.
            let stays_json = self.json.contains(&old.id) && (new.is_flow() || new.tree.json);
            if stays_json && !json::json_parser_agrees(new) {
                let line = new.tree.line(new.start());
                return Err(EditError::Internal(format!(
                    "line {line} of the result is not the JSON that it should be"
                )));
            }
        }
        Ok(())
    }

    /// True if two nodes are equal.
    fn unchanged(&mut self, old: NodeRef<'t, 's>, new: NodeRef<'n, 'm>) -> bool {
        match old.kind() {
            Kind::Scalar(_) => {
                let end = ['\n', '\r', ' '];
                let same = || old.raw().trim_end_matches(end) == new.raw().trim_end_matches(end);
                old.kind() == new.kind() && old.text() == new.text() && same()
            }
            Kind::Alias => {
                let target = self.same.get(&old.resolved().id);
                new.kind() == Kind::Alias && old.raw() == new.raw() && target == Some(&new.resolved().id)
            }
            _ => old.kind() == new.kind() && self.same_children(old, new),
        }
    }

    /// Compares the elements, or the keys and values, of a collection without changes of its own.
    fn same_children(&mut self, old: NodeRef<'t, 's>, new: NodeRef<'n, 'm>) -> bool {
        let first = self.open.len();
        let mut expected = old.children();
        for child in new.children() {
            let Some(old) = expected.next() else { return false };
            self.open.push((old, child));
        }
        self.first_entry_next(first);
        expected.next().is_none()
    }

    /// Reverses the stack from a position on, so that the first of these entries is compared next:
    /// anchors have to be compared before their aliases.
    fn first_entry_next(&mut self, from: usize) {
        self.open.get_mut(from..).unwrap_or_default().reverse();
    }

    /// Compares the old entries without the removed ones with the new entries, in order. Added keys may be at any
    /// position.
    fn entries(&mut self, old: NodeRef<'t, 's>, new: NodeRef<'n, 'm>, changes: &[Change<'_>]) -> bool {
        let removed: Vec<usize> =
            changes.iter().filter_map(|c| if let Change::Remove(at) = c { Some(*at) } else { None }).collect();
        let mut adds: Vec<(&str, &Value)> = changes
            .iter()
            .filter_map(|c| if let Change::Add(key, value, _) = c { Some((*key, *value)) } else { None })
            .collect();
        let mapping = old.is_mapping() || !adds.is_empty();
        let first = self.open.len();
        let mut inserts: HashMap<usize, Vec<&Value>> = HashMap::new();
        for change in changes {
            if let Change::Insert(after, value) = change {
                inserts.entry(*after).or_default().push(value);
            }
        }
        let of_old = |(at, entry)| {
            let old = (!removed.contains(&at)).then_some(Expected::Old(entry));
            old.into_iter().chain(inserts.remove(&at).into_iter().flatten().map(Expected::New))
        };
        let appended = changes.iter().filter(|change| matches!(change, Change::Append(_))).filter_map(Change::value);
        let all = edit::children(old).into_iter().enumerate().flat_map(of_old);
        let mut expected = all.chain(appended.map(Expected::New));
        for (key, value) in edit::children(new) {
            let added = adds.iter().position(|(wanted, _)| mapping && key.text() == Some(wanted));
            if let Some(at) = added {
                if !is_string(key) || !has_value(value, adds.swap_remove(at).1) {
                    return false;
                }
                continue;
            }
            match expected.next() {
                Some(Expected::Old((old_key, old_value))) => {
                    if mapping {
                        self.open.push((old_key, key));
                    }
                    self.open.push((old_value, value));
                }
                Some(Expected::New(wanted)) if has_value(value, wanted) => {}
                Some(Expected::New(_)) | None => return false,
            }
        }
        let complete = adds.is_empty() && expected.next().is_none();
        self.first_entry_next(first);
        complete
    }

    /// True if the new node is the old node with these changes.
    fn changed(&mut self, old: NodeRef<'t, 's>, new: NodeRef<'n, 'm>, changes: &[Change<'_>]) -> bool {
        if let [Change::Set(value)] = changes {
            return has_value(new, value);
        }
        let kind = if changes.iter().any(|change| matches!(change, Change::Append(_))) || old.is_sequence() {
            new.is_sequence()
        } else {
            new.is_mapping()
        };
        kind && new.kind() != Kind::Alias && self.entries(old, new, changes)
    }
}

/// True if every parser reads the node as this value.
fn has_value(node: NodeRef<'_, '_>, value: &Value) -> bool {
    match value {
        Value::Null => node.is_null(),
        Value::Bool(value) => node.as_bool() == Some(*value),
        Value::Int(value) => node.raw() == value.to_string(),
        Value::Str(text) => node.text() == Some(text) && is_string(node),
        Value::Raw(raw) => {
            let same =
                || node.kind() == Kind::Scalar(Style::DoubleQuoted) && node.text() == decode::quoted(raw).as_deref();
            matches!(node.kind(), Kind::Scalar(_)) && (node.raw() == raw || same())
        }
        Value::Seq(items) => {
            let mut found = node.children();
            matches!(node.kind(), Kind::Sequence { .. })
                && items.iter().all(|item| found.next().is_some_and(|node| has_value(node, item)))
                && found.next().is_none()
        }
        Value::Map(entries) => {
            let mut found = node.entries_without_aliases();
            matches!(node.kind(), Kind::Mapping { .. })
                && entries.iter().all(|(key, value)| {
                    found.next().is_some_and(|(k, v)| k.text() == Some(key) && is_string(k) && has_value(v, value))
                })
                && found.next().is_none()
        }
    }
}

fn is_string(node: NodeRef<'_, '_>) -> bool {
    node.kind() != Kind::Scalar(Style::Plain) || node.is_tagged() || resolve::is_string(node.raw())
}

/// Start of a text, for messages.
fn short(raw: &str) -> String {
    raw.chars().take(60).collect()
}
