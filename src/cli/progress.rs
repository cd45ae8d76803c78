//! A line on stderr that says what a long run is doing: on a terminal, after a second, and gone at the end.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a run may be silent, and how often the line is written anew.
const SECOND: Duration = Duration::from_secs(1);

/// The line, written by a thread of its own, since the work that it is about has no time for it.
pub(super) struct Progress(Option<(Sender<String>, JoinHandle<()>)>);

impl Progress {
    /// Silent for the first second, and for good when stderr is not a terminal.
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
                        // A line that cannot be shown is not a reason to stop.
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

    /// What is being done now.
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
            // What the thread could say is on the terminal.
            let _ = thread.join();
        }
    }
}
