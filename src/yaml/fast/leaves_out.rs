//! Entries of an object that nobody asks for: they are walked to their end, and no node is made of them.

use std::borrow::Cow;

use super::reader::Reader;
use super::scalar::Scalar;

/// Whether an entry is left out of a tree: by its key, and by the key of the entry that it is in; none for an entry of the object itself.
pub type LeavesOut = fn(outer: Option<&str>, key: &str) -> bool;

/// The object of a text: its outermost block mapping, or each of those that are elements of the outermost sequence.
pub(super) struct Object<'s> {
    leaves_out: Option<LeavesOut>,
    /// How many block collections are open inside of it, itself included; none before it starts.
    depth: Option<usize>,
    /// The key of the entry that is being read; none outside of an object.
    key: Option<Cow<'s, str>>,
    /// How many block collections are open around the entry that is left out.
    left: Option<usize>,
}

impl Object<'_> {
    pub(super) fn new(leaves_out: Option<LeavesOut>) -> Self {
        Self { leaves_out, depth: None, key: None, left: None }
    }

    /// How many block collections are open around the entry that is left out, if one is.
    pub(super) fn left(&self) -> Option<usize> {
        self.left
    }
}

impl<'s> Reader<'s> {
    /// Called at the start of a line. Ends the entry that is left out when the line is not inside of it any more.
    pub(super) fn end_left_out(&mut self) {
        if self.object.left.is_some_and(|left| self.blocks.len() <= left) {
            self.object.left = None;
            self.list.walks = false;
        }
        if self.object.depth.is_some_and(|depth| self.blocks.len() < depth) {
            self.object.key = None;
        }
    }

    /// A key of the innermost block mapping was read: decides whether its entry is left out.
    pub(super) fn begin_entry(&mut self, key: &Scalar<'s>) {
        let (Some(leaves_out), None) = (self.object.leaves_out, self.object.left) else { return };
        let depth = self.blocks.len();
        let outer = match depth.checked_sub(*self.object.depth.get_or_insert(depth)) {
            Some(0) => {
                self.object.key = Some(key.value.clone());
                None
            }
            Some(1) if self.object.key.is_some() => self.object.key.as_deref(),
            _ => return,
        };
        // What is merged belongs to the mapping around it.
        if key.value != "<<" && leaves_out(outer, &key.value) {
            self.object.left = Some(depth);
            self.list.walks = true;
        }
    }
}
