//! Admission control engines: kinds of their policies, and facts about their default installation.

use super::data;

/// Parameter names of a kind of Gatekeeper constraint about host networking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostConstraint {
    /// Parameter that allows `hostNetwork: true`.
    pub host_network: &'static str,
    /// Parameter with the lowest accepted host port.
    pub min: &'static str,
    /// Parameter with the highest accepted host port.
    pub max: &'static str,
    /// Parameter with the images whose containers may have any host port.
    pub exempt: &'static str,
}

/// True if objects of a kind may be policies of admission control that concern the host network.
pub fn is_admission_policy(group: &str, kind: &str) -> bool {
    let is_match = |(known_group, kinds): &&(&str, &[&str])| {
        *known_group == group && kinds.iter().any(|known_kind| *known_kind == kind || *known_kind == "*")
    };
    data::ADMISSION_KINDS.iter().any(|row| is_match(&row))
}

/// Words for host fields in policies of an engine, in addition to the field names; `None` for engines whose policies
/// are evaluated, and for other groups.
pub fn unread_words(group: &str) -> Option<&'static [&'static str]> {
    data::ADMISSION_UNREAD.iter().find(|(known_group, _)| *known_group == group).map(|(_, words)| *words)
}

/// True if the default installation of an engine exempts a namespace.
pub fn is_namespace_exempt(engine: &str, namespace: &str) -> bool {
    data::ADMISSION_EXEMPT
        .iter()
        .any(|(known_engine, namespaces)| *known_engine == engine && namespaces.contains(&namespace))
}

/// Parameter names of a kind of Gatekeeper constraint; `None` for kinds that do not concern host networking.
pub fn host_constraint(kind: &str) -> Option<HostConstraint> {
    match data::ADMISSION_CONSTRAINTS.iter().find(|(known_kind, _)| *known_kind == kind)?.1 {
        [host_network, min, max, exempt] => Some(HostConstraint { host_network, min, max, exempt }),
        _ => None,
    }
}

/// True for the name of a default `SecurityContextConstraints` object of `OpenShift` that refuses the host network.
pub fn is_refusing_scc(name: &str) -> bool {
    data::REFUSING_SCCS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{data, host_constraint};

    #[test]
    fn each_kind_of_constraints_has_its_four_parameters() {
        assert!(data::ADMISSION_CONSTRAINTS.iter().all(|(kind, _)| host_constraint(kind).is_some()));
        assert_eq!(host_constraint("K8sPSPHostNamespace"), None);
    }
}
