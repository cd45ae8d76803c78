//! Ports that libraries open in programs that the catalogue does not know.

use crate::catalog::{LIBRARIES, Library, OpenPort};
use crate::model::Model;
use crate::model::listener::{WorkloadView, has_variable};
use crate::model::pod::Container;

/// Libraries that the settings of a container show.
pub(crate) fn shown<'c>(
    model: &'c Model,
    namespace: Option<&'c str>,
    container: &'c Container,
) -> impl Iterator<Item = &'static Library> + 'c {
    LIBRARIES
        .iter()
        .filter(move |library| library.is_shown(|name, value| has_setting(model, namespace, container, name, value)))
}

/// True if the container has a variable or flag with this name, and with this value, if there is one.
fn has_setting(model: &Model, namespace: Option<&str>, container: &Container, name: &str, value: Option<&str>) -> bool {
    match value {
        None if !name.starts_with('-') => has_variable(model, namespace, container, name),
        value => container.has_setting(name, value),
    }
}

/// Libraries that a container shows, each with its ports that match no listener of the workload.
pub(crate) fn hidden_ports(
    model: &Model,
    pods: &WorkloadView<'_>,
    container: &Container,
) -> Vec<(&'static Library, Vec<&'static OpenPort>)> {
    let namespace = pods.meta.namespace.as_deref();
    let is_probed = !container.probes.is_empty();
    let is_hidden = |port: &&OpenPort| {
        let is_known = || pods.listeners.iter().any(|listener| listener.number == port.number);
        let mut settings = [port.env, port.arg].into_iter().flatten();
        let is_set = settings.any(|name| has_setting(model, namespace, container, name, None));
        !(is_set || port.unless_probed && is_probed || is_known())
    };
    let of_library = |library: &'static Library| (library, library.opens.iter().filter(is_hidden).collect::<Vec<_>>());
    shown(model, namespace, container).map(of_library).filter(|(_, hidden)| !hidden.is_empty()).collect()
}

/// Ports for messages: `8383 (old-metrics), 8686 (cr-metrics)`.
pub(crate) fn format_ports(ports: &[&OpenPort]) -> String {
    let shown: Vec<String> = ports.iter().map(|port| format!("{} ({})", port.number, port.name)).collect();
    shown.join(", ")
}
