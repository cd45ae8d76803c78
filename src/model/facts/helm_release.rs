//! Chart that Flux renders in the cluster; the input shows only the name and version of the chart.

use crate::model::meta::Meta;
use lossless_yaml::NodeRef;

/// `HelmRelease` of Flux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelmRelease {
    /// `spec.chart.spec.chart`: name of the chart, or its path in a Git repository. For `spec.chartRef`, the name of
    /// the referenced object.
    pub chart: String,
    /// `spec.chart.spec.version`: a version, or a version range.
    pub version: Option<String>,
    /// `spec.targetNamespace`
    target_namespace: Option<String>,
}

impl HelmRelease {
    pub(in crate::model) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let chart = spec.get("chart").and_then(|chart| chart.get("spec"));
        let of_reference = || text(spec.get("chartRef")?, "name");
        Some(Self {
            chart: chart.map_or_else(of_reference, |chart| text(chart, "chart"))?,
            version: chart.and_then(|chart| text(chart, "version")),
            target_namespace: text(spec, "targetNamespace"),
        })
    }

    /// Name of the chart, without its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        self.chart.rsplit('/').next().unwrap_or(&self.chart)
    }

    /// Namespace for which Flux renders the chart.
    #[must_use]
    pub fn namespace<'m>(&'m self, meta: &'m Meta) -> Option<&'m str> {
        self.target_namespace.as_deref().or(meta.namespace.as_deref())
    }
}
