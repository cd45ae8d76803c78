//! Variables of a container, indexed by name and position.

use std::ops::Deref;

use crate::model::text::{has_loopback_placeholder, is_own_host, whole_numbers};
use lossless_yaml::NodeRef;

/// So few are looked through.
const FEW: usize = 8;

/// Variables in the order of the manifest.
#[derive(Debug, Clone, Default)]
pub struct Env {
    variables: Vec<EnvVar>,
    /// Positions in `variables` by name, in order for each name; empty if there are few variables.
    by_name: Box<[usize]>,
}

impl Env {
    /// Variables, by their positions in the manifest.
    #[must_use]
    pub fn new(variables: Vec<EnvVar>) -> Self {
        let count = if variables.len() > FEW { variables.len() } else { 0 };
        let mut by_name: Box<[usize]> = (0..count).collect();
        by_name.sort_by_key(|&at| variables.get(at).map(|var| var.name.as_ref()));
        Self { variables, by_name }
    }

    /// The variable of this name; of several the last, which wins in Kubernetes.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&EnvVar> {
        if self.by_name.is_empty() {
            return self.variables.iter().rfind(|var| *var.name == *name);
        }
        let behind = self.by_name.partition_point(|&at| self.variables.get(at).is_some_and(|var| *var.name <= *name));
        let last = self.variables.get(*self.by_name.get(behind.checked_sub(1)?)?)?;
        (*last.name == *name).then_some(last)
    }

    /// The variable at a position in the manifest.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<&EnvVar> {
        let at = self.variables.binary_search_by_key(&index, |var| var.index).ok()?;
        self.variables.get(at)
    }

    /// Variables, without variables that a later one of the same name overrides, as in the kubelet.
    pub fn effective(&self) -> impl Iterator<Item = &EnvVar> {
        self.variables.iter().filter(|var| self.named(&var.name).is_some_and(|last| last.index == var.index))
    }
}

impl Deref for Env {
    type Target = [EnvVar];

    fn deref(&self) -> &[EnvVar] {
        &self.variables
    }
}

/// Variable of a container.
#[derive(Debug, Clone)]
pub struct EnvVar {
    /// Position in `env`.
    pub index: usize,
    /// Variable name.
    pub name: Box<str>,
    /// Literal value; `None` if the value comes from elsewhere.
    pub value: Option<Box<str>>,
    /// ConfigMap and key of the value.
    pub config_map: Option<Box<(String, String)>>,
    /// Owner of the address, if Kubernetes sets the value.
    pub ip: Option<IpOf>,
}

/// Owner of the address in a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpOf {
    /// Address of the pod.
    Pod,
    /// Address of the node that the pod runs on.
    Node,
    /// Name of the pod in place of an address.
    Name,
}

impl IpOf {
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

/// A variable, if it may have to do with a port, shows a library, or is one of those `named`: most are not, and a large input holds very many.
pub(super) fn env_var((index, node): (usize, NodeRef<'_, '_>), named: impl Fn(&str) -> bool) -> Option<EnvVar> {
    let name = node.get("name").and_then(NodeRef::text).unwrap_or_default();
    let value = node.get("value").and_then(NodeRef::text);
    let from_elsewhere = node.get("valueFrom").is_some();
    let is_named = |name: &str| named(name) || crate::catalog::shows_library(name);
    let matters = |value: &str| is_named(name) || has_port(value) || name_may_be_a_ports(name);
    if !from_elsewhere && !value.is_some_and(matters) {
        return None;
    }
    let ip = node.get("valueFrom").and_then(IpOf::read);
    let from = node.get("valueFrom").and_then(|from| from.get("configMapKeyRef"));
    let of = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
    let config_map = from.map(|from| Box::new((of(from, "name"), of(from, "key"))));
    Some(EnvVar { index, name: name.into(), value: value.map(Into::into), config_map, ip })
}

/// True if a value may concern a port: it has a number that may be one, or it is or names an address of the pod.
fn has_port(value: &str) -> bool {
    whole_numbers(value).next().is_some()
        || is_own_host(value)
        // The value of another variable may be an address.
        || value.contains("$(")
        || has_loopback_placeholder(value)
}

/// True if a variable of this name may set a port of a program in the catalogue or config, or an address.
fn name_may_be_a_ports(name: &str) -> bool {
    crate::catalog::words().may_be_address(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(names: &[&str]) -> Env {
        let var = |(at, name): (usize, &&str)| EnvVar {
            index: 2 * at,
            name: (*name).into(),
            value: None,
            config_map: None,
            ip: None,
        };
        Env::new(names.iter().enumerate().map(var).collect())
    }

    #[test]
    fn of_several_of_one_name_the_last_counts() {
        for names in [&["B", "A", "B"][..], &["D", "B", "A", "C", "B", "E", "F", "G", "H", "I", "J"]] {
            let env = env(names);
            for name in ["A", "B", "C", "J", "", "a", "AA"] {
                let last = names.iter().rposition(|own| *own == name);
                assert_eq!(env.named(name).map(|var| var.index), last.map(|at| 2 * at), "{name}");
                assert_eq!(last.and_then(|at| env.at(2 * at)).map(|var| var.name.as_ref()), last.map(|_| name));
            }
            assert_eq!(env.effective().count(), names.len() - 1);
            assert!(env.at(1).is_none() && env.at(99).is_none());
        }
    }
}
