//! What each listener is to get.

use std::collections::{BTreeMap, BTreeSet};

use super::workload::Workload;
use crate::api::PortChoice;
use crate::model::WorkloadId;
use crate::model::listener::Listener;
use crate::plan::Finding;

/// What a listener is to get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assignment {
    /// The number that it has.
    Keep,
    /// The config's number.
    Number(u16),
    /// A number of the pool, not yet chosen.
    Auto,
    /// The number that was chosen, and whether the config records it.
    Given {
        /// The number.
        number: u16,
        /// Whether `assigned` has it.
        recorded: bool,
    },
}

/// What listeners are to get: by workload and position in its listeners. A listener without an entry keeps its number.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignments {
    choices: BTreeMap<(WorkloadId, usize), Assignment>,
    /// Listeners that a key names: what cannot be done for them is an error.
    named: BTreeSet<(WorkloadId, usize)>,
    /// What is in the way of listeners that could get another number and keep theirs.
    stuck: BTreeMap<(WorkloadId, usize), Vec<Finding>>,
}

impl Assignments {
    /// The number that a listener is to have.
    pub(super) fn number(&self, workload: &Workload<'_>, position: usize) -> Option<u16> {
        match self.choice(workload.id, position) {
            Assignment::Number(number) | Assignment::Given { number, .. } => Some(number),
            Assignment::Keep | Assignment::Auto => None,
        }
    }

    /// The first listener of this number that gets another one, and that one.
    pub(super) fn moved<'w>(&self, workload: &'w Workload<'_>, number: u16) -> Option<(&'w Listener, u16)> {
        let of_number = workload.listeners.iter().enumerate().filter(|(_, listener)| listener.number == number);
        let mut ends = of_number.filter_map(|(position, own)| Some((own, self.final_number(workload, position)?)));
        ends.find(|(_, new)| *new != number)
    }

    /// What a listener is to get.
    pub(super) fn choice(&self, workload: WorkloadId, position: usize) -> Assignment {
        self.choices.get(&(workload, position)).copied().unwrap_or(Assignment::Keep)
    }

    /// Says what a listener is to get.
    pub(super) fn set(&mut self, workload: WorkloadId, position: usize, assignment: Assignment) {
        self.choices.insert((workload, position), assignment);
    }

    /// Says what a listener is to get that a key names.
    pub(super) fn set_named(&mut self, workload: WorkloadId, position: usize, assignment: Assignment) {
        self.named.insert((workload, position));
        self.set(workload, position, assignment);
    }

    /// Where no port can be declared, one that is named keeps its number as all of them do under `auto`.
    pub(super) fn keep_undeclared(&mut self, fixed: &BTreeSet<WorkloadId>) {
        self.choices.retain(|(id, _), choice| !(matches!(choice, Assignment::Auto) && fixed.contains(id)));
        self.named.retain(|(id, _)| !fixed.contains(id));
    }

    /// Gives an automatic number to a listener.
    pub(super) fn give(&mut self, workload: WorkloadId, position: usize, number: u16, recorded: bool) {
        self.set(workload, position, Assignment::Given { number, recorded });
    }

    /// Lets a listener keep its number after all.
    pub(super) fn keep(&mut self, workload: WorkloadId, position: usize) {
        self.set(workload, position, Assignment::Keep);
    }

    /// Lets a listener keep its number, since something else than its own process is in the way of another one.
    pub(super) fn keep_for(&mut self, workload: WorkloadId, position: usize, why: Vec<Finding>) {
        self.keep(workload, position);
        self.stuck.insert((workload, position), why);
    }

    /// What is in the way of another number, beside the process.
    pub(super) fn stuck(&self, workload: &Workload<'_>, position: usize) -> &[Finding] {
        self.stuck.get(&(workload.id, position)).map_or(&[], Vec::as_slice)
    }

    /// Whether a key of the config names the listener, with a number, `auto` or `keep`.
    pub(super) fn names(&self, workload: &Workload<'_>, position: usize) -> bool {
        self.named.contains(&(workload.id, position))
    }

    /// Whether a listener got an automatic number that nobody asked for by name: then it may as well keep its own.
    pub(super) fn is_free(&self, workload: &Workload<'_>, position: usize) -> bool {
        matches!(self.choice(workload.id, position), Assignment::Given { .. }) && !self.names(workload, position)
    }

    /// The number that a listener has in the end.
    pub(super) fn final_number(&self, workload: &Workload<'_>, position: usize) -> Option<u16> {
        self.number(workload, position).or_else(|| workload.listeners.get(position).map(|listener| listener.number))
    }
}

impl Assignment {
    pub(super) fn of(choice: PortChoice) -> Self {
        match choice {
            PortChoice::Keep => Self::Keep,
            PortChoice::Auto => Self::Auto,
            PortChoice::Number(number) => Self::Number(number.get()),
        }
    }
}
