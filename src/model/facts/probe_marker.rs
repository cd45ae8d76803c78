//! OpenKruise's `PodProbeMarker`: probes of pods, in a separate object.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/pod_probe_marker_types.go`: `selector` over the labels of pods
//! of its namespace, and for each probe the container whose pods have it.

use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Count, Effect, FieldPort, PodCommand, PortField, PortFields};
use super::scope::Scope;
use crate::model::meta::Meta;
use crate::model::pod::{Actions, Probe, TCP, action};
use lossless_yaml::{NodeRef, Path};

/// Probe of a marker.
#[derive(Debug, Clone)]
pub struct MarkerProbe {
    /// Pods with a container of this name.
    pub applies_to: Arc<AppliesTo>,
    /// Container in which the name of a port is looked up.
    pub container: Box<str>,
    /// Probe that dials a port.
    pub probe: Probe,
}

/// Returns the probes of a marker that dial a port.
pub(crate) fn probes(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<MarkerProbe> {
    let of_container = |(container, applies_to, (probes, _)): (Box<str>, Arc<AppliesTo>, Actions)| {
        let probe =
            move |probe| MarkerProbe { applies_to: Arc::clone(&applies_to), container: container.clone(), probe };
        probes.into_iter().map(probe)
    };
    actions(meta, object).into_iter().flat_map(of_container).collect()
}

/// Returns the actions of each probe of a marker, with its container and its pods.
fn actions(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<(Box<str>, Arc<AppliesTo>, Actions)> {
    let Some(spec) = object.get("spec") else { return Vec::new() };
    let scope = spec.get("selector").and_then(|selector| Scope::own(Some(selector), meta));
    let Some(scope) = scope else { return Vec::new() };
    let probes = spec.get("probes").into_iter().flat_map(NodeRef::items).enumerate();
    let of_probe = |(index, node): (usize, NodeRef<'_, '_>)| {
        let name = node.get("name").and_then(NodeRef::text);
        let path = Path::dotted("spec.probes").named_item(index, name).key("probe");
        let mut actions = Actions::default();
        action(node.get("probe"), &path, &mut actions);
        let container: Box<str> = node.get("containerName").and_then(NodeRef::text).unwrap_or_default().into();
        (container.clone(), Arc::new(AppliesTo::Pods(scope.clone(), Some(container))), actions)
    };
    probes.map(of_probe).collect()
}

/// Returns the ports and commands of the probes of a marker. Probes run in all selected pods, even if these do not
/// declare the port.
pub(super) fn fields(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    for (_, applies_to, (probes, commands)) in actions(meta, object) {
        for probe in probes.into_iter().filter(Probe::is_own) {
            let Some((port, range)) = FieldPort::parse(&probe.port.text) else { continue };
            found.fields.push(PortField {
                path: probe.path,
                value: probe.port,
                range,
                port,
                protocol: Some(TCP),
                applies_to: Arc::clone(&applies_to),
                effect: Effect::Follows(Count::All),
            });
        }
        let command = |(path, words)| PodCommand { path, words, applies_to: Arc::clone(&applies_to) };
        found.commands.extend(commands.into_iter().map(command));
    }
    found
}
