//! `HelmChart` of k3s and RKE2, and `HelmChartConfig`, which adds values to a HelmChart.
//!
//! Source: k3s-io/helm-controller@32c2e08fa `pkg/controllers/chart/chart.go`.

use super::names::{K3S_HELM, has_any_field, text, with_commas};
use super::release::{Chart, Release, Renderer, Values};
use super::repository::Repository;
use lossless_yaml::{NodeRef, document};

/// The Helm release of a `HelmChart` of k3s.
pub(super) fn release(object: NodeRef<'_, '_>, repository: &Repository<'_>) -> Option<Release> {
    let spec = object.get("spec")?;
    let chart = text(spec, "chart")?;
    let (name, namespace) = (text(object, "metadata.name").unwrap_or_default(), text(object, "metadata.namespace"));
    let mut values = content(spec, "spec");
    values.extend(
        repository
            .chart_config(namespace, name)
            .map(|text| Values::Text { from: format!("HelmChartConfig {name}"), text }),
    );
    let set = spec.get("set").into_iter().flat_map(NodeRef::entries);
    values.extend(set.filter_map(|(key, value)| {
        let written = value.text()?;
        let is_typed = ["true", "false", "null"].contains(&written.to_lowercase().as_str());
        let flag = if value.as_int().is_some() || is_typed { "--set" } else { "--set-string" };
        Some(Values::Set(flag, format!("{}={}", key.text()?, with_commas(written))))
    }));
    Some(Release {
        name: name.to_owned(),
        namespace: text(spec, "targetNamespace").or(namespace).map(str::to_owned),
        chart: Chart {
            name: chart.to_owned(),
            chart: chart.to_owned(),
            repository: text(spec, "repo").map(str::to_owned),
            version: text(spec, "version").map(str::to_owned),
            digest: None,
            has_dependencies: false,
            is_found: !has_any_field(spec, &["chartContent"]),
        },
        values,
        patches_hooks: false,
        crds: true,
        remarks: has_any_field(spec, &["valuesSecrets"])
            .then(|| "valuesSecrets are missing from its values".to_owned())
            .into_iter()
            .collect(),
    })
}

/// The chart of a `HelmChartConfig` whose `HelmChart` is not in the input, because k3s or RKE2 packages it.
pub(super) fn packaged(object: NodeRef<'_, '_>, repository: &Repository<'_>) -> Option<Renderer> {
    let name = text(object, "metadata.name")?;
    let what = format!("the rendered chart {name}, which k3s or RKE2 packages,");
    let renderer = Renderer::Operator { what, group: K3S_HELM.to_owned(), is_elsewhere: false, through: &[] };
    (!repository.has_helm_chart(text(object, "metadata.namespace"), name)).then_some(renderer)
}

/// Values of `valuesContent`, a string, and of `values`, a mapping.
pub(super) fn content(spec: NodeRef<'_, '_>, at: &str) -> Vec<Values> {
    let text = text(spec, "valuesContent")
        .map(|text| Values::Text { from: format!("{at}.valuesContent"), text: text.to_owned() });
    let mapping = spec.get("values").filter(|values| values.is_mapping()).and_then(NodeRef::to_value);
    let mapping = mapping.map(|values| Values::Text { from: format!("{at}.values"), text: document(&values) });
    text.into_iter().chain(mapping).collect()
}
