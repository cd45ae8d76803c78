//! Edits an object step by step, recording each edit and the resulting value.

use crate::model::ObjectId;
use crate::plan::{Change, Edit};
use crate::rule::Rule;
use lossless_yaml::{Path, Step, Value};

/// An object under edit.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) object: ObjectId,
    /// The value after the edits so far.
    pub(crate) value: Value,
    pub(crate) edits: Vec<Edit>,
    /// Label of the object at the start of each edit message.
    pub(crate) call: String,
}

impl Draft {
    pub(crate) fn new(object: ObjectId, value: Value, call: String) -> Self {
        Self { object, value, edits: Vec::new(), call }
    }

    /// The object's name.
    pub(crate) fn name(&self) -> &str {
        self.value.lookup(&Path::dotted("metadata.name")).and_then(Value::as_text).unwrap_or_default()
    }

    /// Sets the value at a path, or adds it with its missing parents.
    pub(crate) fn put(&mut self, path: &Path, new: Value, rule: Rule, reason: &str) {
        let old = self.value.lookup(path).cloned();
        if old.as_ref() == Some(&new) {
            return;
        }
        self.create_parents(path, rule);
        write(&mut self.value, path, new.clone());
        let change = match old {
            Some(old) => Change::Set { old, new },
            None => Change::Add { new },
        };
        self.edits.push(self.edit(path, change, rule, reason));
    }

    /// Appends elements to a list, creating the list if missing.
    pub(crate) fn append(&mut self, list: &Path, items: Vec<Value>, rule: Rule, reason: &str) {
        for item in items {
            let path = list.item(self.length(list));
            self.create_parents(&path, rule);
            write(&mut self.value, &path, item.clone());
            self.edits.push(self.edit(&path, Change::Add { new: item }, rule, reason));
        }
    }

    /// Merges elements into a list by `key`: an element with the same key is replaced, others are appended. The schema
    /// of runtime configs requires unique keys; in the Deployment that Crossplane created from a ControllerConfig, the
    /// last duplicate applied.
    pub(crate) fn merge(&mut self, list: &Path, key: &str, items: Vec<Value>, rule: Rule, reason: &str) {
        for item in items {
            let known = self.value.lookup(list).into_iter().flat_map(Value::items).enumerate();
            let mut same = known.filter(|(_, known)| known.get(key).is_some_and(|known| Some(known) == item.get(key)));
            match same.next() {
                Some((index, _)) => self.put(&list.item(index), item, rule, reason),
                None => self.append(list, vec![item], rule, reason),
            }
        }
    }

    /// Removes a key.
    pub(crate) fn remove(&mut self, path: &Path, rule: Rule, reason: &str) {
        let Some(old) = self.value.lookup(path).cloned() else { return };
        if let (Some(parent), Some(Step::Key(key))) = (path.parent(), path.last())
            && let Some(Value::Map(entries)) = lookup_mut(&mut self.value, &parent)
        {
            entries.retain(|(known, _)| known != key);
        }
        self.edits.push(self.edit(path, Change::Remove { old }, rule, reason));
    }

    /// The number of elements of a list.
    pub(crate) fn length(&self, list: &Path) -> usize {
        self.value.lookup(list).map_or(0, |list| list.items().len())
    }

    /// Creates the missing parents of a path, each as a separate edit.
    fn create_parents(&mut self, path: &Path, rule: Rule) {
        let Some(parent) = path.parent().filter(|parent| parent.last().is_some()) else { return };
        let empty = match path.last() {
            Some(Step::Item { .. }) => Value::Seq(Vec::new()),
            _ => Value::Map(Vec::new()),
        };
        match self.value.lookup(&parent) {
            // A null value accepts entries like an empty collection, and its key already exists.
            Some(Value::Null) => write(&mut self.value, &parent, empty),
            Some(_) => {}
            None => {
                self.create_parents(&parent, rule);
                write(&mut self.value, &parent, empty.clone());
                self.edits.push(self.edit(&parent, Change::Add { new: empty }, rule, "is new"));
            }
        }
    }

    /// Creates an edit of the package or runtime config.
    fn edit(&self, path: &Path, change: Change, rule: Rule, reason: &str) -> Edit {
        let message = format!("{}: {path} {reason}", self.call).into();
        Edit { object: self.object, path: path.clone(), change, rule, message }
    }
}

fn lookup_mut<'v>(value: &'v mut Value, path: &Path) -> Option<&'v mut Value> {
    path.steps().into_iter().try_fold(value, |value, step| match (step, value) {
        (Step::Key(key), Value::Map(entries)) => {
            entries.iter_mut().find(|(known, _)| known == key).map(|(_, value)| value)
        }
        (Step::Item { index, .. }, Value::Seq(items)) => items.get_mut(*index),
        _ => None,
    })
}

/// Writes a value at a path whose parent exists.
fn write(value: &mut Value, path: &Path, new: Value) {
    if let Some(old) = lookup_mut(value, path) {
        *old = new;
        return;
    }
    let Some(parent) = path.parent().and_then(|parent| lookup_mut(value, &parent)) else { return };
    match (parent, path.last()) {
        (Value::Map(entries), Some(Step::Key(key))) => entries.push((key.to_string(), new)),
        (Value::Seq(items), Some(Step::Item { .. })) => items.push(new),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule;

    #[test]
    fn missing_parents_are_created_by_their_own_edit() {
        let spec = Value::Map(vec![("spec".into(), Value::Null)]);
        let mut draft = Draft::new(7, spec, "Provider p".into());
        let containers = Path::dotted("spec.template.containers");
        draft.append(&containers, vec!["a".into(), "c".into()], rule::PACKAGE, "is new");
        draft.append(&containers, vec!["d".into()], rule::PACKAGE, "is new");
        draft.put(&containers.item(0), "b".into(), rule::PACKAGE, "is set");
        let paths: Vec<String> = draft.edits.iter().map(|edit| edit.path.to_string()).collect();
        assert_eq!(
            paths,
            [
                "spec.template",
                "spec.template.containers",
                "spec.template.containers[0]",
                "spec.template.containers[1]",
                "spec.template.containers[2]",
                "spec.template.containers[0]"
            ]
        );
        assert_eq!(draft.value.lookup(&containers), Some(&Value::Seq(vec!["b".into(), "c".into(), "d".into()])));
        draft.remove(&Path::dotted("spec.template"), rule::PACKAGE, "goes");
        assert_eq!(draft.value.lookup(&Path::dotted("spec.template")), None);
    }
}
