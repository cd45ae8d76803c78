//! A chart that Flux renders in the cluster: of what it makes, the input shows nothing but the chart's name and version.

use crate::model::meta::Meta;
use crate::yaml::NodeRef;

/// A `HelmRelease`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelmRelease {
    /// `spec.chart.spec.chart`: the chart's name, or its path in a Git repository. Of a release that refers to a chart
    /// (`spec.chartRef`), the name of what it refers to.
    pub chart: String,
    /// `spec.chart.spec.version`: a version, or a range of them.
    pub version: Option<String>,
    /// Where the chart is from: kind, namespace and name of an object of Flux's.
    pub source: (String, Option<String>, String),
    /// `spec.releaseName`
    release_name: Option<String>,
    /// `spec.targetNamespace`
    target_namespace: Option<String>,
    /// Whether it has values of its own.
    pub has_values: bool,
}

impl HelmRelease {
    pub(in crate::model) fn of(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let chart = spec.get("chart").and_then(|chart| chart.get("spec"));
        let source = match chart {
            Some(chart) => chart.get("sourceRef"),
            None => spec.get("chartRef"),
        };
        let of_source = |key: &str| source.and_then(|source| text(source, key));
        Some(Self {
            chart: chart.map_or_else(|| of_source("name"), |chart| text(chart, "chart"))?,
            version: chart.and_then(|chart| text(chart, "version")),
            source: (
                of_source("kind").unwrap_or_default(),
                of_source("namespace"),
                of_source("name").unwrap_or_default(),
            ),
            release_name: text(spec, "releaseName"),
            target_namespace: text(spec, "targetNamespace"),
            has_values: ["values", "valuesFrom"]
                .iter()
                .any(|key| spec.get(key).is_some_and(|values| !values.is_null())),
        })
    }

    /// The chart's name, without the folder that it is in.
    #[must_use]
    pub fn name(&self) -> &str {
        self.chart.rsplit('/').next().unwrap_or(&self.chart)
    }

    /// The name that Helm gives the release; `meta` is the object's own.
    #[must_use]
    pub fn release(&self, meta: &Meta) -> String {
        self.release_name.clone().unwrap_or_else(|| match &self.target_namespace {
            Some(namespace) => format!("{namespace}-{}", meta.name),
            None => meta.name.clone(),
        })
    }

    /// The namespace that the chart is rendered for.
    #[must_use]
    pub fn namespace<'m>(&'m self, meta: &'m Meta) -> Option<&'m str> {
        self.target_namespace.as_deref().or(meta.namespace.as_deref())
    }
}
