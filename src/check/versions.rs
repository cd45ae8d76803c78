//! The versions of what admits and runs the objects.

use crate::api;
use crate::model::Model;
use crate::model::text::{ProgramVersion, image_parts};

/// What is known of the cluster's versions.
#[derive(Debug, Clone)]
pub struct Versions {
    /// The API server's.
    pub kubernetes: ProgramVersion,
    /// OpenKruise's.
    pub openkruise: ProgramVersion,
}

/// The Deployment whose image has OpenKruise's version as tag.
const KRUISE: &str = "kruise-controller-manager";

impl Versions {
    pub(super) fn of(model: &Model, config: &api::Versions) -> Self {
        let read = |text: &Option<String>| text.as_deref().map(ProgramVersion::read);
        let seen = || {
            let manager = model.workloads().find(|(_, object, _)| object.meta.name == KRUISE)?;
            let tag = manager.2.containers.iter().find_map(|container| image_parts(&container.image).1)?;
            Some(ProgramVersion::read(tag))
        };
        Self {
            kubernetes: read(&config.kubernetes).unwrap_or_else(ProgramVersion::unknown),
            openkruise: read(&config.openkruise).or_else(seen).unwrap_or_else(ProgramVersion::unknown),
        }
    }
}
