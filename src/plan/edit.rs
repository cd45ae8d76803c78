//! A change of one value of one object.

use std::ops::Range;
use std::sync::Arc;

use super::message::Message;
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
    pub message: Message,
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
    /// Replaces a port number in a text.
    Text {
        /// Whole old text; shared, since many edits may change one script.
        old: Arc<str>,
        /// Byte range that is replaced.
        range: Range<usize>,
        /// New port number.
        new: u16,
    },
    /// Adds a key or list element at the path.
    Add {
        /// Added value.
        new: Value,
    },
    /// Adds a list element after the element at the path.
    Insert {
        /// Added value.
        new: Value,
    },
    /// Removes a key or list element.
    Remove {
        /// Old value.
        old: Value,
    },
    /// Creates the object: [`Plan::new`](super::Plan::new) has its identity, and later edits change its content.
    AddDocument {
        /// Object after which the new object is written.
        after: ObjectId,
        /// Initial content.
        content: Content,
    },
    /// Removes the object.
    RemoveDocument,
}

/// Edits that are reported as one change.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedChange {
    /// Id of the object.
    pub object: ObjectId,
    /// Path of the value that contains all edits.
    pub path: Path,
    /// Rule that requires the edits.
    pub rule: Rule,
    /// Description for messages.
    pub message: Message,
    /// Edits of this object.
    pub edits: Vec<Edit>,
}

/// Initial content of a new object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Copy of the bytes of the preceding object, without data that belongs only to that object.
    Copy,
    /// New value.
    New(Value),
}
