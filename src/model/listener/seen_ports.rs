//! Ports in probes, Services, annotations and monitors. Each of these shows that a process of the pod listens there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::called::olm_port_fields;
use super::evidence_kind::{EvidenceKind, EvidenceKinds};
use super::types::Listener;
use crate::catalog;
use crate::model::facts::{FieldPort, PodsView, Reach, Service, ServicePort, is_of_api};
use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{
    Container, ContainerPort, FIRST_UNPRIVILEGED_PORT, LowPorts, PodTemplate, TCP, listens_at, protocol,
};
use crate::model::setting::ExecTexts;
use crate::model::text::{Number, listed_ports, port};
use lossless_yaml::Path;

/// Port with evidence outside of the settings of a container.
#[derive(Debug, Clone)]
pub(in crate::model) struct SeenPort {
    pub(in crate::model) number: u16,
    pub(in crate::model) protocol: Cow<'static, str>,
    pub(in crate::model) evidence_kinds: EvidenceKinds,
    /// Container with a probe of this port.
    pub(in crate::model) container: Option<usize>,
    /// Container with a probe or hook command that dials this port on the pod itself: usually a port of the container.
    pub(in crate::model) dialled_by: Option<usize>,
    /// Name that the port gets if no container declares it.
    pub(in crate::model) label: String,
    /// Positions of the evidence; the object is `None` for the workload itself.
    pub(in crate::model) places: Vec<(EvidenceKind, Option<ObjectId>, Path)>,
}

/// Ports of a pod with evidence, in the order of messages: probes first.
#[derive(Debug, Default)]
pub(in crate::model) struct SeenPorts {
    ports: Vec<SeenPort>,
    /// Positions in `ports` by number.
    by_number: HashMap<u16, Vec<usize>>,
}

/// Containers that declare a port number or listen on it.
#[derive(Debug, Default)]
pub(in crate::model) struct Declared(HashMap<u16, BTreeSet<usize>>);

impl Declared {
    pub(in crate::model) fn new(template: &PodTemplate) -> Self {
        let mut found = Self::default();
        for (index, container) in template.running() {
            for number in container.ports.iter().flatten().filter_map(ContainerPort::number) {
                found.0.entry(number).or_default().insert(index);
            }
        }
        found
    }

    /// Adds the port numbers of listeners.
    pub(in crate::model) fn add(&mut self, found: &[Listener]) {
        for listener in found {
            self.0.entry(listener.number).or_default().insert(listener.container);
        }
    }

    /// True if another container declares the port number or listens on it.
    fn is_of_other_container(&self, number: u16, container: usize) -> bool {
        // Two containers are enough to decide: at least one of them is not `container`.
        self.0.get(&number).is_some_and(|owners| owners.iter().take(2).any(|owner| *owner != container))
    }
}

impl SeenPorts {
    /// Position of the port with this number and protocol.
    fn position(&self, number: u16, protocol: &str) -> Option<usize> {
        let same = |&&position: &&usize| self.ports.get(position).is_some_and(|port| port.protocol == protocol);
        self.by_number.get(&number)?.iter().find(same).copied()
    }

    /// Adds evidence for a number, and returns its port.
    fn add(
        &mut self,
        number: u16,
        protocol: Cow<'static, str>,
        label: &str,
        place: (EvidenceKind, Option<ObjectId>, Path),
    ) -> Option<&mut SeenPort> {
        let position = self.position(number, &protocol).unwrap_or_else(|| {
            let position = self.ports.len();
            let (evidence_kinds, label) = (EvidenceKinds::default(), label.to_owned());
            self.by_number.entry(number).or_default().push(position);
            let (container, dialled_by, places) = (None, None, Vec::new());
            self.ports.push(SeenPort { number, protocol, evidence_kinds, container, dialled_by, label, places });
            position
        });
        let port = self.ports.get_mut(position)?;
        port.evidence_kinds.add(place.0);
        port.places.push(place);
        Some(port)
    }

    pub(in crate::model) fn iter(&self) -> impl Iterator<Item = &SeenPort> {
        self.ports.iter()
    }

    /// Ports with this number, one for each protocol.
    pub(in crate::model) fn of_number(&self, number: u16) -> impl Iterator<Item = &SeenPort> {
        self.by_number.get(&number).into_iter().flatten().filter_map(|&position| self.ports.get(position))
    }

    /// True if a port with this number has this kind of evidence.
    fn has(&self, number: u16, evidence_kind: EvidenceKind) -> bool {
        self.of_number(number).any(|port| port.evidence_kinds.has(evidence_kind))
    }

    /// True if a probe or hook dials the port number.
    pub(in crate::model) fn is_probed(&self, number: u16) -> bool {
        self.has(number, EvidenceKind::Probe)
    }

    /// True if an annotation has the number as a port to scrape.
    pub(in crate::model) fn is_scraped(&self, number: u16) -> bool {
        self.has(number, EvidenceKind::Annotation)
    }

    /// Returns the evidence for the numbers of one container, without numbers that another container declares, listens
    /// on or has a probe for.
    pub(in crate::model) fn of_container(&self, container: usize, declared: &Declared) -> BTreeMap<u16, EvidenceKinds> {
        let is_of_other_container = |port: &&SeenPort| {
            port.container.is_some_and(|probed| probed != container)
                || declared.is_of_other_container(port.number, container)
        };
        let own = self.ports.iter().filter(|port| port.protocol == TCP && !is_of_other_container(port));
        let shown = own.filter_map(|port| {
            let by_another = port.container.is_none() && port.dialled_by.is_some_and(|from| from != container);
            let evidence_kinds =
                if by_another { port.evidence_kinds.without(EvidenceKind::Probe) } else { port.evidence_kinds };
            (!evidence_kinds.is_empty()).then_some((port.number, evidence_kinds))
        });
        shown.collect()
    }
}

/// Collects the evidence for the ports of a pod. `counts` is false for objects to ignore.
pub(in crate::model) fn seen_ports(
    model: &Model,
    meta: &Meta,
    template: &PodTemplate,
    counts: impl Fn(ObjectId) -> bool,
) -> SeenPorts {
    let mut seen = SeenPorts::default();
    let pods = PodsView { meta, template };
    seen.add_probes(template);
    seen.add_commands(template);
    let services: Vec<_> = model.services_of(meta, template).filter(|(id, ..)| counts(*id)).collect();
    seen.add_annotations(template, &services);
    for service in services {
        seen.add_service(model, pods, service);
    }
    for field in olm_port_fields(model, pods) {
        if let FieldPort::Numbers(numbers) = &field.port {
            let label = if is_of_api(field) { "api" } else { "webhook" };
            seen.add(*numbers.start(), TCP, label, (EvidenceKind::Service, None, field.path.clone()));
        }
    }
    let groups = model.field_index().groups_for_pods(model, pods).into_iter();
    for (_, group, _) in groups.filter(|(.., reach)| *reach == Reach::Sure) {
        for (number, fields) in group.monitored(model) {
            // A single field is enough evidence.
            let Some((object, path)) = fields.iter().find(|(object, _)| counts(*object)) else { continue };
            if is_for(*number, &TCP, meta, template, || group.some_declares(model, *number)) {
                seen.add(*number, TCP, "metrics", (EvidenceKind::Monitor, Some(*object), path.clone()));
            }
        }
    }
    seen
}

/// A Service of the pods.
type OwnService<'m> = (ObjectId, &'m Meta, &'m Service);

impl SeenPorts {
    /// Adds the ports of probes.
    fn add_probes(&mut self, template: &PodTemplate) {
        for (index, container) in template.running() {
            for probe in &container.probes {
                // On the host network a process may listen at one address of the node, and answer probes there.
                let host = probe.host.as_deref().filter(|host| container.on_host && listens_at(template, host));
                let number = probe.number().or_else(|| port(&probe.port.text).filter(|_| host.is_some()));
                let place = (EvidenceKind::Probe, None, probe.path.clone());
                if let Some(port) = number.and_then(|number| self.add(number, TCP, "health", place)) {
                    port.container = port.container.or(Some(index));
                }
            }
        }
    }

    /// Adds the ports that commands of probes and hooks dial on the pod itself.
    fn add_commands(&mut self, template: &PodTemplate) {
        let execs =
            template.running().flat_map(|(index, container)| container.execs.iter().map(move |exec| (index, exec)));
        let execs: Vec<(usize, ExecTexts<'_>)> =
            execs.map(|(index, (path, command))| (index, ExecTexts::new(path, command))).collect();
        let protocols = if execs.is_empty() { HashMap::new() } else { protocols(template) };
        for (index, exec) in &execs {
            for (place, number) in exec.own_places() {
                let declared = protocols.get(&number).map_or(&[][..], Vec::as_slice);
                let protocol = dialled(declared, exec.transport(&place));
                if let Some(port) = self.add(number, protocol, "health", (EvidenceKind::Probe, None, place.path)) {
                    port.dialled_by = port.dialled_by.or(Some(*index));
                }
            }
        }
    }

    /// Adds the ports in annotations of the pods, and of their Services, whose annotations refer to the same pods.
    fn add_annotations(&mut self, template: &PodTemplate, services: &[OwnService<'_>]) {
        let own = (None, template.path.key("metadata"), &template.annotations, None);
        let of_services = services
            .iter()
            .filter(|(_, meta, _)| !meta.annotations.is_empty())
            .map(|(id, meta, service)| (Some(*id), Path::root().key("metadata"), &meta.annotations, Some(*service)));
        for (object, metadata, annotations, service) in std::iter::once(own).chain(of_services) {
            for key in catalog::PORT_ANNOTATIONS {
                // Some charts write the port of the Service itself, which is no evidence for a
                // listener.
                let is_of_pods = |number: &Number| {
                    service.is_none_or(|service| !service.maps(number.port)) || template.declares(number.port, &TCP)
                };
                let numbers = annotations.get(key).map(listed_ports).unwrap_or_default();
                for number in numbers.into_iter().filter(is_of_pods) {
                    let path = metadata.key("annotations").key(*key);
                    self.add(number.port, TCP, "metrics", (EvidenceKind::Annotation, object, path));
                }
            }
        }
    }

    /// Adds the numbers of a Service's target ports.
    fn add_service(&mut self, model: &Model, pods: PodsView<'_>, (id, service_meta, service): OwnService<'_>) {
        let PodsView { meta, template } = pods;
        for port in &service.ports {
            let Some(number) = port.target_number() else { continue };
            if is_unopenable_implied_port(model, template, service_meta, port) {
                continue;
            }
            let some_declares =
                || port.is_declared(model.selected_by(service_meta, service).map(|(_, template)| template));
            if is_for(number, &port.protocol, meta, template, some_declares) {
                let is_called = model.calls_of(service_meta).any(|call| port.port == Some(call.port));
                let label = port.name.as_deref().unwrap_or(if is_called { "webhook" } else { "service" });
                let place = (EvidenceKind::Service, Some(id), port.path.clone());
                self.add(number, port.protocol.clone(), label, place);
            }
        }
    }
}

/// True for a port of a Service below 1024 without `targetPort`, if no container declares it or may open it on the host
/// network, and the API server does not call the Service. Scaffolds leave such a Service with port 443, on which no
/// process listens.
pub fn is_unopenable_implied_port(model: &Model, template: &PodTemplate, service: &Meta, port: &ServicePort) -> bool {
    let may_not_open =
        |(_, container): (usize, &Container)| matches!(container.low_ports, LowPorts::Denied | LowPorts::Dropped);
    port.is_target_implied()
        && port
            .port
            .is_some_and(|number| number < FIRST_UNPRIVILEGED_PORT && !template.declares(number, &port.protocol))
        && template.running().all(may_not_open)
        && !model.is_called(service)
}

/// Protocols of the declared ports by number.
fn protocols(template: &PodTemplate) -> HashMap<u16, Vec<&Cow<'static, str>>> {
    let mut found: HashMap<u16, Vec<&Cow<'static, str>>> = HashMap::new();
    for port in template.running().flat_map(|(_, container)| container.ports.iter().flatten()) {
        port.number().into_iter().for_each(|number| found.entry(number).or_default().push(&port.protocol));
    }
    found
}

/// Returns the protocol with which a command dials a number of the pod: `transport`, the protocol in the command, else
/// one of `declared`, the protocols of the declared ports with this number.
fn dialled(declared: &[&Cow<'static, str>], transport: Option<&'static str>) -> Cow<'static, str> {
    let is_declared = |protocol: &str| declared.iter().any(|declared_protocol| *declared_protocol == protocol);
    match transport {
        // A declared port without `protocol` is TCP, whatever protocol the process uses.
        Some(transport) if transport != TCP && (is_declared(transport) || !is_declared(&TCP)) => {
            protocol(Some(transport))
        }
        None if !is_declared(&TCP) => declared.first().map_or(TCP, |first| (*first).clone()),
        _ => TCP,
    }
}

/// True if a port number in an object about several workloads shows a listener of this workload: it declares the
/// number; or no workload declares it, and this workload is neither a Job nor a Pod.
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
