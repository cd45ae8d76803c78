//! Access to the fields of policies, which are stored as values.

use lossless_yaml::Value;

/// Value below these keys; `None` if it is missing or null.
pub(super) fn at<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| value.get(key)).filter(|value| **value != Value::Null)
}

/// String below these keys.
pub(super) fn text<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v str> {
    at(value, keys)?.as_text()
}

/// Elements of the list below these keys; empty without a list.
pub(super) fn items<'v>(value: &'v Value, keys: &[&str]) -> &'v [Value] {
    at(value, keys).map_or(&[], Value::items)
}

/// Strings of the list below these keys.
pub(super) fn texts<'v>(value: &'v Value, keys: &[&str]) -> Vec<&'v str> {
    items(value, keys).iter().filter_map(Value::as_text).collect()
}

/// Text of a scalar, as engines compare it.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Raw(_) => Some(value.to_string()),
        Value::Null | Value::Seq(_) | Value::Map(_) => None,
    }
}

/// True if a key or a text of a value names `hostNetwork`, `hostPort` or `dnsPolicy`.
pub(super) fn names_host_fields(value: &Value) -> bool {
    has_key_or_text(value, &is_host_text)
}

/// True if a key or a text of a value satisfies a condition.
pub(super) fn has_key_or_text(value: &Value, is_match: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Map(entries) => entries.iter().any(|(key, value)| is_match(key) || has_key_or_text(value, is_match)),
        Value::Seq(items) => items.iter().any(|item| has_key_or_text(item, is_match)),
        Value::Str(_) | Value::Raw(_) | Value::Null | Value::Bool(_) | Value::Int(_) => mentions(value, is_match),
    }
}

/// True if a text of a value satisfies a condition.
pub(super) fn mentions(value: &Value, is_match: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Str(text) | Value::Raw(text) => is_match(text),
        Value::Seq(items) => items.iter().any(|item| mentions(item, is_match)),
        Value::Map(entries) => entries.iter().any(|(_, value)| mentions(value, is_match)),
        Value::Null | Value::Bool(_) | Value::Int(_) => false,
    }
}

/// True if a text contains `hostNetwork`, `hostPort` or `dnsPolicy`, in upper or lower case.
pub(super) fn is_host_text(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["hostnetwork", "hostport", "dnspolicy"].iter().any(|field| text.contains(field))
}

/// Maximum length of a pattern with wildcards; longer patterns are compared literally.
const MAX_PATTERN_LENGTH: usize = 1024;

/// True if a text matches a pattern with `*` for any characters and `?` for one character.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?']) || pattern.len() > MAX_PATTERN_LENGTH {
        return pattern == text;
    }
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from, mut star) = (0, 0, None);
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(character) if *character == '?' || Some(character) == text.get(from) => {
                at += 1;
                from += 1;
            }
            _ => {
                // Extend the match of the last `*` by one character.
                let Some((before, taken)) = star else { return false };
                star = Some((before, taken + 1));
                at = before + 1;
                from = taken + 1;
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|character| *character == '*'))
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn stars_and_question_marks_are_wildcards() {
        for (pattern, text) in
            [("*", ""), ("web*", "web-0"), ("*-system", "kube-system"), ("a?c", "abc"), ("*b*", "abc")]
        {
            assert!(glob(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("web", "web-0"), ("?", ""), ("*-system", "systems"), ("a*b", "ac")] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
    }
}
