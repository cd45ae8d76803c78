//! Crossplane's own types as a referee: `tests/go/crossplane` decodes objects of `pkg.crossplane.io` as strictly as an API server.
//!
//! A test crate that uses it has `mod support` beside it.

use std::process::Command;

use crate::support::{find_program, not_run, run, text};

/// The lines of Crossplane that have types of their own: the first and the last with `ControllerConfig`, and today's.
pub(crate) const LINES: [&str; 3] = ["v1.14", "v1.20", "v2"];

/// How many objects of `pkg.crossplane.io` a YAML stream holds, when Crossplane's types of this line accept each of them; its
/// first problem, otherwise. None when the referee is not there, which is said.
///
/// # Panics
/// When every host has to be there, and when the referee itself fails.
pub(crate) fn judged(line: &str, stream: &str) -> Option<Result<usize, String>> {
    let name = format!("crossplane-types-{line}");
    let Some(program) = find_program(&name) else {
        not_run(&format!("{name} is missing (`make tools` builds it with Go)"));
        return None;
    };
    let output = run(&mut Command::new(program), stream.as_bytes());
    let said = text(if output.status.success() { &output.stdout } else { &output.stderr });
    match output.status.code() {
        Some(0) => Some(Ok(said.trim().parse().unwrap_or_else(|_| panic!("{name} says no number: {said}")))),
        Some(1) => Some(Err(said.trim().to_owned())),
        _ => panic!("{name}: {}: {said}", output.status),
    }
}
