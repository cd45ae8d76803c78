//! Names and labels of Kubernetes in a config. They are literal texts, not patterns.
//!
//! Source: kubernetes v1.36 `apimachinery/pkg/util/validation/validation.go`, `IsQualifiedName` and `IsValidLabelValue`;
//! `apimachinery/pkg/labels/selector.go`, `NewRequirement`, which kubectl and kustomize use.

use krm::may_have_placeholder;

/// Maximum length of a value, and of a key without its prefix.
const MAX_LENGTH: usize = 63;

/// Reason why a text cannot be the value of a label; `None` for a value and for a placeholder.
pub(crate) fn label_value_fault(text: &str) -> Option<String> {
    let is_value = text.is_empty() || is_word(text) || may_have_placeholder(text);
    let form = format!("at most {MAX_LENGTH} letters, digits, `-`, `_` and `.`, with a letter or digit at both ends");
    (!is_value).then(|| format!("`{text}` is neither the value of a label ({form}) nor a pattern"))
}

/// Reason why a text cannot be the key of a label; `None` for a key and for a placeholder.
pub(super) fn label_key_fault(text: &str) -> Option<String> {
    let (prefix, name) = text.rsplit_once('/').unwrap_or(("prefix", text));
    let is_prefix = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    let is_key = is_word(name) && !prefix.is_empty() && prefix.chars().all(is_prefix) || may_have_placeholder(text);
    (!is_key).then(|| format!("`{text}` is not the key of a label, such as `pool` or `example.com/pool`"))
}

/// The first pattern character of a text, which no object name can contain. `None` for a placeholder.
pub(super) fn pattern_character(text: &str) -> Option<char> {
    let is_of_pattern = |c: &char| matches!(c, '*' | '?' | '|' | '^' | '\\' | '+') || c.is_whitespace();
    text.chars().find(is_of_pattern).filter(|_| !may_have_placeholder(text))
}

/// True for the syntax of label values.
fn is_word(text: &str) -> bool {
    let ends_well = |c: char| c.is_ascii_alphanumeric();
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= MAX_LENGTH && text.starts_with(ends_well) && text.ends_with(ends_well) && text.chars().all(is_inner)
}

#[cfg(test)]
mod tests {
    use super::{label_key_fault, label_value_fault, pattern_character};

    #[test]
    fn values_and_keys_are_those_of_kubernetes() {
        let (longest, long) = ("a".repeat(63), "a".repeat(64));
        for value in ["", "web", "A_b.c-1", &longest, "${env}", "{{ .env }}", "(( grab meta.env ))"] {
            assert_eq!(label_value_fault(value), None, "{value}");
        }
        for value in ["shop-*", "-web", "web-", "~shop-.*", "a b", "(a)", "a/b", "a@b", "ä", &long] {
            assert!(label_value_fault(value).is_some(), "{value}");
        }
        for key in ["pool", "example.com/pool", "kubernetes.io/os", "A", "${key}"] {
            assert_eq!(label_key_fault(key), None, "{key}");
        }
        for key in ["", "/a", "a/", "pool*", "Example.com/pool", "a/b/c"] {
            assert!(label_key_fault(key).is_some(), "{key}");
        }
        assert_eq!(pattern_character("shop/Deployment/web-*/http"), Some('*'));
        assert_eq!(pattern_character("shop/Deployment/web/http"), None);
        assert_eq!(pattern_character("${NS}/Deployment/web/http"), None);
    }
}
