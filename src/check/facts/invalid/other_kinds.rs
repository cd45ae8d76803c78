//! Fields of objects other than workloads and Services that the API server refuses.
//!
//! Source: Kubernetes v1.36 `pkg/apis/autoscaling/validation/validation.go` (`validateHorizontalPodAutoscalerSpec`),
//! `pkg/apis/networking/validation/validation.go` (`ValidateNetworkPolicyPort`, `validateIngressBackend`).

use super::scalar::{count_fault, is_placeholder, port_fault, port_or_name_fault};
use super::{COUNT, InvalidFields, NUMBER, NUMBER_OR_NAME};
use crate::model::Meta;
use lossless_yaml::{NodeRef, Path};

/// Remedy for an invalid `maxReplicas` of an autoscaler.
const MOST: &str = "Write a number from 1 to 2147483647 that is not below `minReplicas`";

/// Remedy for an invalid `endPort` of a network policy.
const END: &str = "Write a number that is not below `port`, next to a number as `port`";

impl InvalidFields {
    /// Checks the fields of an object by its kind.
    pub(super) fn by_kind(&mut self, meta: &Meta, object: NodeRef<'_, '_>) {
        let spec = Path::root().key("spec");
        match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
            ("autoscaling", "HorizontalPodAutoscaler") => {
                let Some(node) = object.get("spec") else { return };
                self.scalar(node, &spec, "minReplicas", COUNT, |value| count_fault(value, false));
                self.scalar(node, &spec, "maxReplicas", MOST, |value| {
                    count_fault(value, true).or_else(|| most_fault(value, node.get("minReplicas")))
                });
            }
            ("networking.k8s.io", "NetworkPolicy") => self.network_policy(object, &spec),
            ("networking.k8s.io", "Ingress") => self.ingress(object, &spec),
            _ => {}
        }
    }

    /// Checks the ports of a NetworkPolicy.
    fn network_policy(&mut self, object: NodeRef<'_, '_>, path: &Path) {
        let Some(spec) = object.get("spec") else { return };
        for list in ["ingress", "egress"] {
            for (rule, path) in self.mappings(spec, path, list) {
                for (port, path) in self.mappings(rule, &path, "ports") {
                    self.scalar(port, &path, "port", NUMBER_OR_NAME, |value| port_or_name_fault(value, 1));
                    self.scalar(port, &path, "endPort", NUMBER, |value| port_fault(value, 1, true));
                    self.protocol(port, &path);
                    if let Some(reason) = end_fault(port) {
                        self.add(&path, "endPort", reason, END);
                    }
                }
            }
        }
    }

    /// Checks the backends of an Ingress.
    fn ingress(&mut self, object: NodeRef<'_, '_>, path: &Path) {
        let Some(spec) = object.get("spec") else { return };
        let mut backends = vec![(spec.get("defaultBackend"), path.key("defaultBackend"))];
        for (rule, path) in self.mappings(spec, path, "rules") {
            let Some(http) = rule.get("http") else { continue };
            let paths = self.mappings(http, &path.key("http"), "paths").into_iter();
            backends.extend(paths.map(|(node, path)| (node.get("backend"), path.key("backend"))));
        }
        for (backend, path) in backends {
            let below = Path::dotted("service.port");
            if let Some(port) = backend.and_then(|backend| backend.lookup(&below)) {
                self.scalar(port, &path.join(&below), "number", NUMBER, |value| port_fault(value, 1, true));
            }
        }
    }
}

/// Reason why a value is not valid as `maxReplicas`; `fewest` is `minReplicas`.
fn most_fault(value: NodeRef<'_, '_>, fewest: Option<NodeRef<'_, '_>>) -> Option<String> {
    let most = value.as_go_int()?;
    if most < 1 {
        return Some(format!("Invalid value: {most}: must be greater than 0"));
    }
    let is_below = fewest.and_then(NodeRef::as_go_int).is_some_and(|fewest| most < fewest);
    is_below.then(|| format!("Invalid value: {most}: must be greater than or equal to `minReplicas`"))
}

/// Reason why the `endPort` of a policy's port does not fit its `port`; `None` if one of both is invalid alone.
fn end_fault(port: NodeRef<'_, '_>) -> Option<String> {
    let end = port.get("endPort").filter(|end| !end.is_null())?;
    let Some(first) = port.get("port").filter(|first| !first.is_null()) else {
        return Some("Invalid value: may not be specified when `port` is not specified".to_owned());
    };
    let is_invalid = || port_or_name_fault(first, 1).is_some() || port_fault(end, 1, true).is_some();
    if is_placeholder(first) || is_placeholder(end) || is_invalid() {
        return None;
    }
    match (first.as_go_int(), end.as_go_int()) {
        (Some(first), Some(last)) if last < first => {
            Some(format!("Invalid value: {last}: must be greater than or equal to `port`"))
        }
        (None, Some(_)) => Some("Invalid value: may not be specified when `port` is non-numeric".to_owned()),
        _ => None,
    }
}
