//! Changes in the form of a policy: single values that are set, and elements that are appended to lists.

use super::super::edit_site::Site;
use super::super::guard::beginnings;
use super::super::unterminated;
use lossless_yaml::{NodeRef, Path, Value};

/// A change of one field or list of the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// Sets a key or a scalar list element.
    Put {
        /// Path of the value.
        path: Path,
        /// Old value; `None` if it is missing.
        old: Option<Value>,
        /// New value.
        new: Value,
    },
    /// Appends elements to a list.
    Append {
        /// Path of the list.
        list: Path,
        /// New elements.
        values: Vec<Value>,
    },
}

impl Change {
    /// Path of the value or the list.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Put { path, .. } => path,
            Self::Append { list, .. } => list,
        }
    }

    /// True for a change at a path or below it.
    pub(super) fn is_inside(&self, path: &Path) -> bool {
        beginnings(self.path()).iter().any(|above| above.is_same_place(path))
    }
}

/// True if a change sets the value at a path, or appends to the list there.
pub(super) fn is_changed(changes: &[Change], path: &Path) -> bool {
    changes.iter().any(|change| change.path().is_same_place(path))
}

/// Converts the sites of an object.
pub(super) fn changes(object: NodeRef<'_, '_>, sites: Vec<Site>) -> Result<Vec<Change>, String> {
    let mut changes = Vec::new();
    for site in sites {
        match site {
            Site::Set { path, value } => {
                let node = object.lookup(&path);
                let old = node
                    .filter(|node| !node.is_null())
                    .and_then(|node| Some(unterminated::value(node, node.to_value()?)));
                changes.push(Change::Put { path, old, new: value });
            }
            Site::Add { path, value } => add(path, value, &mut changes),
            Site::Append { list, values } => changes.push(Change::Append { list, values }),
            Site::Insert { after: path, .. } | Site::Remove { path } => {
                return Err(format!(
                    "a policy sets values and appends to lists, and the change of {path} is neither; `hostnet apply` writes it"
                ));
            }
        }
    }
    Ok(changes)
}

/// Splits an added value into its scalars, because the API server may add defaults next to them.
fn add(path: Path, value: Value, into: &mut Vec<Change>) {
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                add(path.key(key), value, into);
            }
        }
        Value::Seq(values) => into.push(Change::Append { list: path, values }),
        new => into.push(Change::Put { path, old: None, new }),
    }
}
