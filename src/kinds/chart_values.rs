//! Values of Crossplane's chart that set variables of containers, as the Deployments that the chart makes of them.

use super::proxy_values::{BLOCKS, chart_with};
use crate::crossplane::is_core_chart;
use crate::wire::{Input, Origin};
use crate::yaml::{NodeRef, Path, Tree};

/// The namespace that Crossplane's documentation installs the chart into; a file of values has none.
const NAMESPACE: &str = "crossplane-system";

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

/// Inputs with the Deployments of Crossplane's chart in place of files of its values, and next to objects that hold such values
/// (`HelmRelease`, `Application`, `HelmChart`).
#[must_use]
pub fn with_charts(inputs: Vec<Input>) -> Vec<Input> {
    let mut all = Vec::with_capacity(inputs.len());
    for input in inputs {
        if !BLOCKS.iter().any(|block| input.text().contains(block.key)) {
            all.push(input);
            continue;
        }
        if let Some(chart) = of_file(input.text()) {
            all.extend(read(input.origin(), chart));
            continue;
        }
        // A fault of the input is reported by whoever reads it whole.
        let charts = input.objects(|_, object| of_object(object)).unwrap_or_default();
        let made: Vec<Input> = charts.into_iter().flatten().filter_map(|chart| read(input.origin(), chart)).collect();
        all.push(input);
        all.extend(made);
    }
    all
}

fn read(origin: &Origin, chart: String) -> Option<Input> {
    Input::read(origin.clone(), chart.into_bytes()).ok()
}

/// The chart of a text that is a file of values.
fn of_file(text: &str) -> Option<String> {
    let tree = Tree::parse(text).ok()?;
    let values = tree.roots().find(|root| root.is_mapping())?;
    if values.get("apiVersion").is_some() || values.get("kind").is_some() {
        return None;
    }
    chart(values, NAMESPACE, None)
}

fn of_object(object: NodeRef<'_, '_>) -> Option<String> {
    let text = |path: &str| object.lookup(&Path::dotted(path)).and_then(NodeRef::non_null_text);
    let (group, kind) = (text("apiVersion")?.split_once('/')?.0, text("kind")?);
    let holder = HOLDERS.iter().find(|holder| (holder.group, holder.kind) == (group, kind))?;
    text(holder.chart)?.rsplit('/').next().filter(|name| is_core_chart(name))?;
    let namespace = text(holder.namespace).or_else(|| text("metadata.namespace")).unwrap_or(NAMESPACE);
    holder.values.iter().find_map(|path| {
        let values = object.lookup(&Path::dotted(path))?;
        match values.non_null_text() {
            Some(written) => chart(Tree::parse(written).ok()?.root(0)?, namespace, text(holder.version)),
            None => chart(values, namespace, text(holder.version)),
        }
    })
}

/// The chart with these values; `None` where they set no variables.
fn chart(values: NodeRef<'_, '_>, namespace: &str, version: Option<&str>) -> Option<String> {
    let tag = values.get("image").and_then(|image| image.get("tag")?.non_null_text());
    let variables = |key: &str| {
        let entries = values.get(key).into_iter().flat_map(NodeRef::entries);
        // As the chart's templates do.
        entries
            .filter_map(|(key, value)| Some((key.text()?.replace('.', "_"), value.text()?.to_owned())))
            .collect::<Vec<_>>()
    };
    let blocks = BLOCKS.map(|block| (block, variables(block.key)));
    let has_some = blocks.iter().any(|(_, variables)| !variables.is_empty());
    has_some.then(|| chart_with(namespace, tag.or(version), &blocks))
}
