//! Unusual properties of an input that are not errors.

/// An unusual property of an input that does not stop the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputWarning {
    /// Line in the input, counted from 1.
    pub line: usize,
    /// Text of the warning.
    pub message: String,
}
