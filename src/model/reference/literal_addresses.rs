//! Literal IP addresses with a listener's number in the settings of its pod: on the host network, a pod has the
//! addresses of its node, which the input rarely shows.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;

use super::search::Search;
use super::transports::ListenerMatch;
use super::types::Reference;
use crate::model::id::ObjectId;
use crate::model::text::{Name, Number, TextPlace, host_before, is_whole, literal_ip, transport};
use lossless_yaml::Path;

/// Finds addresses in texts of the running containers, in their variables from ConfigMaps, and in other keys of the
/// ConfigMaps that set the port number.
pub(in crate::model) fn references(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { model, pods, texts, listener, transports } = *search;
    let mut reported: HashSet<(ObjectId, Path)> = found.iter().filter_map(Reference::unchanged).collect();
    let mut seen = Vec::new();
    let mut add = |object: ObjectId, place: &TextPlace, host: &str, transport: Option<&'static str>| {
        if transports.listener_of(|| transport) != ListenerMatch::Another
            && reported.insert((object, place.path.clone()))
        {
            let what = format!("`{host}:{}`, which may be an address of its node, is", listener.number);
            seen.push(Reference::Seen { object, path: place.path.clone(), what });
        }
    };
    for (index, _) in pods.template.running() {
        let Some(container) = texts.container(index) else { continue };
        for place in container.texts.places_of(listener.number) {
            let Some(host) = possible_node_address(search, place) else { continue };
            if !container.texts.names_of(place).any(|name| is_of_other_program(search, name)) {
                add(pods.id.object, place, host, container.transport(place));
            }
        }
    }
    for variable in texts.map_variables().flat_map(|(_, variables)| variables.holding(listener.number)) {
        for place in variable.numbers(listener.number).map(|number| variable.place(number).place) {
            let Some(host) = possible_node_address(search, &place) else { continue };
            if !is_of_other_program(search, &variable.name) {
                let transport = transport::of_text(&place.text, &place.range);
                add(variable.object, &place, host, transport.or_else(|| transport::of_name(&variable.name)));
            }
        }
    }
    let maps: HashSet<ObjectId> = listener.places().filter_map(|(object, ..)| object).collect();
    for object in maps {
        let Some(map) = model.object(object).and_then(|object| object.config_map()) else { continue };
        for &at in map.index().holding(listener.number) {
            let Some((key, text)) = map.texts().get(at).filter(|(key, _)| !is_of_other_program(search, key)) else {
                continue;
            };
            for number in map.index().numbers(listener.number, at) {
                let (path, range) = (map.index().path(at), number.range.clone());
                let place = TextPlace { path, text: Arc::clone(text), range };
                if let Some(host) = possible_node_address(search, &place) {
                    let transport = transport::of_text(text, &number.range);
                    add(object, &place, host, transport.or_else(|| transport::of_name(key)));
                }
            }
        }
    }
    found.append(&mut seen);
}

/// True if an address under this name belongs to another program, or is the public address of the program and cannot
/// be its node's.
fn is_of_other_program(search: &Search<'_, '_>, name: &str) -> bool {
    let name = Name::new(name);
    name.has_address_of_other_program() || (name.is_public() && !is_on_node(search))
}

/// True if the listener uses its number on the node, by the host network or a host port.
fn is_on_node(search: &Search<'_, '_>) -> bool {
    let Search { pods, listener, .. } = *search;
    let own = (listener.number, listener.protocol.as_ref());
    pods.template.on_host_network() || pods.template.held_ports().any(|port| (port.number, port.protocol) == own)
}

/// The IP address before a port number, if it may be an address of a node.
fn possible_node_address<'t>(search: &Search<'_, '_>, place: &'t TextPlace) -> Option<&'t str> {
    let host = host_before(&place.text, place.range.start).filter(|host| host.colon)?.text;
    let address = literal_ip(host)?;
    let is_link_local = match address {
        IpAddr::V4(address) => address.is_link_local() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    let is_special = address.is_loopback() || address.is_unspecified() || address.is_multicast() || is_link_local;
    let number = Number { port: search.listener.number, range: place.range.clone() };
    (is_whole(&place.text, &number) && !is_special && !search.model.is_service_address(address)).then_some(host)
}
