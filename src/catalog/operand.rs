//! Custom resources for which an operator runs pods that the API server calls.

use super::data;

/// A kind of such resources.
#[derive(Debug, PartialEq, Eq)]
pub struct Operand {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Description of the servers that the operator runs, for messages.
    pub runs: &'static str,
}

/// All of them.
#[must_use]
pub fn operands() -> &'static [Operand] {
    data::OPERANDS
}
