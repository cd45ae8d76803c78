//! A document of a stream, with the items if the document is a list.

use std::ops::Range;

use super::list_frame::ListKind;
use super::results::ResultsAppend;
use super::warning::InputWarning;

/// A document, with its items if they can be parsed one by one.
#[derive(Debug)]
pub(super) struct Document {
    pub range: Range<usize>,
    /// First line in the input, counted from 1.
    pub line: usize,
    /// Boxed because most documents of a stream are not lists.
    pub list: Option<Box<CutList>>,
}

/// A list whose items are parsed one by one. All ranges are ranges of the input.
#[derive(Debug)]
pub(super) struct CutList {
    pub kind: ListKind,
    pub items: Vec<Range<usize>>,
    pub json: bool,
    /// Fields of the list other than its items.
    pub envelope: Option<Envelope>,
}

/// Fields of a list other than its items.
#[derive(Debug, Clone)]
pub(super) struct Envelope {
    pub kind: ListKind,
    /// Byte range of functionConfig in the input, including the indentation if it starts a line.
    pub config: Option<Range<usize>>,
    pub warning: Option<InputWarning>,
    /// Position and form for appending results; `None` if results cannot simply be appended.
    pub below: Option<ResultsAppend>,
    /// Byte offset that the error for a ResourceList without `items` points to; the functions spec requires `items`.
    pub no_items: Option<usize>,
}
