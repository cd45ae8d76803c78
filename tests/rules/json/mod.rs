//! JSON input and output, of the program and for real manifests: JSON readers accept the output, and it equals the
//! output for the same objects in YAML.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod forms;
