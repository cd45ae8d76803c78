//! Objects of unknown kinds with a chart that a controller of the cluster renders.

use super::group_and_kind;
use lossless_yaml::NodeRef;
use memchr::memmem;

/// Kind of releases in the groups of several projects: helm.fluxcd.io, apps.open-cluster-management.io.
///
/// Source: fluxcd/helm-operator `pkg/apis/helm.fluxcd.io/v1/types_helmrelease.go`;
/// stolostron/multicloud-operators-subscription@e00d6b379 `pkg/apis/apps/helmrelease/v1/helmrelease_types.go`.
const RELEASE: &str = "HelmRelease";

/// Group of Flux's sources: its `HelmChart` is a chart that a HelmRelease renders.
const FLUX_SOURCES: &str = "source.toolkit.fluxcd.io";

/// Depth limit of the search.
const MAX_DEPTH: usize = 6;

/// True for a group of custom resources whose kinds the catalogue may not know.
pub fn may_be(group: &str) -> bool {
    group.contains('.') && !group.ends_with(".k8s.io") && group != FLUX_SOURCES
}

/// True for a text that may contain a release or a field with a chart.
pub fn may_contain(text: &str) -> bool {
    let is_key = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + "chart".len()..).unwrap_or_default();
        let after = after.strip_prefix("Name").unwrap_or(after);
        before.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '{' | ','))
            && after.trim_start_matches(['"', '\'', ' ']).starts_with(':')
    };
    text.contains(RELEASE) || memmem::find_iter(text.as_bytes(), "chart").any(is_key)
}

/// True for a release, and for an object whose spec has a chart with a version outside of nested objects.
pub(super) fn is_in(object: NodeRef<'_, '_>) -> bool {
    let is_unknown = group_and_kind(object).filter(|(group, _)| may_be(group));
    let has_chart = || object.get("spec").is_some_and(|spec| has_chart(spec, "spec", 0));
    object.get("metadata").is_some() && is_unknown.is_some_and(|(_, kind)| kind == RELEASE || has_chart())
}

/// True for a mapping with a chart and its version, or with such a mapping below it. `key` is the key of the mapping.
fn has_chart(node: NodeRef<'_, '_>, key: &str, depth: usize) -> bool {
    let text = |key: &str| node.get(key).and_then(NodeRef::non_empty_text);
    if depth > MAX_DEPTH || text("apiVersion").and(text("kind")).is_some() {
        return false;
    }
    let is_version = |version: &str| version.trim_start_matches(['v', '^', '~', '>', '=', ' ']).contains('.');
    let names: &[&str] = if key == "chart" { &["name", "repository", "url", "chart"] } else { &["chart", "chartName"] };
    let is_chart = text("version").is_some_and(is_version) && names.iter().any(|name| text(name).is_some());
    let below = |(key, value): (NodeRef<'_, '_>, NodeRef<'_, '_>)| {
        key.text().is_some_and(|key| has_chart(value, key, depth + 1))
    };
    is_chart || node.entries().any(below) || node.items().any(|item| has_chart(item, key, depth + 1))
}
