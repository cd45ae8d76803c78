//! The numbers that a config gives away: each has one owner, in this input or in another one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::host_network::HostNetworkSpec;
use super::ports::{PortChoice, Ports};
use lossless_yaml::Path;

/// The workload of a key of `assigned`: all but the port.
#[must_use]
pub fn workload_of(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(workload, _)| workload)
}

/// Which workloads may have a port together, as `shared` says.
#[derive(Debug)]
pub struct Sharing<'s>(HashMap<u16, HashMap<&'s str, BTreeSet<usize>>>);

impl<'s> Sharing<'s> {
    /// What a spec allows.
    #[must_use]
    pub fn of(spec: &'s HostNetworkSpec) -> Self {
        let mut ports: HashMap<u16, HashMap<&str, BTreeSet<usize>>> = HashMap::new();
        for (row, shared) in spec.shared.iter().enumerate() {
            let workloads = ports.entry(shared.port.get()).or_default();
            for workload in &shared.between {
                workloads.entry(workload).or_default().insert(row);
            }
        }
        Self(ports)
    }

    /// Whether two workloads may have one port.
    #[must_use]
    pub fn allows(&self, port: u16, one: &str, other: &str) -> bool {
        let rows = |workload: &str| self.0.get(&port)?.get(workload);
        rows(one).zip(rows(other)).is_some_and(|(one, other)| !one.is_disjoint(other))
    }

    /// Whether some workloads may have a port together.
    fn has(&self, port: u16) -> bool {
        self.0.contains_key(&port)
    }
}

/// A place of the config that gives a number.
#[derive(Debug, Clone, Copy)]
enum Giver<'s> {
    /// A target, by its position, and the key there.
    Target(usize, &'s str),
    /// A key of `assigned`.
    Assigned(&'s str),
}

impl Giver<'_> {
    fn path(self) -> Path {
        match self {
            Self::Target(index, key) => Path::dotted("spec.targets").item(index).key("ports").key(key.to_owned()),
            Self::Assigned(key) => Path::dotted("spec.assigned").key(key.to_owned()),
        }
    }
}

impl HostNetworkSpec {
    /// Every number that the config gives to a listener.
    pub fn given_numbers(&self) -> impl Iterator<Item = u16> {
        self.givers().map(|(number, _)| number)
    }

    /// Every number that the config gives to a listener, with the place that does.
    fn givers(&self) -> impl Iterator<Item = (u16, Giver<'_>)> {
        let of_targets = self.targets.iter().enumerate().flat_map(|(index, target)| {
            let map = if let Ports::Map(map) = &target.ports { map.as_slice() } else { &[] };
            map.iter().filter_map(move |(key, choice)| match choice {
                PortChoice::Number(number) => Some((number.get(), Giver::Target(index, key))),
                _ => None,
            })
        });
        of_targets.chain(self.assigned.iter().map(|(key, port)| (port.get(), Giver::Assigned(key))))
    }
}

/// A key of `assigned` that cannot be the key of any listener: its place, and the form.
pub(super) fn malformed_key(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let key = spec.assigned.keys().find(|key| !is_key(key))?;
    let message = format!(
        "`{key}` is not the key of a listener: expected NAMESPACE/KIND/NAME/PORT, such as `shop/Deployment/web/http`; kinds that are \
         not Kubernetes' own have their group before them (`shop/apps.kruise.io/CloneSet/web/http`), those that may have several pod \
         templates the template before the port (`shop/jobset.x-k8s.io/JobSet/train/workers/http`), and what has no namespace begins \
         with the kind. `hostnet pin` writes such keys"
    );
    Some((Path::dotted("spec.assigned").key(key.clone()), message))
}

/// `[NAMESPACE/][GROUP/]KIND/NAME/[TEMPLATE/]PORT`: a kind begins with a capital letter, what is before it does not, and a group has a
/// dot or is alone before its kind. Only kinds with a group that has a dot may have several templates.
fn is_key(key: &str) -> bool {
    let parts: Vec<&str> = key.split('/').collect();
    let Some(kind) = parts.iter().position(|part| part.starts_with(|c: char| c.is_ascii_uppercase())) else {
        return false;
    };
    let group = kind.checked_sub(1).and_then(|group| parts.get(group));
    let behind = if group.is_some_and(|group| group.contains('.')) { 3..=4 } else { 3..=3 };
    kind <= 2 && behind.contains(&(parts.len() - kind)) && parts.iter().all(|part| !part.is_empty())
}

/// A number that two places of the config give: the second place, and why it cannot be.
pub(super) fn given_twice(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let sharing = Sharing::of(spec);
    let mut givers: BTreeMap<u16, Vec<Giver<'_>>> = BTreeMap::new();
    for (number, giver) in spec.givers() {
        let others = givers.entry(number).or_default();
        if let Some(other) = others.iter().find(|other| !may_both(&sharing, number, **other, giver)) {
            let mixed = matches!((other, giver), (Giver::Target(..), Giver::Assigned(_)));
            let same = if mixed { "; when both mean one listener, this line is not needed" } else { "" };
            let message = format!(
                "{number} is given here and at {}, and on the host network a number has one owner. Give one of \
                 them another number, or list both workloads under `shared` when they never share a node{same}",
                other.path()
            );
            return Some((giver.path(), message));
        }
        others.push(giver);
    }
    None
}

/// Whether two places may give one number: listeners of one workload (TCP and UDP), or shared ones.
fn may_both(sharing: &Sharing<'_>, number: u16, one: Giver<'_>, other: Giver<'_>) -> bool {
    match (one, other) {
        (Giver::Assigned(one), Giver::Assigned(other)) => {
            let (one, other) = (workload_of(one), workload_of(other));
            one == other || sharing.allows(number, one, other)
        }
        (Giver::Target(one, _), Giver::Target(other, _)) => one == other || sharing.has(number),
        _ => sharing.has(number),
    }
}
