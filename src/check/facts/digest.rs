//! Hash of an object's content, independent of YAML style and of the order of keys.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use lossless_yaml::NodeRef;

/// Fields of `metadata` that the cluster writes: they differ between dumps of the same object, as `status` does.
const CLUSTER_WRITTEN_METADATA: [&str; 3] = ["managedFields", "resourceVersion", "generation"];

/// Hash of an object's content without `status` and the fields in `CLUSTER_WRITTEN_METADATA`.
pub(super) fn object_digest(object: NodeRef<'_, '_>) -> u64 {
    fields(
        object,
        |key| key != "status",
        |key, value| match key {
            "metadata" => fields(value, |key| !CLUSTER_WRITTEN_METADATA.contains(&key), |_, value| digest(value)),
            _ => digest(value),
        },
    )
}

fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// Hash of the fields of a mapping whose keys `counts` accepts; `hash_of` returns the hash of a value.
fn fields(node: NodeRef<'_, '_>, counts: impl Fn(&str) -> bool, hash_of: impl Fn(&str, NodeRef<'_, '_>) -> u64) -> u64 {
    let entries = node.entries().filter_map(|(key, value)| Some((key.text()?, value)));
    // A sum does not depend on the order of keys.
    entries
        .filter(|(key, _)| counts(key))
        .fold(1, |sum, (key, value)| sum.wrapping_add(hash((key, hash_of(key, value)))))
}

/// Hash of a value.
fn digest(node: NodeRef<'_, '_>) -> u64 {
    if node.is_mapping() {
        return fields(node, |_| true, |_, value| digest(value));
    }
    if node.is_sequence() {
        return node.items().fold(2, |all, item| hash((all, digest(item))));
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
    fn equal_content_has_an_equal_digest() {
        let one = digest("{a: [1, x], metadata: {name: web, resourceVersion: '7'}, b: {c: true}}");
        assert_eq!(one, digest("b:\n  c: true\nmetadata:\n  name: \"web\"\na:\n- 1\n- x\nstatus: {x: 1}\n"));
        for other in
            ["{a: [x, 1], metadata: {name: web}, b: {c: true}}", "{a: ['1', x], metadata: {name: web}, b: {c: true}}"]
        {
            assert_ne!(one, digest(other), "{other}");
        }
        // Fields of these names outside of `metadata` and the top level are content.
        assert_ne!(digest("{data: {status: up}}"), digest("{data: {status: down}}"));
        assert_ne!(digest("{metadata: {status: a}}"), digest("{metadata: {status: b}}"));
        assert_ne!(digest("{spec: {template: {generation: 1}}}"), digest("{spec: {template: {generation: 2}}}"));
    }
}
