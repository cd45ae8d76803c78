//! A change of one value of one object.

use std::ops::Range;
use std::sync::Arc;

use crate::model::ObjectId;
use crate::rule::Rule;
use lossless_yaml::{Path, Value};

/// A change of one value of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The object.
    pub object: ObjectId,
    /// The value's path in it.
    pub path: Path,
    /// Old and new value.
    pub change: Change,
    /// The rule that asks for it.
    pub rule: Rule,
    /// What happens, for a person: where, old, new.
    pub message: String,
}

/// Old and new value of an [`Edit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The value is replaced.
    Set {
        /// What it was.
        old: Value,
        /// What it is to be.
        new: Value,
    },
    /// A range of a text is replaced.
    Text {
        /// The whole text as it was; shared, since a script may be changed in thousands of places.
        old: Arc<str>,
        /// The bytes of it that are replaced.
        range: Range<usize>,
        /// What stands there then.
        new: String,
    },
    /// A key or a list element is added; the path is where it will be.
    Add {
        /// What is added.
        new: Value,
    },
    /// A list element is added behind another one, which the path leads to.
    Insert {
        /// What is added.
        new: Value,
    },
    /// A key or a list element goes.
    Remove {
        /// What it was.
        old: Value,
    },
    /// The object is new: [`Plan::new`] says who it is, and later edits are about what it holds.
    AddDocument {
        /// The object behind which it is written.
        after: ObjectId,
        /// What it holds at first.
        content: Content,
    },
    /// The object goes.
    RemoveDocument,
}

/// Edits that are one change for a person: one result speaks of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Together {
    /// The object.
    pub object: ObjectId,
    /// The value around all of them.
    pub path: Path,
    /// The rule that asks for them.
    pub rule: Rule,
    /// What happens, for a person.
    pub message: String,
    /// The edits, all of this object.
    pub edits: Vec<Edit>,
}

/// What a new object holds at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The bytes of the object behind which it is written, without what belongs to that one alone.
    Copy,
    /// This value.
    New(Value),
}
