//! OpenKruise's `PodProbeMarker`: probes of pods that stand in an object of their own (P5).
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/pod_probe_marker_types.go`: `selector` over the labels of pods of
//! its namespace, and for each probe the container whose pods have it.

use super::exec::exec_references;
use super::listener::Listener;
use super::probe::{Actions, action};
use super::reference::{Pods, Reference};
use super::scope::Scope;
use super::{Facts, Meta, Model, ObjectId};
use crate::yaml::{NodeRef, Path};

/// A `PodProbeMarker`.
#[derive(Debug, Clone)]
pub struct ProbeMarker {
    scope: Scope,
    probes: Vec<(String, Actions)>,
}

impl ProbeMarker {
    /// Reads a marker; none when it probes no port and runs no command.
    #[must_use]
    pub fn of(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let mut probes = Vec::new();
        for (index, node) in spec.get("probes").into_iter().flat_map(NodeRef::items).enumerate() {
            let name = node.get("name").and_then(NodeRef::text);
            let path = Path::dotted("spec.probes").named_item(index, name).key("probe");
            let mut actions = Actions::default();
            action(node.get("probe"), &path, &mut actions);
            let container = node.get("containerName").and_then(NodeRef::text).unwrap_or_default();
            if !actions.0.is_empty() || !actions.1.is_empty() {
                probes.push((container.to_owned(), actions));
            }
        }
        if probes.is_empty() {
            return None;
        }
        Some(Self { scope: Scope::own(Some(spec.get("selector")?), meta)?, probes })
    }
}

/// The probes of markers that dial a listener.
pub(super) fn references(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (object, marker) in model.selecting().filter_map(|(id, object)| match &object.facts {
        Facts::ProbeMarker(marker) => Some((id, marker)),
        _ => None,
    }) {
        if !marker.scope.meets(pods.meta.namespace.as_deref(), &pods.template.labels) {
            continue;
        }
        for (container, (probes, execs)) in &marker.probes {
            if !pods.template.has_container(container) {
                continue;
            }
            // The probe is run in all of them, whether they declare the port or not.
            let others = || -> Vec<ObjectId> {
                let all = model.workloads_in(&marker.scope).filter(|(_, template)| template.has_container(container));
                all.map(|(id, _)| id).filter(|id| *id != pods.id).collect()
            };
            for probe in probes.iter().filter(|probe| probe.number() == Some(listener.number)) {
                let (path, value) = (probe.path.clone(), probe.port.clone());
                found.push(Reference::Field { object, path, value, others: others() });
            }
            for (path, command) in execs {
                let mut here = exec_references(object, path, command, listener.number);
                for reference in &mut here {
                    if let Reference::Text { others: known, .. } = reference {
                        *known = others();
                    }
                }
                found.extend(here);
            }
        }
    }
}
