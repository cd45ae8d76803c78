//! Changes requested for the objects of an input.

use std::collections::{BTreeMap, BTreeSet};

use lossless_yaml::{Op, Value};

/// Changes requested for the objects of an input. Objects are identified by their index in the order
/// of [`Input::objects`](super::Input::objects).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Edits per object, with paths relative to the object. Removed objects are not edited.
    pub edits: BTreeMap<usize, Vec<Op>>,
    /// New objects in output order, keyed by the existing object that they follow.
    pub added: BTreeMap<usize, Vec<Added>>,
    /// Objects to remove.
    pub removed: BTreeSet<usize>,
}

/// A new object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// A copy of the object that it follows, without identity fields of the original (uid, origin
    /// annotations), edited by these operations.
    Copy(Vec<Op>),
    /// An object built from a value, edited by these operations.
    New(Value, Vec<Op>),
}

impl Changes {
    /// True if no change is requested.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && !self.adds_or_removes()
    }

    /// True if objects are added or removed.
    pub(super) fn adds_or_removes(&self) -> bool {
        !self.added.values().all(Vec::is_empty) || !self.removed.is_empty()
    }
}

impl From<BTreeMap<usize, Vec<Op>>> for Changes {
    fn from(edits: BTreeMap<usize, Vec<Op>>) -> Self {
        Self { edits, ..Self::default() }
    }
}

impl From<&BTreeMap<usize, Vec<Op>>> for Changes {
    fn from(edits: &BTreeMap<usize, Vec<Op>>) -> Self {
        edits.clone().into()
    }
}
