//! Engines of admission control: the kinds of their policies, and what is known of them as they are installed.

use super::data;

/// A kind of Gatekeeper constraints about host networking, with the names of its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostConstraint {
    /// Kind.
    pub kind: &'static str,
    /// The parameter that allows `hostNetwork: true`.
    pub host_network: &'static str,
    /// The parameter with the lowest host port that is accepted.
    pub min: &'static str,
    /// The parameter with the highest host port that is accepted.
    pub max: &'static str,
    /// The parameter with the images whose containers may have any host port.
    pub exempt: &'static str,
}

/// True if objects of a kind may be policies of admission control that concern the host network.
#[must_use]
pub fn is_admission_policy(group: &str, kind: &str) -> bool {
    let is_it = |(own, kinds): &&(&str, &[&str])| *own == group && kinds.iter().any(|own| *own == kind || *own == "*");
    data::ADMISSION_KINDS.iter().any(|row| is_it(&row))
}

/// True if an engine leaves a namespace out as it is installed.
#[must_use]
pub fn is_exempt_from(engine: &str, namespace: &str) -> bool {
    data::EXEMPT_NAMESPACES.iter().any(|(own, namespaces)| *own == engine && namespaces.contains(&namespace))
}

/// The row of a kind of Gatekeeper constraints about host networking.
#[must_use]
pub fn host_constraint(kind: &str) -> Option<&'static HostConstraint> {
    data::HOST_CONSTRAINTS.iter().find(|row| row.kind == kind)
}

/// Whether one of the `SecurityContextConstraints` that every OpenShift cluster has accepts the host network; `None` for other names.
#[must_use]
pub fn scc_allows_host_network(name: &str) -> Option<bool> {
    data::CLUSTER_SCCS.iter().find(|(own, _)| *own == name).map(|(_, allows)| *allows)
}
