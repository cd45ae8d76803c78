//! Ranges from which operators give ports of nodes to pods that they create.

use super::data;

/// Row of `catalog/operator-ranges.yaml`.
#[derive(Debug)]
pub struct OperatorRange {
    /// Pods that get the ports, for messages.
    pub pods: &'static str,
    /// Last path segments of the images of the operator.
    pub images: &'static [&'static str],
    /// Flag or variable with a list of ranges.
    pub ranges: Option<&'static str>,
    /// Flags and variables with the first number of the range.
    pub first: &'static [&'static str],
    /// Flags and variables with the last number of the range.
    pub last: &'static [&'static str],
    /// Range without a flag or variable.
    pub default: Option<&'static str>,
}

/// Returns the ranges of operators.
pub static OPERATOR_RANGES: &[OperatorRange] = data::OPERATOR_RANGES;

#[cfg(test)]
mod tests {
    use super::OPERATOR_RANGES;

    #[test]
    fn a_range_is_one_setting_or_two() {
        for row in OPERATOR_RANGES {
            assert!(row.ranges.is_some() != (!row.first.is_empty() && !row.last.is_empty()), "{row:?}");
        }
    }
}
