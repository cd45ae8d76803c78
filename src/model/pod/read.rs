//! Lists of a manifest.

use lossless_yaml::NodeRef;

/// A list without room for more: a large input holds very many.
pub(in crate::model) fn collect<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.collect();
    list.shrink_to_fit();
    list
}

/// The texts of a list; what is not a scalar is an empty text, so that positions stay.
pub(in crate::model) fn texts(list: NodeRef<'_, '_>) -> Vec<String> {
    collect(list.items().map(|item| item.text().unwrap_or_default().to_owned()))
}
