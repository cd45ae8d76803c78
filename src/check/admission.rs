//! Webhooks of OpenKruise that refuse templates on the host network without host ports: which of them, in which versions, in which words.

use crate::catalog::{self, Admission};
use crate::model::Meta;
use crate::model::pod::{ContainerPort, PodTemplate, Role};
use crate::rule::Severity;
use crate::yaml::Path;

use super::versions::Versions;

/// What a webhook does.
pub(super) struct Refusal {
    /// An error where the version is known to refuse, a warning where it is not known.
    pub(super) severity: Severity,
    /// Who refuses what, in which words, and what to do about the version.
    pub(super) what: String,
}

/// The row of a kind and of the place of its template.
pub(super) fn row(meta: &Meta, template: &str) -> Option<&'static Admission> {
    let gvk = &meta.gvk;
    catalog::admission().iter().find(|row| row.group == gvk.group && row.kind == gvk.kind && row.template == template)
}

/// The declared ports of regular containers that have no host port, each with the path of the field, below the template.
pub(super) fn absent(template: &PodTemplate) -> Vec<(Path, u16)> {
    let regular = template.containers.iter().filter(|container| container.role == Role::Regular);
    let ports = regular.flat_map(|container| {
        let ports = container.ports.iter().flatten().enumerate().filter(|(_, port)| is_absent(port));
        ports.filter_map(|(index, port)| Some((container.port_path(index).key("hostPort"), port.number()?)))
    });
    ports.collect()
}

/// Absent, null and 0 are the same to the API server.
fn is_absent(port: &ContainerPort) -> bool {
    port.host_port.as_ref().is_none_or(|written| written.is_null() || *written.text == *"0")
}

/// Whether the webhook of a row refuses a template whose port at `shown`, as its message has it, is without a host port.
pub(super) fn refusal(row: &Admission, shown: &str, versions: &Versions) -> Option<Refusal> {
    let version = &versions.openkruise;
    let words = format!(
        "admission webhook \"{}\" denied the request: {shown}: Invalid value: 0: must match `containerPort` when `hostNetwork` is true",
        row.webhook
    );
    let refuses = row.makes.map_or_else(
        || "refuses it".to_owned(),
        |kind| format!("accepts it and refuses each {kind} that it makes, which only its events say"),
    );
    let fixed = row.fixed.split('-').next().unwrap_or_default();
    match (version.has(row.since), version.has(row.fixed)) {
        (Some(false), _) | (_, Some(true)) => None,
        (Some(true), Some(false)) => {
            Some(Refusal { severity: Severity::Error, what: format!("OpenKruise {version} {refuses}: {words}") })
        }
        _ => {
            let what = format!(
                "OpenKruise from {} on, and before {fixed}, {refuses}: {words}. Which version you have is not known: give `versions: \
                 {{openkruise: {fixed}}}` in the config when it is that",
                row.since
            );
            Some(Refusal { severity: Severity::Warning, what })
        }
    }
}
