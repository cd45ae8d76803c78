//! OpenKruise's `PodProbeMarker`: probes of pods that stand in an object of their own.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/pod_probe_marker_types.go`: `selector` over the labels of pods of
//! its namespace, and for each probe the container whose pods have it.

use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Count, Effect, FieldPort, PodCommand, PortField, PortFields};
use super::scope::Scope;
use crate::model::meta::Meta;
use crate::model::pod::{Actions, Probe, TCP, action};
use crate::yaml::{NodeRef, Path};

/// The ports that a marker probes, and the commands that it runs. They run in all of its pods, whether these declare the port or not.
#[must_use]
pub(super) fn fields(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    let Some(spec) = object.get("spec") else { return found };
    let Some(scope) = spec.get("selector").and_then(|selector| Scope::own(Some(selector), meta)) else { return found };
    for (index, node) in spec.get("probes").into_iter().flat_map(NodeRef::items).enumerate() {
        let name = node.get("name").and_then(NodeRef::text);
        let path = Path::dotted("spec.probes").named_item(index, name).key("probe");
        let mut actions = Actions::default();
        action(node.get("probe"), &path, &mut actions);
        let container = node.get("containerName").and_then(NodeRef::text).unwrap_or_default();
        let applies_to = Arc::new(AppliesTo::Pods(scope.clone(), Some(container.into())));
        let (probes, commands) = actions;
        for probe in probes.into_iter().filter(Probe::is_own) {
            let Some((port, range)) = FieldPort::of(&probe.port.text) else { continue };
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
