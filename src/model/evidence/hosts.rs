//! Whose a host is: the pod's own, or somebody else's.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use super::address::variable;
use crate::model::pod::{Container, IpOf, PodTemplate};
use crate::model::{Meta, Model};

/// Whose address a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Whose {
    /// All addresses of the pod: nobody dials such a host but the pod itself.
    AnyAddress,
    /// The loopback.
    Loopback,
    /// The pod's own, by a variable or one of its names.
    Own,
    /// A Service that leads to the pod.
    OwnService,
    /// Somebody else's.
    Another,
}

/// Whose a host is that means the same in every pod: the loopback, and all addresses.
pub(in crate::model) fn of_literal(host: &str) -> Option<Whose> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match bare {
        "" | "0.0.0.0" | "::" | "*" | "+" => return Some(Whose::AnyAddress),
        "::1" => return Some(Whose::Loopback),
        _ => {}
    }
    let name = bare.strip_suffix('.').unwrap_or(bare);
    let loops = name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    loops.then_some(Whose::Loopback)
}

/// The names of a pod: its workload's, and those of the Services that lead to it.
#[derive(Debug, Default)]
pub(in crate::model) struct OwnNames {
    workload: String,
    services: BTreeSet<String>,
    namespace: Option<String>,
}

impl OwnNames {
    pub(in crate::model) fn of(model: &Model, meta: &Meta, template: &PodTemplate) -> Self {
        let services = model.services_of(meta, template).map(|(_, service, _)| service.name.as_str());
        // One that its pods have their names from leads to them, in the input or not.
        let unseen = template.service_name.as_deref().filter(|name| !model.has_service(meta, name));
        let services = services.chain(unseen).map(str::to_ascii_lowercase);
        Self {
            workload: meta.name.to_ascii_lowercase(),
            services: services.collect(),
            namespace: meta.namespace.clone(),
        }
    }

    /// Whose a host is that one of the pod's containers names. A variable whose value nobody here can know is
    /// somebody else's: what comes from a Secret is not the pod's own address.
    pub(in crate::model) fn whose(&self, container: &Container, host: &str) -> Whose {
        if let Some(whose) = of_literal(host) {
            return whose;
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Some(name) = variable_of(bare) {
            return match container.env_var(name).map(|(_, var)| (var.ip, var.value.as_deref())) {
                Some((Some(IpOf::Pod | IpOf::Name), _)) => Whose::Own,
                Some((_, Some(value))) if variable_of(value).is_none() => self.of_name(value),
                None if matches!(name, "HOSTNAME" | "POD_IP" | "POD_NAME") => Whose::Own,
                _ => Whose::Another,
            };
        }
        self.of_name(bare)
    }

    fn of_name(&self, host: &str) -> Whose {
        if let Some(whose) = of_literal(host) {
            return whose;
        }
        let host = host.to_ascii_lowercase();
        let (first, rest) = host.split_once('.').unwrap_or((&host, ""));
        let (namespace, zone) = rest.split_once('.').unwrap_or((rest, ""));
        let in_cluster = zone.is_empty() || zone == "svc" || zone.starts_with("svc.");
        let here = in_cluster && (rest.is_empty() || self.namespace.as_deref().is_none_or(|own| own == namespace));
        if here && self.services.contains(first) {
            return Whose::OwnService;
        }
        // `web-0.web` is a pod of the workload, by its own or by its peers.
        let is_pod = |name: &str| {
            name.strip_prefix(self.workload.as_str()).is_some_and(|rest| {
                rest.strip_prefix('-').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            })
        };
        let own = !self.workload.is_empty() && (first == self.workload || is_pod(first));
        // `web-0.web.shop.svc`: behind the Service of its peers comes the namespace.
        let beside = zone.split('.').next().unwrap_or_default();
        let is_peer = self.services.contains(namespace)
            && (beside.is_empty() || self.namespace.as_deref().is_none_or(|own| own == beside));
        if own && (here || is_peer) { Whose::Own } else { Whose::Another }
    }
}

/// The variable that a host is: `$(NAME)`, `${NAME}`, `$NAME`, in brackets for IPv6 or not.
pub(in crate::model) fn variable_of(host: &str) -> Option<&str> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let braced = host.strip_prefix("${").and_then(|host| host.strip_suffix('}'));
    let name = variable(host).or(braced).or_else(|| host.strip_prefix('$'))?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// The hosts of a value that says where somebody is, without schemes, users, ports and paths; none when it is not an
/// address at all: a switch, a number.
pub(in crate::model) fn hosts_of(value: &str) -> Vec<&str> {
    let items = value.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
    let hosts = items.filter_map(|item| {
        let rest = item.split_once("://").map_or(item, |(_, rest)| rest);
        let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let port_like = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) || text.starts_with('$');
        let host = match rest.rsplit_once(':') {
            Some((host, digits)) if port_like(digits) && !host.ends_with(':') => host,
            _ => rest,
        };
        let switch = matches!(host.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off");
        let number = !host.is_empty() && host.bytes().all(|b| b.is_ascii_digit());
        (!host.is_empty() && !switch && !number).then_some(host)
    });
    hosts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_all_addresses_mean_the_same_in_every_pod() {
        for host in ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.1.2.3", "[::1]", "::1"] {
            assert_eq!(of_literal(host), Some(Whose::Loopback), "{host}");
        }
        for host in ["", "0.0.0.0", "[::]", "::", "*", "+"] {
            assert_eq!(of_literal(host), Some(Whose::AnyAddress), "{host}");
        }
        for host in ["db", "128.0.0.1", "localhost.example", "127.0.0.1.example", "10.0.0.1"] {
            assert_eq!(of_literal(host), None, "{host}");
        }
    }

    #[test]
    fn hosts_are_read_from_addresses_and_urls() {
        assert_eq!(hosts_of("postgres://u:p@db.shop:5432/x?y"), ["db.shop"]);
        assert_eq!(hosts_of("a:1, b:2 c"), ["a", "b", "c"]);
        assert_eq!(hosts_of("$(HOST):80"), ["$(HOST)"]);
        for none in ["", "true", "8080", ":8080"] {
            assert_eq!(hosts_of(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn a_pod_has_the_names_of_its_workload_and_its_services() {
        let names = OwnNames {
            workload: "web".to_owned(),
            services: BTreeSet::from(["web-peers".to_owned()]),
            namespace: Some("shop".to_owned()),
        };
        for own in ["web", "web-0", "web.shop", "WEB.shop.svc", "web-0.web-peers", "web-12.web-peers.shop.svc"] {
            assert_eq!(names.of_name(own), Whose::Own, "{own}");
        }
        for service in ["web-peers", "web-peers.shop.svc.cluster.local"] {
            assert_eq!(names.of_name(service), Whose::OwnService, "{service}");
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
            assert_eq!(names.of_name(another), Whose::Another, "{another}");
        }
    }
}
