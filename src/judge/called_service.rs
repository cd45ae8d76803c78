//! Services that the API server calls and whose pods cannot be found in the input, or that do not have the called port.

use std::collections::BTreeSet;

use crate::catalog::run_time_label_setter;
use crate::model::facts::{Call, Service};
use crate::model::listener::{CalledWithoutPods, PossiblePods};
use crate::model::{Meta, Model, WorkloadId};
use crate::plan::listed;
use crate::rule::Severity;

/// Maximum number of workloads or labels that a message lists.
const MAX_LISTED: usize = 5;

/// Maximum number of ports of a Service in a message.
const MAX_PORTS: usize = 10;

/// Calls of ports that a Service does not have, each with the severity and the message of rule `service-target`.
///
/// Source: kubernetes v1.37 `staging/src/k8s.io/apiserver/pkg/util/proxy/proxy.go`, `ResolveCluster`: the call fails if
/// no port of the Service has the number.
pub(crate) fn missing_ports<'c, O>(
    meta: &Meta,
    service: &Service,
    calls: impl Iterator<Item = (O, &'c Call)>,
) -> Vec<(O, u16, Severity, String)> {
    let ports: Option<BTreeSet<u16>> = service.ports.iter().map(|port| port.port).collect();
    let Some(ports) = ports.filter(|ports| !ports.is_empty()) else { return Vec::new() };
    let missing = calls.filter(|(_, call)| call.is_port_known && !ports.contains(&call.port)).map(|(caller, call)| {
        // A URL may be for an API server that resolves the name differently.
        let severity = if call.url.is_some() { Severity::Warning } else { Severity::Error };
        let message = format!(
            "{} makes the API server call port {} of {meta}, which has no such port (it has {}): every call fails. Write a port of \
             the Service",
            call.by,
            call.port,
            listed(&ports, MAX_PORTS)
        );
        (caller, call.port, severity, message)
    });
    missing.collect()
}

/// Message of rule `port-called`: the caller of the Service, the reason why its pods are unknown, and a remedy.
pub(crate) fn message(model: &Model, called: &CalledWithoutPods<'_>) -> String {
    let name = |id: WorkloadId| model.object(id.object).map(|object| object.meta.to_string()).unwrap_or_default();
    let fit = match &called.possible_pods {
        PossiblePods::NoSelector => {
            "which has no selector in the input: its pods are not known. If they run in this cluster, select their workload by name".to_owned()
        }
        PossiblePods::Endpoints(pods) => format!(
            "which has no selector, and whose endpoints are {}: `calledByApiServer` does not follow endpoints. Select the workload of \
             these pods by name",
            listed(pods, MAX_LISTED)
        ),
        PossiblePods::AtRunTime { workload, label: (key, value) } => {
            let by = run_time_label_setter(key).unwrap_or("A program");
            format!(
                "which selects pods by label `{key}: {value}`. Running pods get that label from {by}; only {} has the other labels of the \
                 selector, so it is treated as called",
                name(*workload)
            )
        }
        PossiblePods::NamespaceMissing(workloads) => {
            let (with, without) = match called.meta.namespace.is_some() {
                true => ("the Service", "the workload"),
                false => ("the workload", "the Service"),
            };
            format!(
                "whose selector has the labels of {}, but only {with} has a namespace: it is unknown whether the Service selects these pods, so the \
                 workload is not treated as called. Write the namespace into {without} too, or run hostnet on a render that has both",
                listed(workloads.iter().map(|id| name(*id)), MAX_LISTED)
            )
        }
        PossiblePods::Candidates { workloads, selector } if workloads.is_empty() => {
            let labels = selector.iter().map(|(key, value)| format!("`{key}: {value}`"));
            format!(
                "which selects no workload of the input: no pod template has the labels {}. Run hostnet on a render that contains its pods",
                listed(labels, MAX_LISTED)
            )
        }
        PossiblePods::Candidates { workloads, .. } => {
            let lacks = |(id, keys): &(WorkloadId, Vec<&str>)| match keys.is_empty() {
                true => name(*id),
                false => format!("{} (lacks `{}`)", name(*id), keys.join("`, `")),
            };
            format!(
                "and its selector does not show which pods it selects: {}. If one of them gets the label when it runs, select it by \
                 name, and give the Service a port name as `targetPort`, since a number would stay",
                listed(workloads.iter().map(lacks), MAX_LISTED)
            )
        }
    };
    format!("{} makes the API server call {}, {fit}", called.by, called.meta)
}
