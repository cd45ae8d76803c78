//! Edits of generated documents, and texts that Go's readers refuse. `tests/corpus/yaml` has the same tests for real
//! documents.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stderr, clippy::format_push_string, reason = "these are tests; a skipped one is loud")]

mod flow;
mod flow_properties;
mod generated;
mod generated_properties;
mod go_indicators;
mod go_tabs;
/// Asserts that no text refused by Go's readers was editable, and that every text accepted by them was.
fn assert_judged_alike(read: usize, missed: &[String], needless: &[String]) {
    assert!(
        missed.is_empty() && needless.is_empty(),
        "read {read}, missed {}:\n{}\nneedless {}:\n{}",
        missed.len(),
        missed.join("\n"),
        needless.len(),
        needless.join("\n")
    );
}
