//! Ports without `hostPort` on the host network, which webhooks of some OpenKruise versions reject.
//!
//! Source: `catalog/admission.yaml`, which says kinds, webhooks and versions.

use crate::catalog::{Admission, admission};
use crate::model::index::version_of;
use crate::model::pod::{ContainerPort, PodTemplate, Role};
use crate::model::{Meta, Model};
use crate::version::ProgramVersion;
use lossless_yaml::Path;

/// OpenKruise's Deployment; its image may be a mirror's of another name.
const MANAGER: &str = "kruise-controller-manager";

/// The last part of its image's path, and its chart.
const IMAGE: &str = "kruise-manager";
const CHART: [&str; 1] = ["kruise"];

/// OpenKruise version found in the input.
#[must_use]
pub fn version(model: &Model) -> ProgramVersion {
    let is_it = |meta: &Meta, image: &str| meta.name == MANAGER || image == IMAGE;
    version_of(model, is_it, &CHART).map_or_else(ProgramVersion::unknown, |(version, _)| version)
}

/// The row of a kind and of the place where it has a template.
#[must_use]
pub fn row(meta: &Meta, template: &str) -> Option<&'static Admission> {
    let gvk = &meta.gvk;
    admission().iter().find(|row| row.group == gvk.group && row.kind == gvk.kind && row.template == template)
}

/// The declared ports of regular containers that have no host port: of each the path of that field, and the number. Absent, null and 0
/// are the same to the API server.
#[must_use]
pub fn absent(template: &PodTemplate) -> Vec<(Path, u16)> {
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
pub enum Refuses {
    /// Rejected.
    Yes,
    /// Rejected by some versions; the version is unknown.
    Maybe,
    /// Accepted.
    No,
}

/// True if this version of the webhook rejects ports without `hostPort`.
#[must_use]
pub fn refuses(version: &ProgramVersion, row: &Admission) -> Refuses {
    match (version.has(row.since), version.has(row.fixed)) {
        (Some(true), Some(false)) => Refuses::Yes,
        (None, _) | (Some(true), None) => Refuses::Maybe,
        _ => Refuses::No,
    }
}

/// Who refuses the port whose host port would be at a path, and in which words.
#[must_use]
pub fn words(version: &ProgramVersion, row: &Admission, path: &str) -> String {
    let who = match refuses(version, row) {
        Refuses::Yes => format!("OpenKruise {version}"),
        Refuses::Maybe | Refuses::No => {
            let fixed = row.fixed.trim_start_matches('v').split('-').next().unwrap_or_default();
            format!("OpenKruise from {} on, and before v{fixed},", row.since)
        }
    };
    let refuses = row.makes.map_or_else(
        || "refuses it".to_owned(),
        |kind| format!("accepts it and refuses each {kind} that it makes, which only its events say"),
    );
    format!(
        "{who} {refuses}: admission webhook \"{}\" denied the request: {path}: Invalid value: 0: must match `containerPort` when \
         `hostNetwork` is true",
        row.webhook
    )
}
