//! The versions of what admits and runs the objects.

use crate::api;
use crate::judge::openkruise;
use crate::model::Model;
use crate::model::text::ProgramVersion;

/// What is known of the cluster's versions.
#[derive(Debug, Clone)]
pub struct Versions {
    /// The API server's.
    pub kubernetes: ProgramVersion,
    /// OpenKruise's.
    pub openkruise: ProgramVersion,
}

impl Versions {
    pub(super) fn of(model: &Model, config: &api::Versions) -> Self {
        let read = |text: &Option<String>| text.as_deref().map(ProgramVersion::read);
        Self {
            kubernetes: read(&config.kubernetes).unwrap_or_else(ProgramVersion::unknown),
            openkruise: read(&config.openkruise).unwrap_or_else(|| openkruise::version(model)),
        }
    }
}
