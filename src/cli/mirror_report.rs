//! Printed problems of a listing of packages and images.

use super::streams::print_stderr;
use super::verbosity::Verbosity;
use crate::package_mirror::Listing;
use krm::escape_line;

/// Prints the warnings of a listing, and `problems`, which are errors if the listing has to be complete. Returns the
/// number of printed messages.
pub(super) fn print_problems(
    listing: &Listing,
    problems: &[String],
    complete: bool,
    verbosity: Verbosity,
) -> anyhow::Result<usize> {
    let mut warnings = 0;
    for warning in listing.warnings() {
        verbosity.note(&format!("warning: {}\n", escape_line(warning)))?;
        warnings += 1;
    }
    for problem in problems {
        match complete {
            true => print_stderr(&format!("error: {}\n", escape_line(problem)))?,
            false => verbosity.note(&format!("warning: {}\n", escape_line(problem)))?,
        }
    }
    Ok(warnings + problems.len())
}
