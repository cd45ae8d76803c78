//! Reads and writes real texts: without edits, they stay the same byte for byte, in every form.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod added;
mod texts;
