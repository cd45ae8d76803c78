//! Ports of containers that are put into pods on the host network: by OpenKruise's `SidecarSets`, objects of operators
//! and Kyverno's policies in the input, and by injectors that read an annotation.

use std::borrow::Cow;
use std::fmt;

use super::admission::AddedContainers;
use super::network_policy::namespace_labels;
use crate::catalog::{AnnotatedSidecar, annotated_sidecars};
use crate::model::facts::{AddedPort, PodChange, PodsView, Selection};
use crate::model::{Meta, Model, ObjectId};
use lossless_yaml::Path;

/// Object that puts containers with ports into pods, or an injector without an object in the input.
pub struct Injector<'m> {
    /// Id of the object; of the first workload with the annotation for an injector without an object.
    pub id: ObjectId,
    /// Identity of that object.
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
    Annotation(&'static AnnotatedSidecar),
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
    changes.chain(policies).chain(annotated(model)).collect()
}

/// Injectors that read an annotation: one of each row of the catalogue and each list of ports.
fn annotated(model: &Model) -> Vec<Injector<'_>> {
    let mut found: Vec<Injector<'_>> = Vec::new();
    let is_shown = |kind| model.objects().iter().any(|object| object.meta.gvk.kind == kind);
    let rows: Vec<_> = annotated_sidecars().iter().filter(|row| !row.objects.is_some_and(is_shown)).collect();
    for (id, object, template) in model.workloads() {
        let pods = PodsView { meta: &object.meta, template };
        for &row in &rows {
            if !is_annotated(row, model, pods) {
                continue;
            }
            let metadata = if row.kind.is_some() { Path::root() } else { template.path.clone() };
            let path = metadata.key("metadata").key("annotations").key(row.annotation);
            let ports =
                annotated_ports(row, pods).map(|(number, protocol)| (path.clone(), number, protocol.to_owned()));
            let ports: Vec<AddedPort> = ports.collect();
            let is_known = |known: &Injector<'_>| {
                matches!(known.by, By::Annotation(of) if of == row) && has_ports(&known.ports, row, pods)
            };
            if !ports.is_empty() && !found.iter().any(is_known) {
                let (ports, mapped) = (Cow::from(ports), Cow::default());
                found.push(Injector { id: id.object, meta: &object.meta, ports, mapped, by: By::Annotation(row) });
            }
        }
    }
    found
}

/// True if the annotation of the row puts its container into the pods.
fn is_annotated(row: &AnnotatedSidecar, model: &Model, pods: PodsView<'_>) -> bool {
    if row.kind.is_some_and(|kind| pods.meta.gvk.kind != kind) {
        return false;
    }
    let own = if row.kind.is_some() { &pods.meta.annotations } else { &pods.template.annotations };
    let value = own.get(row.annotation);
    let is_selected = if row.named {
        let of_namespace = || {
            let mut namespaces = model.namespaces(pods.meta.namespace.as_deref().unwrap_or_default());
            namespaces.find_map(|(_, meta)| meta.annotations.get(row.annotation))
        };
        let is_off = |value: &str| value.is_empty() || value.eq_ignore_ascii_case("false");
        value.or_else(of_namespace).is_some_and(|value| !is_off(value))
    } else {
        is_true(value) || (value.is_some() && value == row.value)
    };
    let stays = row.unless.is_none_or(|annotation| !is_true(pods.template.annotations.get(annotation)));
    is_selected && stays && !pods.template.has_container(row.container)
}

/// Ports of the container that the row puts into the pods: number and protocol.
fn annotated_ports<'a>(
    row: &'static AnnotatedSidecar,
    pods: PodsView<'a>,
) -> impl Iterator<Item = (u16, &'static str)> + 'a {
    let value = move |annotation: &str| pods.template.annotations.get(annotation);
    let is_open = move |only_if: &[&str]| only_if.is_empty() || only_if.iter().any(|one| is_true(value(one)));
    row.opens.iter().filter(move |port| is_open(port.only_if)).map(move |port| {
        let number = port.annotation.and_then(value).and_then(|text| text.trim().parse().ok());
        (number.unwrap_or(port.number), port.protocol)
    })
}

fn has_ports(ports: &[AddedPort], row: &'static AnnotatedSidecar, pods: PodsView<'_>) -> bool {
    let mut known = ports.iter();
    let is_next =
        |(number, protocol): (u16, &str)| known.next().is_some_and(|(_, own, of)| *own == number && *of == protocol);
    annotated_ports(row, pods).all(is_next) && known.next().is_none()
}

/// Source: dapr/kit strings `IsTruthy`; hashicorp/go-secure-stdlib parseutil `ParseBool`.
fn is_true(value: Option<&str>) -> bool {
    const TRUE: [&str; 6] = ["true", "yes", "y", "on", "t", "1"];
    value.is_some_and(|value| TRUE.iter().any(|one| value.trim().eq_ignore_ascii_case(one)))
}

impl fmt::Display for Injector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.by {
            By::Annotation(row) => write!(f, "{} (`{}`)", row.by, row.annotation),
            By::Selection(_) | By::Policy(_) => write!(f, "{}", self.meta),
        }
    }
}

impl Injector<'_> {
    /// True if the object puts its containers into these pods.
    pub fn selects(&self, model: &Model, pods: PodsView<'_>) -> bool {
        let selection = match &self.by {
            By::Policy(policy) => return policy.is_for(model, pods),
            By::Annotation(row) => return is_annotated(row, model, pods) && has_ports(&self.ports, row, pods),
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
            By::Annotation(row) => {
                let place = row.kind.map_or("pods".to_owned(), |kind| format!("{kind}s"));
                format!("Write `{}: \"false\"` on the {place}", row.annotation)
            }
            By::Selection(Selection::Workload { .. }) => "Let it name another workload".to_owned(),
        };
        format!(
            "{self}: injects {number}/{protocol} into pods on the host network ({pods}), where it is a port of the node: no template shows it, and two of these pods cannot share a node. {remedy}"
        )
    }
}

/// Message about an injected port that the pods also listen on.
pub fn injected_port_in_use_message(injector: &Injector<'_>, number: u16, protocol: &str, pods: &str) -> String {
    format!(
        "{injector}: injects {number}/{protocol} into pods on the host network that listen on it themselves ({pods}): the API server checks \
         this only for the Pod, and the second process fails with `bind: address already in use`. Use another number or selector"
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
