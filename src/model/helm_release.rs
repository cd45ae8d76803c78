//! A chart that Flux renders in the cluster: of what it makes, the input shows nothing but the chart's name and version.

use crate::yaml::NodeRef;

/// A `HelmRelease` with a chart of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelmRelease {
    /// `spec.chart.spec.chart`: the chart's name, or its path in a Git repository.
    pub chart: String,
    /// `spec.chart.spec.version`: a version, or a range of them.
    pub version: Option<String>,
}

impl HelmRelease {
    pub(super) fn of(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?.get("chart")?.get("spec")?;
        let text = |key: &str| spec.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        Some(Self { chart: text("chart")?, version: text("version") })
    }

    /// The chart's name, without the folder that it is in.
    #[must_use]
    pub fn name(&self) -> &str {
        self.chart.rsplit('/').next().unwrap_or(&self.chart)
    }
}
