//! Texts of a pod spec that the API server refuses.

use crate::model::text::{PLACEHOLDER_MARKS, may_be_filled_in};
use krm::is_whole_placeholder;

/// DNS policies of a pod.
pub const DNS_POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/// Protocols of a port.
pub const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// True if a text is not a supported value; false for an empty text and for placeholders.
pub fn is_unsupported(text: &str, supported: &[&str]) -> bool {
    let is_word = || text.bytes().all(|b| b.is_ascii_alphabetic());
    let is_placeholder = || text.is_empty() || may_be_filled_in(text) && !is_word();
    !supported.contains(&text) && !is_placeholder()
}

/// Reason why a text is not a valid name of a container port; `None` for an empty text and placeholders.
///
/// Source: Kubernetes v1.36 `staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go`, `IsValidPortName`.
pub fn port_name_reason(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.contains(PLACEHOLDER_MARKS) {
        return None;
    }
    let is_lower = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let reason = if name.len() > 15 {
        "must be no more than 15 characters"
    } else if !name.bytes().all(|b| is_lower(b) || b == b'-') {
        "must contain only alphanumeric characters (a-z, 0-9), and hyphens ('-')"
    } else if !name.bytes().any(|b| b.is_ascii_lowercase()) {
        "must contain at least one letter (a-z)"
    } else if name.contains("--") {
        "must not contain consecutive hyphens"
    } else if name.starts_with('-') || name.ends_with('-') {
        "must not begin or end with a hyphen"
    } else {
        return None;
    };
    // Upper-case names with `_` are placeholders that a program replaces later; all other words are literal names.
    let is_upper = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let is_later = is_whole_placeholder(name) || name.contains('_') && name.bytes().all(is_upper);
    (!is_later).then_some(reason)
}
