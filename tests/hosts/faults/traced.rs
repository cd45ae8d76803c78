//! Runs of the program in which something happens at one system call (`tracer.c`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::cases::HOSTNET;
use crate::support::{find_program, not_run, project, run};

/// What happens at a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// A signal.
    Kill(i32),
    /// The call returns this error.
    Fail(i32),
    /// Somebody else runs a command.
    Meanwhile(String),
}

/// A run and what happened in it.
#[derive(Debug)]
pub(super) struct Traced {
    pub(super) output: Output,
    /// The call at which it happened; none when the run was over before.
    pub(super) call: Option<i64>,
}

/// The tracer, compiled once. None where it cannot be, which is said.
fn tracer() -> Option<&'static Path> {
    static TRACER: OnceLock<Option<(TempDir, PathBuf)>> = OnceLock::new();
    let built = TRACER.get_or_init(|| {
        let (gcc, folder) = (find_program("gcc")?, tempfile::tempdir().unwrap());
        let program = folder.path().join("tracer");
        let source = project().join("tests/hosts/faults/tracer.c");
        let built = run(Command::new(gcc).args(["-O1", "-o"]).arg(&program).arg(source), b"");
        assert!(built.status.success(), "{}", crate::support::text(&built.stderr));
        let tried =
            Command::new(&program).arg(folder.path().join("report")).args(["-", "1", "kill=9", "true"]).status();
        tried.unwrap().success().then_some((folder, program))
    });
    if built.is_none() {
        not_run("gcc is missing, or programs cannot be traced here");
    }
    built.as_ref().map(|(_, program)| program.as_path())
}

/// Runs `hostnet ARGUMENTS` in a folder, with a fault at a step after the first file was opened whose path ends with `mark`.
pub(super) fn traced(
    at: &Path,
    mark: &str,
    step: usize,
    fault: &Fault,
    arguments: &[&str],
    stdin: &[u8],
) -> Option<Traced> {
    let action = match fault {
        Fault::Kill(signal) => format!("kill={signal}"),
        Fault::Fail(error) => format!("fail={error}"),
        Fault::Meanwhile(command) => format!("run={command}"),
    };
    let report = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new(tracer()?);
    command.current_dir(at).arg(report.path()).args([mark, &step.to_string(), &action, HOSTNET]).args(arguments);
    let output = run(&mut command, stdin);
    assert_ne!(output.status.code(), Some(125), "the tracer failed");
    let call: i64 = std::fs::read_to_string(report.path()).unwrap().trim().parse().unwrap();
    Some(Traced { output, call: Some(call).filter(|call| *call >= 0) })
}
