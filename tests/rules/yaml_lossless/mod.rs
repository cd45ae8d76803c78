//! Every real manifest at hand and every valid case of the YAML test suite through the splice path: spans cook to
//! values, a scalar set to its own text changes no byte, and what is added and removed again leaves none.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stderr, clippy::format_push_string, reason = "these are tests; a skipped one is loud")]

mod cooker;
pub(crate) mod flow;
pub(crate) mod generated;
mod go_indicators;
mod go_tabs;
mod identity;
mod inputs;
mod refused;
mod spans;
