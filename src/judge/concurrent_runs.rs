//! Concurrent runs of a `CronJob` that need the same node port.

use std::fmt;

/// Message about runs that may overlap.
pub fn concurrent_runs_message(name: &dyn fmt::Display, number: u16, protocol: &str) -> String {
    format!(
        "{name}: `concurrencyPolicy` allows two runs at the same time, and on one node both need port {number}/{protocol}: the second one stays Pending. Write `concurrencyPolicy: Forbid`"
    )
}
