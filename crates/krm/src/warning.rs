//! What is odd about an input, and no error.

/// Something odd that is not a reason to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputWarning {
    /// Line in the input, counted from 1.
    pub line: usize,
    /// What is odd.
    pub message: String,
}
