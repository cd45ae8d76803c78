//! The Services of an input, with their pods and callers.

use std::collections::HashSet;
use std::net::IpAddr;

use super::{EVERY_NAMESPACE, Objects};
use crate::model::facts::{
    Call, Facts, Object, PodsView, Reach, RolloutRequest, Service, ServiceNodePort, UrlHost, label_hash,
};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::text::{Name, hosts_of, labels};

impl Objects {
    /// True for an address of a Service in the input.
    pub(in crate::model) fn is_service_address(&self, address: IpAddr) -> bool {
        self.service_addresses.contains(&address)
    }

    /// The Services of the input.
    pub fn services(&self) -> impl Iterator<Item = (ObjectId, &Meta, &Service)> {
        let applied =
            (0..self.objects.len()).filter_map(|id| self.service(id).map(|(meta, service)| (id, meta, service)));
        applied.filter(|(_, meta, _)| !meta.is_local_config())
    }

    /// Ports of nodes that the Services of the input use, also Services without pods.
    pub fn service_node_ports(&self) -> impl Iterator<Item = (ObjectId, &Meta, &ServiceNodePort)> {
        self.applied()
            .flat_map(|(id, object)| object.service_node_ports().iter().map(move |port| (id, &object.meta, port)))
    }

    /// True if a port of a Service sends traffic to this port of the pods, by number or by name.
    pub(crate) fn is_node_port_of(
        &self,
        (id, port): (ObjectId, &ServiceNodePort),
        pods: PodsView<'_>,
        number: Option<u16>,
        name: Option<&str>,
    ) -> bool {
        let Some((meta, service)) = self.service(id) else { return false };
        let own = pods.meta.namespace.as_ref();
        let is_here = meta.namespace.as_ref().zip(own).is_none_or(|(one, other)| one == other);
        let port = port.index.and_then(|index| service.ports.get(index));
        port.is_some_and(|port| port.dials(number, name)) && is_here && service.selects(&pods.template.labels)
    }

    /// The Service with this id; `None` for other objects.
    pub fn service(&self, id: ObjectId) -> Option<(&Meta, &Service)> {
        match self.objects.get(id) {
            Some(Object { meta, facts: Facts::Service(service), .. }) => Some((meta, service)),
            _ => None,
        }
    }

    /// The Services of a name, in any namespace.
    pub(in crate::model) fn services_named<'m>(
        &'m self,
        name: &'m str,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m Service)> {
        let near = self.services_by_name.get(&label_hash(None, ("", name))).into_iter().flatten();
        let named = near.filter_map(|&id| self.service(id).map(|(meta, service)| (id, meta, service)));
        named.filter(move |(_, meta, _)| meta.name == name)
    }

    /// Service whose address is a key of a `ConfigMap` with a port number and a key with a host of the same stem
    /// (`WEB_HOST` next to `WEB_PORT`), with the key of the host.
    pub fn service_of_address_pair(&self, map: ObjectId, key: &str, number: u16) -> Option<(&str, &Meta)> {
        let object = self.objects.get(map)?;
        let stems = Name::new(key).port_stems();
        let is_host = |key: &str| Name::new(key).host_stem().is_some_and(|stem| stems.contains(&stem));
        let hosts = object.config_map()?.texts().iter().filter(|(key, _)| is_host(key));
        let mut hosts = hosts.flat_map(|(key, text)| hosts_of(text).map(move |host| (&**key, labels(host))));
        hosts.find_map(|(key, host)| {
            let namespace = host.get(1).copied().or(object.meta.namespace.as_deref());
            let is_named = |meta: &Meta| meta.namespace.is_none() || meta.namespace.as_deref() == namespace;
            let mut services = self.services_named(host.first()?);
            let found = services.find(|(_, meta, service)| {
                is_named(meta) && service.ports.iter().any(|port| port.port == Some(number))
            });
            found.map(|(_, meta, _)| (key, meta))
        })
    }

    /// Services that send traffic to pods of this template.
    pub fn services_of<'m>(
        &'m self,
        meta: &'m Meta,
        template: &'m PodTemplate,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m Service)> {
        self.services_sending_to(PodsView { meta, template })
    }

    /// Services that send traffic to these pods.
    pub(in crate::model) fn services_sending_to<'m>(
        &'m self,
        pods: PodsView<'_>,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m Service)> {
        let reaching = self.services_that_may_select(pods).into_iter();
        let sure =
            reaching.filter(|(.., reach)| *reach == Reach::Sure).map(|(id, meta, service, _)| (id, meta, service));
        sure.filter(move |(.., service)| service.leads_to(pods.meta, pods.template))
    }

    /// Services that certainly or possibly select some pods; possibly if the Service or the pods have no namespace.
    /// Includes Services that select a Job or Pod without a port of the Service.
    pub(in crate::model) fn services_that_may_select<'m>(
        &'m self,
        pods: PodsView<'_>,
    ) -> Vec<(ObjectId, &'m Meta, &'m Service, Reach)> {
        let own = pods.namespace().filter(|namespace| !namespace.is_empty());
        let places = match own {
            Some(own) => vec![Some(own), None],
            None => vec![EVERY_NAMESPACE],
        };
        let mut found = Vec::new();
        for label in pods.template.labels.iter() {
            for namespace in &places {
                let near = self.services.get(&label_hash(*namespace, label)).into_iter().flatten();
                for group in near.filter_map(|&group| self.service_groups.get(group)) {
                    let first = group.first().and_then(|id| self.service(*id));
                    let Some(reach) = first.and_then(|(meta, service)| pods.is_selected_by(meta, service)) else {
                        continue;
                    };
                    let services = group.iter().filter_map(|id| Some((*id, self.service(*id)?)));
                    found.extend(services.map(|(id, (meta, service))| (id, meta, service, reach)));
                }
            }
        }
        found.sort_unstable_by_key(|(id, ..)| *id);
        found.dedup_by_key(|(id, ..)| *id);
        found
    }

    /// True if the input has a Service of this name, in the namespace of an object or without a namespace.
    pub(in crate::model) fn has_service(&self, meta: &Meta, name: &str) -> bool {
        let namespaces = [meta.namespace.as_deref(), None];
        namespaces.into_iter().any(|namespace| self.service_names.contains(&label_hash(namespace, ("", name))))
    }

    /// The workloads in the namespace of an object whose pods get host names from this Service.
    pub(in crate::model) fn workloads_named_by_service(
        &self,
        meta: &Meta,
        name: &str,
    ) -> impl Iterator<Item = WorkloadId> {
        self.named_by.get(&label_hash(meta.namespace.as_deref(), ("", name))).into_iter().flatten().copied()
    }

    /// The pod templates that a Service selects.
    pub fn selected_by<'m>(
        &'m self,
        meta: &'m Meta,
        service: &'m Service,
    ) -> impl Iterator<Item = (WorkloadId, &'m PodTemplate)> {
        let namespace = meta.namespace.as_deref();
        let near = service.selector.iter().map(|label| self.workloads.get(&label_hash(namespace, label)));
        // Search by the rarest label: it has the fewest candidates. A label that no pod has selects nothing.
        let fewest = near.map(|ids| ids.map_or(&[][..], Vec::as_slice)).min_by_key(|ids| ids.len());
        fewest.unwrap_or_default().iter().filter_map(move |&id| {
            let (object, template) = self.workload(id)?;
            let selects = object.meta.namespace == meta.namespace && service.selects(&template.labels);
            (selects && service.leads_to(&object.meta, template)).then_some((id, template))
        })
    }

    /// Calls to Services that are not in the input: one call per Service, with the object that causes it.
    pub fn calls_to_absent_services(&self) -> impl Iterator<Item = (ObjectId, &Call)> {
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        for object in self.objects.iter().filter(|object| object.meta.is_service()) {
            seen.insert((object.meta.namespace.as_deref().unwrap_or_default(), &object.meta.name));
        }
        let calls = self.calls.values().flatten().map(|(id, call)| (*id, call));
        let calls = calls.filter(|(_, call)| call.url != Some(UrlHost::MayBeForeign));
        // A call to the API server's own Service goes through an APIService, which causes a separate call.
        let calls =
            calls.filter(|(_, call)| (call.namespace.as_str(), call.service.as_str()) != ("default", "kubernetes"));
        // Only the first call of a Service is reported.
        calls.filter(move |(_, call)| {
            let bare = seen.contains(&("", call.service.as_str()));
            seen.insert((call.namespace.as_str(), call.service.as_str())) && !bare
        })
    }

    /// The Services of the input that the API server calls; `None` for a Service without selector or of type
    /// `ExternalName`.
    pub(in crate::model) fn called_services(&self) -> impl Iterator<Item = (ObjectId, &Meta, Option<&Service>)> {
        let objects = self.objects.iter().enumerate().filter(|(_, object)| !object.meta.is_local_config());
        let services = objects.filter(|(_, object)| object.meta.is_service());
        let called = services.filter(|(_, object)| self.is_called(&object.meta));
        called.map(|(id, object)| match &object.facts {
            Facts::Service(service) => (id, &object.meta, Some(&**service)),
            _ => (id, &object.meta, None),
        })
    }

    /// Calls of the API server to a Service. A Service without namespace matches calls to any namespace: tools that
    /// render manifests often leave the namespace to `kubectl apply -n`, while a webhook configuration has to name it.
    pub fn calls_of(&self, service: &Meta) -> impl Iterator<Item = &Call> {
        self.calls_with_cause(service).map(|(_, call)| call)
    }

    /// Calls of the API server to a Service, each with the object that causes the call.
    pub fn calls_with_cause(&self, service: &Meta) -> impl Iterator<Item = (ObjectId, &Call)> {
        let calls = self.calls.get(&service.name).into_iter().flatten().map(|(id, call)| (*id, call));
        calls.filter(|(_, call)| service.namespace.as_ref().is_none_or(|namespace| *namespace == call.namespace))
    }

    /// True if the API server calls a Service.
    pub fn is_called(&self, service: &Meta) -> bool {
        self.calls_of(service).next().is_some()
    }

    /// The request of a workload's rollout that the API server refuses when this call fails.
    pub(crate) fn rollout_request_refused_by(
        &self,
        call: &Call,
        workload: &Meta,
        template: &PodTemplate,
    ) -> Option<&'static RolloutRequest> {
        let asked = call.rollout.as_ref()?;
        asked.request(&workload.gvk.kind, &workload.labels, template, |other| {
            let name = other.or(workload.namespace.as_deref());
            let namespace = name.and_then(|name| self.namespace(name));
            // The API server gives every namespace this label.
            asked.namespaces.matched_by(|key: &str| match key {
                "kubernetes.io/metadata.name" => name,
                _ => namespace.and_then(|namespace| namespace.labels.get(key)),
            })
        })
    }
}
