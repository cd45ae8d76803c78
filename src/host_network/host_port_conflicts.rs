//! Listeners of different workloads on one number of the host network.

use std::collections::{BTreeMap, BTreeSet};

use super::assignments::Assignments;
use super::host_port_holders::{self, HostPortHolder};
use super::refusals::Refusals;
use super::workload::Workload;
use crate::api::{Config, Ports, Sharing};
use crate::catalog::PackageKind;
use crate::crossplane::Runtimes;
use crate::judge::overlap;
use crate::model::facts::PodsView;
use crate::model::index::{Owners, object_key, workload_key};
use crate::model::pod::{Placed, Placement, PodTemplate, never_share_a_node};
use crate::model::{Meta, Model, WorkloadId};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use crate::yaml::Path;

/// What holds a port of the node.
#[derive(Clone)]
struct HostPortUse<'m> {
    id: WorkloadId,
    meta: &'m Meta,
    template: &'m PodTemplate,
    /// The object that it counts as.
    owner: String,
    /// The workload that it counts as: the same, and the template where the object may have several.
    key: String,
    /// Where the port is from.
    place: Place<'m>,
}

/// Where a port is from.
#[derive(Clone, Copy)]
enum Place<'m> {
    /// A listener of a selected workload.
    Listener(&'m Workload<'m>, usize),
    /// A port that another one holds.
    Held(&'m HostPortHolder<'m>),
}

impl HostPortUse<'_> {
    fn is_selected(&self) -> bool {
        matches!(self.place, Place::Listener(..))
    }

    fn call(&self) -> String {
        match self.place {
            Place::Listener(workload, position) => {
                workload.listeners.get(position).map(|listener| workload.call(listener)).unwrap_or_default()
            }
            Place::Held(hold) => format!("{}, container {}", self.pods(), hold.container.name),
        }
    }

    fn path(&self) -> Path {
        match self.place {
            Place::Listener(workload, position) => {
                workload.listeners.get(position).map_or_else(Path::root, |listener| workload.field(listener))
            }
            Place::Held(hold) => hold.path(),
        }
    }

    /// Whether `auto` meant to move it and could not.
    fn is_stuck(&self, config: &Config, wanted: &Assignments) -> bool {
        let Place::Listener(workload, position) = self.place else { return false };
        // Functions move only where the config asks for it by name.
        if PackageKind::of(workload.meta) == Some(PackageKind::Function) {
            return false;
        }
        let target = config.host_network.spec.targets.get(workload.target);
        wanted.number(workload, position).is_none() && target.is_some_and(|target| target.ports == Ports::Auto)
    }

    /// What is in the way of another number, beside the process.
    fn in_the_way<'w>(&self, wanted: &'w Assignments) -> &'w [Finding] {
        match self.place {
            Place::Listener(workload, position) => wanted.stuck(workload, position),
            Place::Held(_) => &[],
        }
    }

    fn pods(&self) -> PodsView<'_> {
        PodsView { meta: self.meta, template: self.template }
    }

    fn placed(&self) -> Placed<'_> {
        Placed {
            namespace: self.meta.namespace.as_deref(),
            labels: &self.template.labels,
            placement: self.template.placement.as_deref(),
        }
    }
}

/// Compares all listeners on the host network, as they are in the end. What those collide in that were `left` whole
/// before was said then.
pub(super) fn conflicts(
    model: &Model,
    runtimes: &Runtimes,
    config: &Config,
    workloads: &[Workload<'_>],
    wanted: &Assignments,
    left: &BTreeSet<WorkloadId>,
) -> Refusals {
    let mut found = Refusals::default();
    let owners = Owners::of(model);
    let others = host_port_holders::by_others(model, runtimes, workloads);
    let sharing = Sharing::of(&config.host_network.spec);
    for ((number, protocol), places) in held(&others, workloads, wanted).iter().filter(|(_, places)| places.len() > 1) {
        let occupants: Vec<HostPortUse<'_>> = places
            .iter()
            .filter_map(|&(id, place)| {
                let (meta, template) = match place {
                    Place::Listener(workload, _) => (workload.meta, workload.template),
                    Place::Held(hold) => (&model.object(id.object)?.meta, hold.template),
                };
                // Pods and replica sets count as what made them, in the input or not.
                let (owner, _) = owners.root(meta, template);
                let key =
                    if owner == object_key(meta) { workload_key(PodsView { meta, template }) } else { owner.clone() };
                Some(HostPortUse { id, meta, template, owner, key, place })
            })
            .collect();
        let apart = Apart::of(&occupants);
        let mut stuck = Groups::default();
        for (index, one) in occupants.iter().enumerate() {
            // One finding each: with a third on the port it would be the same thing again.
            let said = |other: &HostPortUse<'_>| left.contains(&one.id) && left.contains(&other.id);
            let others = apart.behind(index).filter_map(|index| Some((index, occupants.get(index)?)));
            let mut others = others.filter(|(_, other)| !said(other) && !may_both(&sharing, *number, one, other));
            let Some((behind, other)) = others.next() else { continue };
            if one.is_stuck(config, wanted) && other.is_stuck(config, wanted) {
                stuck.join(index, behind);
            } else {
                found.findings.push(conflict(*number, protocol, one, other));
            }
        }
        for group in stuck.groups {
            let group: Vec<&HostPortUse<'_>> = group.iter().filter_map(|index| occupants.get(*index)).collect();
            found.leave.extend(group.iter().map(|occupant| occupant.id));
            found.stuck.extend(left_whole(*number, protocol, &group, wanted));
        }
    }
    found
}

/// Occupants that are in each other's way, by position: who shares one with another is in its group.
#[derive(Default)]
struct Groups {
    groups: Vec<BTreeSet<usize>>,
}

impl Groups {
    fn join(&mut self, one: usize, other: usize) {
        let (mut joined, rest): (Vec<_>, Vec<_>) =
            self.groups.drain(..).partition(|group| group.contains(&one) || group.contains(&other));
        joined.push([one, other].into());
        self.groups = rest;
        self.groups.push(joined.into_iter().flatten().collect());
    }
}

fn conflict(number: u16, protocol: &str, one: &HostPortUse<'_>, other: &HostPortUse<'_>) -> Finding {
    let both = format!("{} and {} are both on {number}/{protocol} of their node", one.call(), other.call());
    let share = share(number, &[one, other]);
    let (severity, message) = if one.is_selected() || other.is_selected() {
        (
            Severity::Error,
            format!("{both}: the second one could not start. Give one another number in `ports`. {share}"),
        )
    } else {
        (Severity::Warning, format!("{both}; no target matches them. {share}"))
    };
    let about = if one.is_selected() { one } else { other };
    Finding::new(severity, rule::PORT_CONFLICT, message).of_port(number).on(about.id.object).at(about.path())
}

fn share(number: u16, occupants: &[&HostPortUse<'_>]) -> String {
    let keys: Vec<&str> = occupants.iter().map(|occupant| occupant.key.as_str()).collect();
    format!(
        "Where they never share a node, write `shared: [{{port: {number}, between: [{}]}}]` in the spec",
        keys.join(", ")
    )
}

/// What is said of those that cannot move, once for all of them: of each, what is in the way.
fn left_whole(number: u16, protocol: &str, group: &[&HostPortUse<'_>], wanted: &Assignments) -> Option<Finding> {
    let first = group.first()?;
    // Of many the workloads are enough: the number is the same.
    let name = |occupant: &&HostPortUse<'_>| {
        if group.len() == 2 { occupant.call() } else { occupant.pods().to_string() }
    };
    let names: Vec<String> = group.iter().map(name).collect();
    let [both, neither, all, one, number_of] = match group {
        [_, _] => ["both", "neither", "both workloads", "one of them", "its number"],
        _ => ["all", "none of them", "all these workloads", "all but one of them", "their numbers"],
    };
    let on = format!("{} are {both} on {number}/{protocol} of their node", list(&names));
    let mut why: Vec<&Finding> = group.iter().flat_map(|occupant| occupant.in_the_way(wanted)).collect();
    // One thing in the way of several is said once.
    why.dedup_by_key(|finding| (finding.rule.id, finding.object, finding.path.clone()));
    let share = share(number, group);
    let message = if why.is_empty() {
        format!(
            "{on}, and {neither} can get another number: {all} are left as they are. Put {one} under `exclude`, or give \
             {number_of} with `bind`. {share}"
        )
    } else {
        let unbound = group.iter().filter(|occupant| occupant.in_the_way(wanted).is_empty());
        let unbound = unbound.map(|occupant| format!("{} cannot get another number without `bind`", occupant.call()));
        let why: Vec<String> = why.into_iter().map(|finding| finding.message.clone()).chain(unbound).collect();
        format!(
            "{on}, and {neither} can move: {all} are left as they are. {}. Else put {one} under `exclude`. {share}",
            why.join(". ")
        )
    };
    let finding = Finding::new(Severity::Warning, rule::PORT_CONFLICT, message).of_port(number);
    Some(finding.on(first.id.object).at(first.path()))
}

/// `a and b`; `a, b and c`.
fn list(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// The occupants of a port by the one value that they ask of a label of their node: those with different values never share one,
/// so that each is compared with those of its own value and those that ask for none.
struct Apart<'o> {
    values: Vec<Option<&'o str>>,
    by_value: BTreeMap<&'o str, Vec<usize>>,
    /// Those that ask for none.
    rest: Vec<usize>,
}

impl<'o> Apart<'o> {
    fn of(occupants: &'o [HostPortUse<'_>]) -> Self {
        let asked = |occupant: &'o HostPortUse<'_>| occupant.template.placement.as_deref().map(Placement::node_labels);
        let asked: Vec<BTreeMap<&str, &str>> = occupants.iter().map(|one| asked(one).unwrap_or_default()).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        asked.iter().flat_map(BTreeMap::keys).for_each(|key| *counts.entry(key).or_default() += 1);
        let key = counts.into_iter().max_by_key(|(_, count)| *count).map(|(key, _)| key);
        let values: Vec<Option<&str>> = asked.iter().map(|asked| asked.get(key?).copied()).collect();
        let mut apart = Self { values: Vec::new(), by_value: BTreeMap::new(), rest: Vec::new() };
        for (index, value) in values.iter().enumerate() {
            match value {
                Some(value) => apart.by_value.entry(value).or_default().push(index),
                None => apart.rest.push(index),
            }
        }
        Self { values, ..apart }
    }

    /// Those behind one that it may share a node with, in order.
    fn behind(&self, one: usize) -> impl Iterator<Item = usize> {
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
            let (first, behind) = list.split_first()?;
            *list = behind;
            Some(*first)
        });
        all.chain(merged.filter(move |_| value.is_some()))
    }
}

/// The part of a sorted list that is behind one.
fn tail(list: &[usize], one: usize) -> &[usize] {
    list.get(list.partition_point(|&index| index <= one)..).unwrap_or_default()
}

/// Whether two workloads may both hold one port.
fn may_both(sharing: &Sharing<'_>, number: u16, one: &HostPortUse<'_>, other: &HostPortUse<'_>) -> bool {
    // Two templates of one object are two workloads; what a controller made of them counts as any of them.
    let is_one = one.owner == other.owner && (one.key == other.key || [one, other].iter().any(|o| o.key == o.owner));
    is_one || sharing.allows(number, &one.key, &other.key) || never_share_a_node(one.placed(), other.placed())
}

/// Who is on which port of the node in the end: by number and protocol.
type UsesByPort<'m> = BTreeMap<(u16, &'m str), Vec<(WorkloadId, Place<'m>)>>;

fn held<'m>(others: &'m [HostPortHolder<'m>], workloads: &'m [Workload<'m>], wanted: &Assignments) -> UsesByPort<'m> {
    let mut held = UsesByPort::new();
    for workload in workloads {
        for (position, listener) in workload.listeners.iter().enumerate() {
            let Some(number) = wanted.final_number(workload, position) else { continue };
            let place = Place::Listener(workload, position);
            held.entry((number, listener.protocol.as_ref())).or_default().push((workload.id, place));
        }
    }
    for hold in others {
        held.entry((hold.number, hold.protocol.as_ref())).or_default().push((hold.id, Place::Held(hold)));
    }
    held
}

/// A `CronJob` whose runs may be there at the same time, and want one port.
pub(super) fn overlap(workload: &Workload<'_>, wanted: &Assignments) -> Option<Finding> {
    let may = workload.template.may_overlap;
    let (position, listener) = workload.listeners.iter().enumerate().next().filter(|_| may)?;
    let number = wanted.final_number(workload, position)?;
    let message = overlap::message(workload, number, &listener.protocol);
    let finding = Finding::new(Severity::Warning, rule::PORT_CONFLICT, message).on(workload.id.object);
    Some(finding.at(workload.field(listener)).of_port(number))
}
