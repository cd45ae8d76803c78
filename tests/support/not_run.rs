//! What a test says that could not run.

use std::io::Write as _;

/// Says that a test did nothing. Where every host has to be there (CI, or `HOSTNET_REQUIRE_HOSTS=1`) it fails instead.
///
/// # Panics
/// When every host has to be there.
pub(crate) fn not_run(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let set = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    assert!(!set("CI", "true") && !set("HOSTNET_REQUIRE_HOSTS", "1"), "{test} could not run: {why}");
    // Written to the handle itself: the macros' output would be captured, and nobody would read it.
    let _ = writeln!(std::io::stderr(), "NOT RUN: {why} ({test})");
}
