//! Flux: `HelmRelease`, and `Kustomization`, which builds a folder.
//!
//! Source: fluxcd/helm-controller@v1.4.0 `api/v2/helmrelease_types.go` (names of releases), fluxcd/pkg@ba6cf5601 `chartutil/values.go` (later
//! references win over earlier ones, `values` over all of them).

use std::path::Path;

use super::names::{has_one, local, text};
use super::release::{Build, By, Chart, Release, UNKNOWN_URL, Values};
use super::repository::Repository;
use super::sources::key;
use crate::yaml::{NodeRef, document};

/// The key of a values file in a ConfigMap or Secret.
const VALUES_KEY: &str = "values.yaml";

/// What renders a `HelmRelease`. `file` is where it stands.
pub(super) fn release(object: NodeRef<'_, '_>, file: Option<&Path>, repository: &Repository<'_>) -> Option<By> {
    let spec = object.get("spec")?;
    if !has_one(spec, &["chart", "chartRef"]) {
        return Some(By::Nothing("it names no chart: a kustomization merges it into another HelmRelease".to_owned()));
    }
    let own = file.and_then(|file| repository.target_namespace(file)).or_else(|| text(object, "metadata.namespace"));
    let target = text(spec, "targetNamespace");
    let name = text(object, "metadata.name").unwrap_or_default();
    let release = match (text(spec, "releaseName"), target) {
        (Some(release), _) => release.to_owned(),
        (None, Some(target)) => format!("{target}-{name}"),
        (None, None) => name.to_owned(),
    };
    let template = spec.get("chart").and_then(|chart| chart.get("spec"));
    let mut remarks = Vec::new();
    if let Some(files) = template.and_then(|chart| chart.get("valuesFiles")) {
        let files: Vec<&str> = files.items().filter_map(NodeRef::text).collect();
        if files.iter().any(|file| *file != VALUES_KEY) {
            remarks.push(format!("the chart's own files of values are not among its values: {}", files.join(", ")));
        }
    }
    Some(By::Helm(Box::new(Release {
        name: release,
        namespace: target.or(own).map(str::to_owned),
        chart: chart(spec, own.unwrap_or_default(), repository),
        values: values(spec, own, file, repository),
        crds: true,
        remarks,
    })))
}

fn chart(spec: NodeRef<'_, '_>, namespace: &str, repository: &Repository<'_>) -> Chart {
    let template = spec.get("chart").and_then(|chart| chart.get("spec"));
    let reference = spec.get("chartRef").or_else(|| template.and_then(|chart| chart.get("sourceRef")));
    let mut source_key = key(reference, namespace);
    let mut written = template.and_then(|chart| text(chart, "chart")).map(str::to_owned);
    let mut version = template.and_then(|chart| text(chart, "version")).map(str::to_owned);
    let mut source = repository.source(&source_key);
    let mut name = written.clone().unwrap_or_else(|| source_key.2.clone());
    // A HelmChart says what `spec.chart` would, and has a source of its own.
    if let Some((chart, of_chart)) = source.and_then(|source| source.chart.clone()) {
        version = version.or_else(|| source.and_then(|source| source.version.clone()));
        (source_key, written, name) = (of_chart, Some(chart.clone()), chart);
        source = repository.source(&source_key);
    }
    let name = if name.is_empty() { "CHART".to_owned() } else { name };
    let is_repository = source_key.0 == "HelmRepository" || source_key.0 == "OCIRepository";
    let url = source.map(|source| source.url.clone()).or_else(|| is_repository.then(|| UNKNOWN_URL.to_owned()));
    let folder = if is_repository { None } else { repository.chart(&name) };
    let local_chart = folder.as_ref().map(|folder| local(folder));
    Chart {
        // The URL of an OCIRepository is that of the chart itself.
        chart: if written.is_none() && source_key.0 == "OCIRepository" {
            String::new()
        } else {
            local_chart.unwrap_or_else(|| name.clone())
        },
        is_found: is_repository || folder.is_some(),
        name,
        repository: url.filter(|_| is_repository),
        version: version.or_else(|| source?.version.clone()),
        digest: source.and_then(|source| source.digest.clone()),
    }
}

fn values(
    spec: NodeRef<'_, '_>,
    namespace: Option<&str>,
    file: Option<&Path>,
    repository: &Repository<'_>,
) -> Vec<Values> {
    let mut found = Vec::new();
    for reference in spec.get("valuesFrom").into_iter().flat_map(NodeRef::items) {
        let own = |key: &str| text(reference, key);
        let (kind, name) = (own("kind").unwrap_or_default(), own("name").unwrap_or_default());
        let key = own("valuesKey").unwrap_or(VALUES_KEY);
        let what = match namespace {
            Some(namespace) => format!("{kind} {namespace}/{name}, key {key}"),
            None => format!("{kind} {name}, key {key}"),
        };
        let there = if kind == "ConfigMap" { repository.config_map(namespace, name, key, file) } else { None };
        let path = own("targetPath").map(str::to_owned);
        found.push(match (there, path) {
            (Some(text), None) => Values::Text { from: what, text },
            (Some(text), Some(path)) => single(&path, &text),
            (None, path) => {
                let file = format!("{}_{}_{name}_{key}", kind.to_lowercase(), namespace.unwrap_or_default());
                Values::Missing { what, file, path }
            }
        });
    }
    let inline = spec.get("values").filter(|values| values.is_mapping()).and_then(NodeRef::to_value);
    found.extend(inline.map(|values| Values::Text { from: "spec.values".to_owned(), text: document(&values) }));
    found
}

/// A single value; one in quotes is a text, whatever it looks like.
fn single(path: &str, value: &str) -> Values {
    let unquoted = ['\'', '"'].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    match unquoted {
        Some(text) => Values::Set("--set-string", format!("{path}={text}")),
        None => Values::Set("--set", format!("{path}={value}")),
    }
}

/// The folder that a `Kustomization` builds.
pub(super) fn build(object: NodeRef<'_, '_>, repository: &Repository<'_>) -> Option<By> {
    let spec = object.get("spec")?;
    let path = text(spec, "path").unwrap_or(".");
    let Some(folder) = repository.folder(path) else {
        return Some(By::Nothing(format!("its path {path} is no folder of the input")));
    };
    if !repository.has_kustomization(&folder) {
        return Some(By::Nothing(format!("{path} has no kustomization: its files are read as they are")));
    }
    let mut remarks = Vec::new();
    if has_one(spec, &["components"]) {
        remarks.push("the components of the Kustomization are not part of the build".to_owned());
    }
    if spec.get("postBuild").is_some_and(|node| !node.is_null()) {
        remarks.push("variables of postBuild stay as they are".to_owned());
    }
    let has_charts = repository.has_charts(&folder);
    Some(By::Kustomize(Build { folder, has_charts, remarks }))
}
