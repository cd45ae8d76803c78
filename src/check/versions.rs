//! Versions of Kubernetes, OpenKruise and Crossplane.

use super::settings::Settings;
use crate::crossplane::core_version;
use crate::judge::openkruise;
use crate::model::Model;
use crate::version::ProgramVersion;

/// Versions in the cluster; each may be unknown.
#[derive(Debug, Clone)]
pub struct Versions {
    /// Version of the API server.
    pub kubernetes: ProgramVersion,
    /// Version of OpenKruise.
    pub openkruise: ProgramVersion,
    /// Version of Crossplane.
    pub crossplane: ProgramVersion,
}

impl Versions {
    pub(super) fn new(model: &Model, settings: &Settings<'_>) -> Self {
        let config = settings.versions;
        let crossplane = settings.host_network.and_then(|spec| spec.crossplane.version.as_deref());
        let read = |text: &Option<String>| text.as_deref().map(ProgramVersion::read);
        let core = || Some(core_version(model)?.0);
        let configured = read(&config.crossplane).or_else(|| crossplane.map(ProgramVersion::read));
        Self {
            kubernetes: read(&config.kubernetes).unwrap_or_else(ProgramVersion::unknown),
            openkruise: read(&config.openkruise).unwrap_or_else(|| openkruise::version(model)),
            crossplane: configured.or_else(core).unwrap_or_else(ProgramVersion::unknown),
        }
    }
}
