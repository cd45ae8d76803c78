//! Numbers for `auto`: recorded numbers first, then existing host ports, then a number from the hash of the key.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::assignments::{Assignment, Assignments};
use super::owner::listener_keys;
use super::workload::{Workload, has_host_port};
use super::{host_port_holders, node_ports};
use crate::api::{HostNetworkConfig, HostNetworkSpec, Port, PortRange};
use crate::crossplane::Runtimes;
use crate::judge::operator_ranges::operator_ranges;
use crate::judge::sidecars::injectors;
use crate::model::Model;
use crate::model::facts::PodsView;
use crate::model::listener::Listener;
use crate::model::text::fnv_1a;
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Assigns a port number to each listener with `Assignment::Auto`; returns errors about conflicting records and a full
/// pool.
pub(super) fn allocate(
    model: &Model,
    runtimes: &Runtimes,
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    assignments: &mut Assignments,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let spec = &config.host_network.spec;
    let mut open = open(workloads, assignments);
    if open.is_empty() {
        return findings;
    }
    let mut numbers = FreeNumbers::available(spec, model, runtimes, workloads, assignments);
    // Order: recorded numbers, existing host ports, then new numbers by key.
    open.retain(|group| {
        let recorded = group.recorded(&spec.assigned);
        let Some(&(_, number)) = recorded.first() else { return true };
        if let Some(other) = recorded.iter().find(|(_, other)| *other != number) {
            findings.push(conflicting_records(config, group, &recorded, *other));
        }
        group.assign(number, true, assignments);
        false
    });
    open.retain(|group| {
        let existing = group.existing(numbers.pool).filter(|number| numbers.is_free(*number));
        if let Some(number) = existing {
            numbers.mark_taken(number);
        }
        existing.inspect(|number| group.assign(*number, false, assignments)).is_none()
    });
    // Numbers that operators give to their pods come last.
    let ranges = operator_ranges(model);
    let mut preferred = (!ranges.is_empty()).then(|| {
        let mut preferred = numbers.clone();
        for range in ranges {
            preferred.mark_range_taken(range.numbers);
        }
        preferred
    });
    for group in &open {
        let number = preferred.as_mut().and_then(|preferred| preferred.take(group.key()));
        number.inspect(|number| numbers.mark_taken(*number));
        match number.or_else(|| numbers.take(group.key())) {
            Some(number) => group.assign(number, false, assignments),
            None => findings.push(pool_exhausted(config, group, numbers.pool)),
        }
    }
    findings
}

/// Listeners of one container with the same port number, such as TCP and UDP; they get one common new number.
struct Group<'w> {
    /// Keys of the listeners; the search for a free number starts at the hash of the first key.
    keys: Vec<String>,
    workload: &'w Workload<'w>,
    positions: Vec<usize>,
}

impl Group<'_> {
    /// Key in `assigned` of the group's first listener.
    fn key(&self) -> &str {
        self.keys.first().map_or("", String::as_str)
    }

    /// Keys in `assigned`, with their numbers.
    fn recorded(&self, assigned: &BTreeMap<String, Port>) -> Vec<(&str, u16)> {
        let number = |key: &String| assigned.get(key).map(|number| number.get());
        self.keys.iter().filter_map(|key| Some((key.as_str(), number(key)?))).collect()
    }

    /// Assigns a port number to all listeners of the group; `recorded` is true for a number from `assigned`.
    fn assign(&self, number: u16, recorded: bool, assignments: &mut Assignments) {
        for position in &self.positions {
            assignments.assign(self.workload.id, *position, number, recorded);
        }
    }

    /// First listener of the group.
    fn first(&self) -> Option<&Listener> {
        self.workload.listeners.get(*self.positions.first()?)
    }

    /// Current number of the group if it is in the pool and each listener has it as `hostPort` on the host network:
    /// assigned by an earlier run.
    fn existing(&self, pool: PortRange) -> Option<u16> {
        let listener = self.first()?;
        let is_given = |position: &usize| has_host_port(self.workload, *position) && pool.contains(listener.number);
        self.positions.iter().all(is_given).then_some(listener.number)
    }
}

/// Groups of listeners whose number is not chosen yet (`Assignment::Auto`), sorted by key.
fn open<'w>(workloads: &'w [Workload<'w>], assignments: &Assignments) -> Vec<Group<'w>> {
    let mut groups: Vec<Group<'w>> = Vec::new();
    for workload in workloads {
        let is_open = |position: usize| assignments.choice(workload.id, position) == Assignment::Auto;
        // Build keys only for workloads with open listeners: most workloads of a large input have no open listener.
        if !(0..workload.listeners.len()).any(is_open) {
            continue;
        }
        let mut of_number: BTreeMap<(usize, u16), Group<'w>> = BTreeMap::new();
        for (position, key) in listener_keys(workload).into_iter().enumerate() {
            let Some(listener) = workload.listeners.get(position) else { continue };
            if is_open(position) {
                let group = of_number.entry((listener.container, listener.number));
                let group = group.or_insert_with(|| Group { keys: Vec::new(), workload, positions: Vec::new() });
                group.keys.push(key);
                group.positions.push(position);
            }
        }
        groups.extend(of_number.into_values());
    }
    groups.sort_by(|a, b| a.keys.cmp(&b.keys));
    groups
}

/// Ports of injected containers that use ports of the node: in pods that move, and in pods on the host network.
fn sidecar_ports(model: &Model, workloads: &[Workload<'_>]) -> impl Iterator<Item = u16> {
    let on_node = injectors(model).into_iter().filter(|injector| {
        let on_host = model.workloads().filter(|(.., template)| template.on_host_network());
        let mut on_host = on_host.map(|(_, object, template)| PodsView { meta: &object.meta, template });
        workloads.iter().any(|workload| injector.selects(model, workload.pods_view()))
            || on_host.any(|pods| injector.selects(model, pods))
    });
    on_node.flat_map(|injector| injector.ports.iter().map(|(_, number, _)| *number).collect::<Vec<_>>())
}

/// Free numbers of the pool.
#[derive(Clone)]
struct FreeNumbers {
    pool: PortRange,
    /// For each position in the pool, the position where the search for a free number continues; a
    /// free position contains its own index. Taken positions are skipped, so that searches in a
    /// full pool stay fast.
    next: Vec<u32>,
}

impl FreeNumbers {
    /// Creates the pool without unavailable numbers: numbers of the config (other renders use them), numbers of
    /// listeners and of other workloads, ports of `SidecarSets`, reserved ranges, and ports of nodes and of Services.
    fn available(
        spec: &HostNetworkSpec,
        model: &Model,
        runtimes: &Runtimes,
        workloads: &[Workload<'_>],
        assignments: &Assignments,
    ) -> Self {
        let mut numbers = Self::new(spec.port_pool.unwrap_or(PortRange::POOL));
        spec.assigned_port_numbers().for_each(|number| numbers.mark_taken(number));
        for workload in workloads {
            let own = workload.listeners.iter().enumerate();
            // A number from an earlier run is assigned to the same listener again, so it does not count as used.
            let again = |position: usize| {
                assignments.choice(workload.id, position) == Assignment::Auto && has_host_port(workload, position)
            };
            own.filter(|(position, _)| !again(*position)).for_each(|(_, listener)| numbers.mark_taken(listener.number));
        }
        for hold in host_port_holders::host_ports_of_other_workloads(model, runtimes, workloads) {
            numbers.mark_taken(hold.number);
        }
        sidecar_ports(model, workloads).for_each(|number| numbers.mark_taken(number));
        let of_services = model.service_node_ports().filter_map(|(.., port)| port.number);
        let of_kubelets = model.nodes().filter_map(|node| node.kubelet);
        of_services.chain(of_kubelets).for_each(|number| numbers.mark_taken(number));
        for range in
            spec.reserved.iter().map(|range| range.first()..=range.last()).chain(node_ports::unassignable_ports())
        {
            numbers.mark_range_taken(range);
        }
        numbers
    }

    fn new(pool: PortRange) -> Self {
        Self { pool, next: (0..pool.len()).collect() }
    }

    /// True if a port number is in the pool and free.
    fn is_free(&self, number: u16) -> bool {
        self.place(number).is_some_and(|place| self.after(place) == Some(place))
    }

    /// Marks a port number as taken; ignores numbers outside of the pool.
    fn mark_taken(&mut self, number: u16) {
        if let Some(place) = self.place(number) {
            self.skip_to(place, place + 1);
        }
    }

    /// Marks the numbers of a range as taken; ignores numbers outside of the pool.
    fn mark_range_taken(&mut self, range: RangeInclusive<u16>) {
        let (first, last) = (self.pool.first(), self.pool.last());
        ((*range.start()).max(first)..=(*range.end()).min(last)).for_each(|number| self.mark_taken(number));
    }

    /// Position of a port number in the pool; `None` for a number outside of the pool.
    fn place(&self, number: u16) -> Option<u32> {
        self.pool.contains(number).then(|| u32::from(number - self.pool.first()))
    }

    /// Position where the search for a free number continues after `place`.
    fn after(&self, place: u32) -> Option<u32> {
        usize::try_from(place).ok().and_then(|place| self.next.get(place)).copied()
    }

    /// Makes the search after the position `place` continue at `to`, unless it already continues later.
    fn skip_to(&mut self, place: u32, to: u32) {
        if let Some(next) = usize::try_from(place).ok().and_then(|place| self.next.get_mut(place)) {
            *next = to.max(*next);
        }
    }

    /// Takes the first free number of the pool, starting at the hash of the key and wrapping around.
    fn take(&mut self, key: &str) -> Option<u16> {
        let start = u32::try_from(fnv_1a(key) % u64::from(self.pool.len())).unwrap_or_default();
        let at = self.find_free_from(start).or_else(|| self.find_free_from(0))?;
        let number = self.pool.nth(at);
        self.mark_taken(number);
        Some(number)
    }

    /// First free position in the pool from `start` on; later searches skip the used positions between.
    fn find_free_from(&mut self, start: u32) -> Option<u32> {
        let mut free = start;
        while let Some(after) = self.after(free).filter(|after| *after != free) {
            free = after;
        }
        let mut place = start;
        while let Some(after) = self.after(place).filter(|after| *after != place) {
            self.skip_to(place, free);
            place = after;
        }
        (free < self.pool.len()).then_some(free)
    }
}

/// Error about listeners that get no number, because the pool has no free number.
fn pool_exhausted(config: &HostNetworkConfig, group: &Group<'_>, pool: PortRange) -> Finding {
    let label = group.first().map(|listener| group.workload.display_name(listener)).unwrap_or_default();
    let path = lossless_yaml::Path::dotted("spec.portPool");
    let message = format!(
        "{label} gets no number: all {} of the pool {pool} ({}) are assigned, reserved or used by the nodes. Give a larger `portPool`, or \
         remove numbers that are no longer used from `assigned` (`hostnet pin --prune`)",
        pool.len(),
        config.place_of(&path)
    );
    Finding::new(Severity::Error, rule::PORT_POOL, message).on_object(group.workload.id.object)
}

/// Error about different numbers in `assigned` for listeners of one group.
fn conflicting_records(
    config: &HostNetworkConfig,
    group: &Group<'_>,
    recorded: &[(&str, u16)],
    (other, its): (&str, u16),
) -> Finding {
    let (first, number) = recorded.first().copied().unwrap_or_default();
    let label = group.first().map(|listener| group.workload.display_name(listener)).unwrap_or_default();
    let path = lossless_yaml::Path::dotted("spec.assigned").key(other.to_owned());
    let message = format!(
        "at {} `{other}` is {its}, and `{first}` is {number}: {label} has one number for both protocols, and they move \
         together. Give both the same number, or remove one of the lines",
        config.place_of(&path)
    );
    Finding::new(Severity::Error, rule::PORT_KEY, message).on_object(group.workload.id.object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn numbers(pool: &str, taken: &[u16]) -> FreeNumbers {
        let mut numbers = FreeNumbers::new(pool.parse().unwrap());
        for number in taken {
            numbers.mark_taken(*number);
        }
        numbers
    }

    /// Expected number, from a linear search of the pool.
    fn walked(numbers: &FreeNumbers, key: &str) -> Option<u16> {
        let start = u32::try_from(fnv_1a(key) % u64::from(numbers.pool.len())).unwrap();
        (0..numbers.pool.len()).map(|at| numbers.pool.nth(start + at)).find(|number| numbers.is_free(*number))
    }

    #[test]
    fn the_first_free_number_from_the_hash_on_is_assigned_until_the_pool_is_full() {
        let mut all = numbers("20000-20099", &[20000, 20007, 20008, 20099]);
        let mut given = HashSet::new();
        for index in 0..96 {
            let key = format!("shop/Deployment/web-{index}/http");
            let expected = walked(&all, &key);
            assert_eq!(all.take(&key), expected);
            assert!(given.insert(expected.unwrap()));
            // Marking a taken number again has no effect.
            all.mark_taken(expected.unwrap());
        }
        assert_eq!(all.take("x"), None);
    }
}
