//! Firewalls of nodes in the input: the ports that they open and refuse to pods on the host network.
//!
//! Sources: cilium/cilium@ddfb86f8 `pkg/policy/api/rule.go` (`NodeSelector`); projectcalico/calico@87c15906
//! `api/pkg/apis/projectcalico/v3` (`HostEndpoint`, `GlobalNetworkPolicySpec`; rules apply in order);
//! openshift/ingress-node-firewall@fdd4d599 `api/v1alpha1/ingressnodefirewall_types.go` (the lowest `order` first).

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::calico_selector;
use super::plugin_policy::{RulePort, calico_ports, calico_protocol, cilium_ports, is_clusterwide, specs};
use super::port_field::FieldPort;
use super::scope::LabelValue;
use crate::model::meta::Meta;
use crate::model::pod::Scalar;
use crate::model::text::{Labels, port};
use lossless_yaml::{NodeRef, Path};

/// Part of an object that concerns nodes.
#[derive(Debug, Clone)]
pub(crate) enum HostPart {
    /// Rules for connections to the nodes.
    Firewall(HostFirewall),
    /// Labels of an interface of a node, for the selectors of Calico.
    Endpoint(Labels),
}

/// Rules for connections to the nodes that a policy selects.
#[derive(Debug, Clone)]
pub(crate) struct HostFirewall {
    /// Field that selects the nodes.
    pub(crate) path: Path,
    /// Selector of host endpoints; `None` for a selector of nodes.
    endpoints: Option<String>,
    rules: Vec<HostRule>,
    /// True if connections that no rule matches are refused.
    closes_rest: bool,
}

/// Effect of a firewall on a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortEffect {
    Opens,
    /// A rule refuses connections to the port.
    Refuses,
    /// No rule opens the port, and the rest is refused.
    LeavesClosed,
    None,
}

#[derive(Debug, Clone)]
struct HostRule {
    opens: bool,
    /// `None` for all ports.
    ports: Option<Vec<(Option<String>, RangeInclusive<u16>)>>,
    /// True if the rule is for all clients, or for the API server.
    is_for_all: bool,
}

impl HostRule {
    /// True if the rule applies to the port.
    fn has(&self, number: u16, protocol: &str) -> bool {
        let is_same = |own: &Option<String>| own.as_deref().is_none_or(|own| own.eq_ignore_ascii_case(protocol));
        match &self.ports {
            None => self.is_for_all,
            Some(ports) => ports.iter().any(|(own, numbers)| is_same(own) && numbers.contains(&number)),
        }
    }
}

impl HostFirewall {
    /// Effect on a port of the selected nodes.
    pub(crate) fn effect(&self, number: u16, protocol: &str) -> PortEffect {
        match self.rules.iter().find(|rule| rule.has(number, protocol)) {
            Some(rule) if rule.opens => PortEffect::Opens,
            Some(_) => PortEffect::Refuses,
            None if self.closes_rest => PortEffect::LeavesClosed,
            None => PortEffect::None,
        }
    }

    /// True if the firewall selects nodes, or one of these host endpoints.
    pub(crate) fn is_used(&self, endpoints: &[&Labels]) -> bool {
        let Some(selector) = &self.endpoints else { return true };
        endpoints.iter().any(|labels| {
            let label = |key: &str| labels.get(key).map_or(LabelValue::Absent, LabelValue::Is);
            calico_selector::selects(selector, label) == Some(true)
        })
    }
}

/// Ports of a rule; `None` if it has no list of ports.
fn numbers(has_list: bool, ports: Vec<RulePort>) -> Option<Vec<(Option<String>, RangeInclusive<u16>)>> {
    let known = ports.into_iter().filter_map(|port| match port.port {
        FieldPort::Numbers(numbers) => Some((port.protocol.map(Cow::into_owned), numbers)),
        _ => None,
    });
    has_list.then(|| known.collect())
}

/// Entries of a rule of Cilium for all ports of a protocol: their port is 0.
fn all_ports(rule: NodeRef<'_, '_>) -> impl Iterator<Item = (Option<String>, RangeInclusive<u16>)> {
    let ports = items(rule, "toPorts").flat_map(|to| items(to, "ports"));
    let all = ports.filter(|port| port.get("port").and_then(NodeRef::text) == Some("0"));
    all.map(|port| {
        let protocol = port.get("protocol").and_then(NodeRef::non_null_text).filter(|protocol| *protocol != "ANY");
        (protocol.map(str::to_owned), 1..=u16::MAX)
    })
}

fn items<'t, 's>(node: NodeRef<'t, 's>, list: &str) -> impl Iterator<Item = NodeRef<'t, 's>> {
    node.get(list).into_iter().flat_map(NodeRef::items)
}

/// True if a list contains one of these words.
fn has_text(node: NodeRef<'_, '_>, list: &str, words: &[&str]) -> bool {
    items(node, list).any(|item| item.text().is_some_and(|text| words.contains(&text)))
}

/// Addresses of all clients.
const ALL_ADDRESSES: [&str; 2] = ["0.0.0.0/0", "::/0"];

/// Reads a `CiliumClusterwideNetworkPolicy` with a selector of nodes. Its deny rules take precedence over its allow
/// rules.
pub(super) fn cilium(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<HostPart> {
    if !is_clusterwide(meta) {
        return Vec::new();
    }
    let firewall = |(path, spec): (Path, NodeRef<'_, '_>)| {
        spec.get("nodeSelector").filter(|selector| !selector.is_null())?;
        let rule = |opens: bool, rule: NodeRef<'_, '_>| HostRule {
            opens,
            ports: numbers(rule.get("toPorts").is_some() || rule.get("icmps").is_some(), cilium_ports(&path, rule))
                .map(|ports| ports.into_iter().chain(all_ports(rule)).collect()),
            is_for_all: has_text(rule, "fromEntities", &["all", "kube-apiserver"])
                || has_text(rule, "fromCIDR", &ALL_ADDRESSES),
        };
        let refused = items(spec, "ingressDeny").map(|node| rule(false, node));
        let opened: Vec<HostRule> = items(spec, "ingress").map(|node| rule(true, node)).collect();
        let default = spec.get("enableDefaultDeny").and_then(|default| default.get("ingress"));
        let closes_rest = !opened.is_empty() && default.and_then(NodeRef::as_bool) != Some(false);
        let rules = refused.chain(opened).collect();
        Some(HostPart::Firewall(HostFirewall { path: path.key("nodeSelector"), endpoints: None, rules, closes_rest }))
    };
    specs(object).filter_map(firewall).collect()
}

/// A policy of Calico for all namespaces, which may select host endpoints.
pub(super) fn calico(meta: &Meta, spec: NodeRef<'_, '_>) -> Option<HostPart> {
    let text = |key: &str| spec.get(key).and_then(NodeRef::non_null_text).unwrap_or_default();
    if meta.gvk.kind != "GlobalNetworkPolicy" || !text("namespaceSelector").is_empty() {
        return None;
    }
    let rule = |rule: NodeRef<'_, '_>| {
        let to = rule.get("destination");
        let opens = match rule.get("action").and_then(NodeRef::text)? {
            "Deny" => false,
            "Log" => return None,
            _ => true,
        };
        let is_negated = to.is_some_and(|to| to.get("notPorts").is_some());
        let has_list = to.is_some_and(|to| to.get("ports").is_some());
        let from = rule.get("source");
        let ports = calico_ports(&Path::root(), rule);
        let ports = match calico_protocol(rule) {
            Some(protocol) if !has_list && !is_negated => Some(vec![(Some(protocol.into_owned()), 1..=u16::MAX)]),
            _ => numbers(has_list || is_negated && !opens, ports),
        };
        let is_for_all = from.is_none_or(|from| has_text(from, "nets", &ALL_ADDRESSES));
        // Without a list of ports, a rule for some clients says nothing about the others.
        let ports = if has_list || is_for_all { ports } else { None };
        Some(HostRule { opens, ports, is_for_all })
    };
    let types: Vec<&str> = items(spec, "types").filter_map(NodeRef::text).collect();
    let rules: Vec<HostRule> = items(spec, "ingress").filter_map(rule).collect();
    let closes_rest = match types.as_slice() {
        [] => !rules.is_empty() || items(spec, "egress").next().is_none(),
        some => some.contains(&"Ingress"),
    };
    let endpoints = Some(text("selector").to_owned());
    let path = Path::dotted("spec.selector");
    closes_rest.then_some(HostPart::Firewall(HostFirewall { path, endpoints, rules, closes_rest }))
}

/// An interface of a node that Calico protects.
pub(super) fn endpoint(object: NodeRef<'_, '_>) -> Option<HostPart> {
    Some(HostPart::Endpoint(Labels::read(object.get("metadata")?.get("labels")?)))
}

/// An `IngressNodeFirewall`: each entry of `ingress` is for some addresses, and refuses only what its rules name.
pub(super) fn node_firewall(spec: NodeRef<'_, '_>) -> Vec<HostPart> {
    let rule = |rule: NodeRef<'_, '_>| {
        let opens = rule.get("action").and_then(NodeRef::text) != Some("Deny");
        let config = rule.get("protocolConfig");
        let protocol =
            config.and_then(|config| config.get("protocol")).and_then(NodeRef::non_null_text).unwrap_or_default();
        let ports = match protocol {
            "" => None,
            protocol => {
                let of_protocol = config.and_then(|config| config.get(&protocol.to_ascii_lowercase()));
                let text =
                    of_protocol.and_then(|own| Scalar::read(own.get("ports")?)).map(|ports| ports.text.into_string());
                let text = text.unwrap_or_default();
                let (first, last) = text.split_once('-').unwrap_or((&text, &text));
                let range = port(first).zip(port(last)).map(|(first, last)| first..=last);
                Some(range.map(|range| (Some(protocol.to_owned()), range)).into_iter().collect())
            }
        };
        let order = rule.get("order").and_then(NodeRef::text).and_then(|order| order.parse().ok()).unwrap_or(u64::MAX);
        (order, HostRule { opens, ports, is_for_all: true })
    };
    let firewall = |entry: NodeRef<'_, '_>| {
        let mut rules: Vec<(u64, HostRule)> = items(entry, "rules").map(rule).collect();
        rules.sort_by_key(|(order, _)| *order);
        let rules = rules.into_iter().map(|(_, rule)| rule).collect();
        let path = Path::dotted("spec.nodeSelector");
        HostPart::Firewall(HostFirewall { path, endpoints: None, rules, closes_rest: false })
    };
    items(spec, "ingress").map(firewall).collect()
}
