//! Hash of an object's content, independent of YAML style and of the order of keys.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use lossless_yaml::NodeRef;

/// Fields that the cluster writes: they differ between dumps of the same object.
const OF_CLUSTER: [&str; 4] = ["status", "managedFields", "resourceVersion", "generation"];

/// Hash of an object's content without the fields in `OF_CLUSTER`.
pub(super) fn object_digest(object: NodeRef<'_, '_>) -> u64 {
    // Two levels: the object and its top-level mappings. Three of the fields are in `metadata`.
    below(object, 2)
}

fn hash(what: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(what)
}

/// Hash of a value. `OF_CLUSTER` is skipped in mappings up to `levels` deep.
fn below(node: NodeRef<'_, '_>, levels: usize) -> u64 {
    if node.is_mapping() {
        let entries = node.entries().filter_map(|(key, value)| Some((key.text()?, value)));
        let own = entries.filter(|(key, _)| levels == 0 || !OF_CLUSTER.contains(key));
        // A sum does not depend on the order of keys.
        return own.fold(1, |sum, (key, value)| sum.wrapping_add(hash((key, below(value, levels.saturating_sub(1))))));
    }
    if node.is_sequence() {
        return node.items().fold(2, |all, item| hash((all, below(item, 0))));
    }
    // The type is hashed too, so that `1` and `"1"` differ.
    hash((node.non_null_text(), node.as_int(), node.as_bool()))
}

#[cfg(test)]
mod tests {
    use super::object_digest;
    use lossless_yaml::Tree;

    fn digest(text: &str) -> u64 {
        object_digest(Tree::parse(text).unwrap().root(0).unwrap())
    }

    #[test]
    fn equal_content_has_one_digest() {
        let one = digest("{a: [1, x], metadata: {name: web, resourceVersion: '7'}, b: {c: true}}");
        assert_eq!(one, digest("b:\n  c: true\nmetadata:\n  name: \"web\"\na:\n- 1\n- x\nstatus: {x: 1}\n"));
        for other in
            ["{a: [x, 1], metadata: {name: web}, b: {c: true}}", "{a: ['1', x], metadata: {name: web}, b: {c: true}}"]
        {
            assert_ne!(one, digest(other), "{other}");
        }
        // A field of this name in `spec.template` is content.
        assert_ne!(digest("{spec: {template: {generation: 1}}}"), digest("{spec: {template: {generation: 2}}}"));
    }
}
