//! A `NetworkPolicy` as it is written.

use std::ops::RangeInclusive;

use crate::model::facts::Scope;
use crate::model::text::port;
use crate::model::{Meta, ObjectId};
use go_no_proxy::Range;
use lossless_yaml::{NodeRef, Path, Value};

/// A policy.
#[derive(Debug, Clone)]
pub(in crate::proxy) struct Policy {
    /// The object; that of a policy that is new follows those of the input.
    pub(in crate::proxy) object: ObjectId,
    pub(in crate::proxy) meta: Meta,
    /// The pods that it is for.
    pub(super) pods: Scope,
    /// What is let in; none where it says nothing of that direction.
    pub(super) ingress: Option<Vec<Rule>>,
    /// What is let out.
    pub(super) egress: Option<Vec<Rule>>,
    /// `spec`, as it is written.
    pub(in crate::proxy) spec: Value,
}

/// A rule: these peers, on these ports.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// None is everybody.
    pub(super) peers: Vec<Peer>,
    /// None is every port.
    pub(super) ports: Vec<Ports>,
}

/// Peers of a rule.
#[derive(Debug, Clone)]
pub(super) enum Peer {
    /// Pods by their labels, in the policy's namespace or in namespaces by their labels.
    Pods(Option<Scope>, Option<Scope>),
    /// Addresses, but for some.
    Block(Range, Vec<Range>),
}

/// Ports of a rule.
#[derive(Debug, Clone)]
pub(super) struct Ports {
    pub(super) protocol: String,
    pub(super) which: Which,
}

#[derive(Debug, Clone)]
pub(super) enum Which {
    All,
    Numbers(RangeInclusive<u16>),
    Name(String),
}

impl Policy {
    /// Reads a policy; none when it is not one that Kubernetes takes.
    pub(in crate::proxy) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Self> {
        let spec = node.get("spec")?;
        let directions: Vec<&str> =
            spec.get("policyTypes").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text).collect();
        let has_egress = spec.get("egress").is_some_and(|list| !list.is_null());
        let is_for = |direction: &str| match directions.as_slice() {
            // Without the field it is for what comes in, and for what goes out where it says something of that.
            [] => direction == "Ingress" || has_egress,
            some => some.contains(&direction),
        };
        let rules = |list: &str, side: &str| -> Option<Vec<Rule>> {
            spec.get(list).into_iter().flat_map(NodeRef::items).map(|rule| self::rule(meta, rule, side)).collect()
        };
        Some(Self {
            object: 0,
            meta: meta.clone(),
            pods: Scope::own(spec.get("podSelector"), meta)?,
            ingress: if is_for("Ingress") { Some(rules("ingress", "from")?) } else { None },
            egress: if is_for("Egress") { Some(rules("egress", "to")?) } else { None },
            spec: spec.to_value()?,
        })
    }

    /// Whether it is one of this namespace.
    pub(super) fn is_in(&self, namespace: &str) -> bool {
        self.meta.namespace.as_deref().unwrap_or_default() == namespace
    }

    /// The same of another object.
    pub(in crate::proxy) fn on(self, object: ObjectId) -> Self {
        Self { object, ..self }
    }

    /// Reads one that is made here.
    pub(in crate::proxy) fn of_value(meta: &Meta, value: &Value) -> Option<Self> {
        let text = lossless_yaml::document(value);
        let tree = lossless_yaml::Tree::parse(&text).ok()?;
        Self::read(meta, tree.root(0)?.lookup(&Path::root())?)
    }
}

fn rule(meta: &Meta, rule: NodeRef<'_, '_>, side: &str) -> Option<Rule> {
    let list = |key: &str| rule.get(key).into_iter().flat_map(NodeRef::items);
    Some(Rule {
        peers: list(side).map(|node| peer(meta, node)).collect::<Option<_>>()?,
        ports: list("ports").map(ports).collect(),
    })
}

fn peer(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Peer> {
    let of = |key: &str| node.get(key).filter(|selector| !selector.is_null());
    if let Some(block) = of("ipBlock") {
        let range = |node: NodeRef<'_, '_>| Range::read(node.text()?);
        let but = block.get("except").into_iter().flat_map(NodeRef::items);
        return Some(Peer::Block(range(block.get("cidr")?)?, but.map(range).collect::<Option<_>>()?));
    }
    let scope = |key: &str| match of(key) {
        Some(selector) => Scope::own(Some(selector), meta).map(Some),
        None => Some(None),
    };
    Some(Peer::Pods(scope("podSelector")?, scope("namespaceSelector")?))
}

fn ports(node: NodeRef<'_, '_>) -> Ports {
    let text = |key: &str| node.get(key).and_then(NodeRef::non_null_text);
    let which = match text("port") {
        None => Which::All,
        Some(name) => match port(name) {
            Some(first) => Which::Numbers(first..=text("endPort").and_then(port).unwrap_or(first)),
            None => Which::Name(name.to_owned()),
        },
    };
    Ports { protocol: text("protocol").unwrap_or("TCP").to_owned(), which }
}
