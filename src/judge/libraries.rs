//! Ports that libraries open in programs that the catalogue does not know.

use crate::catalog::{LIBRARIES, Library, OpenPort};
use crate::model::Model;
use crate::model::listener::{WorkloadView, has_variable};
use crate::model::pod::Container;

/// Libraries that a container shows, each with its ports that match no listener of the workload.
pub(crate) fn hidden_ports(
    model: &Model,
    pods: &WorkloadView<'_>,
    container: &Container,
) -> Vec<(&'static Library, Vec<&'static OpenPort>)> {
    let namespace = pods.meta.namespace.as_deref();
    let has = |name: &str, value: Option<&str>| match value {
        None if !name.starts_with('-') => has_variable(model, namespace, container, name),
        value => container.has_setting(name, value),
    };
    let is_probed = !container.probes.is_empty();
    let is_hidden = |port: &&OpenPort| {
        let is_known = || pods.listeners.iter().any(|listener| listener.number == port.number);
        let is_set = [port.env, port.arg].into_iter().flatten().any(|name| has(name, None));
        !(is_set || port.unless_probed && is_probed || is_known())
    };
    let of_library = |library: &'static Library| (library, library.opens.iter().filter(is_hidden).collect::<Vec<_>>());
    LIBRARIES
        .iter()
        .filter(|library| library.is_shown(has))
        .map(of_library)
        .filter(|(_, hidden)| !hidden.is_empty())
        .collect()
}

/// Ports for messages: `8383 (old-metrics), 8686 (cr-metrics)`.
pub(crate) fn format_ports(ports: &[&OpenPort]) -> String {
    let shown: Vec<String> = ports.iter().map(|port| format!("{} ({})", port.number, port.name)).collect();
    shown.join(", ")
}
