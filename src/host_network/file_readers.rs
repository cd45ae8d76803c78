//! Workloads that read the file of a ConfigMap with the port number of a listener.

use super::move_planner::MovePlanner;
use crate::model::WorkloadId;
use crate::model::facts::ConfigPlace;
use crate::model::reference::AffectedWorkloads;
use crate::plan::{Finding, listed};
use crate::rule::{self, Severity};

/// Maximum number of workloads in a message.
const NAMED: usize = 5;

impl MovePlanner<'_, '_> {
    /// Workloads that read the number of a listener from a ConfigMap. If the number is a field of a mounted file, only
    /// workloads that listen on the number count, and a warning names the other readers.
    pub(super) fn readers(&self, map: &ConfigPlace, findings: &mut Vec<Finding>) -> AffectedWorkloads {
        let all = map.readers(self.model);
        if !map.in_file {
            return AffectedWorkloads::from(all);
        }
        let (using, reading): (Vec<WorkloadId>, _) = all.into_iter().partition(|id| self.may_listen(*id));
        let names = listed(reading.iter().filter_map(|id| self.all.pods(*id)), NAMED);
        if !names.is_empty() {
            let message = format!(
                "{}: moves to {}. {names} mounts the same file, so it gets the new number too. If it has to keep the old number, give it a separate ConfigMap",
                self.display_name(),
                self.to
            );
            let finding = self.finding(Severity::Warning, rule::PORT_REFERENCE, message);
            findings.push(finding.on_object(map.object).at(map.place.path.clone()));
        }
        AffectedWorkloads::from(using)
    }

    /// True if the manifest or the catalogue shows that pods of a workload listen on the port number.
    fn may_listen(&self, id: WorkloadId) -> bool {
        let (number, protocol) = (self.listener.number, self.listener.protocol.as_ref());
        let is_shown = || self.all.listeners_of(id).is_none_or(|found| found.contains(&(number, protocol.into())));
        self.numbers.contains_key(&(id, number, protocol)) || is_shown()
    }
}
