//! Progress line on stderr: shown on a terminal after one second, removed at the end.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Delay before the first line, and update interval.
const SECOND: Duration = Duration::from_secs(1);

/// Progress line, written by a separate thread so that the work is not interrupted.
pub(super) struct Progress(Option<(Sender<String>, JoinHandle<()>)>);

impl Progress {
    /// Starts the thread; silent if stderr is not a terminal.
    pub(super) fn start() -> Self {
        Self(std::io::stderr().is_terminal().then(|| {
            let (sender, receiver) = channel::<String>();
            let write = move || {
                let (start, mut what, mut shown) = (Instant::now(), String::new(), false);
                loop {
                    match receiver.recv_timeout(SECOND) {
                        Ok(next) => what = next,
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => break,
                    }
                    if start.elapsed() >= SECOND {
                        shown = true;
                        // Errors of the progress line are ignored.
                        let _ = write!(std::io::stderr(), "\r\x1b[K{what} ({} s)", start.elapsed().as_secs());
                    }
                }
                if shown {
                    let _ = write!(std::io::stderr(), "\r\x1b[K");
                }
            };
            (sender, std::thread::spawn(write))
        }))
    }

    /// Sets the current step.
    pub(super) fn at(&self, what: impl FnOnce() -> String) {
        if let Some((sender, _)) = &self.0 {
            let _ = sender.send(what());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.0.take() {
            drop(sender);
            // The thread returns nothing.
            let _ = thread.join();
        }
    }
}
