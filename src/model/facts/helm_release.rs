//! Chart that Flux, Argo CD or k3s renders in the cluster; the input shows only the name and version of the chart.

use crate::model::meta::Meta;
use lossless_yaml::NodeRef;

/// `HelmRelease` of Flux, `Application` of Argo CD, or `HelmChart` of k3s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelmRelease {
    /// `spec.chart.spec.chart`: name of the chart, or its path in a Git repository. For `spec.chartRef`, the name of
    /// the referenced object. `chart` in the sources of an Application and in the spec of a HelmChart.
    pub chart: String,
    /// `spec.chart.spec.version`, `targetRevision` or `spec.version`: a version, or a version range.
    pub version: Option<String>,
    /// `spec.targetNamespace`, or `spec.destination.namespace` of an Application.
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

    /// Reads an `Application`: a release for each source with a chart. Argo CD ignores `source` next to `sources`:
    /// argoproj/argo-cd@v3.2.0 `pkg/apis/application/v1alpha1/types.go`, `GetSources`.
    pub(in crate::model) fn read_application(object: NodeRef<'_, '_>) -> Vec<Self> {
        let Some(spec) = object.get("spec") else { return Vec::new() };
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let mut sources: Vec<NodeRef<'_, '_>> = spec.get("sources").into_iter().flat_map(NodeRef::items).collect();
        if sources.is_empty() {
            sources.extend(spec.get("source"));
        }
        let namespace = spec.get("destination").and_then(|destination| text(destination, "namespace"));
        let release = |source| {
            let (chart, version) = (text(source, "chart")?, text(source, "targetRevision"));
            Some(Self { chart, version, target_namespace: namespace.clone() })
        };
        sources.into_iter().filter_map(release).collect()
    }

    /// Reads a `HelmChart`.
    pub(in crate::model) fn read_helm_chart(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let text = |key: &str| spec.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        Some(Self { chart: text("chart")?, version: text("version"), target_namespace: text("targetNamespace") })
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
