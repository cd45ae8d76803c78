//! Converts values of Crossplane's chart that set environment variables to the Deployments that the chart renders.

use super::proxy_values::{BLOCKS, chart_deployments_with_env};
use crate::crossplane::CoreChart;
use crate::dependency::chart_version;
use crate::version::ProgramVersion;
use krm::{Input, Origin};
use lossless_yaml::{NodeRef, Tree};

/// Namespace of the chart in Crossplane's documentation; used for values files, which have no namespace.
const NAMESPACE: &str = "crossplane-system";

/// Replaces values files of Crossplane's chart by its Deployments, and adds Deployments for objects that contain such
/// values (`HelmRelease`, `Application`, `HelmChart`).
pub fn with_charts(inputs: Vec<Input>) -> Vec<Input> {
    let named = values_files_of_charts(&inputs);
    let mut all = Vec::with_capacity(inputs.len());
    for input in inputs {
        if !BLOCKS.iter().any(|block| input.text().contains(block.key)) {
            all.push(input);
            continue;
        }
        let owner = named.iter().find(|(file, ..)| is_file(&input, file));
        let (namespace, version) = match owner {
            Some((_, namespace, version)) => (namespace.as_deref(), version.as_deref()),
            None => (None, None),
        };
        if let Some(chart) = deployments_from_values_file(input.text(), namespace.unwrap_or(NAMESPACE), version) {
            all.extend(read(input.origin(), chart));
            continue;
        }
        // Invalid inputs are reported by the code that reads them completely.
        let charts = input.objects(|_, object| deployments_from_chart_object(object)).unwrap_or_default();
        let made: Vec<Input> = charts.into_iter().flatten().filter_map(|chart| read(input.origin(), chart)).collect();
        all.push(input);
        all.extend(made);
    }
    all
}

fn read(origin: &Origin, chart: String) -> Option<Input> {
    Input::read(origin.clone(), chart.into_bytes()).ok()
}

/// Deployments for a text that is a values file.
fn deployments_from_values_file(text: &str, namespace: &str, version: Option<&str>) -> Option<String> {
    let tree = Tree::parse(text).ok()?;
    let values = tree.roots().find(|root| root.is_mapping())?;
    if values.get("apiVersion").is_some() || values.get("kind").is_some() {
        return None;
    }
    chart(values, namespace, version)
}

/// Values files that objects with Crossplane's chart name, each with the namespace and version of the chart.
fn values_files_of_charts(inputs: &[Input]) -> Vec<(String, Option<String>, Option<String>)> {
    let mut all = Vec::new();
    for input in inputs.iter().filter(|input| input.text().contains("valueFiles")) {
        let files = |object: NodeRef<'_, '_>| {
            let core_chart = CoreChart::from_object(object)?;
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let file = |file: &str| (file.to_owned(), owned(core_chart.namespace), owned(core_chart.version));
            Some(core_chart.files.iter().copied().map(file).collect::<Vec<_>>())
        };
        let found = input.objects(|_, object| files(object)).unwrap_or_default();
        all.extend(found.into_iter().flatten().flatten());
    }
    all
}

fn is_file(input: &Input, file: &str) -> bool {
    input.origin().path().is_some_and(|path| path.ends_with(file))
}

/// The input at this path of a repository; `None` for no or several inputs.
pub(super) fn file<'i>(inputs: &'i [Input], file: &str) -> Option<&'i Input> {
    let mut found = inputs.iter().filter(|input| is_file(input, file));
    found.next().filter(|_| found.next().is_none())
}

fn deployments_from_chart_object(object: NodeRef<'_, '_>) -> Option<String> {
    let core_chart = CoreChart::from_object(object)?;
    core_chart
        .with_values(object, |values| chart(values, core_chart.namespace.unwrap_or(NAMESPACE), core_chart.version))
}

/// Deployments for these values; `None` if they set no variables.
fn chart(values: NodeRef<'_, '_>, namespace: &str, version: Option<&str>) -> Option<String> {
    let tag = values.get("image").and_then(|image| image.get("tag")?.non_null_text());
    let variables = |key: &str| {
        let entries = values.get(key).into_iter().flat_map(NodeRef::entries);
        // Like the chart's templates.
        entries
            .filter_map(|(key, value)| Some((key.text()?.replace('.', "_"), value.text()?.to_owned())))
            .collect::<Vec<_>>()
    };
    let blocks = BLOCKS.map(|block| (block, variables(block.key)));
    let has_some = blocks.iter().any(|(_, variables)| !variables.is_empty());
    let of_chart = version.and_then(image_tag);
    has_some.then(|| chart_deployments_with_env(namespace, tag.or(of_chart.as_deref()), &blocks))
}

/// Image tag of the chart's version; `None` for a range with several minor versions.
fn image_tag(version: &str) -> Option<String> {
    if ProgramVersion::read(version).is_known() {
        return Some(version.to_owned());
    }
    let range = chart_version(version);
    (range.is_known() && !range.spans_several_minors()).then(|| range.to_string())
}
