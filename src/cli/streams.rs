//! Standard input, output and error. A closed stream that is needed is an error.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, StdoutLock, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::progress::read_to_end;
use crate::render::colour;
use krm::shown_lines;

/// Reads all of standard input.
pub(super) fn read_stdin() -> anyhow::Result<Vec<u8>> {
    // Initial capacity for a typical render, to avoid many small reads; a file's size is known.
    let file = std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let length = file.and_then(|file| file.metadata()).map_or(0, |file| if file.is_file() { file.len() } else { 0 });
    let mut bytes = Vec::new();
    // A failed allocation is reported when the bytes are read.
    let _ = bytes.try_reserve_exact(usize::try_from(length).unwrap_or_default().max(1 << 15));
    if std::io::stdin().is_terminal() {
        print_stderr(
            "waiting for manifests on standard input: end them with Ctrl-D, or give files and folders as PATH\n",
        )?;
    }
    read_to_end(std::io::stdin().lock(), &mut bytes).context("standard input")?;
    if bytes.is_empty() && access(0) == Some(Access::Closed) {
        bail!("nothing to read: standard input is closed");
    }
    Ok(bytes)
}

/// Standard output, or an error if it is closed.
pub(super) fn stdout() -> anyhow::Result<StdoutLock<'static>> {
    match access(1) {
        Some(Access::Closed) => bail!(
            "standard output is closed, or `/dev/null` opened for reading too, as Python's `subprocess.DEVNULL` and Node's `ignore` do; \
             open `/dev/null` only for writing to discard the output, as `>/dev/null` does"
        ),
        Some(Access::Read) => bail!("standard output is not open for writing"),
        Some(Access::Write) | None => Ok(std::io::stdout().lock()),
    }
}

/// Error for a reader that closed standard output early, as in `hostnet catalog | head`. It sets the exit code without
/// a message.
#[derive(Debug, thiserror::Error)]
#[error("standard output: the reader closed the pipe")]
pub(super) struct ClosedPipe;

/// Writes a text to standard output.
pub(super) fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = stdout()?;
    map_write_error(out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
    Ok(ExitCode::SUCCESS)
}

/// Turns an error of writing to standard output into an error of the run.
pub(super) fn map_write_error(result: io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(ClosedPipe.into()),
        result => result.context("standard output"),
    }
}

/// Writes text to standard output without control sequences for terminals or CI runners.
pub(super) fn print_escaped(text: &str) -> anyhow::Result<ExitCode> {
    print(&shown_lines(text))
}

/// Writes messages to standard output without control sequences; on a terminal severities and rules have colour.
pub(super) fn print_messages(text: &str) -> anyhow::Result<ExitCode> {
    print(&coloured(shown_lines(text).into_owned(), colour::messages))
}

/// Writes a table to standard output without control sequences; on a terminal its first line is highlighted.
pub(super) fn print_table(text: &str) -> anyhow::Result<ExitCode> {
    print(&coloured(shown_lines(text).into_owned(), colour::table))
}

/// Colours a text for standard output, if standard output has colour.
pub(super) fn coloured(text: String, colour: fn(&str) -> String) -> String {
    if has_colour(&std::io::stdout()) { colour(&text) } else { text }
}

/// Writes lines to standard error; the only control sequences are this program's colours.
pub(super) fn print_stderr(text: &str) -> anyhow::Result<()> {
    let (text, mut err) = (shown_lines(text), std::io::stderr());
    let text = if has_colour(&err) { Cow::Owned(colour::messages(&text)) } else { text };
    err.write_all(text.as_bytes()).context("standard error")
}

/// True if output to the stream is coloured: by `--color` if set; else on a terminal that supports colour unless
/// `NO_COLOR` is set, and always with `CLICOLOR_FORCE`.
pub(super) fn has_colour(stream: &impl anstream::stream::RawStream) -> bool {
    anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// Access mode of a standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "unknown on other systems"))]
enum Access {
    /// The stream was closed when the program started.
    Closed,
    Read,
    Write,
}

/// Access mode of a standard stream, where it can be determined.
///
/// Before `main`, Rust's runtime opens `/dev/null` for reading and writing in place of a closed stream. A shell opens
/// streams for either reading or writing, and Linux reports the mode. Callers that open `/dev/null` for both cannot be
/// distinguished from a closed stream.
#[cfg(target_os = "linux")]
fn access(stream: u8) -> Option<Access> {
    use std::path::Path;

    use rustix::fs::{OFlags, fcntl_getfl};

    let flags = match stream {
        0 => fcntl_getfl(std::io::stdin()),
        1 => fcntl_getfl(std::io::stdout()),
        _ => fcntl_getfl(std::io::stderr()),
    };
    let mode = flags.ok()? & OFlags::ACCMODE;
    let is_null =
        || std::fs::read_link(format!("/proc/self/fd/{stream}")).is_ok_and(|file| file == Path::new("/dev/null"));
    Some(match mode {
        OFlags::RDONLY => Access::Read,
        OFlags::RDWR if is_null() => Access::Closed,
        _ => Access::Write,
    })
}

#[cfg(not(target_os = "linux"))]
fn access(_: u8) -> Option<Access> {
    None
}
