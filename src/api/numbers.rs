//! Port numbers assigned by a config; each belongs to one workload, in this input or in another input.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::host_network::HostNetworkSpec;
use super::label::pattern_character;
use super::ports::{PortChoice, Ports};
use lossless_yaml::Path;

/// The workload part of a key of `assigned`: the key without the port.
pub fn workload_of(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(workload, _)| workload)
}

/// The workloads for which `assigned` of a spec records each number, in the order of its keys.
pub fn recorded_owners(spec: &HostNetworkSpec) -> BTreeMap<u16, Vec<&str>> {
    let mut owners: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for (key, port) in &spec.assigned {
        owners.entry(port.get()).or_default().push(workload_of(key));
    }
    owners
}

/// The workloads that may use the same port, from `shared`.
#[derive(Debug)]
pub struct Sharing<'s>(HashMap<u16, HashMap<&'s str, BTreeSet<usize>>>);

impl<'s> Sharing<'s> {
    /// Reads `shared` of a spec.
    pub fn new(spec: &'s HostNetworkSpec) -> Self {
        let mut ports: HashMap<u16, HashMap<&str, BTreeSet<usize>>> = HashMap::new();
        for (row, shared) in spec.shared.iter().enumerate() {
            let workloads = ports.entry(shared.port.get()).or_default();
            for workload in &shared.between {
                workloads.entry(workload).or_default().insert(row);
            }
        }
        Self(ports)
    }

    /// True if two workloads may use the same port.
    pub fn allows(&self, port: u16, one: &str, other: &str) -> bool {
        let rows = |workload: &str| self.0.get(&port)?.get(workload);
        rows(one).zip(rows(other)).is_some_and(|(one, other)| !one.is_disjoint(other))
    }

    /// True if some workloads may share a port.
    fn has(&self, port: u16) -> bool {
        self.0.contains_key(&port)
    }
}

/// A field of the config that assigns a number.
#[derive(Debug, Clone, Copy)]
enum NumberField<'s> {
    /// A target, by its position, and the key in its `ports`.
    Target(usize, &'s str),
    /// A key of `assigned`.
    Assigned(&'s str),
}

impl NumberField<'_> {
    fn path(self) -> Path {
        match self {
            Self::Target(index, key) => Path::dotted("spec.targets").item(index).key("ports").key(key.to_owned()),
            Self::Assigned(key) => Path::dotted("spec.assigned").key(key.to_owned()),
        }
    }
}

impl HostNetworkSpec {
    /// All numbers that the config assigns to listeners.
    pub fn assigned_port_numbers(&self) -> impl Iterator<Item = u16> {
        self.assigned_numbers_with_fields().map(|(number, _)| number)
    }

    /// All numbers that the config assigns to listeners, each with its field.
    fn assigned_numbers_with_fields(&self) -> impl Iterator<Item = (u16, NumberField<'_>)> {
        let of_targets = self.targets.iter().enumerate().flat_map(|(index, target)| {
            let map = if let Ports::Map(map) = &target.ports { map.as_slice() } else { &[] };
            map.iter().filter_map(move |(key, choice)| match choice {
                PortChoice::Number(number) => Some((number.get(), NumberField::Target(index, key))),
                _ => None,
            })
        });
        of_targets.chain(self.assigned.iter().map(|(key, port)| (port.get(), NumberField::Assigned(key))))
    }
}

/// Finds an invalid key of `assigned`: its path, and the expected form.
pub(super) fn find_malformed_key(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let key = spec.assigned.keys().find(|key| !is_key(key))?;
    let message = format!(
        "`{key}` is not the key of a listener: expected NAMESPACE/KIND/NAME/PORT, such as `shop/Deployment/web/http`; \
         the group precedes kinds that are not built into Kubernetes (`shop/apps.kruise.io/CloneSet/web/http`), those \
         that may have several pod templates the template before the port \
         (`shop/jobset.x-k8s.io/JobSet/train/workers/http`), and the key of a cluster-scoped object begins with the \
         kind. `hostnet pin` writes such keys"
    );
    Some((Path::dotted("spec.assigned").key(key.clone()), message))
}

/// Finds a pattern in `assigned` or `shared`, which name each object: its path, and the error.
pub(super) fn pattern(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let assigned = spec.assigned.keys().map(|key| (Path::dotted("spec.assigned").key(key.clone()), key));
    let shared = spec.shared.iter().enumerate().flat_map(|(row, shared)| {
        let path = Path::dotted("spec.shared").item(row).key("between");
        shared.between.iter().enumerate().map(move |(index, workload)| (path.item(index), workload))
    });
    let (path, text, c) =
        assigned.chain(shared).find_map(|(path, text)| Some((path, text, pattern_character(text)?)))?;
    let message = format!(
        "`{text}` must be the name of one workload, and names cannot contain `{c}`: only `select` and `exclude` take \
         patterns. Write a line for each workload"
    );
    Some((path, message))
}

/// Finds a list of workloads that share a port with fewer than two of them, or with a text that names none: its path,
/// and the error.
pub(super) fn wrong_workloads(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let example = "between: [ingress/DaemonSet/public, ingress/DaemonSet/internal]";
    spec.shared.iter().enumerate().find_map(|(row, shared)| {
        let path = Path::dotted("spec.shared").item(row).key("between");
        // The key of a listener is that of its workload, and the port.
        let wrong = shared.between.iter().position(|workload| !is_key(&format!("{workload}/port")));
        if let Some((index, text)) = wrong.and_then(|index| Some((index, shared.between.get(index)?))) {
            let message = format!("`{text}` is not a workload: expected NAMESPACE/KIND/NAME, as in `{example}`");
            return Some((path.item(index), message));
        }
        let count = shared.between.iter().collect::<BTreeSet<_>>().len();
        (count < 2).then(|| {
            (path, format!("`between` names at least two different workloads, which share the port: write `{example}`"))
        })
    })
}

/// True for `[NAMESPACE/][GROUP/]KIND/NAME/[TEMPLATE/]PORT`: a kind begins with a capital letter, the parts before it
/// do not, and a group contains a dot or is the only part before the kind. Only kinds whose group contains a dot may
/// have several templates.
fn is_key(key: &str) -> bool {
    let parts: Vec<&str> = key.split('/').collect();
    let Some(kind) = parts.iter().position(|part| part.starts_with(|c: char| c.is_ascii_uppercase())) else {
        return false;
    };
    let group = kind.checked_sub(1).and_then(|group| parts.get(group));
    let after = if group.is_some_and(|group| group.contains('.')) { 3..=4 } else { 3..=3 };
    kind <= 2 && after.contains(&(parts.len() - kind)) && parts.iter().all(|part| !part.is_empty())
}

/// Finds a number that two fields assign: the second field, and the error.
pub(super) fn find_number_assigned_twice(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let sharing = Sharing::new(spec);
    let mut givers: BTreeMap<u16, Vec<NumberField<'_>>> = BTreeMap::new();
    for (number, field) in spec.assigned_numbers_with_fields() {
        let others = givers.entry(number).or_default();
        if let Some(other) = others.iter().find(|other| !may_share(&sharing, number, **other, field)) {
            let mixed = matches!((other, field), (NumberField::Target(..), NumberField::Assigned(_)));
            let same = if mixed { "; when both mean one listener, this line is not needed" } else { "" };
            let message = format!(
                "{number} is given here and at {}, and on the host network only one listener can use a number. Give \
                 one of the two listeners another number, or list both workloads under `shared` when they never share \
                 a node{same}",
                other.path()
            );
            return Some((field.path(), message));
        }
        others.push(field);
    }
    None
}

/// True if two fields may assign the same number: to listeners of one workload (TCP and UDP), or by `shared`.
fn may_share(sharing: &Sharing<'_>, number: u16, one: NumberField<'_>, other: NumberField<'_>) -> bool {
    match (one, other) {
        (NumberField::Assigned(one), NumberField::Assigned(other)) => {
            let (one, other) = (workload_of(one), workload_of(other));
            one == other || sharing.allows(number, one, other)
        }
        (NumberField::Target(one, _), NumberField::Target(other, _)) => one == other || sharing.has(number),
        _ => sharing.has(number),
    }
}
