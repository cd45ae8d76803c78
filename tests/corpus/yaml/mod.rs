//! Edits the documents of the repository, every manifest of the material and every valid case of the YAML test suite:
//! bytes match values, a scalar set to its own value changes no byte, and neither does an entry that is added and
//! removed again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stderr, clippy::format_push_string, reason = "these are tests; a skipped one is loud")]

mod cooker;
mod identity;
mod inputs;
mod refused;
mod spans;
