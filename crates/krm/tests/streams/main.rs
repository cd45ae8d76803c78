//! Reading and writing of manifests in every form: bytes without an edit are unchanged.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod documents;
mod errors;
mod files;
mod forms;
mod hostile;
mod json;
mod packages;
mod support;
