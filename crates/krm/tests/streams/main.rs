//! Real texts through the wire: what nobody edits comes back byte for byte, in every form that can carry it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod documents;
mod errors;
mod files;
mod forms;
mod hostile;
mod json;
mod packages;
mod support;
