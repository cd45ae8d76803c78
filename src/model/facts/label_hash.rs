//! Hashes of labels in namespaces, by which objects find each other.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

pub(in crate::model) fn label_hash(namespace: Option<&str>, label: (&str, &str)) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one((namespace, label))
}

/// Placeholder for all labels.
pub(in crate::model) const ANY: (&str, &str) = ("", "");

/// Placeholder for all namespaces; not a valid namespace name.
pub(in crate::model) const EVERYWHERE: &str = "*";

/// A hash of what is asked for; without a namespace it is that of all objects that ask for it.
pub(in crate::model) fn hash(kind: &'static str, namespace: Option<&str>, label: (&str, &str)) -> u64 {
    label_hash(Some(kind), label) ^ label_hash(namespace, ANY).rotate_left(17)
}

/// The hashes of what asks for pods with a label in all namespaces.
pub(in crate::model) fn everywhere(label: (&str, &str)) -> [u64; 2] {
    [Some(EVERYWHERE), None].map(|namespace| hash("pods", namespace, label))
}
