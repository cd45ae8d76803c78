//! Ports of containers that objects of the input put into pods on the host network: OpenKruise's `SidecarSets`, objects
//! of operators, and Kyverno's policies.

use std::borrow::Cow;
use std::fmt;

use super::admission::AddedContainers;
use super::network_policy::namespace_labels;
use crate::model::facts::{AddedPort, PodChange, PodsView, Selection};
use crate::model::{Meta, Model, ObjectId};
use lossless_yaml::Path;

/// Object that puts containers with ports into pods.
pub struct Injector<'m> {
    /// Id of the object.
    pub id: ObjectId,
    /// Identity of the object.
    pub meta: &'m Meta,
    /// Ports of the containers.
    pub ports: Cow<'m, [AddedPort]>,
    /// Ports whose `hostPort` differs from the container port: path, container port and host port.
    pub mapped: Cow<'m, [(Path, u16, u16)]>,
    by: By<'m>,
}

/// Selection of the pods.
enum By<'m> {
    Selection(&'m Selection),
    Policy(AddedContainers<'m>),
}

/// All objects that put containers into pods.
pub fn injectors(model: &Model) -> Vec<Injector<'_>> {
    let changes = model.pod_changes().filter_map(|(id, meta, change)| {
        let PodChange::Sidecars(added) = change else { return None };
        let (ports, mapped) = (Cow::from(&added.ports), Cow::from(&added.mapped));
        Some(Injector { id, meta, ports, mapped, by: By::Selection(&added.selection) })
    });
    let policies = AddedContainers::all(model).into_iter().map(|mut policy| {
        let (ports, mapped) = (std::mem::take(&mut policy.ports).into(), std::mem::take(&mut policy.mapped).into());
        Injector { id: policy.id, meta: policy.meta, ports, mapped, by: By::Policy(policy) }
    });
    changes.chain(policies).collect()
}

impl Injector<'_> {
    /// True if the object puts its containers into these pods.
    pub fn selects(&self, model: &Model, pods: PodsView<'_>) -> bool {
        let selection = match &self.by {
            By::Policy(policy) => return policy.is_for(model, pods),
            By::Selection(selection) => selection,
        };
        let namespace = pods.meta.namespace.as_deref().unwrap_or_default();
        let is_here = self.meta.namespace.as_deref().unwrap_or_default() == namespace;
        match selection {
            Selection::Labels { pods: selected, namespace: of, namespaces } => {
                let here = match (of, namespaces) {
                    (Some(one), _) => one == namespace,
                    (None, Some(labels)) => labels.selector.matches(&namespace_labels(model, namespace)),
                    (None, None) => true,
                };
                here && selected.selector.matches(&pods.template.labels)
            }
            Selection::Annotation(key) => {
                let of_namespace = || model.namespaces(namespace).find_map(|(_, meta)| meta.annotations.get(key));
                let value = pods.template.annotations.get(key).or_else(of_namespace).unwrap_or_default();
                match value.split_once('/') {
                    Some((namespace, name)) => {
                        self.meta.namespace.as_deref() == Some(namespace) && self.meta.name == name
                    }
                    None => is_here && (value.eq_ignore_ascii_case("true") || self.meta.name == value),
                }
            }
            Selection::Workload { kind, name, labels } => {
                let has_name = name.is_empty() || pods.meta.name == *name;
                let has_labels = labels.as_ref().is_none_or(|labels| labels.selector.matches(&pods.meta.labels));
                is_here && pods.meta.gvk.kind == *kind && has_name && has_labels
            }
        }
    }

    /// Message about a port that the pods do not otherwise use.
    pub fn injected_port_message(&self, number: u16, protocol: &str, pods: &str) -> String {
        let remedy = match &self.by {
            By::Policy(_) => "Exclude them in its `match`".to_owned(),
            By::Selection(Selection::Labels { .. }) => "Use another selector".to_owned(),
            By::Selection(Selection::Annotation(key)) => format!("Write `{key}: \"false\"` on the pods"),
            By::Selection(Selection::Workload { .. }) => "Let it name another workload".to_owned(),
        };
        format!(
            "{}: injects {number}/{protocol} into pods on the host network ({pods}), where it is a port of the node: no template shows it, and two of these pods cannot share a node. {remedy}",
            self.meta
        )
    }
}

/// Message about an injected port that the pods also listen on.
pub fn injected_port_in_use_message(set: &dyn fmt::Display, number: u16, protocol: &str, pods: &str) -> String {
    format!(
        "{set}: injects {number}/{protocol} into pods on the host network that listen on it themselves ({pods}): the \
         API server checks this only for the Pod, and the second process fails with `bind: address already in use`. \
         Use another number or selector"
    )
}

/// Message about an injected port whose `hostPort` differs, which is invalid on the host network.
///
/// Source: kubernetes v1.37 `pkg/apis/core/validation/validation.go`, `validateHostNetwork`.
pub fn mapped(set: &dyn fmt::Display, number: u16, host: u16, pods: &str) -> String {
    format!(
        "{set}: injects containerPort {number} with hostPort {host} into pods on the host network ({pods}): the API server refuses each of these Pods, since both numbers have to be equal there. Write `hostPort: {number}`, or use another selector"
    )
}
