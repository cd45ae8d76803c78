//! The targets of `tests/rules/fuzz/`, and the test files that they need.
#![allow(dead_code, unused_imports, reason = "tests use more of these files")]

#[path = "../tests/rules/fuzz/mod.rs"]
pub mod fuzz;
#[path = "../tests/rules/properties/mod.rs"]
mod properties;
mod support;
mod yaml_lossless;
