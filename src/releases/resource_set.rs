//! `ResourceSet` of Flux Operator: objects in its templates.
//!
//! Source: controlplaneio-fluxcd/flux-operator@0ac4a1266 `internal/builder/resourceset.go` (templates with the delimiters `<<` and `>>`; objects are
//! built once for each input).

use super::names::{FLUX_OPERATOR, group_and_kind};
use lossless_yaml::{NodeRef, Path, document};

/// Delimiter of a template.
const DELIMITER: &str = "<<";

/// Objects in the `resources` of a `ResourceSet` and of its steps, with their paths; empty for other objects.
///
/// ```
/// # use hostnet::releases::embedded;
/// # use lossless_yaml::Tree;
/// let set = "{apiVersion: fluxcd.controlplane.io/v1, kind: ResourceSet, spec: {resources: [{kind: Pod}]}}";
/// let tree = Tree::parse(set).unwrap();
/// let found = embedded(tree.root(0).unwrap());
/// assert_eq!(found[0].0.to_string(), "spec.resources[0]");
/// ```
#[must_use]
pub fn embedded<'t, 'n>(object: NodeRef<'t, 'n>) -> Vec<(Path, NodeRef<'t, 'n>)> {
    if group_and_kind(object) != Some((FLUX_OPERATOR, "ResourceSet")) {
        return Vec::new();
    }
    let Some(spec) = object.get("spec") else { return Vec::new() };
    let at = Path::dotted("spec");
    let steps = spec.get("steps").into_iter().flat_map(NodeRef::items).enumerate();
    let all = steps.map(|(index, step)| (at.key("steps").item(index), step)).chain([(at.clone(), spec)]);
    all.flat_map(|(at, around)| {
        let at = at.key("resources");
        let items = around.get("resources").into_iter().flat_map(NodeRef::items).enumerate();
        items.filter(|(_, item)| item.is_mapping()).map(move |(index, item)| (at.item(index), item)).collect::<Vec<_>>()
    })
    .collect()
}

/// True if the set fills in a part of an object in its templates.
#[must_use]
pub fn is_template(object: NodeRef<'_, '_>) -> bool {
    object.raw().contains(DELIMITER) || object.to_value().is_none_or(|value| document(&value).contains(DELIMITER))
}

/// True if a set would fill in a part of this text.
#[must_use]
pub fn holds_template(text: &str) -> bool {
    text.contains(DELIMITER)
}
