//! Listeners of a pod, and the role of each.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::called::olm_port_fields;
use super::client_address::is_client_address;
use super::config_file::Files;
use super::evidence_kind::{EvidenceKind, Guess, Weight};
use super::hints::Hints;
use super::map_variables::MapVariables;
use super::placeholder::has_placeholder;
use super::pod_programs::PodPrograms;
use super::port_name::name_all;
use super::reader::Reader;
use super::rejection::PodNames;
use super::role::Role;
use super::seen_ports::{Declared, SeenPorts, seen_ports};
use super::types::{Binding, Listener, ObstacleRemedy};
use crate::catalog::{FUNCTION_PORT, PackageKind};
use crate::model::facts::{ConfigPlace, FieldPort, PodsView, is_of_api, package};
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{PodTemplate, without_spare};
use crate::model::text::{Name, transport};

/// Known ports of the pods of a workload.
#[derive(Debug, Clone, Default)]
pub struct Ports {
    /// Listeners by container, declared ones first; then listeners that only other evidence shows.
    pub listeners: Vec<Listener>,
    /// Numbers that may be ports, according only to the names of their settings.
    pub guesses: Vec<Guess>,
}

/// Returns the listeners and guesses for the pods of a workload.
pub fn ports(model: &Model, meta: &Meta, template: &PodTemplate, hints: &Hints) -> Ports {
    let mut found = Vec::new();
    let mut guesses = Vec::new();
    let pod_names = PodNames::new(model, meta, template);
    let seen = seen_ports(model, meta, template, |object| hints.counts(object));
    let mut declared = Declared::new(template);
    for (index, container) in template.running() {
        let files = Files { model, meta, template };
        let here = seen.of_container(index, &declared);
        let reading = Reader::new(index, container, files, hints, &pod_names, &here).read();
        declared.add(&reading.listeners);
        found.extend(reading.listeners);
        guesses.extend(reading.guesses);
    }
    drop_ports_of_other_containers(&mut found);
    merge_into_declaring_container(&mut found);
    mark_fixed_if_declared_elsewhere(&mut found, template);
    let programs = PodPrograms::new(model, meta, template, hints);
    add_undeclared(model, meta, template, &programs, &seen, &mut found);
    let numbers: HashSet<u16> = found.iter().map(|listener| listener.number).collect();
    guesses.retain(|guess| !numbers.contains(&guess.setting.port));
    name_all(&mut found, template, |listener, name| programs.is_name_of_other_listener(listener, name));
    let mut found = without_spare(found);
    let called = called_ports(model, meta, template);
    for listener in &mut found {
        let own_probe = template.containers.get(listener.container).is_some_and(|container| {
            container.probes.iter().any(|probe| Some(probe.port.text.as_ref()) == listener.name.as_deref())
        });
        let by_call = called.iter().find(|(target, _)| match target {
            Target::Number(number) => *number == listener.number,
            Target::Name(name) => Some(name) == listener.name.as_ref(),
        });
        if is_dialled(meta, template, listener) {
            listener.binding = Binding::fixed(FUNCTION_PORT_REASON.to_owned(), ObstacleRemedy::Nothing);
        }
        listener.role = match listener.role {
            Role::Other if by_call.is_some_and(|(_, api)| *api) => Role::ApiService,
            Role::Other if by_call.is_some() => Role::Webhook,
            Role::Other if seen.is_scraped(listener.number) => Role::Metrics,
            Role::Other if own_probe || seen.is_probed(listener.number) => Role::Health,
            // The catalogue states the role, so words of the setting do not count.
            Role::Other if listener.evidence_kinds.has(EvidenceKind::Catalogue) => Role::Other,
            Role::Other => {
                // Crossplane chooses the port names of packages, so the role is certain.
                listener.is_role_by_word = PackageKind::from_meta(meta).is_none();
                let by_setting = || listener.places().find_map(|(_, _, name)| Role::from_name(name));
                Role::from_name(&listener.label).or_else(by_setting).unwrap_or(Role::Other)
            }
            known => known,
        };
    }
    Ports { listeners: found, guesses }
}

/// Reason why the port of a Function cannot move.
const FUNCTION_PORT_REASON: &str =
    "Crossplane always dials port 9443 of a Function's own pod, whatever its Service has";

/// True for the port of a Function that Crossplane dials.
fn is_dialled(meta: &Meta, template: &PodTemplate, listener: &Listener) -> bool {
    let container = template.containers.get(listener.container);
    PackageKind::from_meta(meta) == Some(PackageKind::Function)
        && container.is_some_and(|container| container.name == package::CONTAINER)
        && (listener.name.as_deref() == Some("grpc") || listener.number == FUNCTION_PORT)
}

/// Target port of a Service.
enum Target {
    Number(u16),
    Name(String),
}

/// Returns the target ports that the API server calls through Services, of the input or of Operator Lifecycle Manager,
/// each with true for an aggregated API.
fn called_ports(model: &Model, meta: &Meta, template: &PodTemplate) -> Vec<(Target, bool)> {
    let mut found = Vec::new();
    // Called ports by the name of a Service: several renders of one Service have the same callers.
    let mut calls: HashMap<_, Vec<(u16, bool)>> = HashMap::new();
    let services = model.services_of(meta, template);
    for (_, service_meta, service) in services.filter(|(_, service, _)| model.is_called(service)) {
        let calls = calls.entry((service_meta.name.as_str(), service_meta.namespace.as_deref())).or_insert_with(|| {
            let all = model.calls_of(service_meta).map(|call| (call.port, call.api_service));
            let mut seen = HashSet::new();
            all.filter(|call| seen.insert(*call)).collect()
        });
        for (called, is_api) in calls {
            for port in service.ports.iter().filter(|port| port.port == Some(*called)) {
                let name = port.target_name().map(|name| Target::Name(name.to_owned()));
                let target = port.target_number().map(Target::Number).or(name);
                found.extend(target.map(|target| (target, *is_api)));
            }
        }
    }
    let by_olm = olm_port_fields(model, PodsView { meta, template }).into_iter();
    found.extend(by_olm.filter_map(|field| {
        let target = match &field.port {
            FieldPort::Numbers(numbers) => Target::Number(*numbers.start()),
            FieldPort::Named => Target::Name(field.value.text.to_string()),
            FieldPort::Later | FieldPort::Unreadable => return None,
        };
        Some((target, is_of_api(field)))
    }));
    found
}

/// Drops listeners whose only evidence is a text, if the number belongs to another container: the
/// container that declares it, else the first container that listens on it. Such a text refers to
/// the port of that container. Also drops a loopback listener if another container declares the number and listens on
/// another address, as a proxy does: both have one number, and the text of the loopback listener moves with it.
fn drop_ports_of_other_containers(found: &mut Vec<Listener>) {
    let mut known: BTreeMap<u16, usize> = BTreeMap::new();
    for listener in found.iter().filter(|l| l.declared.is_some()).chain(found.iter()) {
        known.entry(listener.number).or_insert(listener.container);
    }
    let by_text = |listener: &Listener| {
        let certain = |evidence_kind: EvidenceKind| {
            evidence_kind.weight() == Weight::Certain || evidence_kind == EvidenceKind::Scaffold
        };
        listener.declared.is_none() && !listener.evidence_kinds.iter().any(certain)
    };
    let has_visible_setting = |listener: &Listener| matches!(listener.binding, Binding::Visible(_));
    let proxies = found
        .iter()
        .filter(|listener| listener.declared.is_some() && has_visible_setting(listener) && !listener.is_loopback());
    let proxies: HashSet<(u16, Cow<'static, str>)> =
        proxies.map(|listener| (listener.number, listener.protocol.clone())).collect();
    let is_proxied = |listener: &Listener| {
        listener.declared.is_none()
            && listener.is_loopback()
            && proxies.contains(&(listener.number, listener.protocol.clone()))
    };
    let is_of_other = |listener: &Listener| known.get(&listener.number) != Some(&listener.container);
    found.retain(|listener| !(is_of_other(listener) && (by_text(listener) || is_proxied(listener))));
}

/// True if the setting of a port number may also set the number for this protocol: its name contains no other protocol.
fn may_set_protocol(binding: &Binding, protocol: &str) -> bool {
    matches!(binding, Binding::Visible(_) | Binding::ConfigMap(_))
        && binding.places().all(|(_, _, name)| transport::of_name(name).is_none_or(|transport| transport == protocol))
}

/// Merges a listener from `bind` in one container into the port that another container declares, because both are the
/// same port of the pod.
fn merge_into_declaring_container(found: &mut Vec<Listener>) {
    let is_bound =
        |listener: &mut Listener| listener.declared.is_none() && listener.evidence_kinds.has(EvidenceKind::Bind);
    let bound: Vec<Listener> = found.extract_if(.., is_bound).collect();
    for listener in bound {
        let is_same = |other: &&mut Listener| {
            other.declared.is_some()
                && other.container != listener.container
                && (other.number, &other.protocol) == (listener.number, &listener.protocol)
        };
        match found.iter_mut().find(is_same) {
            Some(declared) => {
                std::iter::once(listener.binding).chain(listener.more).for_each(|binding| declared.bind(binding));
                declared.evidence_kinds.add_all(listener.evidence_kinds);
            }
            None => found.push(listener),
        }
    }
}

/// Makes the port fixed if one container declares it and another container listens on it. A move changes the setting
/// only in the container that declares the port, so it cannot express this case.
fn mark_fixed_if_declared_elsewhere(found: &mut [Listener], template: &PodTemplate) {
    let declared = found.iter().filter(|listener| listener.declared.is_some());
    let declared: Vec<Listener> = declared.cloned().collect();
    for listener in found.iter_mut().filter(|listener| listener.declared.is_none()) {
        let is_same = |other: &&Listener| {
            (other.number, &other.protocol) == (listener.number, &listener.protocol)
                && other.container != listener.container
        };
        let Some(other) = declared.iter().find(is_same) else { continue };
        let name =
            |index: usize| template.containers.get(index).map(|container| container.name.as_str()).unwrap_or_default();
        let number = listener.number;
        let (own, declaring) = (name(listener.container), name(other.container));
        let reason = format!("container `{own}` listens on {number}, and container `{declaring}` declares it");
        let remedy = match &listener.binding {
            Binding::Visible(places) => ObstacleRemedy::Seen(other.name.clone(), places.clone()),
            _ => ObstacleRemedy::Manifest(format!("Declare {number} under `ports` of container `{own}` instead")),
        };
        listener.binding = Binding::fixed(reason, remedy);
    }
}

/// Adds numbers of probes, Services, annotations and monitors that no container declares or sets.
fn add_undeclared(
    model: &Model,
    meta: &Meta,
    template: &PodTemplate,
    programs: &PodPrograms<'_>,
    seen: &SeenPorts,
    found: &mut Vec<Listener>,
) {
    // These numbers may be the number of a declared port with a placeholder.
    if template.running().any(|(_, container)| has_placeholder(container)) {
        return;
    }
    let mut known: HashSet<(u16, Cow<'static, str>)> =
        found.iter().map(|listener| (listener.number, listener.protocol.clone())).collect();
    let mut variables: HashMap<usize, HashMap<u16, ConfigPlace>> = HashMap::new();
    for port in seen.iter() {
        if !known.insert((port.number, port.protocol.clone())) {
            continue;
        }
        // TCP and UDP with the same number usually have the same setting.
        let twin = found
            .iter()
            .find(|listener| listener.number == port.number && may_set_protocol(&listener.binding, &port.protocol));
        let shown = port.container.or(port.dialled_by).or(twin.map(|twin| twin.container));
        let container = shown.or_else(|| programs.likely_container(port));
        let Some(container) = container.filter(|container| !programs.is_phantom(*container, port)) else { continue };
        let of_twin = twin.filter(|twin| twin.container == container).map(|twin| twin.binding.clone());
        let variables = variables.entry(container).or_insert_with(|| {
            let own = template.containers.get(container);
            let all = own.map(|container| MapVariables::for_container(model, meta.namespace.as_deref(), container));
            let sets = |place: &ConfigPlace| {
                let is_dialled = || own.is_some_and(|own| is_client_address(own, None, &place.to_port_setting()));
                Name::new(&place.name).is_listen() && !is_dialled()
            };
            let all = all.iter().flat_map(MapVariables::listening).filter(sets);
            let mut first = HashMap::new();
            all.for_each(|place| _ = first.entry(place.port).or_insert(place));
            first
        });
        let variable = variables.get(&port.number).cloned();
        let mut evidence_kinds = port.evidence_kinds;
        if variable.is_some() {
            evidence_kinds.add(EvidenceKind::Named);
        }
        found.push(Listener {
            container,
            declared: None,
            name: None,
            label: port.label.clone(),
            number: port.number,
            protocol: port.protocol.clone(),
            role: Role::Other,
            is_role_by_word: false,
            binding: variable.map(Binding::from_config_map).or(of_twin).unwrap_or(Binding::Unknown(Vec::new())),
            more: Vec::new(),
            also: Vec::new(),
            evidence_kinds,
        });
    }
}
