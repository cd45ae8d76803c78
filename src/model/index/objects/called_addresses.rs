//! Servers that the API server calls by an address, and the objects of the input that answer there.

use std::net::IpAddr;

use super::Objects;
use crate::catalog::SERVICE_NODE_PORTS;
use crate::model::facts::{Facts, Object, calls_by_command};
use crate::model::id::ObjectId;
use crate::model::meta::Meta;
use crate::model::pod::{Container, PodTemplate, TCP};
use lossless_yaml::Path;

/// Server that the API server calls by a URL or a host name, not by the name of a Service.
#[derive(Debug)]
pub(crate) struct CalledAddress<'m> {
    /// Object that configures the call.
    pub(crate) id: ObjectId,
    caller: &'m Meta,
    /// Path of the URL or server in that object.
    pub(crate) path: Path,
    /// Called URL or server.
    pub(crate) url: String,
}

impl CalledAddress<'_> {
    /// Object that configures the call, as messages name it. Configuration files of the API server have no name.
    pub(crate) fn caller(&self) -> String {
        self.caller.to_string().trim_end().to_owned()
    }
}

/// Object of the input that answers at a called address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AnsweringObject<'m> {
    /// Service that has the address.
    Service(ObjectId, &'m Meta),
    /// Service that gets the connections for the host from a router.
    Routed { id: ObjectId, service: &'m Meta, route: &'m Meta },
    /// Workload that declares the called port of the loopback address.
    Loopback { id: ObjectId, workload: &'m Meta, on_host: bool },
}

/// Host and port of a called URL.
struct Authority<'u> {
    host: &'u str,
    port: Option<u16>,
    address: Option<IpAddr>,
}

impl<'u> Authority<'u> {
    fn read(url: &'u str) -> Option<Self> {
        let authority = url.strip_prefix("https://")?.split(['/', '?', '#']).next()?;
        let (host, port) = match authority.rsplit_once(':').filter(|(host, _)| !host.ends_with(':')) {
            Some((host, port)) => (host, port.parse::<u16>().ok()),
            None => (authority, None),
        };
        Some(Self { host, port, address: host.trim_matches(['[', ']']).parse().ok() })
    }

    fn is_loopback(&self) -> bool {
        self.address.map_or(self.host == "localhost", |address| address.is_loopback())
    }
}

impl Objects {
    /// Called URLs that name no Service, and other servers that are not followed.
    pub(crate) fn called_addresses(&self) -> impl Iterator<Item = CalledAddress<'_>> {
        self.applied().flat_map(|(id, object)| {
            let found = match &object.facts {
                Facts::Caller(calls) => calls.addresses.clone(),
                Facts::Workload(templates) => {
                    templates.iter().flat_map(|template| &template.containers).flat_map(called_by_command).collect()
                }
                _ => Vec::new(),
            };
            found.into_iter().map(move |(path, url)| CalledAddress { id, caller: &object.meta, path, url })
        })
    }

    /// Object of the input that answers at a URL which names no Service: by the address of a Service, by the name that
    /// external-dns publishes for it, by the name of one of its pods, by its node port, by a route of a router, or at the
    /// loopback address of a node.
    pub(crate) fn answering_object(&self, url: &str) -> Option<AnsweringObject<'_>> {
        let called = Authority::read(url)?;
        let own = self.service_with_address(&called).map(|(id, meta)| AnsweringObject::Service(id, meta));
        own.or_else(|| self.routed(called.host)).or_else(|| self.at_loopback(&called))
    }

    /// Objects that are applied to the cluster.
    pub(super) fn applied(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects.iter().enumerate().filter(|(_, object)| !object.meta.is_local_config())
    }

    fn service_with_address(&self, Authority { host, port, address }: &Authority<'_>) -> Option<(ObjectId, &Meta)> {
        let has_address =
            |object: &Object| address.is_some_and(|address| object.service_addresses().contains(&address));
        let has_node_port = |object: &Object| match &object.facts {
            Facts::Service(service) => port.is_some() && service.ports.iter().any(|own| own.node_port == *port),
            _ => false,
        };
        let services = || self.applied().filter(|(_, object)| object.meta.is_service());
        let has_name = |object: &Object| publishes(&object.meta, host) || is_pod_of(&object.meta, host);
        let by_address = services().find(|(_, object)| has_address(object) || has_name(object));
        // A host name may belong to another cluster. An IP address, `localhost`, or a port in the range of node ports
        // shows a node of this cluster.
        let is_node =
            address.is_some() || *host == "localhost" || port.is_some_and(|port| SERVICE_NODE_PORTS.contains(&port));
        let by_node_port = || services().find(|(_, object)| is_node && has_node_port(object));
        by_address.or_else(by_node_port).map(|(id, object)| (id, &object.meta))
    }

    /// Service of the input to which a router sends connections for a host.
    fn routed(&self, host: &str) -> Option<AnsweringObject<'_>> {
        let routes = self.applied().filter(|(_, object)| !object.routed_hosts().is_empty());
        let services = || self.applied().filter(|(_, object)| object.meta.is_service());
        let mut found = routes.filter_map(|(_, route)| {
            let leads =
                |service: &Meta| route.routed_hosts().iter().any(|routed| routed.routes_to(&route.meta, host, service));
            let (id, service) = services().find(|(_, service)| leads(&service.meta))?;
            Some(AnsweringObject::Routed { id, service: &service.meta, route: &route.meta })
        });
        found.next()
    }

    /// Workload that declares a called port of the loopback address; a workload on the host network, if there is one.
    fn at_loopback(&self, called: &Authority<'_>) -> Option<AnsweringObject<'_>> {
        let port = called.port.filter(|_| called.is_loopback())?;
        let declaring = |on_host: bool| {
            let declares =
                move |template: &PodTemplate| template.on_host_network() == on_host && template.declares(port, &TCP);
            self.applied().find(move |(_, object)| object.templates().iter().any(declares))
        };
        let found = declaring(true).map(|found| (found, true)).or_else(|| Some((declaring(false)?, false)));
        found.map(|((id, object), on_host)| AnsweringObject::Loopback { id, workload: &object.meta, on_host })
    }
}

/// Annotation of a Service with the names that external-dns publishes for it.
/// Source: kubernetes-sigs/external-dns `docs/annotations/annotations.md`.
const PUBLISHED_NAMES: &str = "external-dns.alpha.kubernetes.io/hostname";

/// True if external-dns publishes this host name for the Service.
fn publishes(service: &Meta, host: &str) -> bool {
    let names = service.annotations.get(PUBLISHED_NAMES).unwrap_or_default();
    names.split(',').any(|name| name.trim().trim_end_matches('.').eq_ignore_ascii_case(host.trim_end_matches('.')))
}

/// True for the host name of a pod behind a headless Service: `POD.SERVICE.NAMESPACE.svc`, with or without the domain
/// of the cluster.
fn is_pod_of(service: &Meta, host: &str) -> bool {
    let mut labels = host.split('.').skip(1);
    let named = labels.next() == Some(service.name.as_str()) && labels.next() == service.namespace.as_deref();
    named && labels.next() == Some("svc")
}

/// Servers that an API server calls because of the flags in its container's command.
fn called_by_command(container: &Container) -> Vec<(Path, String)> {
    let words: Vec<(&'static str, usize, &str)> = container.words().collect();
    let texts: Vec<&str> = words.iter().map(|(.., text)| *text).collect();
    let place = |(index, server): (usize, String)| {
        let (list, at, _) = words.get(index)?;
        Some((container.word_path(list, *at), server))
    };
    calls_by_command(&texts).into_iter().filter_map(place).collect()
}
