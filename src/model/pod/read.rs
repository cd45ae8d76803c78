//! Reads lists of a manifest into vectors without spare capacity.

use lossless_yaml::NodeRef;

/// Collects items without spare capacity, because a large input has very many lists.
pub(in crate::model) fn collect<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.collect();
    list.shrink_to_fit();
    list
}

/// The texts of a list. Elements that are not scalars become empty texts, so that positions stay correct.
pub(in crate::model) fn texts(list: NodeRef<'_, '_>) -> Vec<String> {
    collect(list.items().map(|item| item.text().unwrap_or_default().to_owned()))
}
