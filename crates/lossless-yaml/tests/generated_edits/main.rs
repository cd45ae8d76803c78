//! Edits of generated documents, and the texts that Go's readers refuse. Real documents have the same tests in `tests/corpus/yaml`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stderr, clippy::format_push_string, reason = "these are tests; a skipped one is loud")]

mod flow;
mod flow_properties;
mod generated;
mod generated_properties;
mod go_indicators;
mod go_tabs;
/// Of some texts that were read, none that Go's readers refuse is edited, and none that they take is left alone.
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
