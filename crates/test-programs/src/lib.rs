//! Finds and runs the programs that tests compare results with, and reports a test that could not run.
//!
//! ```
//! let program = test_programs::find_program("sh").expect("every Unix has a shell");
//! let output = test_programs::run(std::process::Command::new(program).args(["-c", "cat"]), b"hello");
//! assert_eq!(test_programs::text(&output.stdout), "hello");
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "only tests use this crate: a failure here fails the test"
)]

pub mod go_readers;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub fn project() -> &'static Path {
    // This crate is in `crates/test-programs`.
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A program of `.tools/bin` (see `make tools`), else one on the `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(project().join(".tools/bin"))
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Reports that a test did not run, because a program is missing.
///
/// # Panics
/// When `HOSTNET_REQUIRE` names `hosts`.
pub fn not_run(why: &str) {
    missing("hosts", why);
}

/// Reports that a test did not run, because something of this kind is missing: `hosts` or
/// `material`.
///
/// # Panics
/// If `HOSTNET_REQUIRE`, a comma-separated list, contains the kind, or a word that is not a kind.
pub fn missing(kind: &str, why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let required = std::env::var("HOSTNET_REQUIRE").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        assert!(["hosts", "material"].contains(&name), "HOSTNET_REQUIRE is `hosts`, `material` or both, not `{name}`");
        assert!(name != kind, "{test} could not run: {why}");
    }
    // Writes to the stderr handle, because the test harness captures the output of macros; in one call, because other
    // tests write at the same time.
    let _ = std::io::stderr().write_all(format!("NOT RUN: {why} ({test})\n").as_bytes());
}

/// Prints the number of cases compared with a reference implementation, for the table of `make referees`.
pub fn judged(referee: &str, what: &str, differences: usize) {
    let _ = writeln!(std::io::stderr(), "JUDGED: | {referee} | {what} | {differences} |");
}

/// True with `HOSTNET_SLOW=1`, as set by `make referees`: tests that take minutes run then. Otherwise reports that
/// `what` did not run.
pub fn runs_slow_tests(what: &str) -> bool {
    let is_set = std::env::var("HOSTNET_SLOW").is_ok_and(|value| value == "1");
    if !is_set {
        let _ = writeln!(std::io::stderr(), "NOT RUN: {what}: it takes minutes (HOSTNET_SLOW=1, `make referees`)");
    }
    is_set
}

/// Runs a command to its end with these bytes on its stdin.
///
/// # Panics
/// When the command does not start.
pub fn run(command: &mut Command, stdin: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A program may end without reading its whole input; the error of such a write is ignored.
        scope.spawn(move || drop(pipe.write_all(stdin)));
        child.wait_with_output().unwrap()
    })
}

/// The bytes as text, for messages and comparisons.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
