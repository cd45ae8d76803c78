//! Packages that Crossplane's core installs, from arguments and from values of its chart.

use super::core;
use super::core_facts::CoreChartFacts;
use super::crossplane::{Unqualified, qualified};
use super::facts::MirrorFacts;
use super::rules::MirrorRules;
use crate::crossplane::{REGISTRY, RegistrySetting, unqualified};
use crate::dependency::chart_version;
use crate::model::{Model, ObjectId};
use crate::version::ProgramVersion;

/// A package that the core installs: named by an argument of its init container, or by a chart value that Helm renders
/// to such an argument.
#[derive(Debug)]
pub(super) struct CorePackage {
    pub(super) object: ObjectId,
    /// The object with its container or chart value, for messages.
    pub(super) label: String,
    /// The reference, as written.
    pub(super) source: String,
    pub(super) kind: &'static str,
    /// True for an argument, which a run may edit.
    pub(super) is_argument: bool,
    /// The core of the package's own chart, in an input with several cores.
    pub(super) core: OwnCore,
}

/// The core that installs a package, if it differs from the core that the run assumes.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnCore {
    /// The name or address of its cluster, if known.
    pub(super) cluster: Option<String>,
    /// Version of the core, if known, and the meaning of names without registry.
    pub(super) version: Option<(ProgramVersion, Unqualified)>,
}

impl OwnCore {
    /// Reads the core of a chart. Without `has_several` its version is the version of the run.
    fn of_chart(chart: &CoreChartFacts, has_several: bool) -> Self {
        let text = chart.programs.tag.as_deref().or(chart.version.as_deref()).filter(|_| has_several);
        let version = text.map(chart_version).filter(ProgramVersion::is_known).map(|version| {
            let setting = chart.programs.setting(REGISTRY).map(|(registry, _)| RegistrySetting::Given(registry));
            let unqualified = unqualified(&version, setting);
            (version, unqualified)
        });
        Self { cluster: chart.cluster.clone(), version }
    }

    /// False for cores of two clusters.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        match (&self.cluster, &other.cluster) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        }
    }

    /// Version of the core, or the version of the run.
    pub(super) fn version_or<'v>(&'v self, version: &'v ProgramVersion) -> &'v ProgramVersion {
        self.version.as_ref().map_or(version, |(own, _)| own)
    }
}

impl CorePackage {
    /// The reference with its registry; `unqualified` is the meaning of other names without registry.
    pub(super) fn whole(&self, unqualified: &Unqualified) -> String {
        qualified(&self.source, self.core.version.as_ref().map_or(unqualified, |(_, own)| own))
    }
}

/// The packages that the core installs.
pub(super) fn packages(model: &Model, facts: &MirrorFacts, rules: Option<&MirrorRules<'_>>) -> Vec<CorePackage> {
    let meta = |id: ObjectId| model.object(id).map(|object| object.meta.to_string()).unwrap_or_default();
    let mut all = Vec::new();
    for installed in core::installed(model) {
        let label = format!("{}: container {}", meta(installed.object), installed.container);
        all.extend(installed.packages().map(|source| CorePackage {
            object: installed.object,
            label: label.clone(),
            source: source.to_owned(),
            kind: installed.kind,
            is_argument: true,
            core: OwnCore::default(),
        }));
    }
    let is_given = rules.is_some_and(|rules| rules.config.mirror.spec.crossplane.version.is_some());
    let has_several = !is_given && facts.core_charts.len() + facts.core_containers.len() > 1;
    for (id, chart) in &facts.core_charts {
        let core = OwnCore::of_chart(chart, has_several);
        all.extend(chart.packages.iter().map(|package| CorePackage {
            object: *id,
            label: match &package.place {
                Some(source) => format!("{}: `{}.packages` of {source}", meta(*id), package.value),
                None => format!("{}: `{}.packages`", meta(*id), package.value),
            },
            source: package.source.clone(),
            kind: package.kind,
            is_argument: false,
            core: core.clone(),
        }));
    }
    all
}
