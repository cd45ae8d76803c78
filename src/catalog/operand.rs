//! Custom resources for which an operator runs pods that the API server calls.

use super::data;

/// Kind of custom resources for which an operator runs pods that the API server calls.
#[derive(Debug, PartialEq, Eq)]
pub struct Operand {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Description of the servers that the operator runs, for messages.
    pub runs: &'static str,
}

/// Returns all kinds of operands.
#[must_use]
pub fn operands() -> &'static [Operand] {
    data::OPERANDS
}
