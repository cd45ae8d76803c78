//! Runs external programs: found on the PATH, without a shell or standard input, with limits on time and output size.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Default limits on time and output size.
const LIMITS: Limits = Limits { time: Duration::from_mins(5), bytes: 256 << 20 };

/// Time limit for reading the pipes after the program ended: its child processes may keep them
/// open.
const PIPE_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum bytes of stderr that are read, and that an error shows.
const MAX_STDERR_BYTES: u64 = 16 << 20;
const MAX_SHOWN_BYTES: usize = 8 << 10;

/// Limits of a program's run.
#[derive(Debug, Clone, Copy)]
struct Limits {
    time: Duration,
    bytes: u64,
}

/// Finds a program on the PATH. Relative entries are skipped, because other users may control those folders.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    files.find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// Runs a command and returns its output. `label` is the command line for messages.
pub(super) fn output(command: &mut Command, label: &str) -> anyhow::Result<Vec<u8>> {
    output_within(LIMITS, command, label)
}

/// Output of a command, within limits of time and size.
fn output_within(limits: Limits, command: &mut Command, label: &str) -> anyhow::Result<Vec<u8>> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("`{label}`"))?;
    let stdout = child.stdout.take().map(|pipe| reader(pipe, limits.bytes));
    let stderr = child.stderr.take().map(|pipe| reader(pipe, MAX_STDERR_BYTES));
    let Some(status) = wait(&mut child, limits.time)? else {
        bail!("`{label}` did not end within {} seconds and was stopped", limits.time.as_secs());
    };
    let read = |pipe: Option<Receiver<std::io::Result<Vec<u8>>>>| {
        let read = pipe.context("no pipe")?.recv_timeout(PIPE_TIMEOUT).context("its output has no end")?;
        anyhow::Ok(read?)
    };
    let (output, messages) = (read(stdout), read(stderr).unwrap_or_default());
    if output.as_ref().is_ok_and(|output| u64::try_from(output.len()).unwrap_or(u64::MAX) > limits.bytes) {
        bail!("`{label}` wrote more than {} MiB and was stopped", limits.bytes >> 20);
    }
    if !status.success() {
        let messages = String::from_utf8_lossy(&messages).trim().chars().take(MAX_SHOWN_BYTES).collect::<String>();
        bail!("`{label}` failed ({status}): {messages}");
    }
    output.with_context(|| format!("`{label}`"))
}

/// Waits for a program to end; returns `None` after stopping one that exceeds the limit.
fn wait(child: &mut Child, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Reads a pipe in a thread, up to `max_bytes` + 1 bytes, then closes it, which ends a program that continues to write.
fn reader(pipe: impl Read + Send + 'static, max_bytes: u64) -> Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let read = pipe.take(max_bytes + 1).read_to_end(&mut kept);
        let _ = sender.send(read.map(|_| kept));
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(program: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
        let limits = Limits { time: Duration::from_millis(1_500), bytes: 1_000 };
        let output = output_within(limits, Command::new(program).args(arguments), program);
        output.map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn programs_are_stopped_after_a_time_limit() {
        assert_eq!(run("echo", &["a"]), Ok(b"a\n".to_vec()));
        assert_eq!(run("cat", &[]), Ok(Vec::new()), "standard input is empty");
        assert!(run("sleep", &["60"]).unwrap_err().contains("did not end within 1 seconds"));
        assert!(run("yes", &[]).unwrap_err().contains("wrote more than 0 MiB"));
        let failed = run("ls", &["/no/such/file"]).unwrap_err();
        assert!(failed.starts_with("`ls` failed (exit status: ") && failed.contains("/no/such/file"), "{failed}");
    }

    #[test]
    fn only_absolute_folders_of_the_path_count() {
        assert!(find("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(find("no-such-program"), None);
    }
}
