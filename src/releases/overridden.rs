//! Fields to which a patch of a kustomization gives another value than a run.
//!
//! Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/builtins/PatchTransformer.go`; merge keys of lists:
//! kubernetes/api@v0.33.0 `core/v1/types.go` (`patchMergeKey`).

use super::patch::unescaped;
use lossless_yaml::{NodeRef, Step};

/// Merge keys of lists in pods and Services, the first that an element has.
const MERGE_KEYS: [&str; 3] = ["containerPort", "port", "name"];

/// A field of an object, and its new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewValue {
    /// Keys and positions from the root of the object.
    pub place: Vec<String>,
    /// Text of a new scalar; `None` for another value.
    pub text: Option<String>,
}

/// Keys and positions of a path.
pub fn place_of(steps: &[&Step]) -> Vec<String> {
    let key = |step: &&Step| match step {
        Step::Key(key) => key.to_string(),
        Step::Item { index, .. } => index.to_string(),
    };
    steps.iter().map(key).collect()
}

/// Returns the node of a patch that replaces one of the new values of an object, and its path in the object. `document`
/// is a document of the patch, `object` the object before the run. Parts that a patch removes replace nothing.
pub fn overridden<'t, 's>(
    document: NodeRef<'t, 's>,
    object: NodeRef<'_, '_>,
    new: &[NewValue],
) -> Option<(NodeRef<'t, 's>, String)> {
    if document.is_sequence() {
        return document.items().find_map(|operation| by_operation(operation, new));
    }
    merged(document, Some(object), &mut Vec::new(), new)
}

/// Operation of JSON6902 that replaces a new value.
fn by_operation<'t, 's>(operation: NodeRef<'t, 's>, new: &[NewValue]) -> Option<(NodeRef<'t, 's>, String)> {
    let op = operation.get("op").and_then(NodeRef::text)?;
    let place: Vec<String> = operation.get("path")?.text()?.split('/').skip(1).map(unescaped).collect();
    let is_insertion = op == "add" && place.last().is_some_and(|key| key == "-" || key.parse::<usize>().is_ok());
    if is_insertion || matches!(op, "test" | "remove") {
        return None;
    }
    let value = operation.get("value");
    let keeps = |new: &NewValue| {
        let rest = new.place.get(place.len()..).unwrap_or_default();
        let given = rest.iter().try_fold(value?, |node, key| {
            key.parse().map_or_else(|_| node.get(key), |index| node.items().nth(index)).or_else(|| node.get(key))
        });
        Some(new.text.is_some() && given?.text() == new.text.as_deref())
    };
    let is_replaced = |new: &&NewValue| new.place.starts_with(&place) && keeps(new) != Some(true);
    new.iter().find(is_replaced).map(|_| (value.unwrap_or(operation), format_path(&place)))
}

/// Part of a strategic merge patch that replaces a new value.
fn merged<'t, 's>(
    patch: NodeRef<'t, 's>,
    own: Option<NodeRef<'_, '_>>,
    place: &mut Vec<String>,
    new: &[NewValue],
) -> Option<(NodeRef<'t, 's>, String)> {
    let directive = directive_of(patch);
    let is_changed = new.iter().any(|new| new.place.starts_with(place));
    if !is_changed || patch.is_null() || directive == Some("delete") {
        return None;
    }
    let replaced = |place: &[String]| Some((patch, format_path(place)));
    if directive == Some("replace") || patch.items().any(|item| directive_of(item) == Some("replace")) {
        return replaced(place);
    }
    let mut below = |node: NodeRef<'t, 's>, own: Option<NodeRef<'_, '_>>, key: String| {
        place.push(key);
        let found = merged(node, own, place, new);
        place.pop();
        found
    };
    if patch.is_mapping() {
        let entries = patch.entries().filter_map(|(key, value)| Some((key.text()?, value)));
        return entries
            .into_iter()
            .find_map(|(key, value)| below(value, own.and_then(|own| own.get(key)), key.to_owned()));
    }
    if !patch.is_sequence() {
        let is_other = |new: &NewValue| new.place == *place && new.text.as_deref() != patch.text();
        return if new.iter().any(is_other) { replaced(place) } else { None };
    }
    let key = MERGE_KEYS.into_iter().find(|key| patch.items().next().is_some_and(|item| item.get(key).is_some()));
    let Some(key) = key else { return replaced(place) };
    patch.items().find_map(|item| {
        let value = item.get(key)?.text()?;
        let is_same = |own: NodeRef<'_, '_>| own.get(key).and_then(NodeRef::text) == Some(value);
        let (index, element) = own?.items().enumerate().find(|(_, element)| is_same(*element))?;
        below(item, Some(element), index.to_string())
    })
}

/// Value of `$patch` in a strategic merge patch.
fn directive_of<'t>(node: NodeRef<'t, '_>) -> Option<&'t str> {
    node.get("$patch").and_then(NodeRef::text)
}

/// Formats a path: `spec.ports[0].targetPort`.
fn format_path(place: &[String]) -> String {
    let mut text = String::new();
    for key in place {
        match key.parse::<usize>() {
            Ok(index) => text.push_str(&format!("[{index}]")),
            Err(_) if text.is_empty() => text.push_str(key),
            Err(_) => text.push_str(&format!(".{key}")),
        }
    }
    text
}
