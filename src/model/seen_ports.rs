//! Ports that are seen from outside of the process: by probes, Services, annotations and monitors. Each shows that something
//! of the pod listens there.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::evidence::{Witness, Witnesses};
use super::exec::spoken;
use super::listener::Listener;
use super::own_address::own_places;
use super::pod::PodTemplate;
use super::protocol::{TCP, protocol};
use super::reference::{PodsView, Reach};
use super::text::listed_ports;
use super::{Meta, Model, ObjectId};
use crate::catalog;
use crate::yaml::Path;

/// A number that is seen.
#[derive(Debug, Clone)]
pub(super) struct SeenPort {
    pub(super) number: u16,
    pub(super) protocol: Cow<'static, str>,
    pub(super) witnesses: Witnesses,
    /// The container that is probed there, where one is.
    pub(super) container: Option<usize>,
    /// The name that the port gets when nothing declares it.
    pub(super) label: String,
    /// Where it is seen: the object when it is not the workload itself.
    pub(super) places: Vec<(Witness, Option<ObjectId>, Path)>,
}

/// All of a pod, in the order in which they are named: probes first.
#[derive(Debug, Default)]
pub(super) struct SeenPorts(Vec<SeenPort>);

impl SeenPorts {
    fn add(&mut self, number: u16, protocol: Cow<'static, str>, label: &str, place: (Witness, Option<ObjectId>, Path)) {
        let known = self.0.iter_mut().find(|port| port.number == number && port.protocol == protocol);
        if let Some(port) = known {
            port.witnesses.add(place.0);
            port.places.push(place);
        } else {
            let witnesses = Witnesses::default().with(place.0);
            let label = label.to_owned();
            self.0.push(SeenPort { number, protocol, witnesses, container: None, label, places: vec![place] });
        }
    }

    /// A probe or hook of a container dials a number.
    fn probed(&mut self, container: usize, number: u16, path: Path) {
        self.add(number, TCP, "health", (Witness::Probe, None, path));
        let port = self.0.iter_mut().find(|port| port.number == number && port.protocol == TCP);
        if let Some(port) = port {
            port.container = port.container.or(Some(container));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &SeenPort> {
        self.0.iter()
    }

    fn has(&self, number: u16, witness: Witness) -> bool {
        self.0.iter().any(|port| port.number == number && port.witnesses.has(witness))
    }

    /// Whether a probe or hook dials a number.
    pub(super) fn is_probed(&self, number: u16) -> bool {
        self.has(number, Witness::Probe)
    }

    /// Whether an annotation has a number scraped.
    pub(super) fn is_scraped(&self, number: u16) -> bool {
        self.has(number, Witness::Annotation)
    }

    /// What is seen of the numbers of one container: what another one declares, is probed at or is told already is not its.
    pub(super) fn of_container(
        &self,
        template: &PodTemplate,
        container: usize,
        found: &[Listener],
    ) -> BTreeMap<u16, Witnesses> {
        let is_anothers = |port: &&SeenPort| {
            let mut others = template.running().filter(|(index, _)| *index != container);
            let declares = |port: &SeenPort, other: &super::pod::Container| {
                other.ports.iter().flatten().any(|own| own.number() == Some(port.number))
            };
            port.container.is_some_and(|probed| probed != container)
                || others.any(|(_, other)| declares(port, other))
                || found.iter().any(|listener| listener.number == port.number && listener.container != container)
        };
        let own = self.0.iter().filter(|port| port.protocol == TCP && !is_anothers(port));
        own.map(|port| (port.number, port.witnesses)).collect()
    }
}

/// What is seen of a pod's ports.
pub(super) fn seen_ports(model: &Model, meta: &Meta, template: &PodTemplate) -> SeenPorts {
    let mut seen = SeenPorts::default();
    for (index, container) in template.running() {
        for probe in &container.probes {
            if let Some(number) = probe.number() {
                seen.probed(index, number, probe.path.clone());
            }
        }
    }
    // A command of a probe or hook that dials the pod itself.
    for (_, container) in template.running() {
        for (path, command) in &container.execs {
            let words: Vec<(Path, &str)> =
                command.iter().enumerate().map(|(index, word)| (path.item(index), word.as_str())).collect();
            for (place, number) in own_places(&words) {
                let protocol = dialled(template, number, spoken(path, command, &place));
                seen.add(number, protocol, "health", (Witness::Probe, None, place.path));
            }
        }
    }
    // An annotation of a Service leads to the same pods.
    let services: Vec<_> = model.services_of(meta, template).collect();
    let own = (None, template.path.key("metadata"), &template.annotations);
    let of_services = services.iter().map(|(id, meta, _)| (Some(*id), Path::root().key("metadata"), &meta.annotations));
    for (object, metadata, annotations) in std::iter::once(own).chain(of_services) {
        for key in catalog::port_annotations() {
            for number in annotations.get(key).map(listed_ports).unwrap_or_default() {
                let path = metadata.key("annotations").key(*key);
                seen.add(number.port, TCP, "metrics", (Witness::Annotation, object, path));
            }
        }
    }
    for (id, service_meta, service) in services {
        for port in &service.ports {
            let Some(number) = port.target_number() else { continue };
            let some_declares =
                || model.selected_by(service_meta, service).any(|(_, other)| other.declares(number, &port.protocol));
            if is_for(number, &port.protocol, meta, template, some_declares) {
                let is_called = model.calls_of(service_meta).any(|call| port.port == Some(call.port));
                let label = port.name.as_deref().unwrap_or(if is_called { "webhook" } else { "service" });
                let place = (Witness::Service, Some(id), port.path.clone());
                seen.add(number, port.protocol.clone(), label, place);
            }
        }
    }
    let pods = PodsView { meta, template };
    let groups = model.field_index().of_pods(model, pods).into_iter();
    for (_, group, _) in groups.filter(|(.., reach)| *reach == Reach::Sure) {
        for (number, (object, path)) in group.monitored(model) {
            if is_for(*number, &TCP, meta, template, || group.some_declares(model, *number)) {
                seen.add(*number, TCP, "metrics", (Witness::Monitor, Some(*object), path.clone()));
            }
        }
    }
    seen
}

/// The protocol by which a command dials a number of the pod: what it says, else that of the port that is declared.
fn dialled(template: &PodTemplate, number: u16, spoken: Option<&'static str>) -> Cow<'static, str> {
    let mut declared = template.running().flat_map(|(_, container)| container.ports.iter().flatten());
    match spoken {
        // A declared port without a protocol is TCP, whatever the process speaks.
        Some(spoken) if spoken != TCP && (template.declares(number, spoken) || !template.declares(number, &TCP)) => {
            protocol(Some(spoken))
        }
        None if !template.declares(number, &TCP) => {
            declared.find(|port| port.number() == Some(number)).map_or(TCP, |port| port.protocol.clone())
        }
        _ => TCP,
    }
}

/// Whether a number that leads to several workloads shows a listener of this one: those that declare it have it; where none
/// does, all but those that end by themselves.
fn is_for(
    number: u16,
    protocol: &str,
    meta: &Meta,
    template: &PodTemplate,
    some_declares: impl FnOnce() -> bool,
) -> bool {
    if template.declares(number, protocol) {
        return true;
    }
    !meta.is_job() && !meta.is_pod() && !some_declares()
}
