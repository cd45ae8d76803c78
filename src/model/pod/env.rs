//! Variables of a container, indexed by name and position.

use crate::model::text::{HOST_NAME_VARIABLE, has_loopback_placeholder, is_own_host, whole_numbers};
use lossless_yaml::NodeRef;

/// Maximum number of variables without an index.
const MAX_UNINDEXED_VARIABLES: usize = 8;

/// Variables in the order of the manifest, packed into one text: a large input has very many of them.
#[derive(Debug, Clone, Default)]
pub struct Env {
    text: Box<str>,
    variables: Box<[Packed]>,
    /// Positions in `variables` by name, in order for each name; empty if there are few variables.
    by_name: Box<[u32]>,
}

/// Variable of a container.
#[derive(Debug, Clone, Copy)]
pub struct EnvVar<'e> {
    /// Position in `env`.
    pub index: usize,
    /// Variable name.
    pub name: &'e str,
    /// Literal value; `None` if the value comes from elsewhere.
    pub value: Option<&'e str>,
    /// ConfigMap and key of the value.
    pub config_map: Option<(&'e str, &'e str)>,
    /// Owner of the address, if Kubernetes sets the value.
    pub ip: Option<AddressOwner>,
}

impl<'e> EnvVar<'e> {
    /// Name, value, ConfigMap and key; empty if absent.
    fn parts(&self) -> [&'e str; 4] {
        let (map, key) = self.config_map.unwrap_or_default();
        [self.name, self.value.unwrap_or_default(), map, key]
    }
}

/// Variable as offsets in the text of its [`Env`].
#[derive(Debug, Clone)]
struct Packed {
    index: u32,
    /// Start of the name, then the ends of the name, the value, the name of the ConfigMap and its key.
    offsets: [u32; 5],
    has_value: bool,
    has_config_map: bool,
    ip: Option<AddressOwner>,
}

impl Env {
    /// Packs the variables of a container; each variable has its position in the manifest.
    pub fn new<'t>(written: impl Iterator<Item = EnvVar<'t>>) -> Self {
        let written: Vec<EnvVar<'t>> = written.collect();
        let mut text = String::with_capacity(written.iter().flat_map(EnvVar::parts).map(str::len).sum());
        let packed = written.iter().map(|var| {
            let start = small(text.len());
            let mut end_of = |part: &str| {
                text.push_str(part);
                small(text.len())
            };
            let [name, value, map, key] = var.parts().map(&mut end_of);
            Packed {
                index: small(var.index),
                offsets: [start, name, value, map, key],
                has_value: var.value.is_some(),
                has_config_map: var.config_map.is_some(),
                ip: var.ip,
            }
        });
        let variables: Box<[Packed]> = packed.collect();
        let mut env = Self { text: text.into(), variables, by_name: Box::default() };
        let count = if env.variables.len() > MAX_UNINDEXED_VARIABLES { small(env.variables.len()) } else { 0 };
        let mut by_name: Box<[u32]> = (0..count).collect();
        by_name.sort_by_key(|&at| env.get(at as usize).map(|var| var.name));
        env.by_name = by_name;
        env
    }

    /// Unpacks a variable.
    fn view<'e>(&'e self, var: &Packed) -> EnvVar<'e> {
        let [start, name, value, map, key] = var.offsets;
        let part = |from: u32, to: u32| self.text.get(from as usize..to as usize).unwrap_or_default();
        EnvVar {
            index: var.index as usize,
            name: part(start, name),
            value: var.has_value.then(|| part(name, value)),
            config_map: var.has_config_map.then(|| (part(value, map), part(map, key))),
            ip: var.ip,
        }
    }

    /// Variables in the order of the manifest.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = EnvVar<'_>> {
        self.variables.iter().map(|var| self.view(var))
    }

    /// The variable at a position in this list.
    pub fn get(&self, at: usize) -> Option<EnvVar<'_>> {
        self.variables.get(at).map(|var| self.view(var))
    }

    /// The variable with this name; the last variable if there are several, as in Kubernetes.
    pub fn variable(&self, name: &str) -> Option<EnvVar<'_>> {
        if self.by_name.is_empty() {
            return self.iter().rfind(|var| var.name == name);
        }
        let after = self.by_name.partition_point(|&at| self.get(at as usize).is_some_and(|var| var.name <= name));
        let last = self.get(*self.by_name.get(after.checked_sub(1)?)? as usize)?;
        (last.name == name).then_some(last)
    }

    /// The variable at a position in the manifest.
    pub fn variable_at(&self, index: usize) -> Option<EnvVar<'_>> {
        self.get(self.variables.binary_search_by_key(&small(index), |var| var.index).ok()?)
    }

    /// Variables, without variables that a later variable of the same name overrides, as in the kubelet.
    pub fn effective(&self) -> impl Iterator<Item = EnvVar<'_>> {
        self.iter().filter(|var| self.variable(var.name).is_some_and(|last| last.index == var.index))
    }
}

/// Variables that decide how Crossplane's core calls functions.
const PROXY: [&str; 2] = ["HTTPS_PROXY", "NO_PROXY"];

/// True for the name of a proxy variable that the core reads.
pub(super) fn is_proxy(name: &str) -> bool {
    PROXY.iter().any(|proxy| name.eq_ignore_ascii_case(proxy))
}

/// Offset or position in 32 bits: no container has texts of 4 GB.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Owner of the address in a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressOwner {
    /// Address of the pod.
    Pod,
    /// Address of the node that the pod runs on.
    Node,
    /// Name of the pod instead of an address.
    Name,
}

impl AddressOwner {
    /// Reads the field that a variable comes from.
    fn read(value_from: NodeRef<'_, '_>) -> Option<Self> {
        match value_from.get("fieldRef")?.get("fieldPath")?.text()? {
            "status.podIP" | "status.podIPs" => Some(Self::Pod),
            "status.hostIP" | "status.hostIPs" => Some(Self::Node),
            "metadata.name" => Some(Self::Name),
            _ => None,
        }
    }
}

/// Reads a variable if it may concern a port, shows a library, or matches `named`. Other variables are skipped, because
/// a large input has very many.
pub(super) fn env_var<'t>((index, node): (usize, NodeRef<'t, '_>), named: impl Fn(&str) -> bool) -> Option<EnvVar<'t>> {
    let name = node.get("name").and_then(NodeRef::text).unwrap_or_default();
    let value = node.get("value").and_then(NodeRef::text);
    let from_elsewhere = node.get("valueFrom").is_some();
    let is_named = |name: &str| named(name) || is_proxy(name) || name == HOST_NAME_VARIABLE;
    let matters = |value: &str| {
        is_named(name) || has_port(value) || may_name_port_or_host(name) || crate::catalog::shows_library(name, value)
    };
    if !from_elsewhere && !value.is_some_and(matters) {
        return None;
    }
    let ip = node.get("valueFrom").and_then(AddressOwner::read);
    let from = node.get("valueFrom").and_then(|from| from.get("configMapKeyRef"));
    let field = |from: NodeRef<'t, '_>, key: &str| from.get(key).and_then(NodeRef::text).unwrap_or_default();
    let config_map = from.map(|from| (field(from, "name"), field(from, "key")));
    Some(EnvVar { index, name, value, config_map, ip })
}

/// True if a value may concern a port: it contains a possible port number, an address of the pod, or the name of a
/// Service with its zone.
fn has_port(value: &str) -> bool {
    whole_numbers(value).next().is_some()
        || is_own_host(value)
        // The value of another variable may be an address.
        || value.contains("$(")
        || has_loopback_placeholder(value)
        || value.contains(".svc")
}

/// True if a variable with this name may set an address or name a host, or a port of a program in the catalogue or
/// config.
fn may_name_port_or_host(name: &str) -> bool {
    let words = crate::catalog::WORDS;
    words.may_be_address(name) || words.may_name_a_host(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(names: &[&str]) -> Env {
        let var = |(at, &name)| EnvVar { index: 2 * at, name, value: None, config_map: None, ip: None };
        Env::new(names.iter().enumerate().map(var))
    }

    #[test]
    fn the_last_variable_of_a_name_wins() {
        for names in [&["B", "A", "B"][..], &["D", "B", "A", "C", "B", "E", "F", "G", "H", "I", "J"]] {
            let env = env(names);
            for name in ["A", "B", "C", "J", "", "a", "AA"] {
                let last = names.iter().rposition(|known| *known == name);
                assert_eq!(env.variable(name).map(|var| var.index), last.map(|at| 2 * at), "{name}");
                assert_eq!(last.and_then(|at| env.variable_at(2 * at)).map(|var| var.name), last.map(|_| name));
            }
            assert_eq!(env.effective().count(), names.len() - 1);
            assert!(env.variable_at(1).is_none() && env.variable_at(99).is_none());
        }
    }
}
