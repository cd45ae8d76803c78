//! `NetworkPolicy`s: which ports they open to the pods that they select, and from those that they select to others (P5).
//!
//! A policy sees the port of the pod, not that of a Service (facts: Kubernetes 1.36, `networking/v1` types). Names stay.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::listener::Listener;
use super::placeholder::is_placeholder;
use super::pod::{PodTemplate, Scalar};
use super::protocol::protocol;
use super::reference::{Opening, Pods, Reference};
use super::scope::{Requirements, Scope, label_selector};
use super::{Facts, Meta, Model, ObjectId};
use crate::yaml::{NodeRef, Path};

/// A `networking.k8s.io` `NetworkPolicy`.
#[derive(Debug, Clone)]
pub struct NetworkPolicy {
    /// The pods that it is for.
    pub scope: Scope,
    /// The ports that it opens on them, rule by rule.
    ingress: Vec<Vec<PolicyPort>>,
    /// The ports that it opens from them to others.
    egress: Vec<Egress>,
    /// Ports that it opens on them and that are filled in later, with their paths.
    pub(super) placeholders: Vec<(Path, Box<str>)>,
}

/// A number, or a range of numbers, that a rule opens.
#[derive(Debug, Clone)]
struct PolicyPort {
    /// The path of `port`.
    path: Path,
    /// `port`
    value: Scalar,
    /// From `port` to `endPort`.
    numbers: RangeInclusive<u16>,
    /// Whether there is an `endPort`.
    range: bool,
    protocol: Cow<'static, str>,
    /// How many ports the rule has, named ones too.
    count: usize,
}

#[derive(Debug, Clone)]
struct Egress {
    ports: Vec<PolicyPort>,
    /// Whom the rule leads to; nothing is everybody.
    peers: Vec<Peer>,
}

#[derive(Debug, Clone)]
enum Peer {
    /// Pods with these labels: in the policy's own namespace, or in those of a selector.
    Pods(Requirements, Option<Namespaces>),
    /// Addresses.
    Other,
}

/// A selector of namespaces, and the labels that it asks for.
#[derive(Debug, Clone)]
struct Namespaces {
    selector: Requirements,
    keys: Vec<String>,
}

/// The label that every namespace has, with its name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

impl NetworkPolicy {
    /// Reads a policy; none when its selector is malformed.
    #[must_use]
    pub fn of(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let rules = |list: &'static str| spec.get(list).into_iter().flat_map(NodeRef::items).enumerate();
        let at = |list: &'static str, index: usize| Path::root().key("spec").key(list).item(index);
        let placeholders = rules("ingress").flat_map(|(index, rule)| placeholders(rule, &at("ingress", index)));
        let placeholders = placeholders.collect();
        let ports = |(index, rule)| ports(rule, &at("ingress", index));
        let egress = |(index, rule): (usize, NodeRef<'_, '_>)| Egress {
            ports: self::ports(rule, &at("egress", index)),
            peers: rule.get("to").into_iter().flat_map(NodeRef::items).map(peer).collect(),
        };
        Some(Self {
            scope: Scope::own(spec.get("podSelector"), meta)?,
            ingress: rules("ingress").map(ports).filter(|ports| !ports.is_empty()).collect(),
            egress: rules("egress").map(egress).filter(|rule| !rule.ports.is_empty()).collect(),
            placeholders,
        })
    }
}

fn ports(rule: NodeRef<'_, '_>, path: &Path) -> Vec<PolicyPort> {
    let list = || rule.get("ports").into_iter().flat_map(NodeRef::items);
    let count = list().count();
    let read = |(index, node): (usize, NodeRef<'_, '_>)| {
        let value = node.get("port").and_then(Scalar::of)?;
        let first = super::text::port(&value.text)?;
        let end = node.get("endPort").and_then(NodeRef::text).and_then(super::text::port);
        Some(PolicyPort {
            path: path.key("ports").item(index).key("port"),
            value,
            numbers: first..=end.unwrap_or(first),
            range: end.is_some(),
            protocol: protocol(node.get("protocol").and_then(NodeRef::non_null_text)),
            count,
        })
    };
    list().enumerate().filter_map(read).collect()
}

fn placeholders(rule: NodeRef<'_, '_>, path: &Path) -> Vec<(Path, Box<str>)> {
    let list = rule.get("ports").into_iter().flat_map(NodeRef::items).enumerate();
    let texts = list.filter_map(|(index, node)| {
        let text = node.get("port")?.non_null_text().filter(|text| is_placeholder(text))?;
        Some((path.key("ports").item(index).key("port"), text.into()))
    });
    texts.collect()
}

fn peer(node: NodeRef<'_, '_>) -> Peer {
    let of = |key: &str| node.get(key).filter(|selector| !selector.is_null());
    let (pods, namespaces) = (of("podSelector"), of("namespaceSelector"));
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

impl Namespaces {
    /// Whether they have a namespace; none when its labels are not known.
    fn have(&self, model: &Model, name: &str) -> Option<bool> {
        let object = model.namespace(name);
        if object.is_none() && self.keys.iter().any(|key| key != NAME_LABEL) {
            return None;
        }
        let label = |key: &str| object.and_then(|object| object.meta.labels.get(key));
        Some(self.selector.met_by(|key| if key == NAME_LABEL { Some(name) } else { label(key) }))
    }
}

impl Peer {
    /// Whether these pods are meant; none when that is not known.
    fn means(&self, model: &Model, policy: &Meta, pods: &Meta, template: &PodTemplate) -> Option<bool> {
        let Self::Pods(selector, namespaces) = self else { return Some(false) };
        if !selector.matches(&template.labels) {
            return Some(false);
        }
        match namespaces {
            None => Some(policy.namespace == pods.namespace),
            Some(namespaces) => namespaces.have(model, pods.namespace.as_deref().unwrap_or_default()),
        }
    }
}

impl Egress {
    /// Whether the rule leads to these pods; none when that is not known.
    fn leads_to(&self, model: &Model, policy: &Meta, pods: &Meta, template: &PodTemplate) -> Option<bool> {
        let means = || self.peers.iter().map(|peer| peer.means(model, policy, pods, template));
        if self.peers.is_empty() {
            None
        } else if means().any(|means| means == Some(true)) {
            Some(true)
        } else if means().any(|means| means.is_none()) {
            None
        } else {
            Some(false)
        }
    }

    /// Whether all that the rule leads to are pods, and which of the input; none when that is not known.
    fn workloads(&self, model: &Model, policy: &Meta) -> Option<Vec<ObjectId>> {
        if self.peers.is_empty() || self.peers.iter().any(|peer| matches!(peer, Peer::Other)) {
            return None;
        }
        let mut found = Vec::new();
        for (id, object, template) in model.workloads() {
            if self.leads_to(model, policy, &object.meta, template)? {
                found.push(id);
            }
        }
        Some(found)
    }
}

/// The ports of policies that mean a listener.
pub(super) fn references(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (object, meta, policy) in model.network_policies() {
        let own = |port: &PolicyPort| port.numbers.contains(&listener.number) && port.protocol == listener.protocol;
        let opening = |port: &PolicyPort, all: &[PolicyPort], workloads: Option<Vec<ObjectId>>| {
            let path = port.path.clone();
            let same = all.iter().filter(|other| other.protocol == port.protocol);
            let open = same.map(|port| port.numbers.clone()).collect();
            let Some(workloads) = workloads else { return Reference::MayOpen { object, path, open, denies: false } };
            Reference::Opening(Opening {
                object,
                path,
                value: port.value.clone(),
                is_range: port.range,
                count: port.count,
                open,
                others: workloads.into_iter().filter(|id| *id != pods.id).collect(),
            })
        };
        if policy.scope.meets(pods.meta.namespace.as_deref(), &pods.template.labels) {
            for ports in &policy.ingress {
                for port in ports.iter().filter(|port| own(port)) {
                    let workloads = model.workloads_in(&policy.scope).map(|(id, _)| id).collect();
                    found.push(opening(port, ports, Some(workloads)));
                }
            }
        }
        for rule in policy.egress.iter().filter(|rule| rule.ports.iter().any(own)) {
            let leads = rule.leads_to(model, meta, pods.meta, pods.template);
            if leads == Some(false) {
                continue;
            }
            let workloads = rule.workloads(model, meta).filter(|_| leads == Some(true));
            for port in rule.ports.iter().filter(|port| own(port)) {
                found.push(opening(port, &rule.ports, workloads.clone()));
            }
        }
    }
}

impl Model {
    /// The network policies.
    pub fn network_policies(&self) -> impl Iterator<Item = (ObjectId, &Meta, &NetworkPolicy)> {
        self.selecting().filter_map(|(id, object)| match &object.facts {
            Facts::NetworkPolicy(policy) => Some((id, &object.meta, policy.as_ref())),
            _ => None,
        })
    }
}
