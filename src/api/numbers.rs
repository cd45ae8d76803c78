//! The numbers that a config gives away: each has one owner (P2), in this input or in another one.

use std::collections::BTreeMap;

use super::host_network::HostNetworkSpec;
use super::ports::{PortChoice, Ports};
use crate::yaml::Path;

/// The workload of a key of `assigned`: all but the port.
#[must_use]
pub fn workload_of(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(workload, _)| workload)
}

impl HostNetworkSpec {
    /// Whether two workloads may have one port.
    #[must_use]
    pub fn may_share(&self, port: u16, one: &str, other: &str) -> bool {
        let both = |between: &[String]| between.iter().any(|b| b == one) && between.iter().any(|b| b == other);
        self.shared.iter().any(|shared| shared.port.get() == port && both(&shared.between))
    }

    /// Every number that the config gives to a listener, with the place that does.
    pub fn given_numbers(&self) -> impl Iterator<Item = (u16, Path)> {
        let targets = Path::dotted("spec.targets");
        let of_targets = self.targets.iter().enumerate().flat_map(move |(index, target)| {
            let ports = targets.item(index).key("ports");
            let map = if let Ports::Map(map) = &target.ports { map.as_slice() } else { &[] };
            map.iter().filter_map(move |(key, choice)| match choice {
                PortChoice::Number(number) => Some((number.get(), ports.key(key.clone()))),
                _ => None,
            })
        });
        let assigned = Path::dotted("spec.assigned");
        of_targets.chain(self.assigned.iter().map(move |(key, port)| (port.get(), assigned.key(key.clone()))))
    }
}

/// A key of `assigned` that cannot be the key of any listener: its place, and the form.
pub(super) fn malformed_key(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let key = spec.assigned.keys().find(|key| !is_key(key))?;
    let message = format!(
        "`{key}` is not the key of a listener: expected NAMESPACE/KIND/NAME/PORT, such as `shop/Deployment/web/http`; kinds that are \
         not Kubernetes' own have their group before them (`shop/apps.kruise.io/CloneSet/web/http`), and what has no namespace \
         begins with the kind. `hostnet pin` writes such keys"
    );
    Some((Path::dotted("spec.assigned").key(key.clone()), message))
}

/// `[NAMESPACE/][GROUP/]KIND/NAME/PORT`: a kind begins with a capital letter, the others do not, and a group has a dot or is alone
/// before its kind.
fn is_key(key: &str) -> bool {
    let parts: Vec<&str> = key.split('/').collect();
    let Some(kind) = parts.iter().position(|part| part.starts_with(|c: char| c.is_ascii_uppercase())) else {
        return false;
    };
    kind <= 2 && parts.len() == kind + 3 && parts.iter().all(|part| !part.is_empty())
}

/// A number that two places of the config give: the second place, and why it cannot be.
pub(super) fn given_twice(spec: &HostNetworkSpec) -> Option<(Path, String)> {
    let mut owners: BTreeMap<u16, Vec<Path>> = BTreeMap::new();
    for (number, path) in spec.given_numbers() {
        let others = owners.entry(number).or_default();
        if let Some(other) = others.iter().find(|other| !may_both(spec, number, other, &path)) {
            let mixed = assigned_key(other).is_none() && assigned_key(&path).is_some();
            let same = if mixed { "; when both mean one listener, this line is not needed" } else { "" };
            let message = format!(
                "{number} is given here and at {other}, and on the host network a number has one owner. Give one of \
                 them another number, or list both workloads under `shared` when they never share a node{same}"
            );
            return Some((path, message));
        }
        others.push(path);
    }
    None
}

/// Whether two places may give one number: listeners of one workload (TCP and UDP), or shared ones.
fn may_both(spec: &HostNetworkSpec, number: u16, one: &Path, other: &Path) -> bool {
    let is_shared = || spec.shared.iter().any(|shared| shared.port.get() == number);
    match (assigned_key(one), assigned_key(other)) {
        (Some(one), Some(other)) => {
            let (one, other) = (workload_of(one), workload_of(other));
            one == other || spec.may_share(number, one, other)
        }
        (None, None) => one.parent() == other.parent() || is_shared(),
        _ => is_shared(),
    }
}

fn assigned_key(path: &Path) -> Option<&str> {
    let list = path.parent()?;
    if list != Path::dotted("spec.assigned") {
        return None;
    }
    match path.last()? {
        crate::yaml::Step::Key(key) => Some(key),
        crate::yaml::Step::Item { .. } => None,
    }
}
