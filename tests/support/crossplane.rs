//! Crossplane's own types as a referee: `tests/go/crossplane` decodes objects of `pkg.crossplane.io` as strictly as an
//! API server.
//!
//! A test crate that uses this module also needs `mod support`.

use std::process::Command;

use crate::support::{find_program, not_run, run, text};

/// Crossplane versions with a referee each: the first and the last with `ControllerConfig`, and the current one.
pub(crate) const LINES: [&str; 3] = ["v1.14", "v1.20", "v2"];

/// Decodes a YAML stream with the types of one Crossplane version. Returns the number of objects of
/// `pkg.crossplane.io`, or the first error. Returns `None`, and prints a note, if the referee is not installed.
///
/// # Panics
/// If the environment requires every host and the referee is missing, or if the referee itself fails.
pub(crate) fn judged(line: &str, stream: &str) -> Option<Result<usize, String>> {
    let name = format!("crossplane-types-{line}");
    let Some(program) = find_program(&name) else {
        not_run(&format!("{name} is missing (`make tools` builds it with Go)"));
        return None;
    };
    let output = run(&mut Command::new(program), stream.as_bytes());
    let log = text(if output.status.success() { &output.stdout } else { &output.stderr });
    match output.status.code() {
        Some(0) => Some(Ok(log.trim().parse().unwrap_or_else(|_| panic!("{name} does not print a number: {log}")))),
        Some(1) => Some(Err(log.trim().to_owned())),
        _ => panic!("{name}: {}: {log}", output.status),
    }
}
