//! Host names of a pod: of the pod itself, its workload and its Services.

use std::collections::BTreeMap;

use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{AddressOwner, Container, PodTemplate};
use crate::model::text::{HostKind, literal_host_kind, variable_in_host};

/// Names of a pod: the name of its workload, and the Services that select it.
#[derive(Debug, Default)]
pub(in crate::model) struct OwnNames {
    workload: String,
    /// Services by lower-case name. The Service in `serviceName` selects the pods too, and may be outside of the input.
    services: BTreeMap<String, Vec<ObjectId>>,
    namespace: Option<String>,
}

impl OwnNames {
    pub(in crate::model) fn new(model: &Model, meta: &Meta, template: &PodTemplate) -> Self {
        let mut services: BTreeMap<String, Vec<ObjectId>> = BTreeMap::new();
        for (id, service, _) in model.services_of(meta, template) {
            services.entry(service.name.to_ascii_lowercase()).or_default().push(id);
        }
        if let Some(name) = template.service_name.as_deref().filter(|name| !model.has_service(meta, name)) {
            services.entry(name.to_ascii_lowercase()).or_default();
        }
        Self { workload: meta.name.to_ascii_lowercase(), services, namespace: meta.namespace.clone() }
    }

    /// Names of the Services of the input that select the pod, in lower case, sorted.
    pub(in crate::model) fn services(&self) -> impl Iterator<Item = &str> {
        self.services.iter().filter(|(_, ids)| !ids.is_empty()).map(|(name, _)| name.as_str())
    }

    /// Services of the input that select the pod and have this lower-case name.
    pub(in crate::model) fn service_ids(&self, name: &str) -> impl Iterator<Item = ObjectId> {
        self.services.get(name).into_iter().flatten().copied()
    }

    /// Classifies a host in a text of a container that is no literal address, as
    /// [`PodNames::classify_host`](super::rejection::PodNames::classify_host).
    pub(in crate::model) fn classify_host(&self, container: &Container, host: &str) -> HostKind {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Some(name) = variable_in_host(bare) {
            return match container.env_var(name).map(|(_, var)| (var.ip, var.value)) {
                Some((Some(AddressOwner::Pod | AddressOwner::Name), _)) => HostKind::Own,
                Some((_, Some(value))) if variable_in_host(value).is_none() => self.of_name(value),
                None if matches!(name, "HOSTNAME" | "POD_IP" | "POD_NAME") => HostKind::Own,
                _ => HostKind::Another,
            };
        }
        self.of_name(bare)
    }

    /// Classifies a host: the pod itself, a Service of the pod, or another host.
    pub(in crate::model) fn of_name(&self, host: &str) -> HostKind {
        if let Some(kind) = literal_host_kind(host) {
            return kind;
        }
        let host = host.to_ascii_lowercase();
        let (first, rest) = host.split_once('.').unwrap_or((&host, ""));
        let (namespace, zone) = rest.split_once('.').unwrap_or((rest, ""));
        let in_cluster = zone.is_empty() || zone == "svc" || zone.starts_with("svc.");
        let here = in_cluster
            && (rest.is_empty() || self.namespace.as_deref().is_none_or(|own_namespace| own_namespace == namespace));
        if here && self.services.contains_key(first) {
            return HostKind::OwnService;
        }
        // A name such as `web-0.web` means this pod, or another pod of the workload.
        let is_pod = |name: &str| {
            name.strip_prefix(self.workload.as_str()).is_some_and(|rest| {
                rest.strip_prefix('-').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            })
        };
        let own = !self.workload.is_empty() && (first == self.workload || is_pod(first));
        // In `web-0.web.shop.svc`, the namespace follows the Service of the pods.
        let named_namespace = zone.split('.').next().unwrap_or_default();
        let is_peer = self.services.contains_key(namespace)
            && (named_namespace.is_empty()
                || self.namespace.as_deref().is_none_or(|namespace| namespace == named_namespace));
        if own && (here || is_peer) { HostKind::Own } else { HostKind::Another }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_has_the_names_of_its_workload_and_its_services() {
        let names = OwnNames {
            workload: "web".to_owned(),
            services: BTreeMap::from([("web-peers".to_owned(), Vec::new())]),
            namespace: Some("shop".to_owned()),
        };
        for own in ["web", "web-0", "web.shop", "WEB.shop.svc", "web-0.web-peers", "web-12.web-peers.shop.svc"] {
            assert_eq!(names.of_name(own), HostKind::Own, "{own}");
        }
        for service in ["web-peers", "web-peers.shop.svc.cluster.local"] {
            assert_eq!(names.of_name(service), HostKind::OwnService, "{service}");
        }
        for another in [
            "db",
            "web.other",
            "web-x",
            "web.example.com",
            "web-peers.other.svc",
            "web-0.db",
            "web-0.web-peers.other.svc",
        ] {
            assert_eq!(names.of_name(another), HostKind::Another, "{another}");
        }
    }
}
