//! Flags and variables of other workloads that name the port.

use std::collections::BTreeSet;

use super::search::Search;
use super::types::Reference;
use crate::model::id::ObjectId;
use crate::model::setting::PortSetting;
use crate::model::text::Name;
use lossless_yaml::Path;

/// Flags and variables of other workloads with the number, named after this workload or after a Service that selects
/// it: `WEB_PORT=8080`. Clients of a Service dial the port of the Service, which stays.
pub(in crate::model) fn find_references_in_other_workloads(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { model, pods, texts, listener, .. } = *search;
    // Leave out references by host name that were found before.
    let known: BTreeSet<(ObjectId, Path)> = found.iter().filter_map(Reference::reported_object_and_path).collect();
    let is_known = |object: ObjectId, port: &PortSetting| known.contains(&(object, port.place.path.clone()));
    let pod_names = texts.pod_names();
    let own_names = pod_names.services().chain([pods.meta.name.as_str()]);
    let elsewhere = model.settings_of_port(listener.number, pods.meta.namespace.as_deref(), own_names);
    let others = elsewhere.into_iter().filter(|(id, _)| *id != pods.id);
    for (id, port) in others.filter(|(id, port)| !is_known(id.object, port)) {
        let object = id.object;
        let here = model.object(object).is_some_and(|other| other.meta.namespace == pods.meta.namespace);
        let name = Name::new(&port.name);
        let mut named = pod_names.services().filter(|service| name.names(service)).peekable();
        let is_named = name.names(&pods.meta.name) || named.peek().is_some();
        let is_service_port = named.any(|service| pod_names.is_own_service_port(service, listener.number));
        if here && is_named && !is_service_port {
            let what = format!("`{}` contains its name and has the value {}", port.name, listener.number);
            found.push(Reference::Seen { object, path: port.place.path.clone(), what });
        }
    }
}
