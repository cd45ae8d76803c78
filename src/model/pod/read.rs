//! Reads lists of a manifest into vectors without spare capacity.

use lossless_yaml::NodeRef;

/// Collects items without spare capacity, because a large input has very many lists.
pub(in crate::model) fn collect<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    without_spare(items.collect())
}

/// Moves items to a block without spare capacity: the allocator shrinks no block that stays half full.
pub(in crate::model) fn without_spare<T>(mut list: Vec<T>) -> Vec<T> {
    if list.capacity() == list.len() {
        return list;
    }
    let mut exact = Vec::with_capacity(list.len());
    exact.append(&mut list);
    exact
}

/// The texts of a list. Elements that are not scalars become empty texts, so that positions stay correct.
pub(in crate::model) fn texts(list: NodeRef<'_, '_>) -> Vec<String> {
    collect(list.items().map(|item| item.text().unwrap_or_default().to_owned()))
}
