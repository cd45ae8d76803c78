//! Limits of one run, independent of sizes stated by packages and registries.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Maximum bytes that one run reads from registries and decompresses.
const MAX_RUN_BYTES: u64 = 64 << 30;

/// Maximum number of packages that one run reaches only by dependencies.
const DEPENDENCIES: usize = 1000;

/// The remaining bytes and time of a run.
#[derive(Debug)]
pub struct Budget {
    time: Duration,
    end: Instant,
    bytes: Cell<u64>,
    dependencies: Cell<usize>,
    /// The first exceeded limit.
    spent: RefCell<Option<String>>,
    /// The reason for an incomplete result about the current entry.
    cut: RefCell<Option<String>>,
}

impl Budget {
    /// Creates the budget of a run with this time limit.
    pub fn new(time: Duration) -> Rc<Self> {
        Self::with_bytes(time, MAX_RUN_BYTES)
    }

    /// Creates a budget with limits of time and bytes.
    fn with_bytes(time: Duration, bytes: u64) -> Rc<Self> {
        let end = Instant::now() + time;
        Rc::new(Self {
            time,
            end,
            bytes: Cell::new(bytes),
            dependencies: Cell::new(DEPENDENCIES),
            spent: RefCell::default(),
            cut: RefCell::default(),
        })
    }

    /// The remaining time; an error after the limit.
    pub(super) fn time_left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            return Ok(left);
        }
        let seconds = self.time.as_secs();
        Err(self.mark_limit_exceeded(&format!(
            "the run has taken {seconds} seconds; give it more with `--time-limit SECONDS`"
        )))
    }

    /// Counts bytes that were read.
    ///
    /// # Errors
    /// If the run exceeds its byte or time limit.
    fn count_bytes(&self, count: u64) -> io::Result<()> {
        self.time_left()?;
        match self.bytes.get().checked_sub(count) {
            Some(left) => {
                self.bytes.set(left);
                Ok(())
            }
            None => Err(self.mark_limit_exceeded("the run has read too many bytes; look at fewer packages in one run")),
        }
    }

    /// Counts one package that only a dependency names.
    ///
    /// # Errors
    /// If dependencies lead to too many packages.
    pub fn count_dependency(&self) -> io::Result<()> {
        match self.dependencies.get().checked_sub(1) {
            Some(left) => {
                self.dependencies.set(left);
                Ok(())
            }
            None => Err(self.mark_limit_exceeded(&format!("dependencies lead to more than {DEPENDENCIES} packages"))),
        }
    }

    /// Marks a limit as exceeded; later failures are not faults of a package.
    pub(super) fn mark_limit_exceeded(&self, why: &str) -> io::Error {
        self.spent.borrow_mut().get_or_insert_with(|| why.to_owned());
        io::Error::new(io::ErrorKind::TimedOut, why.to_owned())
    }

    /// Starts the next entry, clearing the reason of the previous one.
    pub fn start_entry(&self) {
        self.cut.take();
    }

    /// Marks the result about the current entry as incomplete; later failures are not faults of the package.
    #[cfg(any(test, feature = "registry"))]
    pub(super) fn mark_incomplete(&self, why: &str) -> io::Error {
        self.cut.borrow_mut().get_or_insert_with(|| why.to_owned());
        io::Error::new(io::ErrorKind::TimedOut, why.to_owned())
    }

    /// The exceeded limit, or the reason for an incomplete result about the current entry.
    pub fn limit_or_incomplete_reason(&self) -> Option<String> {
        self.spent.borrow().clone().or_else(|| self.cut.borrow().clone())
    }
}

/// A reader that counts its bytes against a budget.
pub(super) struct Counted<R> {
    pub(super) inner: R,
    pub(super) budget: Rc<Budget>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.budget.count_bytes(count as u64)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_limited_in_bytes_and_time() {
        let budget = Budget::with_bytes(Duration::from_mins(1), 10);
        let read = |count: u64| {
            Counted { inner: io::repeat(b'a').take(count), budget: Rc::clone(&budget) }.read_to_end(&mut Vec::new())
        };
        assert_eq!(read(10).unwrap(), 10);
        assert_eq!(budget.limit_or_incomplete_reason(), None);
        assert!(read(1).is_err());
        assert!(budget.limit_or_incomplete_reason().unwrap().starts_with("the run has read too many bytes"));
        let slow = Budget::new(Duration::from_mins(1));
        slow.mark_incomplete("too slow");
        assert_eq!(slow.limit_or_incomplete_reason().as_deref(), Some("too slow"));
        slow.start_entry();
        assert_eq!(slow.limit_or_incomplete_reason(), None);
        let late = Budget::new(Duration::ZERO);
        assert!(late.count_bytes(0).is_err());
        assert!(late.limit_or_incomplete_reason().unwrap().contains("--time-limit SECONDS"));
        let chain = Budget::new(Duration::from_mins(1));
        assert_eq!((0..2000).filter(|_| chain.count_dependency().is_ok()).count(), DEPENDENCIES);
    }
}
