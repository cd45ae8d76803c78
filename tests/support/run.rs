//! Runs the product's binary.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) use crate::support::in_process::Run;

/// Runs `hostnet` in a folder with these arguments and this standard input.
pub(crate) fn hostnet(folder: &Path, arguments: &[&str], stdin: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hostnet"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("KUSTOMIZE_PLUGIN_CONFIG_ROOT")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = stdin.to_vec();
    // Writes in a thread, because the binary may write output before it has read all input. A failed write is not an
    // error: the binary may exit without reading its input.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    crate::support::reports::assert_reports_fit(folder, arguments, &output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Run { code: output.status.code(), stdout: output.stdout, stderr }
}

/// Runs `hostnet apply -c config.yaml input.yaml` in a temporary folder with these two files.
pub(crate) fn apply(config: &str, input: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("config.yaml"), config).expect("written");
    std::fs::write(folder.path().join("input.yaml"), input).expect("written");
    hostnet(folder.path(), &["apply", "-c", "config.yaml", "input.yaml"], b"")
}
