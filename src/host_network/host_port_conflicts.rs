//! Conflicts between workloads that use the same host port and that the scheduler may put on the same node.

use std::collections::{BTreeMap, BTreeSet};

use super::assignments::Assignments;
use super::blocked_moves::BlockedMoves;
use super::host_port_use::{HostPortUse, PortSource, may_share, share};
use super::unbound::stay_reason;
use super::workload::Workload;
use crate::api::{HostNetworkConfig, Sharing};
use crate::judge::concurrent_runs;
use crate::judge::free_nodes::{Holder, join_names, required_values};
use crate::judge::nodes::Nodes;
use crate::model::{Model, WorkloadId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Compares all uses of host ports. Skips conflicts between two workloads in `unmoved`, which an earlier attempt
/// reported.
pub(super) fn conflicts(
    model: &Model,
    config: &HostNetworkConfig,
    nodes: &Nodes<'_>,
    uses: &BTreeMap<(u16, &str), Vec<HostPortUse<'_>>>,
    assignments: &Assignments,
    unmoved: &BTreeSet<WorkloadId>,
) -> BlockedMoves {
    let mut found = BlockedMoves::default();
    let sharing = Sharing::new(&config.host_network.spec);
    for ((number, protocol), occupants) in uses {
        let holders: Vec<Holder<'_>> = occupants.iter().map(HostPortUse::holder).collect();
        let apart = OccupantsByNodeLabel::new(occupants);
        let mut immovable = Groups::default();
        for (index, (one, holder)) in occupants.iter().zip(&holders).enumerate() {
            // Report one conflict per workload: a conflict with a third workload on the same port
            // would only repeat the finding.
            let is_reported = |other: &HostPortUse<'_>| unmoved.contains(&one.id) && unmoved.contains(&other.id);
            let others =
                apart.followers(index).filter_map(|index| Some((index, occupants.get(index)?, holders.get(index)?)));
            // A workload with `replicas: 0` has no pods, so it needs no node.
            let is_parked = |other: &HostPortUse<'_>, its: &Holder<'_>| {
                [holder.pods, its.pods].contains(&Some(0))
                    && one.is_unmoved_auto(config, assignments)
                    && other.is_unmoved_auto(config, assignments)
            };
            let mut others = others.filter(|(_, other, its)| {
                !holder.is_kept_apart(its, nodes)
                    && !is_reported(other)
                    && !may_share(&sharing, *number, one, other)
                    && !is_parked(other, its)
            });
            let Some((next, other, _)) = others.next() else { continue };
            match (one.is_unmoved_auto(config, assignments), other.is_unmoved_auto(config, assignments)) {
                (true, true) => immovable.join(index, next),
                (true, false) if one.may_stay(config) => {
                    found.block_conflicting_move(model, *number, protocol, [one, other]);
                }
                (false, true) if other.may_stay(config) => {
                    found.block_conflicting_move(model, *number, protocol, [other, one]);
                }
                _ => found.findings.push(conflict(*number, protocol, one, other)),
            }
        }
        for group in immovable.groups {
            let group: Vec<&HostPortUse<'_>> = group.iter().filter_map(|index| occupants.get(*index)).collect();
            // A workload that has the port already keeps it, so that a second run gives the same result.
            let (kept, new): (Vec<&HostPortUse<'_>>, Vec<_>) =
                group.iter().partition(|occupant| occupant.uses_port_before_run());
            found.leave.extend(if new.is_empty() { kept } else { new }.iter().map(|occupant| occupant.id));
            found.blockers.extend(warn_of_unmoved_group(model, *number, protocol, &group, assignments));
        }
    }
    found
}

impl BlockedMoves {
    /// Records that `one` stays unchanged, because `other` uses the same port.
    fn block_conflicting_move(
        &mut self,
        model: &Model,
        number: u16,
        protocol: &str,
        [one, other]: [&HostPortUse<'_>; 2],
    ) {
        if self.leave.insert(one.id) {
            let remedy = remedy_of(model, one).unwrap_or_else(|| "Give its number with `bind`".to_owned());
            let message = format!(
                "{} and {} both use port {number}/{protocol} of their node, and the first one cannot get another number: {} is not \
                 changed. {remedy}. Or put it under `exclude`. {}",
                one.display_name(),
                other.display_name(),
                one.pods(),
                share(number, &[one, other])
            );
            let finding = Finding::new(Severity::Warning, rule::PORT_CONFLICT, message).of_port(number);
            self.blockers.push(finding.on_object(one.id.object).at(one.path()));
        }
    }
}

/// Groups of conflicting occupants, by position: an occupant joins the group of each occupant with which it conflicts.
#[derive(Default)]
struct Groups {
    groups: Vec<BTreeSet<usize>>,
}

impl Groups {
    /// Joins the groups that contain one of two indexes.
    fn join(&mut self, one: usize, other: usize) {
        let (mut joined, rest): (Vec<_>, Vec<_>) =
            self.groups.drain(..).partition(|group| group.contains(&one) || group.contains(&other));
        joined.push([one, other].into());
        self.groups = rest;
        self.groups.push(joined.into_iter().flatten().collect());
    }
}

/// Finding about two workloads that use the same port of a node: an error if a target selects one of them.
fn conflict(number: u16, protocol: &str, one: &HostPortUse<'_>, other: &HostPortUse<'_>) -> Finding {
    let both =
        format!("{} and {} both use port {number}/{protocol} of their node", one.display_name(), other.display_name());
    let share = share(number, &[one, other]);
    let (severity, message) = if one.is_selected() || other.is_selected() {
        (
            Severity::Error,
            format!("{both}: the second one could not start. Give one of the two another number in `ports`. {share}"),
        )
    } else {
        (Severity::Warning, format!("{both}; no target matches them. {share}"))
    };
    let about = if one.is_selected() { one } else { other };
    Finding::new(severity, rule::PORT_CONFLICT, message).of_port(number).on_object(about.id.object).at(about.path())
}

/// Config lines that give the listener of an occupant another port number; `None` if no line does.
fn remedy_of(model: &Model, occupant: &HostPortUse<'_>) -> Option<String> {
    let PortSource::Listener(workload, position) = occupant.place else { return None };
    let reason = stay_reason(model, workload, workload.listeners.get(position)?)?;
    Some(workload.remedies([&reason.remedy].into_iter(), false)).filter(|remedy| !remedy.is_empty())
}

/// Warning about all workloads of a group that cannot move, with the findings that block each move.
fn warn_of_unmoved_group(
    model: &Model,
    number: u16,
    protocol: &str,
    group: &[&HostPortUse<'_>],
    assignments: &Assignments,
) -> Option<Finding> {
    let first = group.first()?;
    // With more than two occupants, the workload names are enough: the number is the same.
    let name = |occupant: &&HostPortUse<'_>| {
        if group.len() == 2 { occupant.display_name() } else { occupant.pods().to_string() }
    };
    let names: Vec<String> = group.iter().map(name).collect();
    let [both, neither, all, one, number_of] = match group {
        [_, _] => ["both", "neither", "both workloads", "one of them", "its number"],
        _ => ["all", "none of them", "all these workloads", "all but one of them", "their numbers"],
    };
    let on = format!("{} are {both} on {number}/{protocol} of their node", join_names(&names));
    let mut blocking: Vec<&Finding> =
        group.iter().flat_map(|occupant| occupant.blocking_findings(assignments)).collect();
    // If one cause blocks several listeners, name it only once.
    blocking.dedup_by_key(|finding| (finding.rule.id, finding.object, finding.path.clone()));
    let share = share(number, group);
    let message = if blocking.is_empty() {
        // With two workloads, config lines for one of them are enough; lines for several workloads would not fit into
        // one target.
        let known = group.iter().filter(|_| group.len() == 2).find_map(|occupant| remedy_of(model, occupant));
        let remedy = known.unwrap_or_else(|| format!("Give {number_of} with `bind`"));
        format!(
            "{on}, and {neither} can get another number: {all} are not changed. {remedy}. Or put {one} under `exclude`. {share}"
        )
    } else {
        let unbound = group.iter().filter(|occupant| occupant.blocking_findings(assignments).is_empty());
        let unbound =
            unbound.map(|occupant| format!("{} cannot get another number without `bind`", occupant.display_name()));
        let blocking: Vec<String> =
            blocking.into_iter().map(|finding| finding.message.clone()).chain(unbound).collect();
        format!(
            "{on}, and {neither} can move: {all} are not changed. {}. Or put {one} under `exclude`. {share}",
            blocking.join(". ")
        )
    };
    let finding = Finding::new(Severity::Warning, rule::PORT_CONFLICT, message).of_port(number);
    Some(finding.on_object(first.id.object).at(first.path()))
}

/// Occupants of a port by the required value of a node label. Occupants with different values never share a node, so
/// each occupant is compared only with occupants of the same value or without a value.
struct OccupantsByNodeLabel<'o> {
    values: Vec<Option<&'o str>>,
    by_value: BTreeMap<&'o str, Vec<usize>>,
    /// Occupants without a required value.
    rest: Vec<usize>,
}

impl<'o> OccupantsByNodeLabel<'o> {
    fn new(occupants: &'o [HostPortUse<'_>]) -> Self {
        let values = required_values(occupants.iter().map(|one| one.template)).0;
        let mut apart = Self { values: Vec::new(), by_value: BTreeMap::new(), rest: Vec::new() };
        for (index, value) in values.iter().enumerate() {
            match value {
                Some(value) => apart.by_value.entry(value).or_default().push(index),
                None => apart.rest.push(index),
            }
        }
        Self { values, ..apart }
    }

    /// Positions of later occupants that may share a node with the occupant at `one`, in order.
    fn followers(&self, one: usize) -> impl Iterator<Item = usize> {
        let value = self.values.get(one).copied().flatten();
        let of_value = value.and_then(|value| self.by_value.get(value)).map_or(&[][..], Vec::as_slice);
        let (mut near, mut rest) = (tail(of_value, one), tail(&self.rest, one));
        let all = if value.is_none() { one + 1..self.values.len() } else { 0..0 };
        let merged = std::iter::from_fn(move || {
            let list = match (near.first(), rest.first()) {
                (Some(a), Some(b)) if b < a => &mut rest,
                (Some(_), _) => &mut near,
                (None, _) => &mut rest,
            };
            let (first, next) = list.split_first()?;
            *list = next;
            Some(*first)
        });
        all.chain(merged.filter(move |_| value.is_some()))
    }
}

/// Part of a sorted list of positions after the position `one`.
fn tail(list: &[usize], one: usize) -> &[usize] {
    list.get(list.partition_point(|&index| index <= one)..).unwrap_or_default()
}

/// Warning about a `CronJob` whose overlapping runs need the same port.
pub(super) fn overlap(workload: &Workload<'_>, assignments: &Assignments) -> Option<Finding> {
    let may = workload.template.may_overlap;
    let (position, listener) = workload.listeners.iter().enumerate().next().filter(|_| may)?;
    let number = assignments.final_number(workload, position)?;
    let message = concurrent_runs::concurrent_runs_message(workload, number, &listener.protocol);
    let finding = Finding::new(Severity::Warning, rule::PORT_CONFLICT, message).on_object(workload.id.object);
    Some(finding.at(workload.field(listener)).of_port(number))
}
