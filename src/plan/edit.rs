//! A change of one value of one object.

use std::ops::Range;
use std::sync::Arc;

use crate::model::ObjectId;
use crate::rule::Rule;
use lossless_yaml::{Path, Value};

/// A change of one value of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Id of the object.
    pub object: ObjectId,
    /// Path of the value in the object.
    pub path: Path,
    /// Old and new value.
    pub change: Change,
    /// Rule that requires the edit.
    pub rule: Rule,
    /// Description for messages: path, old and new value.
    pub message: String,
}

/// Old and new value of an [`Edit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Replaces a value.
    Set {
        /// Old value.
        old: Value,
        /// New value.
        new: Value,
    },
    /// Replaces a range of a text.
    Text {
        /// Whole old text; shared, since a script may be changed in thousands of places.
        old: Arc<str>,
        /// Byte range that is replaced.
        range: Range<usize>,
        /// Replacement text.
        new: String,
    },
    /// A key or a list element is added; the path is where it will be.
    Add {
        /// Added value.
        new: Value,
    },
    /// A list element is added behind another one, which the path leads to.
    Insert {
        /// Added value.
        new: Value,
    },
    /// Removes a key or list element.
    Remove {
        /// Old value.
        old: Value,
    },
    /// Creates the object: [`Plan::new`] has its identity, and later edits change its content.
    AddDocument {
        /// Object after which the new one is written.
        after: ObjectId,
        /// Initial content.
        content: Content,
    },
    /// Removes the object.
    RemoveDocument,
}

/// Edits that are one change for a person: one result speaks of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Together {
    /// Id of the object.
    pub object: ObjectId,
    /// The value around all of them.
    pub path: Path,
    /// Rule that requires the edits.
    pub rule: Rule,
    /// Description for messages.
    pub message: String,
    /// The edits, all of this object.
    pub edits: Vec<Edit>,
}

/// Initial content of a new object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The bytes of the object behind which it is written, without what belongs to that one alone.
    Copy,
    /// This value.
    New(Value),
}
