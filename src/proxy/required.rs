//! The entries that `NO_PROXY` must have, in order.

use std::collections::BTreeSet;

use super::core::Crossplane;
use super::facts::ProxyFacts;
use super::list::key;
use super::matches_all::matches_all;
use super::variables::SERVICE;
use crate::api::{ApiServerHosts, Cluster, ProxyEnvironmentSpec, ProxyTarget};

/// Hosts of cloud metadata services: EC2 and others (IPv4 and IPv6), ECS credentials, the EKS Pod Identity agent (IPv4
/// and IPv6), and the name used by Google clients.
///
/// Source: aws/eks-pod-identity-agent@345dca7a01 `configuration/config.go`, `DefaultIpv4TargetHost` and
/// `DefaultIpv6TargetHost`.
pub(super) const METADATA: [&str; 6] =
    ["169.254.169.254", "fd00:ec2::254", "169.254.170.2", "169.254.170.23", "fd00:ec2::23", "metadata.google.internal"];

/// The role of a container, which decides the entries that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Crossplane's core, which calls functions and cloud registries.
    Core,
    /// A Crossplane Provider, which calls its cloud.
    Provider,
    /// Any other container.
    Other,
}

/// The union of the entries that each package sharing a container needs.
pub(super) fn union_of_entries(
    spec: &ProxyEnvironmentSpec,
    wanted: &[(&ProxyTarget, Role)],
    crossplane: &Crossplane,
    facts: &ProxyFacts,
) -> Vec<String> {
    let mut known = BTreeSet::new();
    let all = wanted.iter().flat_map(|(target, role)| entries(spec, target, *role, crossplane, facts));
    let all: Vec<String> = all.filter(|entry| known.insert(key(entry))).collect();
    if known.contains("*") { vec!["*".to_owned()] } else { all }
}

/// The entries for a container, in order: target, config, the pod itself, API server, functions, cluster, metadata
/// services.
fn entries(
    spec: &ProxyEnvironmentSpec,
    target: &ProxyTarget,
    role: Role,
    crossplane: &Crossplane,
    facts: &ProxyFacts,
) -> Vec<String> {
    if matches_all(spec, target) {
        return vec!["*".to_owned()];
    }
    let mut entries: Vec<String> =
        target.no_proxy.iter().chain(&spec.no_proxy).map(|entry| entry.trim().to_owned()).collect();
    entries.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
    entries.extend(api_server(&spec.cluster));
    if role == Role::Core {
        entries.extend(functions(&spec.cluster, crossplane));
    }
    entries.extend(cluster(&spec.cluster));
    // Go includes a final dot in the comparison. Programs reuse hosts that they are given, as Flux's source-controller
    // does in `status`, so a final dot in one text of the input affects all containers (fluxcd/flux2@v2.7.0
    // manifests/bases/source-controller).
    if facts.final_dots.contains(&spec.cluster.domain) {
        entries.push(format!(".{}.", spec.cluster.domain));
    }
    if spec.metadata_service.is_direct() {
        entries.extend(METADATA.map(str::to_owned));
    }
    entries
}

/// Entries of `NO_PROXY` for the API server.
fn api_server(cluster: &Cluster) -> Vec<String> {
    let mut entries = match &cluster.api_server {
        ApiServerHosts::FromService => vec![SERVICE.to_owned()],
        ApiServerHosts::Hosts(hosts) => hosts.clone(),
    };
    entries.extend(["kubernetes.default", "kubernetes.default.svc", ".svc"].map(str::to_owned));
    entries.push(format!(".svc.{}", cluster.domain));
    entries
}

/// Entries for function calls: one name suffix, which also covers functions installed later, and the pod ranges for
/// versions that compare addresses. Both are always written, so that another Crossplane version needs no new list.
fn functions(cluster: &Cluster, crossplane: &Crossplane) -> Vec<String> {
    let name = crossplane.namespace.iter().map(|namespace| format!(".{namespace}"));
    name.chain(cluster.pods.iter().cloned()).collect()
}

/// Entries of `NO_PROXY` for the cluster's address ranges and names.
fn cluster(cluster: &Cluster) -> Vec<String> {
    let ranges = [&cluster.services, &cluster.pods, &cluster.nodes];
    let mut entries: Vec<String> = ranges.into_iter().flatten().cloned().collect();
    entries.push(format!(".{}", cluster.domain));
    entries
}

/// The replacement of `$(KUBERNETES_SERVICE_HOST)` in a ConfigMap: the Service ranges of the config, else `address`,
/// the API server's address in the input.
pub(super) fn instead_of_service(cluster: &Cluster, address: Option<&str>) -> Vec<String> {
    if cluster.services.is_empty() {
        address.into_iter().map(str::to_owned).collect()
    } else {
        cluster.services.clone()
    }
}
