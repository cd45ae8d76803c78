#[path = "../tests/rules/yaml_lossless/flow.rs"]
pub(crate) mod flow;
#[path = "../tests/rules/yaml_lossless/generated.rs"]
pub(crate) mod generated;
