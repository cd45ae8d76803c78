//! Results for people: what goes to stderr.

use std::fmt::Write as _;

use super::results::Diagnostic;
use crate::rule::Severity;

/// The most lines that are written; kpt shows four, so the worst come first.
const MOST: usize = 20;

/// Errors and warnings, errors first; changes and the rest too when `verbose`. At most 20, and a count of what is left.
#[must_use]
pub fn report(results: &[Diagnostic], verbose: bool) -> String {
    let mut shown: Vec<&Diagnostic> =
        results.iter().filter(|result| verbose || result.severity != Severity::Info).collect();
    shown.sort_by_key(|result| result.severity);
    let most = if verbose { usize::MAX } else { MOST };
    let mut text = String::new();
    for result in shown.iter().take(most) {
        let _ = writeln!(text, "{result}");
    }
    if shown.len() > most {
        let _ = writeln!(text, "... and {} more", shown.len() - most);
    }
    text
}
