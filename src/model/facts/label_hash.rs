//! Hashes of labels in namespaces: keys of the index that joins objects and pods.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Hash of a label in a namespace, for an index.
pub(in crate::model) fn label_hash(namespace: Option<&str>, label: (&str, &str)) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((namespace, label))
}

/// Placeholder for all labels.
pub(in crate::model) const ANY: (&str, &str) = ("", "");

/// Placeholder for all namespaces; not a valid namespace name.
pub(in crate::model) const ALL_NAMESPACES: &str = "*";

/// Hash of a label in a namespace; `namespace` is `None` for a label in any namespace.
pub(in crate::model) fn hash(kind: &'static str, namespace: Option<&str>, label: (&str, &str)) -> u64 {
    label_hash(Some(kind), label) ^ label_hash(namespace, ANY).rotate_left(17)
}

/// Hashes of selectors that select pods by a label in all namespaces.
pub(in crate::model) fn everywhere(label: (&str, &str)) -> [u64; 2] {
    [Some(ALL_NAMESPACES), None].map(|namespace| hash("pods", namespace, label))
}
