//! What would certainly fail for a workload once it has moved, and which workloads are better left whole.

use std::collections::BTreeSet;

use super::workload::Workload;
use crate::model::WorkloadId;
use crate::plan::Finding;
use crate::rule::Severity;

/// What is said of workloads that would fail, or may.
#[derive(Default)]
pub(super) struct Refusals {
    pub(super) findings: Vec<Finding>,
    /// What is said of those that are left whole.
    pub(super) stuck: Vec<Finding>,
    /// The workloads that are left whole.
    pub(super) leave: BTreeSet<WorkloadId>,
}

impl Refusals {
    /// Something that certainly fails: an error where the config names the workload; else a warning, and the workload is left whole.
    pub(super) fn add(&mut self, workload: &Workload<'_>, finding: Finding) {
        if workload.named {
            self.findings.push(Finding { severity: Severity::Error, ..finding });
        } else {
            self.leave.insert(workload.id);
            let message = format!("{}. The workload is left as it is", finding.message);
            self.stuck.push(Finding { severity: Severity::Warning, message, ..finding });
        }
    }
}
