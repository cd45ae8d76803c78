//! A `NO_PROXY` list as a text that grows: what is there stays as it is written.

use std::collections::HashSet;

use go_no_proxy::{Matcher, NoProxy};

/// The entry by which two are compared. Names of variables are told apart by their case.
pub(super) fn key(entry: &str) -> String {
    let entry = entry.trim();
    if entry.contains('$') { entry.to_owned() } else { entry.to_lowercase() }
}

/// The entries of a list, as they are written, without blanks around them.
pub(super) fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// A list and what it lacks of other entries, each once and in their order.
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

/// Whether a list takes everything, so that nothing more may stand beside that entry.
pub(super) fn takes_all(list: &str) -> bool {
    NoProxy::read(list, Matcher::default()).is_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_as_it_is_written() {
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
        assert!(takes_all("a, *") && !takes_all("*.a"));
    }
}
