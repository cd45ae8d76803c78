//! Two runs of one `CronJob` at the same time, which want one port of their node.

use std::fmt;

/// What is said of runs that may overlap.
#[must_use]
pub fn message(name: &dyn fmt::Display, number: u16, protocol: &str) -> String {
    format!(
        "{name}: `concurrencyPolicy` allows two runs at the same time, and on one node both want {number}/{protocol}: the second one stays \
         Pending. Write `concurrencyPolicy: Forbid`"
    )
}
