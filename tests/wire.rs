//! Real texts through the wire: what nobody edits comes back byte for byte, in every form that can carry it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "wire/added.rs"]
mod added;
#[path = "wire/corpus.rs"]
mod corpus;
#[path = "wire/documents.rs"]
mod documents;
#[path = "wire/errors.rs"]
mod errors;
#[path = "wire/files.rs"]
mod files;
#[path = "wire/forms.rs"]
mod forms;
#[path = "wire/hostile.rs"]
mod hostile;
#[path = "wire/json.rs"]
mod json;
#[path = "wire/shared.rs"]
mod shared;
