//! Objects inside of other objects that let the API server call webhooks and aggregated APIs.

use super::api_groups::ApiGroups;
use crate::releases::group_and_kind;
use krm::escape_line;
use lossless_yaml::{NodeRef, Path, Tree};
use memchr::memmem;

/// Groups of the objects.
const GROUPS: [&str; 3] = ["admissionregistration.k8s.io", "apiregistration.k8s.io", "apiextensions.k8s.io"];

/// Maximum length of a text in a ConfigMap that is searched, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// True for a text that may contain such an object inside of another one: its kind is not at the start of a line.
pub(super) fn may_contain(text: &str, groups: &ApiGroups<'_>) -> bool {
    let is_inside = |kind: &str| {
        memmem::find_iter(text.as_bytes(), kind).any(|at| {
            let line = text.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
            line.contains("kind") && !line.starts_with("kind")
        })
    };
    groups.any(|group| GROUPS.contains(&group))
        && (is_inside("WebhookConfiguration")
            || is_inside("APIService")
            || text.contains("conversion") && is_inside("CustomResourceDefinition"))
}

/// True for a webhook configuration with webhooks, an APIService with a Service, and a `CustomResourceDefinition` with
/// a conversion webhook.
pub(super) fn calls_webhook(object: NodeRef<'_, '_>, group: &str, kind: &str) -> bool {
    let has = |path: &str| object.lookup(&Path::dotted(path)).is_some_and(|field| !field.is_null());
    match (group, kind) {
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
            object.get("webhooks").into_iter().flat_map(NodeRef::items).next().is_some()
        }
        ("apiregistration.k8s.io", "APIService") => has("spec.service"),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => has("spec.conversion.webhook"),
        _ => false,
    }
}

/// Path and kind of the first such object in the texts of a ConfigMap.
pub(super) fn in_config_map(object: NodeRef<'_, '_>) -> Option<(Vec<String>, String)> {
    object.get("metadata")?;
    object.get("data")?.entries().find_map(|(key, text)| {
        let (key, text) = (key.text()?, text.non_null_text()?);
        let is_likely = text.len() <= MAX_TEXT_BYTES && GROUPS.iter().any(|group| text.contains(group));
        let tree = is_likely.then(|| Tree::parse(text).ok())??;
        let kind = tree.roots().find_map(|root| {
            let (group, kind) = group_and_kind(root)?;
            calls_webhook(root, group, kind).then(|| escape_line(kind).into_owned())
        })?;
        Some((vec!["data".to_owned(), key.to_owned()], kind))
    })
}
