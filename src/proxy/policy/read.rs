//! Parses NetworkPolicies.

use std::ops::RangeInclusive;

use crate::model::facts::Scope;
use crate::model::text::port;
use crate::model::{Meta, ObjectId};
use go_no_proxy::Range;
use lossless_yaml::{NodeRef, Path, Value};

/// `NetworkPolicy` with parsed rules.
#[derive(Debug, Clone)]
pub(in crate::proxy) struct Policy {
    /// Id of the object; ids of new policies follow the ids of the input.
    pub(in crate::proxy) object: ObjectId,
    pub(in crate::proxy) meta: Meta,
    /// Selector of the pods.
    pub(super) pods: Scope,
    /// Ingress rules; `None` if the policy does not restrict ingress.
    pub(super) ingress: Option<Vec<Rule>>,
    /// Egress rules; `None` if the policy does not restrict egress.
    pub(super) egress: Option<Vec<Rule>>,
    /// Unparsed `spec`.
    pub(in crate::proxy) spec: Value,
}

/// Rule: allowed peers and ports.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// Allowed peers; an empty list allows all.
    pub(super) peers: Vec<Peer>,
    /// Allowed ports; an empty list allows all.
    pub(super) ports: Vec<Ports>,
}

/// Peer of a rule.
#[derive(Debug, Clone)]
pub(super) enum Peer {
    /// Pod selector and namespace selector; without the latter, pods of the policy's namespace.
    Pods(Option<Scope>, Option<Scope>),
    /// Address range with exceptions.
    Block(Range, Vec<Range>),
}

/// Port or port range of a rule.
#[derive(Debug, Clone)]
pub(super) struct Ports {
    pub(super) protocol: String,
    pub(super) which: PortSelector,
}

#[derive(Debug, Clone)]
pub(super) enum PortSelector {
    All,
    Numbers(RangeInclusive<u16>),
    Name(String),
}

impl Policy {
    /// Parses a policy; `None` without `spec`, or for malformed selectors or address ranges.
    pub(in crate::proxy) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Self> {
        let spec = node.get("spec")?;
        let directions: Vec<&str> =
            spec.get("policyTypes").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text).collect();
        let has_egress = spec.get("egress").is_some_and(|list| !list.is_null());
        let is_for = |direction: &str| match directions.as_slice() {
            // Without `policyTypes`, a policy restricts ingress, and egress if it has egress rules.
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

    /// True if the policy is in this namespace.
    pub(super) fn is_in(&self, namespace: &str) -> bool {
        self.meta.namespace.as_deref().unwrap_or_default() == namespace
    }

    /// Sets the object id.
    pub(in crate::proxy) fn on(self, object: ObjectId) -> Self {
        Self { object, ..self }
    }

    /// Parses a policy that hostnet generates.
    pub(in crate::proxy) fn from_value(meta: &Meta, value: &Value) -> Option<Self> {
        let text = lossless_yaml::document(value);
        let tree = lossless_yaml::Tree::parse(&text).ok()?;
        Self::read(meta, tree.root(0)?.lookup(&Path::root())?)
    }
}

/// Reads a rule; `side` is `from` or `to`.
fn rule(meta: &Meta, rule: NodeRef<'_, '_>, side: &str) -> Option<Rule> {
    let list = |key: &str| rule.get(key).into_iter().flat_map(NodeRef::items);
    Some(Rule {
        peers: list(side).map(|node| peer(meta, node)).collect::<Option<_>>()?,
        ports: list("ports").map(ports).collect(),
    })
}

/// Reads a peer; `None` for an unreadable peer.
fn peer(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Peer> {
    let field = |key: &str| node.get(key).filter(|selector| !selector.is_null());
    if let Some(block) = field("ipBlock") {
        let range = |node: NodeRef<'_, '_>| Range::read(node.text()?);
        let but = block.get("except").into_iter().flat_map(NodeRef::items);
        return Some(Peer::Block(range(block.get("cidr")?)?, but.map(range).collect::<Option<_>>()?));
    }
    let scope = |key: &str| match field(key) {
        Some(selector) => Scope::own(Some(selector), meta).map(Some),
        None => Some(None),
    };
    Some(Peer::Pods(scope("podSelector")?, scope("namespaceSelector")?))
}

/// Reads the port of a rule: all ports, a number, a range or a name.
fn ports(node: NodeRef<'_, '_>) -> Ports {
    let text = |key: &str| node.get(key).and_then(NodeRef::non_empty_text);
    let which = match text("port") {
        None => PortSelector::All,
        Some(name) => match port(name) {
            Some(first) => PortSelector::Numbers(first..=text("endPort").and_then(port).unwrap_or(first)),
            None => PortSelector::Name(name.to_owned()),
        },
    };
    Ports { protocol: text("protocol").unwrap_or("TCP").to_owned(), which }
}
