//! Operations of JSON6902 patches.

use lossless_yaml::Value;

/// One operation of JSON6902.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) op: &'static str,
    /// A JSON pointer.
    pub(super) path: String,
    pub(super) value: Option<Value>,
}
