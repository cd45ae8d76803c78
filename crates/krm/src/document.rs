//! A document of a stream, and the items of the list that it may be.

use std::ops::Range;

use super::list_frame::ListKind;
use super::results::ResultsAppend;
use super::warning::InputWarning;

/// A document and, when its items can be cut, the items.
#[derive(Debug)]
pub(super) struct Document {
    pub range: Range<usize>,
    /// Its first line, counted from 1.
    pub line: usize,
    /// Apart, since a stream has very many documents that are not lists.
    pub list: Option<Box<CutList>>,
}

/// A list whose items are parsed one by one. All ranges are those of the input.
#[derive(Debug)]
pub(super) struct CutList {
    pub kind: ListKind,
    pub items: Vec<Range<usize>>,
    pub json: bool,
    /// What the list says of itself.
    pub envelope: Option<Envelope>,
}

/// What an envelope says.
#[derive(Debug, Clone)]
pub(super) struct Envelope {
    pub kind: ListKind,
    /// The bytes of functionConfig in the input; with their indentation when they start a line.
    pub config: Option<Range<usize>>,
    pub warning: Option<InputWarning>,
    /// How results can simply follow, if they can.
    pub below: Option<ResultsAppend>,
    /// A ResourceList without a list of items, which the functions spec requires: the byte of the input that says so.
    pub no_items: Option<usize>,
}
