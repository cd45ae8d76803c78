//! The line of counts at the end of a run.

use super::Diagnostic;
use crate::rule::Severity;

/// `1 warning`, `2 warnings`.
pub fn many(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The summary line: completed actions and the counts of errors and warnings. `hidden` adds a hint to use `-v`.
///
/// ```
/// use hostnet::render::summary::summary;
/// assert_eq!(summary(&["2 ports".to_owned()], &[], 1, false), "2 ports, 1 warning\n");
/// ```
pub fn summary(done: &[String], results: &[Diagnostic], more_warnings: usize, hidden: bool) -> String {
    let count = |severity: Severity| results.iter().filter(|result| result.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning) + more_warnings);
    let mut parts = done.to_vec();
    if errors > 0 {
        parts.push(many(errors, "error"));
    }
    parts.push(many(warnings, "warning"));
    format!("{}{}\n", parts.join(", "), if hidden { " (-v shows all)" } else { "" })
}
