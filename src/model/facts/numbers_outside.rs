//! Numbers that may be ports in a workload's own object, outside of its pod templates: `8080/TCP` in the network of a `GameServerSet`.

use super::port_field::{PortField, PortFields};
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::text::{is_port_key, port, whole_numbers};
use lossless_yaml::{NodeRef, Path};

/// Path of a number, the text that holds the number, and the number.
pub type OutsideNumber = (Path, String, u16);

/// Groups of Kubernetes itself, whose workloads have no port outside of their templates.
const KUBERNETES: [&str; 4] = ["", "apps", "batch", "extensions"];

/// Maximum depth of the search.
const MAX_DEPTH: usize = 64;

/// Finds numbers of an object that may be ports and are outside of these templates. `known` are fields whose ports are
/// known; other numbers next to them are not reported either.
pub(super) fn numbers_outside_templates(
    meta: &Meta,
    object: NodeRef<'_, '_>,
    templates: &[PodTemplate],
    known: &PortFields,
) -> Vec<OutsideNumber> {
    let mut found = Vec::new();
    if !KUBERNETES.contains(&meta.gvk.group.as_str()) {
        for (key, value) in object.entries() {
            if let Some(key) = key.text().filter(|key| !["apiVersion", "kind", "metadata", "status"].contains(key)) {
                below(value, key, &Path::root().key(key.to_owned()), templates, MAX_DEPTH, &mut found);
            }
        }
    }
    let is_known = |path: &Path| {
        let is_near = |field: &PortField| {
            field.path.parent().zip(path.parent()).is_some_and(|(one, other)| one.is_same_place(&other))
        };
        known.fields.iter().any(is_near)
    };
    found.retain(|(path, ..)| !is_known(path));
    found
}

/// Collects port numbers below a node, outside of the templates.
fn below(
    node: NodeRef<'_, '_>,
    key: &str,
    path: &Path,
    templates: &[PodTemplate],
    levels: usize,
    found: &mut Vec<OutsideNumber>,
) {
    if levels == 0 || templates.iter().any(|template| template.path.is_same_place(path)) {
        return;
    }
    for (index, item) in node.items().enumerate() {
        let name = item.get("name").and_then(NodeRef::text);
        below(item, key, &path.named_item(index, name), templates, levels - 1, found);
    }
    for (key, value) in node.entries() {
        if let Some(key) = key.text() {
            below(value, key, &path.key(key.to_owned()), templates, levels - 1, found);
        }
    }
    let Some(text) = node.non_null_text() else { return };
    // A bare number is a weight, a count or a time, unless its key names a port.
    if port(text).is_some() && !is_port_key(key) {
        return;
    }
    found.extend(whole_numbers(text).map(|number| (path.clone(), text.to_owned(), number.port)));
}
