//! `NetworkPolicy`: ports that it opens, on selected pods and from them to other pods.
//!
//! A policy matches ports of pods, not ports of Services (Kubernetes v1.36, `networking/v1` types). Port names stay.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::labelled_peer::{LabelledPeer, RuleSide};
use super::peer::{Namespaces, Peer};
use super::port_field::{Effect, FieldPort, PolicyRule, PortField, PortFields};
use super::scope::{Scope, label_selector, own_namespace};
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, protocol};
use crate::model::text::port;
use lossless_yaml::{NodeRef, Path, Value};

/// `NetworkPolicy` of `networking.k8s.io`, or `SecurityGroupPolicy` of `vpcresources.k8s.aws`, which has no ports and
/// peers.
#[derive(Debug, Clone)]
pub struct NetworkPolicy {
    /// Pods that the policy selects.
    pub scope: Scope,
    /// True for a policy that restricts outgoing connections alone.
    pub is_egress: bool,
    /// Ports that the policy opens, on the selected pods and from them to other pods.
    pub fields: PortFields,
    /// Peers of ingress and egress rules that labels select.
    pub peers: Vec<LabelledPeer>,
    /// Direction and ports of the ingress and egress rules.
    pub rules: Vec<Arc<RuleSide>>,
    /// Peers to update on the host network, for a policy that hostnet wrote.
    pub own: Option<Box<OwnPolicy>>,
}

/// Label, and its value, of a policy that hostnet wrote.
pub const MADE_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "hostnet");

/// Annotation with the address ranges of the nodes, separated by commas: peers on the host network have these
/// addresses.
pub const NODES: &str = "hostnet.dev/nodes";

/// Policy that hostnet wrote for the callers of functions. It has one rule.
#[derive(Debug, Clone)]
pub struct OwnPolicy {
    /// Path of the peers of the rule.
    pub path: Path,
    /// Peers of the rule.
    pub from: Value,
    /// Address ranges of the nodes; empty if unknown.
    pub nodes: Vec<String>,
}

impl OwnPolicy {
    fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Box<Self>> {
        if meta.labels.get(MADE_BY.0) != Some(MADE_BY.1) {
            return None;
        }
        let path = Path::dotted("spec.ingress").item(0).key("from");
        let from = object.lookup(&path)?.to_value()?;
        let nodes = meta.annotations.get(NODES).unwrap_or_default();
        let nodes = nodes.split(',').map(str::trim).filter(|range| !range.is_empty()).map(str::to_owned);
        Some(Box::new(Self { path, from, nodes: nodes.collect() }))
    }
}

/// Returns the peers of a rule for address ranges.
pub fn address_peers(ranges: &[String]) -> Vec<Value> {
    let peer = |range: &String| Value::map([("ipBlock", Value::map([("cidr", range.as_str().into())]))]);
    ranges.iter().map(peer).collect()
}

impl NetworkPolicy {
    /// Reads a `SecurityGroupPolicy`; returns `None` for a policy that selects service accounts.
    ///
    /// Source: aws/amazon-vpc-resource-controller-k8s@43636fa1 `apis/vpcresources/v1beta1/securitygrouppolicy_types.go`.
    pub fn of_security_groups(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let pods =
            spec.get("podSelector").filter(|pods| pods.is_mapping() && spec.get("serviceAccountSelector").is_none())?;
        let scope = Scope::own(Some(pods), meta)?;
        Some(Self {
            scope,
            is_egress: false,
            fields: PortFields::default(),
            peers: Vec::new(),
            rules: Vec::new(),
            own: None,
        })
    }

    /// Reads a policy; `None` for a malformed selector.
    pub fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let scope = Scope::own(spec.get("podSelector"), meta)?;
        let own = Arc::new(AppliesTo::Pods(scope.clone(), None));
        let rules = |list: &'static str| spec.get(list).into_iter().flat_map(NodeRef::items).enumerate();
        let at = |list: &'static str, index: usize| Path::root().key("spec").key(list).item(index);
        let mut fields = Vec::new();
        for (index, rule) in rules("ingress") {
            ports(rule, &at("ingress", index), &own, Effect::Opens, &mut fields);
        }
        for (index, rule) in rules("egress") {
            let peers: Vec<Peer> = rule.get("to").into_iter().flat_map(NodeRef::items).map(peer).collect();
            // Address peers may include any user of the number, so the users are unknown.
            let is_known = !peers.is_empty() && !peers.contains(&Peer::Other);
            let effect = if is_known { Effect::Opens } else { Effect::MayOpen };
            let peers = Arc::new(AppliesTo::Peers(own_namespace(meta).into(), peers.into()));
            ports(rule, &at("egress", index), &peers, effect, &mut fields);
        }
        let mut types = spec.get("policyTypes").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
        // Without types a policy restricts incoming connections too.
        let is_egress = types.next() == Some("Egress") && types.next().is_none();
        let ((peers, rules), own) = (LabelledPeer::all(meta, object), OwnPolicy::read(meta, object));
        Some(Self { scope, is_egress, fields: PortFields { fields, commands: Vec::new() }, peers, rules, own })
    }
}

/// Reads the ports of a rule, without named ports.
fn ports(
    rule: NodeRef<'_, '_>,
    path: &Path,
    applies_to: &Arc<AppliesTo>,
    effect: impl Fn(Arc<PolicyRule>) -> Effect,
    found: &mut Vec<PortField>,
) {
    let list: Vec<NodeRef<'_, '_>> = rule.get("ports").into_iter().flat_map(NodeRef::items).collect();
    let numbers = |node: NodeRef<'_, '_>| -> Option<RangeInclusive<u16>> {
        let number = |key: &str| node.get(key).and_then(NodeRef::text).and_then(port);
        let first = number("port")?;
        Some(first..=number("endPort").unwrap_or(first))
    };
    // An entry without `port` opens all ports.
    let opened = |node: NodeRef<'_, '_>| {
        let all = node.get("port").is_none_or(NodeRef::is_null);
        if all { Some(1..=u16::MAX) } else { numbers(node) }
    };
    let protocol_of = |node: NodeRef<'_, '_>| protocol(node.get("protocol").and_then(NodeRef::non_empty_text));
    for (index, node) in list.iter().copied().enumerate() {
        let Some(value) = node.get("port").and_then(Scalar::read).filter(|value| !value.is_null()) else { continue };
        let Some((port, range)) = FieldPort::parse(&value.text) else { continue };
        let protocol = protocol_of(node);
        let same = list.iter().copied().filter(|other| protocol_of(*other) == protocol);
        let rule = PolicyRule { open: same.filter_map(opened).collect(), count: list.len(), denies: false };
        found.push(PortField {
            path: path.key("ports").item(index).key("port"),
            value,
            range,
            port: numbers(node).map_or(port, FieldPort::Numbers),
            protocol: Some(protocol),
            applies_to: Arc::clone(applies_to),
            effect: effect(Arc::new(rule)),
        });
    }
}

/// Reads a peer: selectors of pods and namespaces, or `Other` for addresses.
fn peer(node: NodeRef<'_, '_>) -> Peer {
    let selector = |key: &str| node.get(key).filter(|selector| !selector.is_null());
    let (pods, namespaces) = (selector("podSelector"), selector("namespaceSelector"));
    if pods.is_none() && namespaces.is_none() {
        return Peer::Other;
    }
    let Some(selector) = label_selector(pods) else { return Peer::Other };
    let Some(wanted) = namespaces else { return Peer::Pods(selector, None) };
    let Some(in_namespaces) = label_selector(Some(wanted)) else { return Peer::Other };
    let labels = wanted.get("matchLabels").into_iter().flat_map(NodeRef::entries).filter_map(|(key, _)| key.text());
    let expressions = wanted.get("matchExpressions").into_iter().flat_map(NodeRef::items);
    let keys = labels.chain(expressions.filter_map(|expression| expression.get("key")?.text()));
    let keys = keys.map(str::to_owned).collect();
    Peer::Pods(selector, Some(Namespaces { selector: in_namespaces, keys }))
}
