//! Final numbers of the workloads that a rule of a network policy applies to.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::WorkloadId;

/// Final numbers of the workloads that had the same old port number and that policy rules apply to. Rules that open the
/// same numbers to the same workloads share the summary, so that the run time depends only on the number of pairs of
/// rules and workloads.
#[derive(Debug)]
pub(super) struct FinalNumbers {
    /// Final number of each workload.
    numbers: HashMap<WorkloadId, u16>,
    /// For each final port number: the number of workloads that get it, and the first of these workloads in the order
    /// of moves.
    ends: BTreeMap<u16, (usize, WorkloadId)>,
    /// First workload of each final port number that the rule does not open yet, sorted.
    added: Vec<WorkloadId>,
}

impl FinalNumbers {
    /// Counts the workloads of each new number, and collects the first workload of each number that is not open yet.
    fn new(numbers: HashMap<WorkloadId, u16>, number: u16, open: &[RangeInclusive<u16>]) -> Self {
        let mut ends: BTreeMap<u16, (usize, WorkloadId)> = BTreeMap::new();
        for (id, end) in &numbers {
            let (count, first) = ends.entry(*end).or_insert((0, *id));
            *count += 1;
            *first = (*first).min(*id);
        }
        let is_new = |end: u16| end != number && !open.iter().any(|numbers| numbers.contains(&end));
        let mut added: Vec<WorkloadId> =
            ends.iter().filter(|(end, _)| is_new(**end)).map(|(_, (_, first))| *first).collect();
        added.sort_unstable();
        Self { numbers, ends, added }
    }

    /// Number of workloads with this final port number, without `workload`.
    pub(super) fn count_others_with(&self, end: u16, workload: WorkloadId) -> usize {
        let all = self.ends.get(&end).map_or(0, |(count, _)| *count);
        all - usize::from(self.numbers.get(&workload) == Some(&end))
    }

    /// Number of workloads, without `workload`.
    pub(super) fn count_other_workloads(&self, workload: WorkloadId) -> usize {
        self.numbers.len() - usize::from(self.numbers.contains_key(&workload))
    }

    /// Number of final port numbers that are added to the rule when the workloads before `workload` move.
    pub(super) fn numbers_added_before(&self, workload: WorkloadId) -> usize {
        self.added.partition_point(|first| *first < workload)
    }

    /// True if a workload before `workload` has this final port number.
    pub(super) fn is_before(&self, end: u16, workload: WorkloadId) -> bool {
        self.ends.get(&end).is_some_and(|(_, first)| *first < workload)
    }
}

/// Cached summaries, by the address of the list of workloads, the old port number and the protocol.
#[derive(Debug, Default)]
pub(super) struct PolicySummaries(RefCell<HashMap<Key, ByNumbers>>);

/// Address of the list of workloads, old port number, and protocol.
type Key = (*const WorkloadId, u16, String);

/// Summaries by the port numbers that the rules open. Each entry also holds the list of workloads, so that the address
/// of the list is not reused.
type ByNumbers = HashMap<Vec<RangeInclusive<u16>>, (Arc<[WorkloadId]>, Rc<FinalNumbers>)>;

impl PolicySummaries {
    /// Returns the summary of rules that open these port numbers to these workloads. `end` returns the final number of
    /// a workload; `None` for a workload that does not have the old number.
    pub(super) fn get_or_insert(
        &self,
        open: &[RangeInclusive<u16>],
        workloads: &Arc<[WorkloadId]>,
        (number, protocol): (u16, &str),
        end: impl Fn(WorkloadId) -> Option<u16>,
    ) -> Rc<FinalNumbers> {
        let mut all = self.0.borrow_mut();
        let known = all.entry((workloads.as_ptr(), number, protocol.to_owned())).or_default();
        if let Some((_, made)) = known.get(open) {
            return Rc::clone(made);
        }
        let numbers = workloads.iter().filter_map(|id| Some((*id, end(*id)?))).collect();
        let made = Rc::new(FinalNumbers::new(numbers, number, open));
        known.insert(open.to_vec(), (Arc::clone(workloads), Rc::clone(&made)));
        made
    }
}
