//! What the tests that start real programs share: finding a program, running it with bytes on its stdin, and saying
//! loudly when one is missing.

#![allow(dead_code, reason = "each of the three crates of tests needs some of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "these are tests; a skipped one is loud")]

pub(crate) mod cases;
pub(crate) mod crossplane;
pub(crate) mod deployments;
pub(crate) mod edited;
pub(crate) mod example;
pub(crate) mod files;
pub(crate) mod generated;
pub(crate) mod in_process;
pub(crate) mod json_schema;
pub(crate) mod layout;
pub(crate) mod manifests;
pub(crate) mod material;
pub(crate) mod pair;
pub(crate) mod patched;
pub(crate) mod readers;
pub(crate) mod registry;
pub(crate) mod run;
pub(crate) mod specs;
pub(crate) mod validation;
pub(crate) mod wire;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder, sorted by path.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// A program of `.tools/bin` (see `make tools`), else one on the `PATH`.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::iter::once(project().join(".tools/bin"))
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Reports that a test did nothing, because a program is missing.
///
/// # Panics
/// When `HOSTNET_REQUIRE` names `hosts`.
pub(crate) fn not_run(why: &str) {
    missing("hosts", why);
}

/// Reports that a test did nothing, because something of this kind is missing: `hosts` or `material`.
///
/// # Panics
/// When `HOSTNET_REQUIRE`, a list with commas, names the kind, or something that is not a kind.
pub(crate) fn missing(kind: &str, why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let required = std::env::var("HOSTNET_REQUIRE").unwrap_or_default();
    for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        assert!(["hosts", "material"].contains(&name), "HOSTNET_REQUIRE is `hosts`, `material` or both, not `{name}`");
        assert!(name != kind, "{test} could not run: {why}");
    }
    // Written to the handle itself, since the macros' output would be captured; and at once, since other tests write at the same time.
    let _ = std::io::stderr().write_all(format!("NOT RUN: {why} ({test})\n").as_bytes());
}

/// Says what a referee judged, for the table of `make referees`.
pub(crate) fn judged(referee: &str, what: &str, differences: usize) {
    let _ = writeln!(std::io::stderr(), "JUDGED: | {referee} | {what} | {differences} |");
}

/// Whether tests run that take minutes, as `make referees` asks for by `HOSTNET_SLOW=1`. Says what did not run otherwise.
pub(crate) fn is_slow_asked_for(what: &str) -> bool {
    let asked = std::env::var("HOSTNET_SLOW").is_ok_and(|value| value == "1");
    if !asked {
        let _ = writeln!(std::io::stderr(), "NOT RUN: {what}: it takes minutes (HOSTNET_SLOW=1, `make referees`)");
    }
    asked
}

/// Runs a command to its end with these bytes on its stdin.
pub(crate) fn run(command: &mut Command, stdin: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A program may end without reading all that it is given; that is its business.
        scope.spawn(move || drop(pipe.write_all(stdin)));
        child.wait_with_output().unwrap()
    })
}

/// The bytes as text, for messages and comparisons.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
