//! Progress on standard error: on a terminal, for input that takes seconds to read.

use std::io::{self, Read};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Size in bytes from which input has a progress line. The program reads and plans about 40 MB in a second.
const PROGRESS_MIN_BYTES: u64 = 32 << 20;

/// Progress line on standard error, which is removed when the value is dropped. Nothing is shown where standard error
/// is not a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Line for a step of another program, such as a build.
    pub(super) fn step(text: String) -> Self {
        let bar = ProgressBar::new_spinner().with_message(text);
        bar.set_style(style("{spinner} {msg} ({elapsed})"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Creates the progress line for work on `bytes` bytes of input; hidden for small input.
    pub(super) fn work(text: &str, bytes: u64) -> Self {
        if bytes < PROGRESS_MIN_BYTES {
            Self(ProgressBar::hidden())
        } else {
            Self::step(format!("{text} {}", HumanBytes(bytes)))
        }
    }

    /// Line for files of `bytes` bytes together; hidden for small input.
    pub(super) fn files(bytes: u64) -> Self {
        let target =
            if bytes < PROGRESS_MIN_BYTES { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        bar.set_style(style("reading {binary_bytes} of {binary_total_bytes}: {msg}"));
        Self(bar)
    }

    /// Shows the name of the file that is read next.
    pub(super) fn show_file(&self, file: impl FnOnce() -> String) {
        if !self.0.is_hidden() {
            self.0.set_message(file());
        }
    }

    /// Counts bytes that were read.
    pub(super) fn read(&self, bytes: usize) {
        self.0.inc(u64::try_from(bytes).unwrap_or_default());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Reads a stream of unknown length to its end; a line counts the bytes of a large one.
pub(super) fn read_to_end(mut stream: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    stream.by_ref().take(PROGRESS_MIN_BYTES).read_to_end(bytes)?;
    let first = u64::try_from(bytes.len()).unwrap_or_default();
    // Do not read again after the end of input: a terminal would then return further lines.
    if first < PROGRESS_MIN_BYTES {
        return Ok(());
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_position(first);
    bar.set_style(style("reading standard input: {binary_bytes}"));
    bar.wrap_read(stream).read_to_end(bytes)?;
    bar.finish_and_clear();
    Ok(())
}

/// Style for a progress template; indicatif's default style for an invalid template.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
