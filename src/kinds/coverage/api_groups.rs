//! API groups in a text, found without parsing it, so that only inputs with relevant objects are read again.

use std::collections::BTreeSet;

use memchr::memmem;

const FIELD: &str = "apiVersion";

/// API groups in the `apiVersion` fields of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ApiGroups<'t> {
    groups: BTreeSet<&'t str>,
    /// True if a value has a form that only a YAML parser can read, such as an alias.
    has_unread: bool,
}

impl<'t> ApiGroups<'t> {
    /// Reads all `apiVersion` fields: of objects, of objects inside of them, and of objects in quoted texts.
    pub(super) fn read(text: &'t str) -> Self {
        let mut found = Self::default();
        for at in memmem::find_iter(text.as_bytes(), FIELD) {
            match value(text.get(at + FIELD.len()..).unwrap_or_default()) {
                Value::Group(group) => _ = found.groups.insert(group),
                Value::Unread => found.has_unread = true,
                Value::Other => {}
            }
        }
        found
    }

    /// True if `fits` accepts one of the groups, or if a group cannot be read.
    pub(super) fn any(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.has_unread || self.groups.iter().any(|group| fits(group))
    }
}

/// Group of an `apiVersion` field, from the text after its name; empty for the core group and for values that only a
/// parser can read.
pub(super) fn parse_group_after_key(text: &str) -> &str {
    if let Value::Group(group) = value(text) { group } else { "" }
}

/// Value of an `apiVersion` field.
enum Value<'t> {
    Group(&'t str),
    /// Value that only a parser can read.
    Unread,
    /// A version of the core group, or a text that is not a field.
    Other,
}

/// Reads the value from the text after the field's name.
fn value(after_name: &str) -> Value<'_> {
    // In a quoted text the quotes are escaped.
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\');
    let colon = after_name.trim_start_matches(|c| is_quote(c) || matches!(c, ' ' | '\t'));
    let Some(value) = colon.strip_prefix(':') else { return Value::Other };
    let value = value.trim_start_matches(|c: char| is_quote(c) || c.is_ascii_whitespace());
    if value.starts_with(['&', '*', '!', '|', '>', '#', '?']) {
        return Value::Unread;
    }
    let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(value.len());
    match value.split_at_checked(end) {
        // JSON may escape the slash.
        Some((group, rest)) if rest.starts_with('/') || rest.starts_with("\\/") => Value::Group(group),
        _ => Value::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(text: &str) -> Vec<&str> {
        let found = ApiGroups::read(text);
        assert!(!found.has_unread, "{text}");
        found.groups.into_iter().collect()
    }

    #[test]
    fn groups_are_read_from_yaml_json_and_quoted_texts() {
        for text in [
            "apiVersion: argoproj.io/v1alpha1",
            "- \"apiVersion\" : 'argoproj.io/v1alpha1'",
            "{apiVersion: \"argoproj.io/v1alpha1\"}",
            "{\"apiVersion\":\"argoproj.io\\/v1alpha1\"}",
            "{\"note\": \"{\\\"apiVersion\\\":\\\"argoproj.io/v1alpha1\\\"}\"}",
            "apiVersion:\n  argoproj.io/v1alpha1\n",
        ] {
            assert_eq!(groups(text), ["argoproj.io"], "{text}");
        }
    }

    #[test]
    fn other_values_are_no_groups() {
        for text in ["apiVersion: v1", "apiVersion:\n  description: a/b\n", "apiVersions: [a.io/v1]", "apiVersion"] {
            assert_eq!(groups(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn values_for_a_parser_may_be_any_group() {
        for text in
            ["apiVersion: *group", "apiVersion: &group a.io/v1", "apiVersion: >-\n  a.io/v1", "apiVersion: # a\n"]
        {
            assert!(ApiGroups::read(text).any(|_| false), "{text}");
        }
    }
}
