//! Port numbers assigned to listeners.

use std::collections::{BTreeMap, BTreeSet};

use super::workload::Workload;
use crate::api::PortChoice;
use crate::model::WorkloadId;
use crate::model::listener::Listener;
use crate::plan::Finding;

/// Port number assigned to a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assignment {
    /// Current number of the listener.
    Keep,
    /// Number from the config.
    Number(u16),
    /// Number of the pool, not yet chosen.
    Auto,
    /// Automatic number, chosen or recorded in the config.
    Given {
        /// Chosen or recorded port number.
        number: u16,
        /// True if the port number is from `assigned` of the config.
        recorded: bool,
    },
}

/// Assignment of each listener, by workload and by position among the listeners of the workload. A listener without an
/// entry keeps its port number.
#[derive(Debug, Clone, Default)]
pub(super) struct Assignments {
    choices: BTreeMap<(WorkloadId, usize), Assignment>,
    /// Listeners that a key in `ports` of a target names; an error if one of them cannot get its number.
    named: BTreeSet<(WorkloadId, usize)>,
    /// Findings that prevent a new port number, for each listener that keeps its number because of them.
    blockers: BTreeMap<(WorkloadId, usize), Vec<Finding>>,
}

impl Assignments {
    /// New number of a listener; `None` if it keeps its port number, or if `auto` has not chosen one yet.
    pub(super) fn number(&self, workload: &Workload<'_>, position: usize) -> Option<u16> {
        match self.choice(workload.id, position) {
            Assignment::Number(number) | Assignment::Given { number, .. } => Some(number),
            Assignment::Keep | Assignment::Auto => None,
        }
    }

    /// First listener with the old port number `number` that moves, and its new number.
    pub(super) fn first_move<'w>(&self, workload: &'w Workload<'_>, number: u16) -> Option<(&'w Listener, u16)> {
        let of_number = workload.listeners.iter().enumerate().filter(|(_, listener)| listener.number == number);
        let mut ends =
            of_number.filter_map(|(position, listener)| Some((listener, self.final_number(workload, position)?)));
        ends.find(|(_, new)| *new != number)
    }

    /// Returns the assignment of a listener; `Keep` for a listener without an entry.
    pub(super) fn choice(&self, workload: WorkloadId, position: usize) -> Assignment {
        self.choices.get(&(workload, position)).copied().unwrap_or(Assignment::Keep)
    }

    /// Sets the assignment of a listener.
    pub(super) fn set(&mut self, workload: WorkloadId, position: usize, assignment: Assignment) {
        self.choices.insert((workload, position), assignment);
    }

    /// Sets the assignment of a listener that a key of the config names.
    pub(super) fn set_for_named_listener(&mut self, workload: WorkloadId, position: usize, assignment: Assignment) {
        self.named.insert((workload, position));
        self.set(workload, position, assignment);
    }

    /// Keeps the numbers of `auto` listeners in workloads where no port can be declared, even if a key names the
    /// listener.
    pub(super) fn keep_numbers_without_declaration(&mut self, fixed: &BTreeSet<WorkloadId>) {
        self.choices.retain(|(id, _), choice| !(matches!(choice, Assignment::Auto) && fixed.contains(id)));
        self.named.retain(|(id, _)| !fixed.contains(id));
    }

    /// Assigns an automatic port number to a listener.
    pub(super) fn assign(&mut self, workload: WorkloadId, position: usize, number: u16, recorded: bool) {
        self.set(workload, position, Assignment::Given { number, recorded });
    }

    /// Keeps the port number of a listener.
    pub(super) fn keep(&mut self, workload: WorkloadId, position: usize) {
        self.set(workload, position, Assignment::Keep);
    }

    /// Keeps the port number of a listener, and records the findings that prevent another number.
    pub(super) fn keep_number_because(&mut self, workload: WorkloadId, position: usize, why: Vec<Finding>) {
        self.keep(workload, position);
        self.blockers.insert((workload, position), why);
    }

    /// Findings that prevent another port number, except findings about the setting of the process.
    pub(super) fn blockers(&self, workload: &Workload<'_>, position: usize) -> &[Finding] {
        self.blockers.get(&(workload.id, position)).map_or(&[], Vec::as_slice)
    }

    /// True if a key of the config names the listener, with a port number, `auto` or `keep`.
    pub(super) fn has_key_for(&self, workload: &Workload<'_>, position: usize) -> bool {
        self.named.contains(&(workload.id, position))
    }

    /// True for an automatic port number of a listener that no key names: the listener may keep its current number
    /// instead.
    pub(super) fn is_free(&self, workload: &Workload<'_>, position: usize) -> bool {
        matches!(self.choice(workload.id, position), Assignment::Given { .. }) && !self.has_key_for(workload, position)
    }

    /// Final number of a listener, new or kept.
    pub(super) fn final_number(&self, workload: &Workload<'_>, position: usize) -> Option<u16> {
        self.number(workload, position).or_else(|| workload.listeners.get(position).map(|listener| listener.number))
    }
}

impl Assignment {
    /// Converts a value of `ports` in the config.
    pub(super) fn from_choice(choice: PortChoice) -> Self {
        match choice {
            PortChoice::Keep => Self::Keep,
            PortChoice::Auto => Self::Auto,
            PortChoice::Number(number) => Self::Number(number.get()),
        }
    }
}
