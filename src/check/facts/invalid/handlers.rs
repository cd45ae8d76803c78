//! Probes and lifecycle hooks that the API server refuses.
//!
//! Source: Kubernetes v1.36 `pkg/apis/core/validation/validation.go` (`validateHandler`, `validateLifecycleHandler`,
//! `validateHTTPGetAction`, `validateTCPSocketAction`).

use super::scalar::{enum_fault, port_fault, port_or_name_fault};
use super::{InvalidFields, NUMBER, NUMBER_OR_NAME, REQUIRED};
use lossless_yaml::{NodeRef, Path};

/// Probe and hook fields of a container, by parent field; each must have exactly one handler.
const FIELDS_WITH_HANDLERS: [(&str, &[&str]); 2] =
    [("", &["livenessProbe", "readinessProbe", "startupProbe"]), ("lifecycle", &["postStart", "preStop"])];

/// Handlers, in the order in which the API server counts them.
const HANDLERS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/// Remedy for an unknown `scheme` of an HTTP probe or hook.
const SCHEME: &str = "Write HTTP or HTTPS";

/// Remedy for a probe or hook with two handlers.
const ONE_HANDLER: &str = "Keep one handler";

impl InvalidFields {
    /// Checks the probes and lifecycle hooks of a container. `is_complete` is false for a container that another tool
    /// completes.
    pub(super) fn handlers(&mut self, container: NodeRef<'_, '_>, path: &Path, is_complete: bool) {
        for (above, fields) in FIELDS_WITH_HANDLERS {
            let (node, path) = match above {
                "" => (Some(container), path.clone()),
                above => (container.get(above), path.key(above)),
            };
            for &field in fields {
                if let Some(handled) = node.and_then(|node| node.get(field)) {
                    self.handler(handled, &path.key(field), is_complete);
                }
            }
        }
    }

    /// Checks the handler of a probe or hook.
    fn handler(&mut self, handled: NodeRef<'_, '_>, path: &Path, is_complete: bool) {
        let written = HANDLERS.into_iter().filter_map(|handler| Some((handler, handled.get(handler)?)));
        for (index, (handler, node)) in written.filter(|(_, node)| !node.is_null()).enumerate() {
            if index > 0 {
                let reason = "Forbidden: may not specify more than 1 handler type".to_owned();
                self.add(path, handler, reason, ONE_HANDLER);
            }
            let path = path.key(handler);
            match handler {
                "grpc" => self.scalar(node, &path, "port", NUMBER, |value| port_fault(value, 1, false)),
                "httpGet" | "tcpSocket" => {
                    self.scalar(node, &path, "port", NUMBER_OR_NAME, |value| port_or_name_fault(value, 1));
                    if handler == "httpGet" {
                        self.scalar(node, &path, "scheme", SCHEME, |value| enum_fault(value, &["HTTP", "HTTPS"]));
                    }
                }
                _ => continue,
            }
            if is_complete && node.is_mapping() && node.get("port").is_none_or(NodeRef::is_null) {
                self.add(&path, "port", REQUIRED.to_owned(), NUMBER_OR_NAME);
            }
        }
    }
}
