//! Labels and annotations: small sorted maps of strings. A large input has very many of them.

use std::collections::BTreeMap;

use lossless_yaml::NodeRef;

/// Maximum length of a value. Longer ones are copies of the object (`last-applied-configuration`), which no selector
/// uses.
const MAX_VALUE_BYTES: usize = 4096;

/// Map of strings, sorted by key: one text with all keys and values, each followed by `END`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels(Box<str>);

/// Terminator of keys and values: a character that Kubernetes accepts in neither.
const END: char = '\0';

impl Labels {
    /// Reads the entries of a mapping of strings.
    pub fn read(mapping: NodeRef<'_, '_>) -> Self {
        let entries = mapping.entries().filter_map(|(key, value)| Some((key.text()?, value.text()?)));
        let mut entries: Vec<(&str, &str)> = entries
            .filter(|(key, value)| value.len() <= MAX_VALUE_BYTES && !key.contains(END) && !value.contains(END))
            .collect();
        entries.sort_unstable();
        entries.dedup_by(|a, b| a.0 == b.0);
        Self::from_sorted(entries.iter().copied())
    }

    /// Creates a map from entries with distinct keys, sorted by key.
    fn from_sorted<'t>(entries: impl Iterator<Item = (&'t str, &'t str)> + Clone) -> Self {
        let mut text = String::with_capacity(entries.clone().map(|(key, value)| key.len() + value.len() + 2).sum());
        for part in entries.flat_map(|(key, value)| [key, value]) {
            text.push_str(part);
            text.push(END);
        }
        Self(text.into_boxed_str())
    }

    /// Returns a copy with one more entry, which replaces an entry with the same key.
    pub fn with(&self, key: &str, value: &str) -> Self {
        let mut entries = self.to_map();
        entries.insert(key.to_owned(), value.to_owned());
        Self::from_sorted(entries.iter().map(|(key, value)| (key.as_str(), value.as_str())))
    }

    /// Splits the entries: keys for which `takes` is true, and the others.
    pub fn split(&self, takes: impl Fn(&str) -> bool) -> (Self, Self) {
        let (some, others): (Vec<_>, Vec<_>) = self.iter().partition(|(key, _)| takes(key));
        (Self::from_sorted(some.into_iter()), Self::from_sorted(others.into_iter()))
    }

    /// Value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// Keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = &*self.0;
        let mut part = move || {
            let (part, after) = rest.split_at_checked(memchr::memchr(END as u8, rest.as_bytes())?)?;
            rest = after.get(1..)?;
            Some(part)
        };
        std::iter::from_fn(move || Some((part()?, part()?)))
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the map has all entries of another map.
    pub fn contains(&self, other: &Self) -> bool {
        self.contains_unless(other, |_| false)
    }

    /// True if the map has all entries of another map, except entries for which `is_given` is true.
    pub fn contains_unless(&self, other: &Self, is_given: impl Fn((&str, &str)) -> bool) -> bool {
        // Both maps are sorted, and each has a key once.
        let mut own = self.iter();
        let mut wanted = other.iter().filter(|label| !is_given(*label));
        wanted.all(|wanted| own.find(|label| label.0 >= wanted.0) == Some(wanted))
    }

    /// Copies the entries into a map for label selectors.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use lossless_yaml::Tree;

    fn entries(yaml: &str) -> Vec<(String, String)> {
        let tree = Tree::parse(yaml).unwrap();
        Labels::read(tree.root(0).unwrap()).to_map().into_iter().collect()
    }

    #[test]
    fn one_map_contains_another_when_it_has_all_of_its_entries() {
        let labels = |yaml: &str| Labels::read(Tree::parse(yaml).unwrap().root(0).unwrap());
        let all = labels("{a: '1', b: '2', d: '4'}");
        for yes in ["{}", "{a: '1'}", "{d: '4'}", "{a: '1', d: '4'}", "{b: '2', d: '4'}", "{a: '1', b: '2', d: '4'}"] {
            assert!(all.contains(&labels(yes)), "{yes}");
        }
        for no in
            ["{a: '2'}", "{c: '3'}", "{e: '5'}", "{a: '1', c: '3'}", "{a: '1', b: '2', c: '3', d: '4'}", "{'0': '1'}"]
        {
            assert!(!all.contains(&labels(no)), "{no}");
        }
        for (other, yes) in [("{a: '1', c: '3', d: '4'}", true), ("{c: '3', d: '5'}", false)] {
            assert_eq!(all.contains_unless(&labels(other), |(key, _)| key == "c"), yes, "{other}");
        }
    }

    #[test]
    fn nul_characters_and_copied_objects_are_left_out_of_labels() {
        let kept = "x".repeat(MAX_VALUE_BYTES);
        let yaml = format!("{{b: '1', \"k\\0\": v, \"v\": \"x\\0\", long: {kept}, longer: {kept}y}}");
        assert_eq!(entries(&yaml), [("b".to_owned(), "1".to_owned()), ("long".to_owned(), kept)]);
    }
}
