//! The documents of the repository, every manifest of the material and every valid case of the YAML test suite through the splice path:
//! spans cook to values, a scalar set to its own text changes no byte, and what is added and removed again leaves none.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stderr, clippy::format_push_string, reason = "these are tests; a skipped one is loud")]

mod cooker;
mod identity;
mod inputs;
mod refused;
mod spans;
