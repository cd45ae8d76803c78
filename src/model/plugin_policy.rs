//! Policies of network plugins: which ports they open to pods (P5). They are reported, not changed.
//!
//! Sources: cilium/cilium `pkg/policy/api` (`Rule`, `PortProtocol`: a port is a text, no protocol is any; a label's key may have
//! its source before it) and `pkg/k8s/apis/cilium.io/const.go` (labels that Cilium itself gives); projectcalico/calico@1c2c4d30
//! `api/pkg/apis/projectcalico/v3` (`Rule`, `EntityRule`) and `api/pkg/lib/numorstring/port.go` (a range is `1000:2000`).

use std::ops::RangeInclusive;

use super::listener::Listener;
use super::reference::{Pods, Reference};
use super::scope::{Requirements, selector_by};
use super::{Facts, Meta, Model};
use crate::yaml::{NodeRef, Path};

/// The label of every endpoint with the namespace of its pod.
const NAMESPACE: &str = "io.kubernetes.pod.namespace";

/// Labels that Cilium gives by itself: what they hold does not show in a manifest.
const CILIUM: &str = "io.cilium.k8s.";

/// A policy of a network plugin.
#[derive(Debug, Clone)]
pub struct PluginPolicy {
    rules: Vec<Rule>,
}

/// The ports that a rule opens, and to whom they may belong.
#[derive(Debug, Clone)]
struct Rule {
    /// Whether it keeps its ports closed instead.
    denies: bool,
    pods: Vec<Whose>,
    ports: Vec<RulePort>,
}

#[derive(Debug, Clone)]
struct Whose {
    /// None is everywhere.
    namespace: Option<String>,
    /// None is a selector that is not read.
    selector: Option<Requirements>,
}

#[derive(Debug, Clone)]
struct RulePort {
    path: Path,
    numbers: RangeInclusive<u16>,
    /// None is any.
    protocol: Option<String>,
}

impl PluginPolicy {
    /// Reads a `CiliumNetworkPolicy` or `CiliumClusterwideNetworkPolicy`; none when it opens no number to pods.
    #[must_use]
    pub fn cilium(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let one = object.get("spec").map(|spec| (Path::root().key("spec"), spec));
        let more = object.get("specs").into_iter().flat_map(NodeRef::items).enumerate();
        let more = more.map(|(index, spec)| (Path::root().key("specs").item(index), spec));
        Self::some(one.into_iter().chain(more).flat_map(|(path, spec)| cilium_rules(meta, &path, spec)))
    }

    /// Reads Calico's `NetworkPolicy` or `GlobalNetworkPolicy`; none when it opens no number. Whom its expressions select is not
    /// known: it may be all pods of its namespace.
    #[must_use]
    pub fn calico(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let namespace = (meta.gvk.kind == "NetworkPolicy").then(|| meta.namespace.clone().unwrap_or_default());
        let rules = ["ingress", "egress"].into_iter().flat_map(|list| {
            let rules = spec.get(list).into_iter().flat_map(NodeRef::items).enumerate();
            let path = Path::root().key("spec").key(list);
            rules.map(move |(index, rule)| (path.item(index), rule))
        });
        Self::some(rules.map(|(path, rule)| Rule {
            denies: rule.get("action").and_then(NodeRef::text) == Some("Deny"),
            pods: vec![Whose { namespace: namespace.clone(), selector: None }],
            ports: calico_ports(&path, rule),
        }))
    }

    fn some(rules: impl Iterator<Item = Rule>) -> Option<Self> {
        let rules: Vec<Rule> = rules.filter(|rule| !rule.ports.is_empty()).collect();
        (!rules.is_empty()).then_some(Self { rules })
    }
}

fn cilium_rules(meta: &Meta, path: &Path, spec: NodeRef<'_, '_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    let own: Vec<Whose> = spec.get("endpointSelector").and_then(|selector| whose(meta, selector)).into_iter().collect();
    for list in ["ingress", "ingressDeny", "egress", "egressDeny"] {
        for (index, rule) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
            let led_to = rule.get("toEndpoints").into_iter().flat_map(NodeRef::items);
            let pods = match list.starts_with("ingress") {
                true => own.clone(),
                false => led_to.filter_map(|selector| whose(meta, selector)).collect(),
            };
            rules.push(Rule {
                denies: list.ends_with("Deny"),
                pods,
                ports: cilium_ports(&path.key(list).item(index), rule),
            });
        }
    }
    rules
}

/// Whom a selector of Cilium selects: in the namespace of the policy, unless it asks for another.
fn whose(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Whose> {
    let mut elsewhere = false;
    let selector = selector_by(Some(node), |key| {
        let key = ["k8s:", "any:"].into_iter().find_map(|source| key.strip_prefix(source)).unwrap_or(key);
        elsewhere |= key == NAMESPACE || key.starts_with(CILIUM);
        (!key.starts_with(CILIUM)).then(|| key.to_owned())
    })?;
    let here = meta.gvk.kind == "CiliumNetworkPolicy" && !elsewhere;
    let namespace = here.then(|| meta.namespace.clone().unwrap_or_default());
    Some(Whose { namespace, selector: Some(selector) })
}

fn cilium_ports(path: &Path, rule: NodeRef<'_, '_>) -> Vec<RulePort> {
    let mut found = Vec::new();
    for (at, to) in rule.get("toPorts").into_iter().flat_map(NodeRef::items).enumerate() {
        for (index, node) in to.get("ports").into_iter().flat_map(NodeRef::items).enumerate() {
            let number = |key: &str| node.get(key).and_then(NodeRef::text).and_then(super::text::port);
            let Some(first) = number("port") else { continue };
            let end = number("endPort");
            let protocol = node.get("protocol").and_then(NodeRef::non_null_text).filter(|text| *text != "ANY");
            found.push(RulePort {
                path: path.key("toPorts").item(at).key("ports").item(index).key("port"),
                numbers: first..=end.unwrap_or(first),
                protocol: protocol.map(str::to_owned),
            });
        }
    }
    found
}

fn calico_ports(path: &Path, rule: NodeRef<'_, '_>) -> Vec<RulePort> {
    let protocol = rule.get("protocol").and_then(NodeRef::non_null_text).map(|text| match text {
        "6" => "TCP".to_owned(),
        "17" => "UDP".to_owned(),
        "132" => "SCTP".to_owned(),
        name => name.to_ascii_uppercase(),
    });
    let ports = rule.get("destination").and_then(|to| to.get("ports")).into_iter().flat_map(NodeRef::items).enumerate();
    let read = |(index, node): (usize, NodeRef<'_, '_>)| {
        let text = node.text()?;
        let (first, end) = text.split_once(':').unwrap_or((text, text));
        let numbers = super::text::port(first)?..=super::text::port(end)?;
        let path = path.key("destination").key("ports").item(index);
        Some(RulePort { path, numbers, protocol: protocol.clone() })
    };
    ports.filter_map(read).collect()
}

impl Whose {
    fn has(&self, pods: Pods<'_>) -> bool {
        let namespace = pods.meta.namespace.as_deref().unwrap_or_default();
        let value = |key: &str| if key == NAMESPACE { Some(namespace) } else { pods.template.labels.get(key) };
        self.namespace.as_ref().is_none_or(|own| own == namespace)
            && self.selector.as_ref().is_none_or(|selector| selector.met_by(value))
    }
}

/// The ports of policies that may mean a listener.
pub(super) fn references(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (object, policy) in model.selecting().filter_map(|(id, object)| match &object.facts {
        Facts::PluginPolicy(policy) => Some((id, policy)),
        _ => None,
    }) {
        let meant = |port: &&RulePort| port.protocol.as_ref().is_none_or(|protocol| *protocol == listener.protocol);
        let own = |port: &&RulePort| port.numbers.contains(&listener.number) && meant(port);
        for rule in policy.rules.iter().filter(|rule| rule.ports.iter().any(|port| own(&port))) {
            if !rule.pods.iter().any(|whose| whose.has(pods)) {
                continue;
            }
            let open: Vec<_> = rule.ports.iter().filter(meant).map(|port| port.numbers.clone()).collect();
            let ports = rule.ports.iter().filter(own);
            found.extend(ports.map(|port| Reference::MayOpen {
                object,
                path: port.path.clone(),
                open: open.clone(),
                denies: rule.denies,
            }));
        }
    }
}
