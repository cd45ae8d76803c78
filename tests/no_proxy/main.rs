//! Go's matcher of `NO_PROXY`: a table of what matches, and Go's own code as referee over generated lists.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod explain;
mod generate;
mod referee;
#[path = "../support/mod.rs"]
mod support;
mod table;
