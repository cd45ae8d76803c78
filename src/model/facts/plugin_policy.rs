//! Policies of network plugins: ports that they open to pods. They are reported, not changed.
//!
//! Sources: cilium/cilium `pkg/policy/api` (`Rule`, `PortProtocol`: a port is a text, no protocol is any; a label's key
//! may have its source before it) and `pkg/k8s/apis/cilium.io/const.go` (labels that Cilium itself gives);
//! projectcalico/calico@1c2c4d30 `api/pkg/apis/projectcalico/v3` (`Rule`, `EntityRule`) and
//! `api/pkg/lib/numorstring/port.go` (a range is `1000:2000`).

use std::borrow::Cow;
use std::sync::Arc;

use super::applies_to::{AppliesTo, Endpoints, NAMESPACE};
use super::port_field::{Effect, FieldPort, PolicyRule, PortField, PortFields};
use super::scope::{own_namespace, selector_by};
use crate::model::meta::Meta;
use crate::model::pod::Scalar;
use crate::model::text::port;
use lossless_yaml::{NodeRef, Path};

/// Prefix of labels that Cilium sets itself: their values are not in manifests.
const CILIUM: &str = "io.cilium.k8s.";

/// Cilium's label with the name of the namespace.
const NAMESPACE_NAME: &str = "io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name";

/// Port of a rule that is not a name.
pub(super) struct RulePort {
    path: Path,
    value: Scalar,
    pub(super) port: FieldPort,
    /// Protocol of the port; `None` for any.
    pub(super) protocol: Option<Cow<'static, str>>,
}

/// Returns the ports of a `CiliumNetworkPolicy` or `CiliumClusterwideNetworkPolicy`.
pub(super) fn cilium(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    for (path, spec) in specs(object) {
        let own: Vec<Endpoints> =
            spec.get("endpointSelector").and_then(|selector| cilium_peer(meta, selector)).into_iter().collect();
        for list in ["ingress", "ingressDeny", "egress", "egressDeny"] {
            for (index, rule) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
                let led_to = rule.get("toEndpoints").into_iter().flat_map(NodeRef::items);
                let pods = match list.starts_with("ingress") {
                    true => own.clone(),
                    false => led_to.filter_map(|selector| cilium_peer(meta, selector)).collect(),
                };
                let ports = cilium_ports(&path.key(list).item(index), rule);
                add(&mut found, pods, ports, list.ends_with("Deny"));
            }
        }
    }
    found
}

/// True for a policy of Cilium for all namespaces.
pub(super) fn is_clusterwide(meta: &Meta) -> bool {
    meta.gvk.kind.contains("Clusterwide") || meta.gvk.kind == "CiliumEgressGatewayPolicy"
}

/// Returns the rules of a Cilium policy, with their paths.
pub(super) fn specs<'t, 's>(object: NodeRef<'t, 's>) -> impl Iterator<Item = (Path, NodeRef<'t, 's>)> {
    let one = object.get("spec").map(|spec| (Path::root().key("spec"), spec));
    let more = object.get("specs").into_iter().flat_map(NodeRef::items).enumerate();
    one.into_iter().chain(more.map(|(index, spec)| (Path::root().key("specs").item(index), spec)))
}

/// Returns the rules of a Cilium policy, each with the pods that it selects. Rules for nodes are left out.
///
/// A `CiliumNetworkPolicy` selects pods in its own namespace only, whatever namespace label its selector has.
pub(super) fn cilium_subjects<'t, 's>(meta: &Meta, object: NodeRef<'t, 's>) -> Vec<(Endpoints, NodeRef<'t, 's>)> {
    let namespace = || (!is_clusterwide(meta)).then(|| own_namespace(meta).into());
    let subject = |(_, spec): (Path, NodeRef<'t, 's>)| {
        let selector = spec.get("endpointSelector").filter(|selector| !selector.is_null())?;
        let requirements = cilium_peer(meta, selector).and_then(|endpoints| endpoints.requirements);
        Some((Endpoints { namespace: namespace(), requirements }, spec))
    };
    specs(object).filter_map(subject).collect()
}

/// Returns the ports of Calico's `NetworkPolicy` or `GlobalNetworkPolicy`. Its selectors are not evaluated: it may
/// select all pods of its namespace.
pub(super) fn calico(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    let namespace = (meta.gvk.kind == "NetworkPolicy").then(|| own_namespace(meta).into());
    let pods = vec![Endpoints { namespace, requirements: None }];
    for list in ["ingress", "egress"] {
        let rules = object.get("spec").and_then(|spec| spec.get(list)).into_iter().flat_map(NodeRef::items);
        for (index, rule) in rules.enumerate() {
            let denies = rule.get("action").and_then(NodeRef::text) == Some("Deny");
            let path = Path::root().key("spec").key(list).item(index);
            add(&mut found, pods.clone(), calico_ports(&path, rule), denies);
        }
    }
    found
}

/// Adds one field for each port of a rule.
fn add(found: &mut PortFields, pods: Vec<Endpoints>, ports: Vec<RulePort>, denies: bool) {
    let applies_to = Arc::new(AppliesTo::Endpoints(pods));
    // A rule without a protocol applies to all protocols.
    let open_for = |protocol: Option<&Cow<'static, str>>| {
        let same = ports.iter().filter(|port| {
            port.protocol.as_ref().is_none_or(|port_protocol| protocol.is_none_or(|protocol| port_protocol == protocol))
        });
        let open = same.filter_map(|port| match &port.port {
            FieldPort::Numbers(numbers) => Some(numbers.clone()),
            _ => None,
        });
        Arc::new(PolicyRule { open: open.collect(), count: ports.len(), denies })
    };
    let rules: Vec<Arc<PolicyRule>> = ports.iter().map(|port| open_for(port.protocol.as_ref())).collect();
    found.fields.extend(ports.into_iter().zip(rules).map(|(port, rule)| PortField {
        path: port.path,
        range: 0..port.value.text.len(),
        value: port.value,
        port: port.port,
        protocol: port.protocol,
        applies_to: Arc::clone(&applies_to),
        effect: Effect::MayOpen(rule),
    }));
}

/// Pods that a Cilium selector selects: in the namespace of the policy, unless the selector has a namespace label.
pub(super) fn cilium_peer(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Endpoints> {
    let mut elsewhere = false;
    let requirements = selector_by(Some(node), |key| {
        let key = ["k8s:", "any:"].into_iter().find_map(|source| key.strip_prefix(source)).unwrap_or(key);
        let key = if key == NAMESPACE_NAME { NAMESPACE } else { key };
        elsewhere |= key == NAMESPACE || key.starts_with(CILIUM);
        (!key.starts_with(CILIUM)).then(|| key.to_owned())
    })?;
    let here = !is_clusterwide(meta) && !elsewhere;
    let namespace = here.then(|| own_namespace(meta).into());
    Some(Endpoints { namespace, requirements: Some(requirements) })
}

/// Ports of a rule of Cilium.
pub(super) fn cilium_ports(path: &Path, rule: NodeRef<'_, '_>) -> Vec<RulePort> {
    let mut found = Vec::new();
    for (at, to) in rule.get("toPorts").into_iter().flat_map(NodeRef::items).enumerate() {
        for (index, node) in to.get("ports").into_iter().flat_map(NodeRef::items).enumerate() {
            let Some(value) = node.get("port").and_then(Scalar::read) else { continue };
            let Some((named, _)) = FieldPort::parse(&value.text) else { continue };
            let end = node.get("endPort").and_then(NodeRef::text).and_then(port);
            let named = match (named, end) {
                (FieldPort::Numbers(numbers), Some(end)) => FieldPort::Numbers(*numbers.start()..=end),
                (named, _) => named,
            };
            let protocol = node.get("protocol").and_then(NodeRef::non_null_text).filter(|text| *text != "ANY");
            found.push(RulePort {
                path: path.key("toPorts").item(at).key("ports").item(index).key("port"),
                value,
                port: named,
                protocol: protocol.map(|text| Cow::Owned(text.to_owned())),
            });
        }
    }
    found
}

/// Protocol of a rule of Calico, which may be a number of IP.
pub(super) fn calico_protocol(rule: NodeRef<'_, '_>) -> Option<Cow<'static, str>> {
    rule.get("protocol").and_then(NodeRef::non_null_text).map(|text| match text {
        "6" => Cow::Borrowed("TCP"),
        "17" => Cow::Borrowed("UDP"),
        "132" => Cow::Borrowed("SCTP"),
        name => Cow::Owned(name.to_ascii_uppercase()),
    })
}

/// Ports of a rule of Calico.
pub(super) fn calico_ports(path: &Path, rule: NodeRef<'_, '_>) -> Vec<RulePort> {
    let protocol = calico_protocol(rule);
    let ports = rule.get("destination").and_then(|to| to.get("ports")).into_iter().flat_map(NodeRef::items).enumerate();
    let read = |(index, node): (usize, NodeRef<'_, '_>)| {
        let value = Scalar::read(node)?;
        let range = value.text.split_once(':').and_then(|(first, end)| Some(port(first)?..=port(end)?));
        let named = match range {
            Some(range) => FieldPort::Numbers(range),
            None => FieldPort::parse(&value.text)?.0,
        };
        let path = path.key("destination").key("ports").item(index);
        Some(RulePort { path, value, port: named, protocol: protocol.clone() })
    };
    ports.filter_map(read).collect()
}
