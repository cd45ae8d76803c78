//! Findings about the mirror's host: the protocol by which Crossplane reaches it, and names that the API server
//! refuses.

use std::collections::BTreeSet;

use super::crossplane::Style;
use super::writer::Writer;
use crate::catalog::{LOCAL_IS_HTTPS_SINCE, full_names_required_since};
use crate::rule::{self, Severity};
use crate::xpkg::{name_refusal, validates_names};
use lossless_yaml::Path;
use oci::name::may_be_http;

/// Reports problems of the hosts in `to`.
pub(super) fn report_registries(writer: &mut Writer<'_>) {
    let mut messages = BTreeSet::new();
    for (index, rule) in writer.rules.config.mirror.spec.rules.iter().enumerate() {
        let place = writer.rules.config.place_of(&Path::dotted("spec.rules").item(index).key("to"));
        let host = rule.to.split('/').next().unwrap_or_default();
        if !messages.insert(host) {
            continue;
        }
        if is_own_pod(host) {
            let message = format!(
                "{place}: in a pod, `{host}` is the pod itself, so Crossplane's core would look for the registry in its own pod. Write an address that pods reach"
            );
            writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, None);
        }
        if is_service(host) {
            let message = format!(
                "{place}: nodes, which pull the images of pods, do not resolve `{host}`, the name of a Service. Write a name or an address that nodes reach, \
                 or its address into their configs: `hostnet mirror node-config --at {host}=URL`"
            );
            writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, None);
        }
        if may_be_http(host, true) && !may_be_http(host, false) {
            let message = format!(
                "{place}: Crossplane reaches hosts below `.local` by HTTP too, and from {} on by HTTPS alone, so an upgrade ends plain HTTP: \
                 `{host}` needs TLS then, or a name that is an address of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16",
                LOCAL_IS_HTTPS_SINCE.join(", ")
            );
            writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, None);
        }
        let looks = validates_names(writer.core.version()) != Some(false);
        let refusal =
            name_refusal(&format!("{}/package:v1", rule.to)).filter(|_| writer.style == Style::Rewrite && looks);
        if let Some(refusal) = refusal {
            let message = format!(
                "{place}: with Crossplane from {} on the API server refuses a `spec.package` of this registry: {refusal}; or use style ImageConfig",
                full_names_required_since().unwrap_or_default()
            );
            writer.add_finding(Severity::Error, rule::PACKAGE_REGISTRY, message, None);
        }
    }
}

/// True for `localhost` and loopback addresses, which reach the pod that sends the request.
fn is_own_pod(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name == "localhost" || name.ends_with(".localhost") || name.starts_with("127.") || name == "[::1]"
}

/// True for the name of a Service, which only pods resolve.
fn is_service(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let name = name.strip_suffix(".cluster.local").unwrap_or(name);
    name.rsplit_once('.').is_some_and(|(_, last)| last == "svc")
}
