//! The versions of what admits and runs the objects.

use crate::api;
use crate::model::index::version_of;
use crate::model::text::ProgramVersion;
use crate::model::{Meta, Model};

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

/// OpenKruise's Deployment; its image may be a mirror's of another name.
const KRUISE: &str = "kruise-controller-manager";

/// Its image, and its chart.
const KRUISE_IMAGE: &str = "kruise-manager";
const KRUISE_CHART: [&str; 1] = ["kruise"];

/// The images and charts that are Crossplane itself.
const CROSSPLANE: [&str; 2] = ["crossplane", "universal-crossplane"];

impl Versions {
    pub(super) fn of(model: &Model, config: &api::Versions, crossplane: Option<&str>) -> Self {
        let read = |text: &Option<String>| text.as_deref().map(ProgramVersion::read);
        let kruise = || {
            let is_it = |meta: &Meta, image: &str| meta.name == KRUISE || image == KRUISE_IMAGE;
            Some(version_of(model, is_it, &KRUISE_CHART)?.0)
        };
        let core = || Some(version_of(model, |_, image| CROSSPLANE.contains(&image), &CROSSPLANE)?.0);
        let said = read(&config.crossplane).or_else(|| crossplane.map(ProgramVersion::read));
        Self {
            kubernetes: read(&config.kubernetes).unwrap_or_else(ProgramVersion::unknown),
            openkruise: read(&config.openkruise).or_else(kruise).unwrap_or_else(ProgramVersion::unknown),
            crossplane: said.or_else(core).unwrap_or_else(ProgramVersion::unknown),
        }
    }
}
