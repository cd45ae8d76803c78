//! Extends `NO_PROXY` lists, leaving existing text unchanged.

use std::collections::HashSet;

use go_no_proxy::{Matcher, NoProxy};

/// The comparison key of an entry: lower case, except for entries with `$`, because variable names are case-sensitive.
pub(super) fn key(entry: &str) -> String {
    let entry = entry.trim();
    if entry.contains('$') { entry.to_owned() } else { entry.to_lowercase() }
}

/// The entries of a list, trimmed, without empty ones.
pub(super) fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// Appends the missing entries of `more` to a list, in order and without duplicates.
pub(super) fn united<'e>(list: &str, more: impl IntoIterator<Item = &'e str>) -> String {
    let mut known: HashSet<String> = entries(list).map(key).collect();
    let lacking: Vec<&str> = more.into_iter().map(str::trim).filter(|entry| known.insert(key(entry))).collect();
    if lacking.is_empty() {
        return list.to_owned();
    }
    let kept = list.trim_end_matches(|c: char| c == ',' || c.is_whitespace());
    let comma = if kept.trim().is_empty() { "" } else { "," };
    format!("{kept}{comma}{}", lacking.join(","))
}

/// True if the list matches every host, so that further entries have no effect.
pub(super) fn matches_every_host(list: &str) -> bool {
    NoProxy::read(list, Matcher::default()).is_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_entries_keep_their_spelling() {
        for (list, more, expected) in [
            ("", &["a", "b"][..], "a,b"),
            ("b, A ", &["a", "c"], "b, A,c"),
            ("b, A ", &["a"], "b, A "),
            ("a,,b,", &["c", "C"], "a,,b,c"),
            (" , ", &["c"], "c"),
            ("$(a)", &["$(A)", "$(a)"], "$(a),$(A)"),
        ] {
            assert_eq!(united(list, more.iter().copied()), expected, "{list:?}");
        }
        assert!(matches_every_host("a, *") && !matches_every_host("*.a"));
    }
}
