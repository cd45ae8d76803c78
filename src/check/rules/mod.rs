//! The rules of `check`: a table, and one file per rule with a pure function of the [`CheckContext`].

mod admission_policy;
mod dns_policy;
mod document;
mod duplicate_object;
mod function;
mod host_name;
mod host_port;
mod knative;
mod mesh;
mod network_policy;
mod node_port;
mod pod_forbids;
mod pod_security;
mod port_called;
mod port_conflict;
mod port_declared;
mod port_placeholder;
mod probe_address;
mod replicas_nodes;
mod rollout_surge;
mod runtime_config;
mod service_target;
mod sidecar_port;
mod subset_patch;

// Imports of every rule.
use super::context::CheckContext;
use crate::plan::Finding;
use crate::rule::{self, Rule};

/// Rule with its check function.
#[derive(Clone, Copy)]
pub struct CheckRule {
    /// Id, page and severities.
    pub rule: Rule,
    /// Returns the findings of the rule.
    pub check: fn(&CheckContext<'_>) -> Vec<Finding>,
}

/// Creates the entry of a rule.
const fn row(rule: Rule, check: fn(&CheckContext<'_>) -> Vec<Finding>) -> CheckRule {
    CheckRule { rule, check }
}

/// All rules, sorted by id, except rules about duplicate keys and suppressions: the readers of the input and the config
/// report these.
pub const ALL: &[CheckRule] = &[
    row(rule::ADMISSION_POLICY, admission_policy::check),
    row(rule::DNS_POLICY, dns_policy::check),
    row(rule::DOCUMENT, document::check),
    row(rule::DUPLICATE_OBJECT, duplicate_object::check),
    row(rule::FUNCTION, function::check),
    row(rule::HOST_NAME, host_name::check),
    row(rule::HOST_PORT, host_port::check),
    row(rule::KNATIVE, knative::check),
    row(rule::MESH, mesh::check),
    row(rule::NETWORK_POLICY, network_policy::check),
    row(rule::NODE_PORT, node_port::check),
    row(rule::POD_FORBIDS, pod_forbids::check),
    row(rule::POD_SECURITY, pod_security::check),
    row(rule::PORT_CALLED, port_called::check),
    row(rule::PORT_CONFLICT, port_conflict::check),
    row(rule::PORT_DECLARED, port_declared::check),
    row(rule::PORT_PLACEHOLDER, port_placeholder::check),
    row(rule::PROBE_ADDRESS, probe_address::check),
    row(rule::REPLICAS_NODES, replicas_nodes::check),
    row(rule::ROLLOUT_SURGE, rollout_surge::check),
    row(rule::RUNTIME_CONFIG, runtime_config::check),
    row(rule::SERVICE_TARGET, service_target::check),
    row(rule::SIDECAR_PORT, sidecar_port::check),
    row(rule::SUBSET_PATCH, subset_patch::check),
];

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::rule;

    #[test]
    fn the_registry_and_the_rules_are_the_same() {
        let read_elsewhere = ["duplicate-key", "unused-ignore"];
        let known: Vec<&str> = rule::checked().map(|rule| rule.id).filter(|id| !read_elsewhere.contains(id)).collect();
        let here: Vec<&str> = ALL.iter().map(|row| row.rule.id).collect();
        assert_eq!(known, here);
    }
}
