//! Generated documents of the crate `lossless-yaml`, for the fuzz target of edits.
#![allow(dead_code, reason = "the properties of the crate need the rest")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::format_push_string, reason = "these are tests")]

#[path = "../../crates/lossless-yaml/tests/generated_edits/flow.rs"]
pub(crate) mod flow;
#[path = "../../crates/lossless-yaml/tests/generated_edits/generated.rs"]
pub(crate) mod generated;
