//! `Release` of Crossplane's provider-helm.
//!
//! Source: crossplane-contrib/provider-helm@01ef5f4da `pkg/controller/cluster/release/release.go` (names),
//! `apis/namespaced/release/v1beta1/types.go`; @0db090348 `pkg/controller/cluster/release/values.go` (order of values);
//! @000417d0f `pkg/clients/helm/client.go` (the chart).

use super::names::{group_and_kind, has_any_field, text};
use super::release::{Chart, Release, Values};
use super::repository::Repository;
use crate::model::facts::{VALUES_KEY, chart_tag};
use lossless_yaml::{NodeRef, document};

/// The groups of its cluster-scoped and of its namespaced kind.
const PROVIDER_HELM: [&str; 2] = ["helm.crossplane.io", "helm.m.crossplane.io"];

/// The annotation with the name of the release.
const EXTERNAL_NAME: &str = "crossplane.io/external-name";

/// The key of a single value.
const VALUE_KEY: &str = "value";

/// The Helm release of a `Release`; `None` for other kinds and without a chart.
pub(super) fn release(
    object: NodeRef<'_, '_>,
    file: Option<&std::path::Path>,
    repository: &Repository<'_>,
) -> Option<Release> {
    group_and_kind(object).filter(|(group, kind)| PROVIDER_HELM.contains(group) && *kind == "Release")?;
    let given = object.get("spec")?.get("forProvider")?;
    let own = text(object, "metadata.namespace");
    let annotations = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let name = annotations.and_then(|all| all.get(EXTERNAL_NAME)?.non_empty_text());
    let mut values = Vec::new();
    for source in given.get("valuesFrom").into_iter().flat_map(NodeRef::items) {
        let (what, missing, found) = referred(source, VALUES_KEY, own, file, repository);
        values.push(match found {
            Some(text) => Values::Text { from: what, text },
            None => Values::Missing { what, file: missing, path: None },
        });
    }
    let inline = given.get("values").filter(|values| values.is_mapping()).and_then(NodeRef::to_value);
    let from = "spec.forProvider.values".to_owned();
    values.extend(inline.map(|values| Values::Text { from, text: document(&values) }));
    for set in given.get("set").into_iter().flat_map(NodeRef::items) {
        let Some(path) = text(set, "name") else { continue };
        let from = set.get("valueFrom").map(|source| referred(source, VALUE_KEY, own, file, repository));
        values.extend(match from {
            Some((what, file, None)) => Some(Values::Missing { what, file, path: Some(path.to_owned()) }),
            Some((.., Some(value))) => Some(Values::Set("--set", format!("{path}={value}"))),
            None => text(set, "value").map(|value| Values::Set("--set", format!("{path}={value}"))),
        });
    }
    let patches =
        has_any_field(given, &["patchesFrom"]).then(|| "its patchesFrom is not part of the render".to_owned());
    Some(Release {
        name: name.or_else(|| text(object, "metadata.name")).unwrap_or_default().to_owned(),
        namespace: text(given, "namespace").or(own).map(str::to_owned),
        chart: chart(given.get("chart")?)?,
        values,
        patches_hooks: false,
        crds: given.get("skipCRDs").and_then(NodeRef::as_bool) != Some(true),
        remarks: patches.into_iter().collect(),
    })
}

/// The chart; a URL overrides the other fields.
fn chart(chart: NodeRef<'_, '_>) -> Option<Chart> {
    let field = |key: &str| text(chart, key).map(str::to_owned);
    let of_url = text(chart, "url").map(chart_tag);
    let (name, chart, repository, version) = match of_url {
        Some((url, tag)) => (url.to_owned(), String::new(), Some(url.to_owned()), tag.map(str::to_owned)),
        None => {
            let name = field("name")?;
            (name.clone(), name, field("repository"), field("version"))
        }
    };
    let digest = field("digest").filter(|_| repository.as_deref().is_some_and(|url| url.starts_with("oci://")));
    let is_found = repository.is_some();
    Some(Chart { name, chart, repository, version, digest, has_dependencies: false, is_found })
}

/// A key of a ConfigMap or Secret: its name, a name for its file, and its text if the input has it.
fn referred(
    source: NodeRef<'_, '_>,
    default: &str,
    own: Option<&str>,
    file: Option<&std::path::Path>,
    repository: &Repository<'_>,
) -> (String, String, Option<String>) {
    // The Secret comes first.
    let (kind, reference) = match source.get("secretKeyRef") {
        Some(reference) => ("Secret", Some(reference)),
        None => ("ConfigMap", source.get("configMapKeyRef")),
    };
    let field = |key: &str| reference.and_then(|reference| text(reference, key));
    let (namespace, name) = (field("namespace").or(own), field("name").unwrap_or_default());
    let key = field("key").unwrap_or(default);
    let shown = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let is_read = kind == "ConfigMap";
    let found = is_read.then(|| repository.config_map((namespace, name), key, (file, &[]))).flatten();
    let missing = format!("{}_{}_{name}_{key}", kind.to_lowercase(), namespace.unwrap_or_default());
    (format!("{kind} {shown}{name}, key {key}"), missing, found)
}
