//! Host names that a router of the cluster sends to Services: Ingresses, and routes of other projects.
//!
//! Source: kubernetes `staging/src/k8s.io/api/networking/v1/types.go` (`IngressRule`); openshift/api@1456ef82
//! `route/v1/types.go`; kubernetes-sigs/gateway-api@0643c0d7 `apis/v1alpha2/tlsroute_types.go`; projectcontour/contour@002ece9a
//! `apis/projectcontour/v1/httpproxy.go`; traefik/traefik@01d70ad4
//! `pkg/provider/kubernetes/crd/traefikio/v1alpha1/ingressroutetcp.go`.

use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Pattern};

/// Host names and the Services that get their connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct RoutedHosts {
    /// Host names; the first label may be `*`.
    hosts: Vec<Box<str>>,
    /// Names of Services, each with its namespace if that is written.
    services: Vec<(Option<Box<str>>, Box<str>)>,
}

/// Fields of a kind with hosts and Services.
struct RouteFields {
    groups: &'static [&'static str],
    kinds: &'static [&'static str],
    /// Elements that each have hosts and Services of their own; empty for the whole object.
    each: &'static str,
    /// Texts with hosts.
    hosts: &'static str,
    /// Mappings with the name of a Service.
    services: &'static [&'static str],
}

const ROUTES: [RouteFields; 5] = [
    RouteFields {
        groups: &["networking.k8s.io", "extensions"],
        kinds: &["Ingress"],
        each: "spec.rules[]",
        hosts: "host",
        services: &["http.paths[].backend.service", "http.paths[].backend"],
    },
    RouteFields {
        groups: &["route.openshift.io"],
        kinds: &["Route"],
        each: "",
        hosts: "spec.host",
        services: &["spec.to", "spec.alternateBackends[]"],
    },
    RouteFields {
        groups: &["gateway.networking.k8s.io"],
        kinds: &["HTTPRoute", "GRPCRoute", "TLSRoute"],
        each: "",
        hosts: "spec.hostnames[]",
        services: &["spec.rules[].backendRefs[]"],
    },
    RouteFields {
        groups: &["projectcontour.io"],
        kinds: &["HTTPProxy"],
        each: "",
        hosts: "spec.virtualhost.fqdn",
        services: &["spec.routes[].services[]", "spec.tcpproxy.services[]"],
    },
    RouteFields {
        groups: &["traefik.io", "traefik.containo.us"],
        kinds: &["IngressRoute", "IngressRouteTCP"],
        each: "spec.routes[]",
        hosts: "match",
        services: &["services[]"],
    },
];

impl RoutedHosts {
    /// Reads the routes of an object.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<Self> {
        let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
        let Some(row) = ROUTES.iter().find(|row| row.groups.contains(&group) && row.kinds.contains(&kind)) else {
            return Vec::new();
        };
        let routes = nodes(object, row.each).into_iter().map(|part| {
            let hosts = nodes(part, row.hosts).into_iter().filter_map(NodeRef::text).flat_map(hosts_of);
            let services = row.services.iter().flat_map(|field| nodes(part, field)).filter_map(service);
            Self { hosts: hosts.collect(), services: services.collect() }
        });
        routes.filter(|route| !route.hosts.is_empty() && !route.services.is_empty()).collect()
    }

    /// True if the router sends connections for this host to the Service; `route` is the object with the route.
    pub(in crate::model) fn routes_to(&self, route: &Meta, host: &str, service: &Meta) -> bool {
        let is_host = |routed: &str| match routed.strip_prefix('*') {
            Some(domain) => host.find('.').and_then(|dot| host.get(dot..)).is_some_and(|rest| rest == domain),
            None => *routed == *host,
        };
        let namespace =
            |written: &Option<Box<str>>| written.as_deref().or(route.namespace.as_deref()).map(str::to_owned);
        let is_service = |(written, name): &(Option<Box<str>>, Box<str>)| {
            **name == *service.name && namespace(written).as_deref() == service.namespace.as_deref()
        };
        self.hosts.iter().any(|routed| is_host(routed)) && self.services.iter().any(is_service)
    }
}

/// Nodes at the paths that match a pattern.
fn nodes<'t, 's>(node: NodeRef<'t, 's>, pattern: &str) -> Vec<NodeRef<'t, 's>> {
    Pattern::new(pattern).find(node).map(|found| found.node).collect()
}

/// Host names of a field. A rule of Traefik has them between back quotes: ``HostSNI(`web.example.com`)``.
fn hosts_of(text: &str) -> Vec<Box<str>> {
    match text.contains('`') {
        true => text.split('`').skip(1).step_by(2).map(Box::from).collect(),
        false => vec![text.into()],
    }
}

/// Name of a Service, with its namespace if written; `serviceName` is the field of older versions of an Ingress.
fn service(node: NodeRef<'_, '_>) -> Option<(Option<Box<str>>, Box<str>)> {
    let text = |key: &str| node.get(key).and_then(NodeRef::non_empty_text).map(Box::from);
    Some((text("namespace"), text("name").or_else(|| text("serviceName"))?))
}
