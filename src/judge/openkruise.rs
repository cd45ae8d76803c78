//! Ports without `hostPort` on the host network, which webhooks of some OpenKruise versions reject.
//!
//! Source: `catalog/admission.yaml`, which has kinds, webhooks and versions.

use crate::catalog::{ADMISSION, Admission};
use crate::model::index::version_of;
use crate::model::pod::{Container, ContainerPort, PodTemplate, Role};
use crate::model::{Meta, Model};
use crate::version::ProgramVersion;
use lossless_yaml::Path;
use oci::name::ImageRef;

/// Deployment of OpenKruise; a mirror of its image may have another name.
const MANAGER: &str = "kruise-controller-manager";

/// Last path segment of OpenKruise's image, and the name of its chart.
const IMAGE: &str = "kruise-manager";
const CHART: [&str; 1] = ["kruise"];

/// OpenKruise version found in the input.
pub fn version(model: &Model) -> ProgramVersion {
    let is_match = |meta: &Meta, _: &PodTemplate, container: &Container| {
        meta.name == MANAGER || ImageRef::split(&container.image).last_segment() == IMAGE
    };
    version_of(model, is_match, &CHART).map_or_else(ProgramVersion::unknown, |(version, _)| version)
}

/// Catalog row of a kind and the path of its template.
pub fn row(meta: &Meta, template: &str) -> Option<&'static Admission> {
    let gvk = &meta.gvk;
    ADMISSION.iter().find(|row| row.group == gvk.group && row.kind == gvk.kind && row.template == template)
}

/// Declared ports of regular containers without a host port: path of the `hostPort` field, and port number. The API
/// server does not distinguish a missing field, null and 0.
pub fn ports_without_host_port(template: &PodTemplate) -> Vec<(Path, u16)> {
    let is_absent =
        |port: &ContainerPort| port.host_port.as_ref().is_none_or(|written| written.is_null() || *written.text == *"0");
    let regular = template.containers.iter().filter(|container| container.role == Role::Regular);
    let ports = regular.flat_map(|container| {
        let ports = container.ports.iter().flatten().enumerate().filter(|(_, port)| is_absent(port));
        ports.filter_map(|(index, port)| Some((container.port_path(index).key("hostPort"), port.number()?)))
    });
    ports.collect()
}

/// Result of the OpenKruise webhook for ports without `hostPort`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookRefusal {
    /// Rejected.
    Yes,
    /// Rejected by some versions; the version is unknown.
    Maybe,
    /// Accepted.
    No,
}

/// Result of this version of the webhook for ports without `hostPort`.
pub fn refuses(version: &ProgramVersion, row: &Admission) -> WebhookRefusal {
    match (version.has(row.since), version.has(row.fixed)) {
        (Some(true), Some(false)) => WebhookRefusal::Yes,
        (None, _) | (Some(true), None) => WebhookRefusal::Maybe,
        _ => WebhookRefusal::No,
    }
}

/// Message about the rejection of a port: the program that rejects it, and the error. `path` is the `hostPort` field.
pub fn rejection_message(version: &ProgramVersion, row: &Admission, path: &str) -> String {
    let subject = match refuses(version, row) {
        WebhookRefusal::Yes => format!("OpenKruise {version}"),
        WebhookRefusal::Maybe | WebhookRefusal::No => {
            let fixed = row.fixed.trim_start_matches('v').split('-').next().unwrap_or_default();
            format!("OpenKruise from {} on, and before v{fixed},", row.since)
        }
    };
    let refuses = row.makes.map_or_else(
        || "refuses it".to_owned(),
        |kind| format!("accepts it and refuses each {kind} that it makes, which only its events show"),
    );
    format!(
        "{subject} {refuses}: admission webhook \"{}\" denied the request: {path}: Invalid value: 0: must match `containerPort` when \
         `hostNetwork` is true",
        row.webhook
    )
}
