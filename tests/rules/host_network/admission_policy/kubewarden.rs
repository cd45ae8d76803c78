//! Policies of Kubewarden.

use super::Outcome::{self, Refused, Silent, Unsure};

/// A policy for Pods with this module and these settings.
fn policy(kind: &str, module: &str, more: &str) -> String {
    let rules = "[{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE, UPDATE]}]";
    format!(
        "apiVersion: policies.kubewarden.io/v1\nkind: {kind}\nmetadata: {{name: no-host}}\nspec: {{module: 'registry://ghcr.io/kubewarden/policies/{module}', rules: {rules}, {more}}}\n"
    )
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    let hosts = |more: &str| policy("ClusterAdmissionPolicy", "host-namespaces-psp:v1.1.6", more);
    vec![
        (Refused, hosts("mode: protect, settings: {}")),
        (Refused, hosts("settings: {allow_host_network: false, allow_host_ports: []}")),
        (Refused, hosts("settings: {allow_host_network: true, allow_host_ports: [{min: 5000, max: 9000}]}")),
        (Silent, hosts("settings: {allow_host_network: true, allow_host_ports: [{min: 1, max: 65535}]}")),
        (Silent, hosts("mode: monitor, settings: {}")),
        (Silent, hosts("settings: {}").replace("[pods]", "[deployments]")),
        (Silent, hosts("settings: {}, namespaceSelector: {matchLabels: {team: other}}")),
        (Unsure, hosts("settings: {}, matchConditions: [{name: a, expression: 'true'}]")),
        (Silent, policy("ClusterAdmissionPolicy", "pod-privileged:v0.2.5", "settings: {}")),
        (
            Unsure,
            policy(
                "ClusterAdmissionPolicy",
                "cel-policy:v1",
                "settings: {validations: [{expression: '!object.spec.hostNetwork'}]}",
            ),
        ),
        (
            Silent,
            hosts("settings: {}")
                .replace("{name: no-host}", "{name: no-host, namespace: other}")
                .replace("Cluster", ""),
        ),
    ]
}
