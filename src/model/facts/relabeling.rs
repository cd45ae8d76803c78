//! Relabelings of Prometheus that pick a port of pods by its number. They are never changed.
//!
//! Source: prometheus-operator v0.93.0 `pkg/apis/monitoring/v1/types.go` (`RelabelConfig`) and `v1alpha1`
//! `scrapeconfig_types.go`; prometheus/prometheus v3.5.0 `discovery/kubernetes/pod.go` (labels of targets).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Effect, FieldPort, PortField};
use super::scope::{Requirements, Scope};
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, TCP};
use crate::model::text::{Labels, is_alone, numbers};
use lossless_yaml::{NodeRef, Pattern, PatternMatch};

/// Names of the list of relabelings in the kinds of prometheus-operator and `VictoriaMetrics`.
const LISTS: [&str; 2] = ["relabelings[]", "relabelConfigs[]"];

/// End of the label with the number of a container's port.
const PORT_NUMBER: &str = "_container_port_number";

/// Labels with the address of a target: of the scrape itself, and of a probe.
const ADDRESSES: [&str; 2] = ["__address__", "__param_target"];

/// Start of the labels with the values of labels of a pod.
const POD_LABEL: &str = "__meta_kubernetes_pod_label_";

/// Prefix of the usual labels of pods; Prometheus replaces its `.` and `/` by `_`.
const COMMON_LABELS: &str = "app.kubernetes.io/";

/// Patterns of the relabelings in the same element as a port field.
pub(super) fn lists_next_to(port: &str) -> impl Iterator<Item = String> {
    let parent = port.rsplit_once('.').map(|(parent, _)| parent);
    parent.into_iter().flat_map(|parent| LISTS.map(|list| format!("{parent}.{list}")))
}

/// Ports that a relabeling of a monitor picks from its pods.
pub(super) fn fields(rule: &PatternMatch<'_, '_>, applies_to: &Arc<AppliesTo>) -> Vec<PortField> {
    let why = |key: &str, _: u16| {
        let name = "__meta_kubernetes_pod_container_port_name";
        Effect::Blocks(format!("`{key}` picks the port by its number; pick it by its name, with `{name}`"))
    };
    picked(rule, applies_to, why)
}

/// Ports that the relabelings of a `ScrapeConfig` pick from the pods that it finds.
pub(super) fn scrape_config_ports(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<PortField> {
    if !matches!(meta.gvk.kind.as_str(), "ScrapeConfig" | "VMScrapeConfig") {
        return Vec::new();
    }
    let found = |list: &&str| Pattern::new(&format!("spec.{list}")).find(object).collect::<Vec<_>>();
    let rules: Vec<_> = LISTS.iter().flat_map(found).collect();
    let discoveries: Vec<_> = Pattern::new("spec.kubernetesSDConfigs[]").find(object).map(|found| found.node).collect();
    let names = |node: &NodeRef<'_, '_>| {
        let names = node.get("namespaces").and_then(|namespaces| namespaces.get("names"));
        names.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text).map(str::to_owned).collect::<Vec<_>>()
    };
    let namespaces: Vec<Vec<String>> = discoveries.iter().map(names).collect();
    let namespaces = namespaces.iter().all(|names| !names.is_empty()).then(|| namespaces.concat());
    let labels: Vec<_> = rules.iter().filter_map(|rule| required_label(rule.node)).collect();
    let is_exact = !labels.is_empty();
    let labels = labels.iter().fold(Labels::default(), |all, (key, value)| all.with(key, value));
    let selector = Requirements::from_labels(&labels);
    let pods = Arc::new(AppliesTo::Pods(Scope { selector, namespaces }, None));
    let effect = |key: &str, port: u16| {
        Effect::Reported(format!("`{key}` of a relabeling picks port {port} of the pods that it finds"))
    };
    let found = rules.iter().filter(|_| !discoveries.is_empty());
    match is_exact {
        true => found.flat_map(|rule| fields(rule, &pods)).collect(),
        false => found.flat_map(|rule| picked(rule, &pods, effect)).collect(),
    }
}

/// Ports that a relabeling picks, each with the effect for its field and number.
fn picked(
    rule: &PatternMatch<'_, '_>,
    applies_to: &Arc<AppliesTo>,
    effect: impl Fn(&str, u16) -> Effect,
) -> Vec<PortField> {
    let mut found = Vec::new();
    for key in ["regex", "replacement"] {
        let picks = if key == "regex" { reads_port(rule.node) } else { writes_address(rule.node) };
        let Some(text) = rule.node.get(key).filter(|_| picks).and_then(NodeRef::text) else { continue };
        let ports: BTreeSet<u16> =
            numbers(text).filter(|number| is_alone(text, number)).map(|number| number.port).collect();
        found.extend(ports.into_iter().map(|port| PortField {
            path: rule.path.key(key),
            value: Scalar::string(text),
            range: 0..text.len(),
            port: FieldPort::Numbers(port..=port),
            protocol: Some(TCP),
            applies_to: Arc::clone(applies_to),
            effect: effect(key, port),
        }));
    }
    found
}

/// Labels that a relabeling reads.
fn source_labels<'t>(rule: NodeRef<'t, '_>) -> impl Iterator<Item = &'t str> {
    let labels = rule.get("sourceLabels").or_else(|| rule.get("source_labels"));
    labels.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text)
}

/// True if a relabeling compares the number of a container's port, or the address of a target.
fn reads_port(rule: NodeRef<'_, '_>) -> bool {
    source_labels(rule).any(|label| label.ends_with(PORT_NUMBER) || ADDRESSES.contains(&label))
}

/// True if a relabeling writes the address of a target.
fn writes_address(rule: NodeRef<'_, '_>) -> bool {
    let target = rule.get("targetLabel").or_else(|| rule.get("target_label")).and_then(NodeRef::text);
    target.is_some_and(|label| ADDRESSES.contains(&label))
}

/// Pod label that a relabeling requires; `None` if its name in Prometheus does not show its key.
fn required_label(rule: NodeRef<'_, '_>) -> Option<(String, String)> {
    let mut sources = source_labels(rule);
    let (Some(label), None) = (sources.next(), sources.next()) else { return None };
    let value = rule.get("regex").and_then(NodeRef::text)?;
    let is_plain = value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let keeps = rule.get("action").and_then(NodeRef::text).is_some_and(|action| action.eq_ignore_ascii_case("keep"));
    let name = label.strip_prefix(POD_LABEL).filter(|_| keeps && is_plain)?;
    let key = match name.strip_prefix("app_kubernetes_io_").filter(|rest| !rest.contains('_')) {
        Some(rest) => format!("{COMMON_LABELS}{rest}"),
        None => name.to_owned(),
    };
    (name.len() == key.len() && !key.contains('_') || key.starts_with(COMMON_LABELS)).then(|| (key, value.to_owned()))
}
