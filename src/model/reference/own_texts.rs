//! References in the pod template itself: probes, texts, variables, annotations.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::search::Search;
use super::service;
use super::transports::ListenerMatch;
use super::types::{AffectedWorkloads, Reference};
use crate::model::facts::{Effect, PortField};
use crate::model::listener::is_client_address;
use crate::model::pod::{HeldPort, PodTemplate};
use crate::model::text::{Form, HostKind, Name, TextPlace};
use lossless_yaml::Path;

/// Finds the probes that dial the listener.
pub(in crate::model) fn probes(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { pods, listener, .. } = *search;
    let probes = pods.template.running().flat_map(|(_, container)| &container.probes);
    for probe in probes.filter(|probe| probe.number() == Some(listener.number)) {
        let (path, value) = (probe.path.clone(), probe.port.clone());
        found.push(Reference::Field { object: pods.id.object, path, value, others: AffectedWorkloads::default() });
    }
}

/// Adds the references to a port in the texts of its own pods.
pub(in crate::model) fn find_references_in_own_texts(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { pods, texts, listener, transports, .. } = *search;
    // Texts that the catalogue does not know change together with the known setting.
    for place in &listener.also {
        found.push(Reference::Text {
            object: pods.id.object,
            place: place.place.clone(),
            others: AffectedWorkloads::default(),
        });
    }
    let also: BTreeSet<(&Path, usize)> =
        listener.also.iter().map(|also| (&also.place.path, also.place.range.start)).collect();
    let known = |at: &TextPlace| texts.number_sets_listener_port(at) || also.contains(&(&at.path, at.range.start));
    let is_own = |port: HeldPort<'_>| (port.number, port.protocol) == (listener.number, listener.protocol.as_ref());
    let mut on_node = None;
    let has_other_purpose = |index: usize, place: &TextPlace| {
        let own = texts.container(index).filter(|_| index == listener.container);
        own.is_some_and(|own| own.texts.has_other_purpose(texts.pod_names(), listener, place))
    };
    for (index, address) in texts.own_addresses(listener.number).filter(|(_, address)| !known(&address.place)) {
        if has_other_purpose(index, &address.place) {
            continue;
        }
        let address = address.clone();
        let mut is_on_node = || {
            *on_node.get_or_insert_with(|| pods.template.on_host_network() || pods.template.held_ports().any(is_own))
        };
        let listener_match = transports.listener_of(|| texts.transport(index, &address.place));
        found.extend(match address.node.filter(|_| listener_match != ListenerMatch::Another && !is_on_node()) {
            None => Reference::text(pods.id.object, address.place, AffectedWorkloads::default(), listener_match),
            Some(name) => {
                let why = format!(
                    "`{name}` is the address of the node, where the pod has no hostPort {}, so it may refer to another \
                     pod",
                    listener.number
                );
                Some(Reference::Blocking { object: pods.id.object, path: address.place.path, why })
            }
        });
    }
    neighbours(search, found);
    variables(search, found);
    for (container, exec) in texts.execs_with(listener.number) {
        let dials_other_host =
            |settings: &_, setting: &_| texts.pod_names().dials_other_host(container, settings, setting);
        found.extend(exec.references(pods.id.object, listener.number, transports, dials_other_host));
    }
    find_numbers_in_other_containers(search, found);
}

/// The number in texts of other containers, outside of addresses of the pod itself: as a separate
/// word, or anywhere in a text of which another part changes. Texts that are already reported are
/// not reported again.
fn find_numbers_in_other_containers(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { pods, texts, listener, transports, .. } = *search;
    let (mut changed, mut reported) = (HashMap::<&Path, HashSet<usize>>::new(), HashSet::<Path>::new());
    for reference in found.iter() {
        match reference {
            Reference::Text { object, place, .. } | Reference::Either { object, place, .. } => {
                if *object == pods.id.object {
                    changed.entry(&place.path).or_default().insert(place.range.start);
                }
            }
            _ => reported.extend(reference.pod_template_path().cloned()),
        }
    }
    // Flags of the listener's container belong to the listener's program.
    let is_other = |index: usize| index != listener.container;
    let alone = texts.separate_numbers(listener.number).iter().filter(|(index, place)| {
        is_other(*index) && !texts.text_sets_listener_port(&place.path) && !changed.contains_key(&place.path)
    });
    let alone = alone.map(|(index, place)| (*index, place.clone()));
    let is_known =
        |place: &TextPlace| changed.get(&place.path).is_none_or(|starts| starts.iter().any(|at| is_in_url(place, *at)));
    let others = pods.template.running().map(|(index, _)| index).filter(|index| is_other(*index));
    let others = others.filter(|index| !changed.is_empty() && !texts.listens(*index, listener.number));
    let partly_changed = others.flat_map(|index| {
        let container = texts.container(index);
        let left = container.map(|own| own.texts.leftovers(texts.pod_names(), listener.number, &[], is_known));
        left.into_iter().flatten().map(move |left| (index, left.place))
    });
    let mut seen = Vec::new();
    for (index, place) in alone.chain(partly_changed) {
        let is_of_other_listener =
            || transports.listener_of(|| texts.transport(index, &place)) == ListenerMatch::Another;
        if reported.contains(&place.path) || is_of_other_listener() {
            continue;
        }
        let container = pods.template.containers.get(index).map(|c| c.name.as_str()).unwrap_or_default();
        let what = format!("container `{container}` has {} next to an address of the pod itself", listener.number);
        seen.push(Reference::Seen { object: pods.id.object, path: place.path.clone(), what });
        reported.insert(place.path);
    }
    found.append(&mut seen);
}

/// True if a number is the port of the address whose port starts at `start`, or is in its path or query.
fn is_in_url(number: &TextPlace, start: usize) -> bool {
    let between = number.text.get(start..number.range.start);
    between.is_some_and(|text| !text.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';')))
}

/// Other uses of the variables that set the number. A changed variable would also change the port
/// of another program.
fn variables(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { pods, texts, listener, .. } = *search;
    let containers = || pods.template.containers.iter().enumerate();
    let var_at = |(_, place, _): (_, &TextPlace, _)| {
        containers().find_map(|(index, container)| Some((index, container.env_var_at_path(&place.path)?)))
    };
    for (index, var) in listener.places().filter_map(var_at) {
        let is_peer = |host: &str| texts.peer(index, host).is_some();
        let uses = texts.uses(index);
        for (path, text) in uses.map(|uses| uses.other_uses(var.name, &is_peer)).unwrap_or_default() {
            let why = format!("`{text}` is the port of another program, and also uses the variable `{}`", var.name);
            found.push(Reference::Blocking { object: pods.id.object, path, why });
        }
    }
    for (_, place, _) in listener.places().filter(|(object, ..)| object.is_none()) {
        let of_container = || var_at((None, place, "")).map(|(index, var)| (index, var.name));
        let of_script = || {
            pods.template.containers.get(listener.container)?.script()?;
            Some((listener.container, texts.uses(listener.container)?.assigned_at(place)?))
        };
        let Some((index, variable)) = of_container().or_else(of_script) else { continue };
        for (path, text) in texts.uses(index).map(|uses| uses.calculations(variable)).unwrap_or_default() {
            let why =
                format!("`{text}` calculates another number from the variable `{variable}`, which would change too");
            found.push(Reference::Blocking { object: pods.id.object, path, why });
        }
    }
}

/// Other containers that get the number in a setting with the name of a port or listen address,
/// without a host that shows whose port it is.
fn neighbours(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { pods, texts, listener, transports, .. } = *search;
    for (index, place) in texts.of_port(listener.number) {
        let is_own = || texts.number_sets_listener_port(&place.place);
        if index == listener.container || texts.listens(index, listener.number) || is_own() {
            continue;
        }
        let is_of_other_listener =
            || transports.listener_of(|| texts.transport(index, &place.place)) == ListenerMatch::Another;
        let is_client = || {
            let container = pods.template.containers.get(index);
            place.form != Form::Bare && container.is_some_and(|own| is_client_address(own, None, &place))
        };
        let name = Name::new(&place.name);
        // A number next to an address of the pod itself is only reported.
        let is_apart =
            || texts.separate_numbers(listener.number).iter().any(|(_, alone)| alone.path == place.place.path);
        let is_of_another = || {
            let container = texts.container(index);
            container.is_some_and(|own| own.texts.is_of_another(texts.pod_names(), &place))
        };
        let may_mean = || {
            let is_address = name.has_other_program_word() && place.form == Form::AnyAddress;
            name.is_listen() || ((name.may_be_port_of_neighbour() || is_address) && !is_apart() && !is_of_another())
        };
        if place.form != Form::Loopback && !place.is_url() && !is_client() && may_mean() && !is_of_other_listener() {
            let container = pods.template.containers.get(index).map(|c| c.name.as_str()).unwrap_or_default();
            let why = format!("`{}` of container `{container}` may refer to it", place.name);
            found.push(Reference::Blocking { object: pods.id.object, path: place.place.path, why });
        }
    }
}

/// The annotations of a template whose value is a port of the pod.
pub fn own_annotations(template: &PodTemplate) -> Vec<PortField> {
    service::annotations(&template.path.key("metadata"), &template.annotations)
}

/// Annotations of the template with a port of the pod; annotations without a known edit block the move.
pub(in crate::model) fn annotations(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { model, pods, texts, listener, .. } = *search;
    let metadata = pods.template.path.key("metadata");
    let known = own_annotations(pods.template);
    let of_pods = |host: &str, port: u16| match texts.pod_names().of_name(host) {
        HostKind::Another => false,
        HostKind::OwnService => !texts.pod_names().is_own_service_port(host, port),
        _ => true,
    };
    let unknown = service::unknown_annotations(&metadata, &pods.template.annotations, |_| true, of_pods);
    // The metadata of a Pod is also the metadata of its template, which is read above.
    let object_metadata = Path::root().key("metadata");
    let whole = model.object(pods.id.object).filter(|_| metadata != object_metadata);
    let of_object = whole.map(|object| {
        service::unknown_annotations(&object_metadata, &object.meta.annotations, Name::has_listen_word, of_pods)
    });
    let is_set_by = |field: &PortField| listener.places().any(|(_, place, _)| place.path == field.path);
    let own = known.into_iter().chain(unknown).chain(of_object.into_iter().flatten());
    let own = own.filter(|field| field.names(listener.number, &listener.protocol) && !is_set_by(field));
    let object = pods.id.object;
    found.extend(own.map(|field| match &field.effect {
        Effect::Blocks(why) => Reference::Blocking { object, path: field.path, why: why.clone() },
        _ => field.reference(object, AffectedWorkloads::default()),
    }));
}
