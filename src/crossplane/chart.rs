//! Objects by which other tools install Crossplane's Helm chart, and their chart values.

use super::version::is_core_chart;
use lossless_yaml::{NodeRef, Path, Tree};

/// Kinds with chart values: group, kind, the paths of the chart's name, version and namespace, and the paths of the
/// values, as a mapping or as text.
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
    /// The namespace of the release.
    pub(crate) namespace: Option<&'o str>,
    /// The chart's version, as written.
    pub(crate) version: Option<&'o str>,
    /// The paths of the values in this kind, as a mapping or as text.
    pub(crate) values: &'static [&'static str],
}

impl<'o> CoreChart<'o> {
    /// Reads an object; `None` if it does not install Crossplane's chart.
    pub(crate) fn of(object: NodeRef<'o, '_>) -> Option<Self> {
        let text = |path: &str| object.lookup(&Path::dotted(path)).and_then(NodeRef::non_null_text);
        let (group, kind) = (text("apiVersion")?.split_once('/')?.0, text("kind")?);
        let holder = HOLDERS.iter().find(|holder| (holder.group, holder.kind) == (group, kind))?;
        text(holder.chart)?.rsplit('/').next().filter(|name| is_core_chart(name))?;
        let namespace = text(holder.namespace).or_else(|| text("metadata.namespace"));
        Some(Self { namespace, version: text(holder.version), values: holder.values })
    }

    /// Returns the first result of a function over the object's chart values; `None` without readable values.
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
