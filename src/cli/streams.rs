//! Standard input, output and error of the commands. Output that nobody gets is an error, and so is input that nobody gives.

use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read, StdoutLock, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::render::colour;
use krm::shown_lines;

/// All of standard input.
pub(super) fn read_stdin() -> anyhow::Result<Vec<u8>> {
    // Room for what most renders need: without it the first bytes are asked for in small pieces. A file says how long it is.
    let file = std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let length = file.and_then(|file| file.metadata()).map_or(0, |file| if file.is_file() { file.len() } else { 0 });
    let mut bytes = Vec::new();
    // Where there is no such room it shows when the bytes come.
    let _ = bytes.try_reserve_exact(usize::try_from(length).unwrap_or_default().max(1 << 15));
    if std::io::stdin().is_terminal() {
        say("waiting for manifests on standard input: end them with Ctrl-D, or give files and folders as PATH\n")?;
    }
    std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
    if bytes.is_empty() && access(0) == Some(Access::Closed) {
        bail!("nothing to read: standard input is closed");
    }
    Ok(bytes)
}

/// Standard output, when what is written there can reach somebody.
pub(super) fn stdout() -> anyhow::Result<StdoutLock<'static>> {
    match access(1) {
        Some(Access::Closed) => bail!("standard output is closed; write `>/dev/null` when nobody is to read it"),
        Some(Access::Read) => bail!("standard output is not open for writing"),
        Some(Access::Write) | None => Ok(std::io::stdout().lock()),
    }
}

/// Whoever reads what is printed has seen enough: `hostnet catalog | head`. The exit code says it, and no message does.
#[derive(Debug, thiserror::Error)]
#[error("standard output: its reader has left")]
pub(super) struct ReaderLeft;

/// Writes a text to standard output.
pub(super) fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = stdout()?;
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(ReaderLeft.into()),
        Err(error) => Err(error).context("standard output"),
    }
}

/// Writes a text for people to standard output, without anything that a terminal or a CI runner would obey.
pub(super) fn print_shown(text: &str) -> anyhow::Result<ExitCode> {
    print(&shown_lines(text))
}

/// Writes lines to standard error, without anything that a terminal would obey but colours of our own.
pub(super) fn say(text: &str) -> anyhow::Result<()> {
    let (text, mut err) = (shown_lines(text), std::io::stderr());
    let text = if has_colour(&err) { Cow::Owned(colour::messages(&text)) } else { text };
    err.write_all(text.as_bytes()).context("standard error")
}

/// Whether what is written to a stream has colour: on a terminal that shows it, unless `NO_COLOR` is set; anywhere with
/// `CLICOLOR_FORCE`.
pub(super) fn has_colour(stream: &impl anstream::stream::RawStream) -> bool {
    anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never
}

/// What a standard stream is open for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "not told there"))]
enum Access {
    /// It was closed when the program started.
    Closed,
    Read,
    Write,
}

/// What a standard stream is open for, where that shows.
///
/// Before anything else runs, Rust's runtime opens `/dev/null` in the place of a stream that is closed, for reading and
/// writing. A shell opens it for one of the two, and Linux says how a file is open.
#[cfg(target_os = "linux")]
fn access(stream: u8) -> Option<Access> {
    let said = std::fs::read_to_string(format!("/proc/self/fdinfo/{stream}")).ok()?;
    let flags = said.lines().find_map(|line| line.strip_prefix("flags:"))?;
    // `O_ACCMODE`: for reading, for writing, or for both.
    match u32::from_str_radix(flags.trim(), 8).ok()? & 3 {
        0 => Some(Access::Read),
        2 if std::fs::read_link(format!("/proc/self/fd/{stream}"))
            .is_ok_and(|file| file.as_os_str() == "/dev/null") =>
        {
            Some(Access::Closed)
        }
        _ => Some(Access::Write),
    }
}

#[cfg(not(target_os = "linux"))]
fn access(_: u8) -> Option<Access> {
    None
}
