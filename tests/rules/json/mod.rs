//! JSON in, JSON out, through the program and over real manifests: what comes out is read by JSON readers, and says what
//! the same objects in YAML become.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod forms;
