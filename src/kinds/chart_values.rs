//! Converts values of Crossplane's chart that set environment variables to the Deployments that the chart renders.

use std::path::Path;

use super::proxy_values::{BLOCKS, chart_deployments_with_env};
use crate::crossplane::{CORE_CHARTS, CoreChart, ProgramValues, ValuesSource, is_core_chart};
use crate::dependency::chart_version;
use crate::model::facts::chart_file;
use crate::releases::{Release, Rendered, Repository, Values, may_be_rendered, rendered, root_of};
use crate::version::ProgramVersion;
use krm::{Input, Origin};
use lossless_yaml::{NodeRef, Tree};

/// Namespace of the chart in Crossplane's documentation; used for values files, which have no namespace.
const NAMESPACE: &str = "crossplane-system";

/// Replaces values files of Crossplane's chart, also as a part of another chart, by its Deployments, and adds Deployments
/// for objects that contain or name such values (`HelmRelease`, `Application`, `HelmChart`, `Release`).
pub fn with_charts(inputs: Vec<Input>) -> Vec<Input> {
    let has_values = |input: &Input| BLOCKS.iter().any(|block| input.text().contains(block.key));
    if !inputs.iter().any(has_values) {
        return inputs;
    }
    let named = values_files_of_charts(&inputs);
    let file = |input: &Input| has_values(input).then(|| of_file(input, &named)).flatten();
    let replaced: Vec<Option<String>> = inputs.iter().map(file).collect();
    let made = made(&inputs);
    let mut all = Vec::with_capacity(inputs.len());
    for (input, (file, made)) in inputs.into_iter().zip(replaced.into_iter().zip(made)) {
        let origin = input.origin().clone();
        match file {
            Some(chart) => all.extend(read(&origin, chart)),
            None => all.push(input),
        }
        all.extend(made.into_iter().filter_map(|chart| read(&origin, chart)));
    }
    all
}

/// Deployments for the objects of each input.
fn made(inputs: &[Input]) -> Vec<Vec<String>> {
    let first = inputs.iter().find_map(|input| input.origin().path());
    let repository = Repository::new(inputs, first.map(root_of));
    let of_input = |input: &Input| {
        // Invalid inputs are reported by the code that reads them completely.
        let charts = input.objects(|place, object| {
            charts_of_object(object, input.origin().path(), place.document.saturating_sub(1), &repository)
        });
        charts.unwrap_or_default().into_iter().flatten().collect()
    };
    inputs.iter().map(of_input).collect()
}

/// Deployments for an input that is a values file.
fn of_file(input: &Input, named: &[(String, Option<String>, Option<String>)]) -> Option<String> {
    let owner = named.iter().find(|(file, ..)| is_file(input, file));
    let (namespace, version) = match owner {
        Some((_, namespace, version)) => (namespace.as_deref(), version.as_deref()),
        None => (None, None),
    };
    deployments_from_values_file(input.text(), namespace.unwrap_or(NAMESPACE), version)
}

fn read(origin: &Origin, chart: String) -> Option<Input> {
    Input::read(origin.clone(), chart.into_bytes()).ok()
}

/// Deployments for a text, if it is a values file of the chart.
fn deployments_from_values_file(text: &str, namespace: &str, version: Option<&str>) -> Option<String> {
    let tree = Tree::parse(text).ok()?;
    let values = tree.roots().find(|root| root.is_mapping())?;
    if values.get("apiVersion").is_some() || values.get("kind").is_some() {
        return None;
    }
    let own = chart(&ProgramValues::read(values), namespace, version);
    own.or_else(|| {
        let of_part = |name: &&str| chart(&ProgramValues::read(values.get(name)?), namespace, None);
        CORE_CHARTS.iter().find_map(of_part)
    })
}

/// Paths of values files in objects that install Crossplane's chart, each with the namespace and version of the chart.
fn values_files_of_charts(inputs: &[Input]) -> Vec<(String, Option<String>, Option<String>)> {
    let mut all = Vec::new();
    for input in inputs.iter().filter(|input| input.text().contains("valueFiles")) {
        let files = |object: NodeRef<'_, '_>| {
            let core_chart = CoreChart::from_object(object)?;
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let file = |file: &str| (file.to_owned(), owned(core_chart.namespace), owned(core_chart.version));
            let files = core_chart.further.iter().filter_map(|source| match source {
                ValuesSource::File(path) => Some(file(path)),
                ValuesSource::Key { .. } => None,
            });
            Some(files.collect::<Vec<_>>())
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

/// Deployments for the charts that an object installs, from all values that it contains or names.
fn charts_of_object(
    object: NodeRef<'_, '_>,
    file: Option<&Path>,
    document: usize,
    repository: &Repository<'_>,
) -> Vec<String> {
    let group = object.get("apiVersion").and_then(NodeRef::text).and_then(|version| version.split_once('/'));
    if !group.is_some_and(|(group, _)| may_be_rendered(group)) {
        return Vec::new();
    }
    let core_chart = CoreChart::from_object(object);
    let rendered = rendered(object, file, document, repository);
    let releases: Vec<&Release> = rendered.iter().filter_map(Rendered::release).collect();
    let is_core = |release: &Release| is_core_chart(chart_file(&release.chart.name).0);
    let mut charts = Vec::new();
    if let Some(core_chart) = &core_chart {
        let (namespace, version) = (core_chart.namespace.unwrap_or(NAMESPACE), core_chart.version);
        let values = match releases.iter().find(|release| is_core(release)) {
            Some(release) => merged(&release.values, None),
            None => core_chart.program_values(object),
        };
        charts.extend(chart(&values, namespace, version));
    }
    for release in releases.iter().filter(|release| !is_core(release)) {
        let namespace = release.namespace.as_deref().unwrap_or(NAMESPACE);
        charts.extend(CORE_CHARTS.iter().find_map(|name| chart(&merged(&release.values, Some(name)), namespace, None)));
    }
    charts
}

/// Merges values of a release in order; `part` is the key of the chart in values of a chart that contains it. Values
/// files are inputs of their own.
fn merged(values: &[Values], part: Option<&str>) -> ProgramValues {
    let mut all = ProgramValues::default();
    for one in values {
        match one {
            Values::Text { text, .. } => {
                let Ok(tree) = Tree::parse(text) else { continue };
                let root = tree.roots().find(|root| root.is_mapping());
                let values = root.and_then(|root| part.map_or(Some(root), |part| root.get(part)));
                all.overlay(&values.map(ProgramValues::read).unwrap_or_default());
            }
            Values::Set(_, set) => {
                let Some((path, value)) = set.split_once('=') else { continue };
                let own = part.map_or(Some(path), |part| path.strip_prefix(part)?.strip_prefix('.'));
                if let Some(own) = own {
                    all.set(own, &value.replace("\\,", ","));
                }
            }
            Values::File(_) | Values::Missing { .. } => {}
        }
    }
    all
}

/// Deployments for these values; `None` if they set no variables.
fn chart(values: &ProgramValues, namespace: &str, version: Option<&str>) -> Option<String> {
    let has_some = BLOCKS.iter().any(|block| !values.variables(block.key).is_empty());
    let of_chart = version.and_then(image_tag);
    has_some.then(|| chart_deployments_with_env(namespace, values.tag.as_deref().or(of_chart.as_deref()), values))
}

/// Image tag of the chart's version; `None` for a range with several minor versions.
fn image_tag(version: &str) -> Option<String> {
    if ProgramVersion::read(version).is_known() {
        return Some(version.to_owned());
    }
    let range = chart_version(version);
    (range.is_known() && !range.spans_several_minors()).then(|| range.to_string())
}
