//! Extends `NO_PROXY` lists, leaving existing text unchanged.

use std::collections::HashSet;

use super::variables::references;
use go_no_proxy::{Matcher, NoProxy, useless};
use krm::{holds_placeholder, split_at_commas};

/// True if a part of the text is filled in later: a placeholder of any tool, or `$(NAME)`.
pub(super) fn is_open(text: &str) -> bool {
    holds_placeholder(text) || references(text).next().is_some()
}

/// The reason why an entry can never match; `None` if it can, or if a part of it is filled in later.
pub(super) fn never_matches(entry: &str) -> Option<String> {
    if is_open(entry) { None } else { useless(entry) }
}

/// The comparison key of an entry: lower case, except for entries that are filled in later, because names of variables
/// are case-sensitive.
pub(super) fn key(entry: &str) -> String {
    let entry = entry.trim();
    if entry.contains('$') || is_open(entry) { entry.to_owned() } else { entry.to_lowercase() }
}

/// The entries of a list, trimmed, without empty ones.
pub(super) fn entries(list: &str) -> impl Iterator<Item = &str> {
    split_at_commas(list).into_iter().map(str::trim).filter(|entry| !entry.is_empty())
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
            ("{{ join \",\" .a }}", &["{{ join \",\" .A }}", "b"], "{{ join \",\" .a }},{{ join \",\" .A }},b"),
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
