//! Labels and annotations: small sorted maps of strings, of which a large input holds very many.

use std::collections::BTreeMap;

use crate::yaml::NodeRef;

/// Texts longer than this are copies of the object (`last-applied-configuration`), not something to select by.
const LONGEST: usize = 4096;

/// A map of strings, sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels(Box<[(Box<str>, Box<str>)]>);

impl Labels {
    /// The entries of a mapping of strings.
    #[must_use]
    pub fn of(mapping: NodeRef<'_, '_>) -> Self {
        let entries = mapping.entries().filter_map(|(key, value)| Some((key.text()?, value.text()?)));
        let mut entries: Vec<(Box<str>, Box<str>)> = entries
            .filter(|(_, value)| value.len() <= LONGEST)
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        entries.sort();
        entries.dedup_by(|a, b| a.0 == b.0);
        Self(entries.into_boxed_slice())
    }

    /// The value under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let index = self.0.binary_search_by(|(known, _)| known.as_ref().cmp(key)).ok()?;
        self.0.get(index).map(|(_, value)| value.as_ref())
    }

    /// Keys and values, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value.as_ref()))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all entries of another map are in this one.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.iter().all(|(key, value)| self.get(key) == Some(value))
    }

    /// The same as an owned map, which label selectors take.
    #[must_use]
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}
