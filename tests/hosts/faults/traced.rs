//! Runs the program under a tracer (`tracer.c`) that injects a fault at one system call.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::cases::HOSTNET;
use crate::support::{find_program, not_run, project, run};

/// A fault to inject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process gets a signal.
    Kill(i32),
    /// The call returns this error.
    Fail(i32),
    /// Another program runs a command.
    Meanwhile(String),
}

/// Output of a run, and the system call of the fault.
#[derive(Debug)]
pub(super) struct Traced {
    pub(super) output: Output,
    /// The interrupted system call; `None` if the run ended before that step.
    pub(super) call: Option<i64>,
}

/// Compiles the tracer once. Returns `None`, and prints a note, if that is not possible.
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

/// Runs `hostnet ARGUMENTS` in a folder. Steps count from the first opened file whose path ends with `mark`.
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
