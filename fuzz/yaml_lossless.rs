#[path = "../crates/lossless-yaml/tests/generated_edits/flow.rs"]
pub(crate) mod flow;
#[path = "../crates/lossless-yaml/tests/generated_edits/generated.rs"]
pub(crate) mod generated;
