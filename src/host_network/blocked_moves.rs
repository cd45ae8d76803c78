//! Failures of workloads after the move, and workloads that stay unchanged because of them.

use std::collections::BTreeSet;

use super::workload::Workload;
use crate::model::WorkloadId;
use crate::plan::Finding;
use crate::rule::Severity;

/// Findings about workloads that fail or may fail after the move.
#[derive(Default)]
pub(super) struct BlockedMoves {
    pub(super) findings: Vec<Finding>,
    /// Findings about workloads that stay unchanged.
    pub(super) blockers: Vec<Finding>,
    /// Workloads that stay unchanged.
    pub(super) leave: BTreeSet<WorkloadId>,
}

impl BlockedMoves {
    /// Adds a finding about a workload that certainly fails after the move: an error if the config names the workload;
    /// else a warning, and the workload stays unchanged.
    pub(super) fn add(&mut self, workload: &Workload<'_>, finding: Finding) {
        if workload.named {
            self.findings.push(Finding { severity: Severity::Error, ..finding });
        } else {
            self.leave.insert(workload.id);
            let message = format!("{}. The workload is not changed", finding.message);
            self.blockers.push(Finding { severity: Severity::Warning, message, ..finding });
        }
    }
}
