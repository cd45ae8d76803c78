//! Patterns of a `select` that match one text only.

/// Pattern that matches only this text, as a value of a YAML flow mapping.
pub fn exact(text: &str) -> String {
    quoted(escaped(text))
}

/// Escapes a text as a regular expression. A dash needs no escape outside of brackets.
pub fn escaped(text: &str) -> String {
    regex::escape(text).replace(r"\-", "-")
}

/// Quotes a regular expression for a YAML flow mapping.
pub fn quoted(pattern: String) -> String {
    let is_plain = pattern.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '\\'))
        && pattern.starts_with(|c: char| c.is_ascii_alphabetic())
        && lossless_yaml::is_string(&pattern);
    if is_plain { pattern } else { format!("'{}'", pattern.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use super::exact;

    #[test]
    fn patterns_are_yaml_for_one_name() {
        assert_eq!(exact("a-web"), "a-web");
        assert_eq!(exact("a.b"), r"a\.b");
        assert_eq!(exact("123"), "'123'");
        assert_eq!(exact("true"), "'true'");
        assert_eq!(exact("it's}"), r"'it''s\}'");
        assert_eq!(exact("${APP}"), r"'\$\{APP\}'");
    }
}
