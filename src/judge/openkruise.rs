//! Ports of the host network without a host port, which webhooks of some versions of OpenKruise refuse.
//!
//! Source: `catalog/admission.yaml`, which says kinds, webhooks and versions.

use crate::catalog::Admission;
use crate::model::Model;
use crate::model::text::{ProgramVersion, image_parts};

/// The Deployment whose image has OpenKruise's version as tag.
const MANAGER: &str = "kruise-controller-manager";

/// The version that the input shows.
#[must_use]
pub fn version(model: &Model) -> ProgramVersion {
    let manager = model.workloads().find(|(_, object, _)| object.meta.name == MANAGER);
    let tag = manager.and_then(|(.., template)| template.containers.iter().find_map(|own| image_parts(&own.image).1));
    tag.map_or_else(ProgramVersion::unknown, ProgramVersion::read)
}

/// Whether a version refuses such ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    /// It does.
    Yes,
    /// Some versions do, and which one it is is not known.
    Maybe,
    /// It does not.
    No,
}

/// Whether this version of the webhook refuses them.
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
    format!(
        "{who} refuses it: admission webhook \"{}\" denied the request: {path}: Invalid value: 0: must match `containerPort` when \
         `hostNetwork` is true",
        row.webhook
    )
}
