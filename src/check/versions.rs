//! The versions of what admits and runs the objects.

use super::settings::Settings;
use crate::judge::openkruise;
use crate::model::Model;
use crate::model::index::version_of;
use crate::version::ProgramVersion;

/// What is known of the cluster's versions.
#[derive(Debug, Clone)]
pub struct Versions {
    /// The API server's.
    pub kubernetes: ProgramVersion,
    /// OpenKruise's.
    pub openkruise: ProgramVersion,
    /// Crossplane's.
    pub crossplane: ProgramVersion,
}

/// The images and charts that are Crossplane itself.
const CROSSPLANE: [&str; 2] = ["crossplane", "universal-crossplane"];

impl Versions {
    pub(super) fn of(model: &Model, settings: &Settings<'_>) -> Self {
        let config = settings.versions;
        let crossplane = settings.host_network.and_then(|spec| spec.crossplane.version.as_deref());
        let read = |text: &Option<String>| text.as_deref().map(ProgramVersion::read);
        let core = || Some(version_of(model, |_, image| CROSSPLANE.contains(&image), &CROSSPLANE)?.0);
        let said = read(&config.crossplane).or_else(|| crossplane.map(ProgramVersion::read));
        Self {
            kubernetes: read(&config.kubernetes).unwrap_or_else(ProgramVersion::unknown),
            openkruise: read(&config.openkruise).unwrap_or_else(|| openkruise::version(model)),
            crossplane: said.or_else(core).unwrap_or_else(ProgramVersion::unknown),
        }
    }
}
