//! Numbers of pods' ports in other objects that cannot be moved yet: they stop a move and are named (P5).

use std::ops::RangeInclusive;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube_core::{Selector, SelectorExt};

use super::Meta;
use super::labels::Labels;
use crate::yaml::{NodeRef, Path};

/// An object that names port numbers of the pods, or of the Services, that it selects.
#[derive(Debug, Clone)]
pub struct Mention {
    /// What the selector selects.
    pub selects: Selects,
    /// Labels that the selected must have.
    pub selector: Selector,
    /// Where the selected are; none is everywhere.
    pub namespaces: Option<Vec<String>>,
    /// The numbers, each with its path; a range where the field opens one.
    pub numbers: Vec<(Path, RangeInclusive<u16>)>,
}

/// What a [`Mention`]'s selector selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selects {
    /// Pods, by the labels of their template.
    Pods,
    /// Services, by their own labels, and through them pods.
    Services,
}

/// Where the numbers of a kind are: lists of a spec and the fields of their elements.
type Fields = &'static [(&'static str, &'static [&'static str])];

const SERVICE_MONITOR: Fields = &[("endpoints", &["targetPort"])];
const POD_MONITOR: Fields = &[("podMetricsEndpoints", &["portNumber", "targetPort"])];

/// The port numbers of pods that an object names; none for kinds that name none.
#[must_use]
pub fn mention(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Mention> {
    let spec = object.get("spec")?;
    let own = || Some(vec![meta.namespace.clone().unwrap_or_default()]);
    let (selects, selector, namespaces, numbers) = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("monitoring.coreos.com", "ServiceMonitor") => {
            (Selects::Services, "selector", monitored(spec, meta), listed(spec, SERVICE_MONITOR))
        }
        ("monitoring.coreos.com", "PodMonitor") => {
            (Selects::Pods, "selector", monitored(spec, meta), listed(spec, POD_MONITOR))
        }
        ("networking.k8s.io", "NetworkPolicy") => (Selects::Pods, "podSelector", own(), policy_ports(spec)),
        ("apps.kruise.io", "PodProbeMarker") => (Selects::Pods, "selector", own(), marker_ports(spec)),
        _ => return None,
    };
    if numbers.is_empty() {
        return None;
    }
    Some(Mention { selects, selector: label_selector(spec.get(selector)?)?, namespaces, numbers })
}

impl Mention {
    /// Whether the mention is about something with these labels in this namespace.
    #[must_use]
    pub fn is_about(&self, namespace: Option<&str>, labels: &Labels) -> bool {
        let here = self.namespaces.as_ref();
        here.is_none_or(|all| all.iter().any(|known| known == namespace.unwrap_or_default()))
            && self.selector.matches(&labels.to_map())
    }
}

fn number(node: NodeRef<'_, '_>) -> Option<u16> {
    node.text().and_then(super::text::port)
}

fn listed(spec: NodeRef<'_, '_>, fields: Fields) -> Vec<(Path, RangeInclusive<u16>)> {
    let mut found = Vec::new();
    for (list, names) in fields {
        for (index, endpoint) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
            let path = Path::root().key("spec").key(*list).item(index);
            for name in *names {
                if let Some(port) = endpoint.get(name).and_then(number) {
                    found.push((path.key(*name), port..=port));
                }
            }
        }
    }
    found
}

/// The ports that a policy lets in to the pods it selects.
fn policy_ports(spec: NodeRef<'_, '_>) -> Vec<(Path, RangeInclusive<u16>)> {
    let mut found = Vec::new();
    for (rule_index, rule) in spec.get("ingress").into_iter().flat_map(NodeRef::items).enumerate() {
        for (index, port) in rule.get("ports").into_iter().flat_map(NodeRef::items).enumerate() {
            let path = Path::dotted("spec.ingress").item(rule_index).key("ports").item(index).key("port");
            let end = port.get("endPort").and_then(number);
            found.extend(port.get("port").and_then(number).map(|port| (path, port..=end.unwrap_or(port))));
        }
    }
    found
}

fn marker_ports(spec: NodeRef<'_, '_>) -> Vec<(Path, RangeInclusive<u16>)> {
    let mut found = Vec::new();
    for (index, marker) in spec.get("probes").into_iter().flat_map(NodeRef::items).enumerate() {
        let path = Path::dotted("spec.probes").item(index).key("probe");
        for kind in ["httpGet", "tcpSocket", "grpc"] {
            let port = marker.get("probe").and_then(|probe| probe.get(kind)?.get("port")).and_then(number);
            found.extend(port.map(|port| (path.key(kind).key("port"), port..=port)));
        }
    }
    found
}

/// The namespaces of a monitor: those it names, all, or its own.
fn monitored(spec: NodeRef<'_, '_>, meta: &Meta) -> Option<Vec<String>> {
    let selector = spec.get("namespaceSelector");
    if selector.and_then(|selector| selector.get("any")).and_then(NodeRef::as_bool) == Some(true) {
        return None;
    }
    let names: Vec<String> = selector
        .and_then(|selector| selector.get("matchNames"))
        .into_iter()
        .flat_map(NodeRef::items)
        .filter_map(|name| name.text().map(str::to_owned))
        .collect();
    Some(if names.is_empty() { vec![meta.namespace.clone().unwrap_or_default()] } else { names })
}

/// A selector of `matchLabels` and `matchExpressions`; none when it is malformed.
fn label_selector(node: NodeRef<'_, '_>) -> Option<Selector> {
    let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
    let expressions = node.get("matchExpressions").into_iter().flat_map(NodeRef::items).map(|expression| {
        let values = expression.get("values").into_iter().flat_map(NodeRef::items);
        LabelSelectorRequirement {
            key: text(expression, "key"),
            operator: text(expression, "operator"),
            values: Some(values.filter_map(|value| value.text().map(str::to_owned)).collect()),
        }
    });
    let selector = LabelSelector {
        match_labels: node.get("matchLabels").map(|labels| Labels::of(labels).to_map()),
        match_expressions: Some(expressions.collect()),
    };
    Selector::try_from(selector).ok()
}
