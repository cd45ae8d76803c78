//! What is to change in an input.

use std::collections::{BTreeMap, BTreeSet};

use lossless_yaml::{Op, Value};

/// What is to change in an input. Objects are named by their position in the order of
/// [`Input::objects`](super::Input::objects).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Edits of objects; paths are relative to the object. What goes is not edited.
    pub edits: BTreeMap<usize, Vec<Op>>,
    /// New objects by the one behind which they are written, in this order.
    pub added: BTreeMap<usize, Vec<Added>>,
    /// Objects that go.
    pub removed: BTreeSet<usize>,
}

/// A new object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// A copy of the object behind which it is written, without what belongs to that one alone. These edits are then made in it.
    Copy(Vec<Op>),
    /// A value; then edited.
    New(Value, Vec<Op>),
}

impl Changes {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && !self.adds_or_removes()
    }

    /// Whether objects are added or removed.
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
