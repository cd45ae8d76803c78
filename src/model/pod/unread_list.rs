//! Lists of a pod spec in another form: nothing of them can be read.

use crate::model::text::{is_template, may_be_filled_in};
use lossless_yaml::{NodeRef, Path};

/// Lists of a container with the data that a move needs.
const LISTS: [&str; 5] = ["command", "args", "env", "envFrom", "ports"];

/// Paths of the lists that are a text, a number or a mapping. The API server refuses such a pod.
pub(super) fn unread_lists(spec: NodeRef<'_, '_>, path: &Path) -> Vec<Path> {
    let mut found = Vec::new();
    for list in ["containers", "initContainers"] {
        if spec.get(list).is_some_and(is_no_list) {
            found.push(path.key(list));
        }
        for (index, container) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
            let no_lists = LISTS.iter().filter(|key| container.get(key).is_some_and(is_no_list));
            let name = container.get("name").and_then(NodeRef::text);
            found.extend(no_lists.map(|key| path.key(list).named_item(index, name).key(*key)));
        }
    }
    found
}

/// False for null and for a value that may be filled in later.
fn is_no_list(value: NodeRef<'_, '_>) -> bool {
    let is_literal = || value.non_null_text().is_some_and(|text| !may_be_filled_in(text));
    value.is_mapping() && !is_template(value) || is_literal()
}
