//! Texts that would contain the old port number after a move.

use std::collections::BTreeSet;

use super::leftover::{UnexplainedNumber, path_and_excerpt};
use super::search::Search;
use super::transports::ListenerMatch;
use super::types::Reference;
use crate::model::listener::{Listener, WorkloadView, program_row};
use crate::model::pod::Role;
use crate::model::text::{TextPlace, is_placeholder};
use lossless_yaml::Path;

/// Finds the number in other texts of the listener's own container that are neither changed nor explained: after a move
/// they would name a port without a listener.
pub(in crate::model) fn leftovers(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { pods, texts, listener, transports, .. } = *search;
    let Some(container) = texts.container(listener.container) else { return };
    let not_listen = pods.programs.get(listener.container).and_then(Option::as_ref);
    let not_listen = not_listen.map_or(&[][..], |program| &program.not_listen);
    let of_listeners = texts.listeners(listener.number).iter().filter_map(|&other| pods.listeners.get(other));
    let set = of_listeners.flat_map(Listener::places).filter(|(object, ..)| object.is_none());
    let set = set.map(|(_, place, _)| place);
    let own = found.iter().filter_map(|reference| match reference {
        Reference::Text { object, place, .. } | Reference::Either { object, place, .. }
            if *object == pods.id.object =>
        {
            Some(place)
        }
        _ => None,
    });
    let changed: BTreeSet<(&Path, usize)> = set.chain(own).map(|place| (&place.path, place.range.start)).collect();
    // Skip texts that already block the move: they are reported as blockers.
    let blocking: BTreeSet<&Path> = found
        .iter()
        .filter(|reference| matches!(reference, Reference::Blocking { .. }))
        .filter_map(Reference::pod_template_path)
        .collect();
    let is_of_other_listener =
        |place: &TextPlace| transports.listener_of(|| container.transport(place)) == ListenerMatch::Another;
    let is_changed = |place: &TextPlace| {
        changed.contains(&(&place.path, place.range.start))
            || blocking.contains(&place.path)
            || is_of_other_listener(place)
    };
    let left = container.texts.leftovers(texts.pod_names(), listener.number, not_listen, is_changed);
    let mut seen = BTreeSet::new();
    let blocking = left
        .into_iter()
        .filter(|left| seen.insert(left.place.path.clone()))
        .map(|left| kept_number_reference(pods, listener, &left));
    let blocking: Vec<Reference> = blocking.collect();
    found.extend(blocking);
}

/// Finds the port number in init containers, which may write the config of the program or open a firewall for it before
/// it starts. The user has to decide, because the container may also wait for another program with this number.
pub(in crate::model) fn find_references_in_init_containers(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { pods, texts, listener, .. } = *search;
    let (object, number) = (pods.id.object, listener.number);
    let mut known: BTreeSet<Path> = found.iter().filter_map(Reference::pod_template_path).cloned().collect();
    for (index, container) in pods.template.containers.iter().enumerate() {
        // A container that declares the port listens there itself.
        let is_own = || container.ports.iter().flatten().any(|port| port.number() == Some(number));
        if container.role != Role::Init || is_own() {
            continue;
        }
        let Some(own) = texts.container(index) else { continue };
        let left = own.texts.leftovers(texts.pod_names(), number, &[], |place| known.contains(&place.path));
        // If an init container runs the same program, its flags and variables only apply to that
        // run.
        let is_same_program =
            !container.image.is_empty() && pods.template.running().any(|(_, running)| running.image == container.image);
        for left in left.into_iter().filter(|left| left.name.is_none() || !is_same_program) {
            let (path, text) = path_and_excerpt(&left.place);
            if known.insert(path.clone()) {
                let name = left.name.filter(|_| text == number.to_string());
                let what = format!("`{}` of init container {} has {number}", name.unwrap_or(text), container.name);
                found.push(Reference::Seen { object, path, what });
            }
        }
    }
}

/// Reference for a text that would keep the old port number.
fn kept_number_reference(pods: WorkloadView<'_>, listener: &Listener, unexplained: &UnexplainedNumber) -> Reference {
    let (path, text) = path_and_excerpt(&unexplained.place);
    let number = listener.number;
    let container = pods.template.containers.get(listener.container);
    if is_placeholder(&text) {
        let why = format!(
            "`{text}` has a placeholder and also contains {number}: write the address without a placeholder, or run hostnet on the rendered manifests"
        );
        return Reference::Blocking { object: pods.id.object, path, why };
    }
    let remedy = match &unexplained.name {
        Some(name) => {
            let key = if name.starts_with('-') { "arg" } else { "env" };
            let not_listen = not_listen_remedy(pods, listener, name);
            if unexplained.is_passed_on {
                let place = &unexplained.place;
                let (before, after) = (place.text.get(..place.range.start), place.text.get(place.range.end..));
                let is_once = place.text.matches(&number.to_string()).count() == 1;
                let value = before.zip(after).filter(|_| key == "env" && is_once && !place.text.contains('"'));
                let bind = value.map(|(before, after)| {
                    format!(
                        "where it is this port, add to a target for this workload alone \
                         `bind: [{{container: {}, port: {}, env: {name}, value: \"{before}{{port}}{after}\"}}]`; ",
                        container.map(|container| container.name.as_str()).unwrap_or_default(),
                        listener.label
                    )
                });
                let why = format!(
                    "`{name}` may contain options for another program, and `{text}` also contains {number}: {}where it \
                     is not this port, {not_listen}",
                    bind.unwrap_or_default()
                );
                return Reference::Blocking { object: pods.id.object, path, why };
            }
            format!(
                "where it is this port, add to a target for this workload alone \
                 `bind: [{{container: {}, port: {}, {key}: {name}}}]`; where it is not, {not_listen}",
                container.map(|container| container.name.as_str()).unwrap_or_default(),
                listener.label
            )
        }
        None => "change it there by hand, or let the port keep its number".to_owned(),
    };
    // A bare number does not identify the text, so show the name of the flag or variable.
    let text = unexplained.name.as_ref().filter(|_| text == number.to_string()).unwrap_or(&text);
    let why = format!("`{text}` also contains {number}, and may refer to this port or to another one: {remedy}");
    Reference::Blocking { object: pods.id.object, path, why }
}

/// Remedy for a setting of a listener's container that sets no port of the program.
pub(super) fn not_listen_remedy(pods: WorkloadView<'_>, listener: &Listener, name: &str) -> String {
    let container = pods.template.containers.get(listener.container);
    let known = pods.programs.get(listener.container).and_then(Option::as_ref);
    match container.filter(|_| known.is_none()) {
        Some(container) => format!("write under `programs` `- {}`", program_row(container, Some(name))),
        None => format!("list `{name}` as `notListen` of the program under `programs`"),
    }
}
