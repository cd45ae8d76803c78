//! Converts the edits of one object to JSON6902 operations, in document order.

use std::collections::{BTreeSet, HashMap};

use super::check::{self, Check};
use super::edit_site::Site;
use super::guard::{Guards, beginnings, pointer, value};
use super::operation::Operation;
use super::target::Target;
use crate::plan::{self, Edit};
use lossless_yaml::{NodeRef, Path, Step, Value};

/// Prefix of the first comment in each patch. It is part of the patch text, which all tools that store patches
/// preserve.
const MARK: &str = "hostnet patch: ";

/// Operations of one change, with their comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// Comment lines.
    pub(super) why: Vec<String>,
    pub(super) operations: Vec<Operation>,
}

/// Returns the operations for these edits, and the checks of the result.
pub(super) fn changes(
    target: &Target,
    object: NodeRef<'_, '_>,
    edits: &[&Edit],
) -> Result<(Vec<Change>, Vec<Check>), String> {
    let mut writer = Writer { object, guards: Guards::new(object), made: BTreeSet::new() };
    let (mut changes, mut checks) = (vec![writer.identity(target)], Vec::new());
    let reasons = Reasons::new(edits);
    for site in Site::all(object, edits)? {
        changes.push(Change { operations: writer.operations(&site)?, why: reasons.why(&site) });
        checks.extend(check::checks(object, &site));
    }
    Ok((changes, checks))
}

struct Writer<'t, 's> {
    object: NodeRef<'t, 's>,
    guards: Guards<'t, 's>,
    /// Collections created by earlier operations of the patch.
    made: BTreeSet<Path>,
}

impl Writer<'_, '_> {
    /// Tests the object's name and namespace: a kustomize target also matches former names (before a prefix, suffix or
    /// namespace), so it could match a renamed copy.
    fn identity(&mut self, target: &Target) -> Change {
        let mut operations = Vec::new();
        let metadata = Path::dotted("metadata");
        if let Some(name) = target.name_at_patch() {
            self.guards.test(pointer(&metadata.key("name")), name.into(), &mut operations);
        }
        if !target.late_namespace() {
            let path = metadata.key("namespace");
            let value = self.object.lookup(&path).and_then(|node| value(node).ok()).unwrap_or(Value::Null);
            self.guards.test(pointer(&path), value, &mut operations);
        }
        Change { why: vec![format!("{MARK}{}", target.comment())], operations }
    }

    /// Returns the JSON patch operations of a change, after the tests that guard it.
    fn operations(&mut self, site: &Site) -> Result<Vec<Operation>, String> {
        let mut out = Vec::new();
        match site {
            Site::Set { path, value } => {
                let node = self.object.lookup(path).ok_or_else(|| format!("there is no {path}"))?;
                self.guards.test_list_elements(path, &mut out);
                if node.is_null() {
                    self.guards.test_source_field(path, &mut out);
                }
                self.guards.test_value(path, node, &mut out)?;
                // JSON6902 `replace` fails for a key without a value.
                let op = if node.is_null() { "add" } else { "replace" };
                out.push(operation(op, pointer(path), value));
            }
            Site::Add { path, value } => {
                let parent = path.parent().unwrap_or_default();
                self.guards.test_list_elements(&parent, &mut out);
                self.guards.test_source_field(path, &mut out);
                self.make(&parent, &mut out);
                if !self.made.contains(&parent) {
                    self.guards.test_absence(path, &mut out);
                }
                self.made.insert(path.clone());
                out.push(operation("add", pointer(path), value));
            }
            Site::Append { list, values } => {
                self.guards.test_list_elements(list, &mut out);
                let missing = self.object.lookup(list).is_none_or(NodeRef::is_null);
                if missing && !self.made.contains(list) {
                    self.make(&list.parent().unwrap_or_default(), &mut out);
                    self.guards.test_absence(list, &mut out);
                    out.push(operation("add", pointer(list), &Value::Seq(values.clone())));
                } else {
                    self.guards.test_last_element(list, &mut out)?;
                    let end = format!("{}/-", pointer(list));
                    out.extend(values.iter().map(|value| operation("add", end.clone(), value)));
                }
            }
            Site::Insert { after, values } => {
                let list = pointer(&after.parent().unwrap_or_default());
                let Some(Step::Item { index, .. }) = after.last() else {
                    return Err(format!("{after} is not an element of a list"));
                };
                let node = self.object.lookup(after).ok_or_else(|| format!("there is no {after}"))?;
                self.guards.test_list_elements(after, &mut out);
                self.guards.test_element_identity_or_value(after, node, &mut out)?;
                let places = (index + 1..).map(|place| format!("{list}/{place}"));
                out.extend(values.iter().zip(places).map(|(value, place)| operation("add", place, value)));
            }
            Site::Remove { path } => {
                let node = self.object.lookup(path).ok_or_else(|| format!("there is no {path}"))?;
                self.guards.test_list_elements(path, &mut out);
                self.guards.test_value(path, node, &mut out)?;
                out.push(Operation { op: "remove", path: pointer(path), value: None });
            }
        }
        Ok(out)
    }

    /// Adds the missing mappings on a path, including the last mapping.
    fn make(&mut self, path: &Path, out: &mut Vec<Operation>) {
        for beginning in beginnings(path) {
            let missing = self.object.lookup(&beginning).is_none_or(NodeRef::is_null);
            if missing && !self.made.contains(&beginning) {
                let inside = beginning.parent().is_some_and(|parent| self.made.contains(&parent));
                if !inside {
                    self.guards.test_absence(&beginning, out);
                }
                out.push(operation("add", pointer(&beginning), &Value::Map(Vec::new())));
                self.made.insert(beginning);
            }
        }
    }
}

/// Creates an operation of JSON6902 with a value.
fn operation(op: &'static str, path: String, value: &Value) -> Operation {
    Operation { op, path, value: Some(value.clone()) }
}

/// Edits of an object, indexed by path, for the comments of a patch.
pub(super) struct Reasons<'e> {
    edits: &'e [&'e Edit],
    at: HashMap<&'e Path, BTreeSet<usize>>,
    inside: HashMap<Path, BTreeSet<usize>>,
    /// Paths added to each collection.
    added: HashMap<Path, Vec<&'e Path>>,
    /// Edits that insert after each element.
    after: HashMap<&'e Path, BTreeSet<usize>>,
}

impl<'e> Reasons<'e> {
    pub(super) fn new(edits: &'e [&'e Edit]) -> Self {
        let (at, inside, added, after) = (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
        let mut found = Self { edits, at, inside, added, after };
        for (index, edit) in edits.iter().enumerate() {
            if let plan::Change::Insert { .. } = &edit.change {
                found.after.entry(&edit.path).or_default().insert(index);
                continue;
            }
            found.at.entry(&edit.path).or_default().insert(index);
            for beginning in beginnings(&edit.path) {
                found.inside.entry(beginning).or_default().insert(index);
            }
            if let (plan::Change::Add { .. }, Some(parent)) = (&edit.change, edit.path.parent()) {
                found.added.entry(parent).or_default().push(&edit.path);
            }
        }
        found
    }

    /// Messages of the edits at a site, without the object's name.
    pub(super) fn why(&self, site: &Site) -> Vec<String> {
        let path = site.path();
        let here = match site {
            Site::Set { .. } | Site::Remove { .. } => self.at.get(path).cloned().unwrap_or_default(),
            Site::Insert { .. } => self.after.get(path).cloned().unwrap_or_default(),
            Site::Add { .. } => self.inside.get(path).cloned().unwrap_or_default(),
            Site::Append { .. } => {
                let new = self.added.get(path).into_iter().flatten();
                new.filter_map(|new| self.inside.get(*new)).flatten().copied().collect()
            }
        };
        messages(here.into_iter().filter_map(|index| self.edits.get(index).copied()).collect())
    }
}

/// The messages of edits; an empty list that gets elements has no message.
fn messages(here: Vec<&Edit>) -> Vec<String> {
    // An added empty list needs no comment if elements are added to it.
    let is_empty = |edit: &Edit| match &edit.change {
        plan::Change::Add { new: Value::Seq(items) } => items.is_empty(),
        plan::Change::Add { new: Value::Map(entries) } => entries.is_empty(),
        _ => false,
    };
    let filled = here.iter().any(|edit| !is_empty(edit));
    let telling = here.into_iter().filter(|edit| !filled || !is_empty(edit));
    let mut all: Vec<String> = telling.map(|edit| one_line(&edit.message.without_name())).collect();
    all.dedup();
    all
}

/// The text on one line of a comment: some YAML parsers treat the replaced characters as line ends, which would end the
/// comment.
pub(super) fn one_line(text: &str) -> String {
    let ends_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    text.chars().map(|c| if ends_line(c) { ' ' } else { c }).collect()
}
