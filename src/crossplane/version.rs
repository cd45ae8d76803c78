//! The version of Crossplane, and its features.

use super::own_container::{CORE, is_crossplane};
use crate::model::facts::package;
use crate::model::index::version_of;
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use crate::version::ProgramVersion;
use crate::xpkg::validates_names;
use oci::name::ImageRef;

/// The first version with DeploymentRuntimeConfigs.
const RUNTIME_CONFIGS: &str = "v1.14.0";

/// The first version in which a runtime config's port replaces Crossplane's port of the same name.
const PORTS: &str = "v1.19.0";

/// The first version without ControllerConfigs.
const NO_CONTROLLER_CONFIGS: &str = "v2.0.0";

/// The core that runs the packages. An unknown version is treated as the newest.
#[derive(Debug)]
pub(crate) struct Core {
    version: ProgramVersion,
    /// The source of the version, for messages.
    pub(crate) version_source: Option<String>,
}

impl Core {
    /// Finds the version: from the config, else the core Deployment's image, else a HelmRelease.
    pub(crate) fn find(model: &Model, given: Option<&str>) -> Self {
        let given = given.map(|text| (ProgramVersion::read(text), "`crossplane.version` of the config".to_owned()));
        // The core and its RBAC manager run from one image.
        let found = given.or_else(|| core_version(model));
        let (version, version_source) =
            found.map_or((ProgramVersion::unknown(), None), |(version, by)| (version, Some(by)));
        let version_source = version_source.filter(|_| version.is_known());
        Self { version, version_source }
    }

    /// The core with this image, for an input with several cores.
    pub(crate) fn with_image(image: ImageRef<'_>, workload: &Meta) -> Self {
        let version = image.tag.map_or(ProgramVersion::unknown(), ProgramVersion::read);
        let version_source = version.is_known().then(|| format!("the image of {workload}"));
        Self { version, version_source }
    }

    /// The version.
    pub(crate) fn version(&self) -> &ProgramVersion {
        &self.version
    }

    /// True unless the version is older than `since`.
    fn has(&self, since: &str) -> bool {
        self.version.has(since) != Some(false)
    }

    /// True if packages have runtime configs.
    pub(crate) fn has_runtime_configs(&self) -> bool {
        self.has(RUNTIME_CONFIGS)
    }

    /// True if runtime configs can declare ports of packages.
    pub(crate) fn has_ports(&self) -> bool {
        self.has(PORTS)
    }

    /// True if ImageConfigs select runtime configs.
    pub(crate) fn has_image_configs(&self) -> bool {
        self.has(package::IMAGE_CONFIGS)
    }

    /// True if this version certainly refuses names of packages without registry, dot or version.
    pub(crate) fn validates_names(&self) -> bool {
        validates_names(&self.version) == Some(true)
    }

    /// True if this version certainly has no ControllerConfigs.
    pub(crate) fn lacks_controller_configs(&self) -> bool {
        self.version.has(NO_CONTROLLER_CONFIGS) == Some(true)
    }

    /// Reports that the newest version is assumed: without a version in the config and the input, and for a range of
    /// versions of which only some have one of `features`, each given by the version that added it.
    pub(crate) fn assumed(&self, features: &[&str]) -> Option<Finding> {
        let remedy = "give it with `crossplane: {version: v2.0.2}` in the spec";
        let Some(by) = &self.version_source else {
            let message =
                format!("the input does not show the version of Crossplane, so the newest is assumed; {remedy}");
            return Some(Finding::new(Severity::Info, rule::CROSSPLANE_VERSION, message));
        };
        let differs = |since: &&&str| self.version.spans_several_minors() && self.version.has(since).is_none();
        let since = features.iter().find(differs)?;
        let message = format!(
            "{by} allows releases before {since} and later ones, and these packages differ between them. The newest is assumed; find the \
             release that runs, and {remedy}"
        );
        Some(Finding::new(Severity::Warning, rule::CROSSPLANE_VERSION, message))
    }

    /// Versions that added features of runtime configs.
    pub(crate) fn runtime_features(model: &Model) -> Vec<&'static str> {
        let chooses = model.image_configs().any(|(.., config)| config.runtime_config.is_some());
        let choice = chooses.then_some(package::IMAGE_CONFIGS);
        [RUNTIME_CONFIGS, PORTS, NO_CONTROLLER_CONFIGS].into_iter().chain(choice).collect()
    }

    /// Formats `Crossplane v1.18.5 (the image of Deployment …)`.
    pub(crate) fn display_name(&self) -> String {
        match &self.version_source {
            Some(by) => format!("Crossplane {} ({by})", self.version),
            None => "Crossplane".to_owned(),
        }
    }
}

/// The namespace of the core, in which packages run; `None` if the input does not show a namespace, or has no package.
/// Scans all workloads: call once per run.
pub(crate) fn core_namespace(model: &Model) -> Option<&str> {
    model.packages().next()?;
    let runs = |template: &PodTemplate| template.running().any(|(_, container)| is_crossplane(template, container));
    let workloads = model.workloads().filter(|(.., template)| runs(template));
    let workloads = workloads.filter_map(|(_, object, _)| object.meta.namespace.as_deref());
    let releases =
        model.helm_releases().filter(|(.., release)| is_core_chart(model.resolved_chart_source(release).name()));
    let releases = releases.filter_map(|(_, meta, release)| release.namespace(meta));
    let mut all: Vec<&str> = workloads.chain(releases).collect();
    all.sort_unstable();
    all.dedup();
    if let [only] = all.as_slice() { Some(only) } else { None }
}

/// True for the name of a chart that installs Crossplane itself.
pub(crate) fn is_core_chart(name: &str) -> bool {
    CORE.contains(&name)
}

/// The version of Crossplane in the input, from an image or a HelmRelease, with its source for messages.
pub(crate) fn core_version(model: &Model) -> Option<(ProgramVersion, String)> {
    version_of(model, |_, template, container| is_crossplane(template, container), &CORE)
}
