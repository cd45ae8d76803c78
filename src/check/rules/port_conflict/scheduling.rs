//! Workloads that declare the same port of their node: the scheduler puts their pods on different nodes.

use std::collections::BTreeSet;

use super::conflict::conflict;
use crate::check::port_use::{Overlap, Use};
use crate::check::{CheckContext, Finding};
use crate::judge::free_nodes::{Demand, FreeNodes, Holder, groups, join_names, required_values};
use crate::rule::{PORT_CONFLICT, Severity};

/// Uses of one port, with the data that the scheduler needs to keep their pods apart.
pub(super) struct PortScheduling<'u, 'w, 'm> {
    context: &'u CheckContext<'m>,
    uses: &'u [Use<'w, 'm>],
    holders: Vec<Holder<'w>>,
}

impl<'u, 'w, 'm> PortScheduling<'u, 'w, 'm> {
    pub(super) fn new(context: &'u CheckContext<'m>, uses: &'u [Use<'w, 'm>]) -> Self {
        let holder = |one: &Use<'w, 'm>| {
            let pods = context.min_pods_of(one.workload);
            // Static Pods are not scheduled.
            Holder {
                requirements: one.workload.node_requirements(),
                pods,
                is_declared: one.is_declared && !one.workload.is_static,
                placed: one.workload.placed(),
            }
        };
        Self { context, uses, holders: uses.iter().map(holder).collect() }
    }

    /// True if the scheduler keeps the pods of two uses, by position, on different nodes.
    pub(super) fn are_on_separate_nodes(&self, one: usize, other: usize) -> bool {
        let holders = self.holders.get(one).zip(self.holders.get(other));
        let uses = self.uses.get(one).zip(self.uses.get(other));
        // A workload with 0 replicas does not prove that a node has the port free.
        let is_parked = |(one, other): (&Holder<'_>, &Holder<'_>)| {
            matches!((one.pods, other.pods), (Some(0), None) | (None, Some(0)))
        };
        let keys = |(one, other): (&Use<'_, '_>, &Use<'_, '_>)| {
            one.overlap(other) == Overlap::Same
                && self.context.running.shared_node_of(&one.workload.key, &other.workload.key).is_none()
        };
        let are_kept_apart =
            |pair: (&Holder<'_>, &Holder<'_>)| !is_parked(pair) && pair.0.is_kept_apart(pair.1, &self.context.nodes);
        holders.is_some_and(are_kept_apart) && uses.is_some_and(keys)
    }

    /// Reports workloads with the same port that the scheduler keeps apart, in one finding for each
    /// group. A workload with accepted conflicts is reported in a pair with one other workload, so
    /// that accepting this finding does not hide other workloads.
    pub(super) fn find(&self, number: u16, protocol: &str) -> Vec<Finding> {
        let mut seen = BTreeSet::new();
        let firsts: Vec<usize> = (0..self.uses.len())
            .filter(|index| self.uses.get(*index).is_some_and(|one| seen.insert(one.workload.id)))
            .collect();
        let values = required_values(self.uses.iter().map(|one| one.workload.template));
        let at = |index: usize| firsts.get(index).copied().unwrap_or(usize::MAX);
        let related = |one: usize, other: usize| {
            let (one, other) = (at(one), at(other));
            let pair = self.uses.get(one).zip(self.uses.get(other));
            // Without pods, a workload needs no node.
            let has_pods = |index: usize| self.holders.get(index).is_some_and(|holder| holder.pods != Some(0));
            has_pods(one)
                && has_pods(other)
                && !values.differ(one, other)
                && self.are_on_separate_nodes(one, other)
                && pair.is_some_and(|(one, other)| conflict(self.context, number, one, other))
        };
        let named = self.context.settings.accepted;
        let accepted = |index: usize| {
            let one = self.uses.get(at(index));
            one.zip(named).is_some_and(|(one, named)| named.contains(&one.workload.object))
        };
        let open = groups(firsts.len(), |one, other| !accepted(one) && !accepted(other) && related(one, other));
        let pairs = (0..firsts.len()).filter(|index| accepted(*index)).filter_map(|index| {
            let other = (0..firsts.len()).find(|other| *other != index && related(index, *other))?;
            Some(vec![other, index])
        });
        open.into_iter()
            .chain(pairs)
            .filter_map(|group| self.finding(number, protocol, &group.into_iter().map(at).collect::<Vec<_>>()))
            .collect()
    }

    /// Finding about workloads with one port that the scheduler puts on different nodes.
    fn finding(&self, number: u16, protocol: &str, members: &[usize]) -> Option<Finding> {
        let context = self.context;
        let uses: Vec<&Use<'_, '_>> = members.iter().filter_map(|index| self.uses.get(*index)).collect();
        let is_judged = |one: &&&Use<'_, '_>| context.is_checked(one.workload.object);
        let about = uses.iter().rev().find(is_judged).or(uses.last())?;
        let other = uses.iter().find(|one| one.workload.id != about.workload.id)?;
        let (mut demand, mut room, mut fits) = (Demand::default(), FreeNodes::new(&context.nodes), true);
        for (one, holder) in uses.iter().zip(members.iter().filter_map(|index| self.holders.get(*index))) {
            fits &= room.has_nodes_for(holder);
            room.place_pods(holder);
            demand.add(one.workload.template, holder.pods.unwrap_or_default(), true);
        }
        let names: Vec<String> = uses.iter().map(|one| one.workload.meta.to_string()).collect();
        let keys: Vec<&str> = uses.iter().map(|one| one.workload.key.as_str()).collect();
        let is_short = !fits && room.nodes().is_some();
        let nodes = match room.nodes() {
            Some(nodes) if is_short => {
                format!(
                    ", and at most {nodes} may run them: the others stay Pending, `node(s) didn't have free ports for the requested pod ports`"
                )
            }
            _ => String::new(),
        };
        let fix = if is_short { "Add nodes, or give one workload another number. To" } else { "To" };
        let message = format!(
            "{} take {number}/{protocol} of their node. The scheduler keeps them on different nodes: {}{nodes}. {fix} \
             accept this, write `shared: [{{port: {number}, between: [{}]}}]` in a HostNetwork that you give with `-c`",
            join_names(&names),
            demand.nodes(),
            keys.join(", ")
        );
        let severity = if is_short { Severity::Error } else { Severity::Warning };
        let finding =
            Finding::new(severity, PORT_CONFLICT, message).on_object(about.workload.object).at(about.path.clone());
        let brief = "give one workload other ports, or provide a node for each pod: the scheduler keeps these pods on \
                     different nodes";
        let finding = finding.of_port(number).with(other.workload.object, other.path.clone());
        let finding = finding.brief(brief, format!("{number}/{protocol}, pods: {}", demand.pods));
        let subject = match uses.as_slice() {
            [first, rest @ ..] if rest.len() > 1 => format!("{} and {} more", first.workload.meta, rest.len()),
            _ => join_names(&names),
        };
        Some(finding.about(subject))
    }
}
