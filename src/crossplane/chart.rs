//! Objects from which somebody else installs Crossplane's chart, and the values that they hold.

use super::version::is_core_chart;
use lossless_yaml::{NodeRef, Path, Tree};

/// The kinds whose objects hold values of a chart: group, kind, the paths of the chart's name, its version and its namespace, and those of the values, as
/// a mapping or as a text.
const HOLDERS: [Holder; 3] = [
    Holder {
        group: "helm.toolkit.fluxcd.io",
        kind: "HelmRelease",
        chart: "spec.chart.spec.chart",
        version: "spec.chart.spec.version",
        namespace: "spec.targetNamespace",
        values: &["spec.values"],
    },
    Holder {
        group: "argoproj.io",
        kind: "Application",
        chart: "spec.source.chart",
        version: "spec.source.targetRevision",
        namespace: "spec.destination.namespace",
        values: &["spec.source.helm.valuesObject", "spec.source.helm.values"],
    },
    Holder {
        group: "helm.cattle.io",
        kind: "HelmChart",
        chart: "spec.chart",
        version: "spec.version",
        namespace: "spec.targetNamespace",
        values: &["spec.valuesContent"],
    },
];

struct Holder {
    group: &'static str,
    kind: &'static str,
    chart: &'static str,
    version: &'static str,
    namespace: &'static str,
    values: &'static [&'static str],
}

/// An object that installs Crossplane's chart.
#[derive(Debug)]
pub(crate) struct CoreChart<'o> {
    /// The namespace that it is installed into.
    pub(crate) namespace: Option<&'o str>,
    /// The chart's version, as written.
    pub(crate) version: Option<&'o str>,
    /// The paths that values have in this kind, as a mapping or as a text.
    pub(crate) values: &'static [&'static str],
}

impl<'o> CoreChart<'o> {
    /// Reads an object; `None` for one that installs another chart, or none.
    pub(crate) fn of(object: NodeRef<'o, '_>) -> Option<Self> {
        let text = |path: &str| object.lookup(&Path::dotted(path)).and_then(NodeRef::non_null_text);
        let (group, kind) = (text("apiVersion")?.split_once('/')?.0, text("kind")?);
        let holder = HOLDERS.iter().find(|holder| (holder.group, holder.kind) == (group, kind))?;
        text(holder.chart)?.rsplit('/').next().filter(|name| is_core_chart(name))?;
        let namespace = text(holder.namespace).or_else(|| text("metadata.namespace"));
        Some(Self { namespace, version: text(holder.version), values: holder.values })
    }

    /// The first answer of the values of the object; `None` where it has none that can be read.
    pub(crate) fn with_values<T>(
        &self,
        object: NodeRef<'_, '_>,
        read: impl Fn(NodeRef<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        self.values.iter().find_map(|path| {
            let values = object.lookup(&Path::dotted(path))?;
            match values.non_null_text() {
                Some(written) => read(Tree::parse(written).ok()?.root(0)?),
                None => read(values),
            }
        })
    }
}
