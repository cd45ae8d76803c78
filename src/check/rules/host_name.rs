//! Pods on the host network that expect a host name of their own.
//!
//! Source: kubernetes v1.36 `pkg/kubelet/kuberuntime/kuberuntime_sandbox.go`: the host name is set for pods that are not on the
//! host network.

use crate::rule::{HOST_NAME, Severity};

use super::{Finding, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        for (path, value) in &workload.pods.host_names {
            let message = format!(
                "{}: {path} is `{value}`, and on the host network the host name is the node's: no process sees this one. Give the name by \
                 a variable",
                workload.meta
            );
            findings.push(Finding::new(Severity::Warning, HOST_NAME, message).on(workload.id).at(path.clone()));
        }
        // The pods of others have names that nobody relies on.
        let is_set = workload.meta.gvk.kind == "StatefulSet";
        for path in workload.pods.asks_host_name.iter().filter(|_| is_set) {
            let message = format!(
                "{}: {path} asks for the host name, which on the host network is the node's and not the pod's. Give the pod's name by a \
                 variable: `{{name: POD_NAME, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}`",
                workload.meta
            );
            findings.push(Finding::new(Severity::Warning, HOST_NAME, message).on(workload.id).at(path.clone()));
        }
    }
    findings
}
