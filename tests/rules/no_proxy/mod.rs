//! Go's matcher of `NO_PROXY`: a table of what matches, and Go's own code as referee over generated lists.

// Helpers of a test may panic like the test itself; clippy.toml excuses only functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod explain;
mod generate;
mod referee;
mod table;
