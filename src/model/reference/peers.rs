//! Peers and clients that name a workload's pods. `POD-0.SERVICE:N` and `SERVICE:N` of a headless Service dial the
//! pods' own port, in every workload.

use std::collections::{BTreeMap, BTreeSet};

use super::peer_names::{Peer, PeerNames};
use super::search::Search;
use super::transports::ListenerMatch;
use super::types::{AffectedWorkloads, Reference};
use crate::model::facts::{ConfigMap, Facts, data_path};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::index::Model;
use crate::model::listener::Listener;
use crate::model::meta::Meta;
use crate::model::pod::{Container, Dialled};
use crate::model::text::{TextPlace, labels, shown_lines, transport};
use lossless_yaml::Path;

/// All texts that dial this number of the workload's pods by host name.
pub(in crate::model) fn references(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { model, pods, texts, listener, transports } = *search;
    own_texts(search, found);
    let names = texts.peers();
    let dialled = model.dialled_hosts();
    let places: BTreeSet<(WorkloadId, usize)> = names
        .labels()
        .flat_map(|label| dialled.matching(listener.number, label))
        .copied()
        .filter(|(id, _)| *id != pods.id)
        .collect();
    let mut lines: BTreeMap<(ObjectId, &str), Vec<usize>> = BTreeMap::new();
    for (id, index) in places {
        let Some(object) = model.object(id.object) else { continue };
        match &object.facts {
            Facts::Workload(templates) => {
                let dialled = templates.get(id.template).and_then(|template| template.dialled.get(index));
                let Some(dialled) = dialled else { continue };
                found.extend(reference_of_other_workload(search, id.object, &object.meta, dialled));
            }
            Facts::ConfigMap(map) => {
                let Some(dialled) = map.dialled.get(index) else { continue };
                let Some(peer) = names.resolve(&dialled.host, object.meta.namespace.as_deref(), None) else { continue };
                let key = dialled.key.as_ref();
                let listener_match =
                    transports.listener_of(|| transport::of_text(&dialled.text, &dialled.number.range));
                let here = object.meta.namespace == pods.meta.namespace;
                let name = object.meta.name.as_str();
                let has_variable = |container: &Container| {
                    container.env.iter().any(|var| var.config_map == Some((name, key)))
                        || container.env_from.iter().any(|source| source.config_map == name)
                };
                let variable = here && pods.template.containers.iter().any(has_variable);
                match peer {
                    _ if listener_match == ListenerMatch::Another => {}
                    Peer::Own | Peer::Shared(_) if variable => {
                        let (text, range) = (dialled.text.clone(), dialled.number.range.clone());
                        let place = TextPlace { path: data_path(key), text, range };
                        found.extend(Reference::text(
                            id.object,
                            place,
                            shared_peer_workloads(model, peer, listener).into(),
                            listener_match,
                        ));
                    }
                    // Skip files that these pods mount: they are reported together with the other
                    // numbers of the file.
                    _ if here && pods.template.mounts(&object.meta.name, key) => {}
                    _ => lines.entry((id.object, key)).or_default().push(dialled.line),
                }
            }
            _ => {}
        }
    }
    for ((object, key), mut lines) in lines {
        lines.dedup();
        let what = format!("`{key}` has {} after a host name of its pods ({})", listener.number, shown_lines(&lines));
        found.push(Reference::Seen { object, path: data_path(key), what });
    }
}

/// The lines of a file from a `ConfigMap` that name the workload's pods with a port number.
pub(in crate::model) fn lines<'c>(
    names: &'c PeerNames<'_>,
    map: &'c ConfigMap,
    namespace: Option<&'c str>,
    port: u16,
) -> impl Iterator<Item = (&'c str, usize)> {
    let dialled = map.index().dialled(port).iter().filter_map(|at| map.dialled.get(*at));
    let own = dialled.filter(move |dialled| names.resolve(&dialled.host, namespace, None).is_some());
    own.map(|dialled| (dialled.key.as_ref(), dialled.line))
}

/// Other workloads that the host also resolves to, if they declare the port: they must move to the same number.
fn shared_peer_workloads(model: &Model, peer: Peer<'_>, listener: &Listener) -> Vec<WorkloadId> {
    let Peer::Shared(others) = peer else { return Vec::new() };
    let declares = |id: &WorkloadId| {
        model.workload(*id).is_some_and(|(_, template)| template.declares(listener.number, &listener.protocol))
    };
    others.iter().copied().filter(declares).collect()
}

/// References in the workload's own texts, by which its pods dial each other.
fn own_texts(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { model, pods, texts, listener, transports } = *search;
    let all = &pods.template.dialled;
    let from = all.partition_point(|dialled| dialled.port < listener.number);
    let here = all.iter().skip(from).take_while(|dialled| dialled.port == listener.number);
    let mut seen: BTreeSet<(&Path, usize)> = BTreeSet::new();
    for dialled in here.filter(|dialled| dialled.apart.is_none()) {
        let at = (&dialled.place.path, dialled.place.range.start);
        let Some(container) = pods.template.containers.get(dialled.container) else { continue };
        let Some(peer) = texts.peer(dialled.container, &dialled.host) else { continue };
        if texts.number_sets_listener_port(&dialled.place) || !seen.insert(at) {
            continue;
        }
        let place = dialled.place.clone();
        let listener_match = transports.listener_of(|| texts.transport(dialled.container, &place));
        found.extend(match peer {
            Peer::Own | Peer::Shared(_) => Reference::text(
                pods.id.object,
                place,
                shared_peer_workloads(model, peer, listener).into(),
                listener_match,
            ),
            Peer::Possible => {
                let what = format!(
                    "container `{}` has {} after a possible host name of its pods",
                    container.name, dialled.port
                );
                Some(Reference::Seen { object: pods.id.object, path: place.path, what })
            }
        });
    }
}

/// Reference in a text of another workload. If host and number are in two separate texts, it is only reported.
fn reference_of_other_workload(
    search: &Search<'_, '_>,
    object: ObjectId,
    meta: &Meta,
    dialled: &Dialled,
) -> Option<Reference> {
    let Search { texts, listener, transports, .. } = *search;
    let names = texts.peers();
    let namespace = meta.namespace.as_deref();
    let place = dialled.place.clone();
    let transport = || {
        let of_name = || dialled.apart.as_deref().and_then(transport::of_name);
        transport::of_text(&place.text, &place.range).or_else(of_name)
    };
    let listener_match =
        Some(transports.listener_of(transport)).filter(|listener_match| *listener_match != ListenerMatch::Another)?;
    let path = place.path.clone();
    let peer = names.resolve(&dialled.host, namespace, None);
    let Some(name) = &dialled.apart else {
        return match peer? {
            Peer::Own => Reference::text(object, place, AffectedWorkloads::default(), listener_match),
            Peer::Shared(_) | Peer::Possible => {
                let what = format!("`{}:{}`, which may be one of its pods, is", dialled.host, dialled.port);
                Some(Reference::Seen { object, path, what })
            }
        };
    };
    let host = labels(&dialled.host);
    let (first, rest) = host.split_first()?;
    let is_workload =
        first.eq_ignore_ascii_case(&names.workload) && names.compare_namespace(rest, namespace, false).is_some();
    let of_service = texts.pod_names().is_own_service_port(first, listener.number);
    let what = format!("`{name}` holds {} next to the host `{}`", dialled.port, dialled.host);
    (peer.is_some() || (is_workload && !of_service)).then_some(Reference::Seen { object, path, what })
}
