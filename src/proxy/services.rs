//! Services of the input that a container dials by a host in its texts.

use super::facts::ProxyFacts;
use super::text_hosts::{TextHost, hosts};
use crate::catalog::{built_in_hosts, has_other_protocol};
use crate::model::pod::{ConfigDataReference, Container};
use crate::model::{Model, WorkloadId};
use go_no_proxy::{Matcher, NoProxy, proxy_url};
use oci::name::ImageRef;

/// A Service, and the host by which a container dials it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DialledService {
    /// The Service, for messages.
    pub(super) service: String,
    /// `http` for a URL that starts with it, else `https`: gRPC and other clients read `HTTPS_PROXY`.
    pub(super) scheme: &'static str,
    /// The host in lower case.
    pub(super) name: String,
    pub(super) port: Option<u16>,
}

impl DialledService {
    /// The port as Go compares it.
    fn port_text(&self) -> String {
        self.port.unwrap_or(if self.scheme == "http" { 80 } else { 443 }).to_string()
    }

    /// True if the host is the proxy of this URL.
    pub(super) fn is_proxy(&self, url: &str) -> bool {
        proxy_url(url).is_ok_and(|proxy| proxy.host_name().eq_ignore_ascii_case(&self.name))
    }
}

/// Services that a container dials: hosts in command, args, variables and ConfigMaps of the pod, and built-in hosts of
/// its program, each once.
pub(super) fn dialled(
    model: &Model,
    facts: &ProxyFacts,
    id: WorkloadId,
    (position, container): (usize, &Container),
) -> Vec<DialledService> {
    let Some((object, template)) = model.workload(id) else { return Vec::new() };
    let namespace = object.meta.namespace.as_deref();
    let mut maps: Vec<&str> = template.config_maps.iter().map(|used| used.name.as_str()).collect();
    maps.dedup();
    let of_maps = maps.into_iter().flat_map(|map| {
        let keys = facts.map_hosts(namespace, map).iter();
        keys.filter(move |(key, _)| ConfigDataReference::any_has_key(&template.config_maps, map, key))
            .flat_map(|(_, hosts)| hosts)
    });
    let built_in = built_in_hosts(ImageRef::split(&container.image).name).iter().flat_map(|text| hosts(text));
    let built_in: Vec<TextHost> = built_in.collect();
    let mut found: Vec<DialledService> = Vec::new();
    for host in facts.text_hosts(id, position).iter().chain(of_maps).chain(&built_in) {
        let service = service(facts, namespace, host);
        if let Some(service) = service.filter(|service| !found.contains(service)) {
            found.push(service);
        }
    }
    found
}

/// Resolves a host in a pod of a namespace to a Service of the input, or to a pod of such a Service.
///
/// Source: the Kubernetes DNS specification, kubernetes/dns@1.26.5 `docs/specification.md`; the kubelet's search path
/// completes the short forms (kubernetes/kubernetes@v1.34.2 `pkg/kubelet/network/dns/dns.go`).
fn service(facts: &ProxyFacts, namespace: Option<&str>, host: &TextHost) -> Option<DialledService> {
    let scheme = match &*host.scheme {
        "http" | "ws" => "http",
        "https" | "wss" | "grpc" | "grpcs" | "dns" => "https",
        "" if !host.port.is_some_and(has_other_protocol) => "https",
        _ => return None,
    };
    let name = host.name.to_ascii_lowercase();
    let labels: Vec<&str> = name.trim_end_matches('.').split('.').collect();
    let find = |namespace: Option<&str>, name: &str| {
        let place = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
        facts.has_service(namespace, name).then(|| format!("Service {place}{name}"))
    };
    let service = match *labels.as_slice() {
        [service] => find(namespace, service),
        [first, second] => find(Some(second), first).or_else(|| find(namespace, second)),
        [service, namespace, "svc", ..] => find(Some(namespace), service),
        _ => None,
    }?;
    Some(DialledService { service, scheme, name, port: host.port })
}

/// The names of Services that a list sends to the proxy, each once.
pub(super) fn services_through_proxy(list: &[String], services: &[DialledService]) -> Vec<String> {
    let text = list.join(",");
    let list = NoProxy::read(&text, Matcher::Newest);
    let mut names: Vec<String> = Vec::new();
    for service in services.iter().filter(|service| list.bypass(&service.name, &service.port_text()).is_none()) {
        if !names.contains(&service.name) {
            names.push(service.name.clone());
        }
    }
    names
}
