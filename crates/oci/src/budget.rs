//! Limits of one run, whatever sizes packages and registries write.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Bytes that one run reads from registries and unpacks, in all.
const TOTAL: u64 = 64 << 30;

/// Packages that one run reaches by dependencies alone.
const DEPENDENCIES: usize = 1000;

/// Bytes and time that are left of one run.
#[derive(Debug)]
pub struct Budget {
    time: Duration,
    end: Instant,
    bytes: Cell<u64>,
    dependencies: Cell<usize>,
    /// The first limit that was reached.
    spent: RefCell<Option<String>>,
    /// The reason why the answer about one entry is incomplete.
    cut: RefCell<Option<String>>,
}

impl Budget {
    /// The budget of a run that may take this long.
    #[must_use]
    pub fn new(time: Duration) -> Rc<Self> {
        Self::with_bytes(time, TOTAL)
    }

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

    /// The time that is left; an error when there is none.
    pub(super) fn time_left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            return Ok(left);
        }
        let seconds = self.time.as_secs();
        Err(self.over(&format!("the run has taken {seconds} seconds; give it more with `--time-limit SECONDS`")))
    }

    /// Takes bytes that were read.
    ///
    /// # Errors
    /// When the run has read too much, or taken too long.
    fn take(&self, count: u64) -> io::Result<()> {
        self.time_left()?;
        match self.bytes.get().checked_sub(count) {
            Some(left) => {
                self.bytes.set(left);
                Ok(())
            }
            None => Err(self.over("the run has read too many bytes; look at fewer packages in one run")),
        }
    }

    /// Takes one package that only a dependency names.
    ///
    /// # Errors
    /// When dependencies have led to too many packages.
    pub fn take_dependency(&self) -> io::Result<()> {
        match self.dependencies.get().checked_sub(1) {
            Some(left) => {
                self.dependencies.set(left);
                Ok(())
            }
            None => Err(self.over(&format!("dependencies lead to more than {DEPENDENCIES} packages"))),
        }
    }

    /// Ends the run: what follows is no fault of a package.
    pub(super) fn over(&self, why: &str) -> io::Error {
        self.spent.borrow_mut().get_or_insert_with(|| why.to_owned());
        io::Error::new(io::ErrorKind::TimedOut, why.to_owned())
    }

    /// Begins with another entry: what cut an earlier one short does not concern it.
    pub fn begin(&self) {
        self.cut.take();
    }

    /// Cuts the answer about one entry short: what follows is no fault of the package.
    #[cfg(any(test, feature = "registry"))]
    pub(super) fn cut(&self, why: &str) -> io::Error {
        self.cut.borrow_mut().get_or_insert_with(|| why.to_owned());
        io::Error::new(io::ErrorKind::TimedOut, why.to_owned())
    }

    /// The limit that was reached, or the reason why the answer about this entry is incomplete.
    #[must_use]
    pub fn spent(&self) -> Option<String> {
        self.spent.borrow().clone().or_else(|| self.cut.borrow().clone())
    }
}

/// Takes all that is read out of a budget.
pub(super) struct Counted<R> {
    pub(super) inner: R,
    pub(super) budget: Rc<Budget>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.budget.take(count as u64)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_with_its_bytes_and_with_its_time() {
        let budget = Budget::with_bytes(Duration::from_mins(1), 10);
        let read = |count: u64| {
            Counted { inner: io::repeat(b'a').take(count), budget: Rc::clone(&budget) }.read_to_end(&mut Vec::new())
        };
        assert_eq!(read(10).unwrap(), 10);
        assert_eq!(budget.spent(), None);
        assert!(read(1).is_err());
        assert!(budget.spent().unwrap().starts_with("the run has read too many bytes"));
        let slow = Budget::new(Duration::from_mins(1));
        slow.cut("too slow");
        assert_eq!(slow.spent().as_deref(), Some("too slow"));
        slow.begin();
        assert_eq!(slow.spent(), None);
        let late = Budget::new(Duration::ZERO);
        assert!(late.take(0).is_err());
        assert!(late.spent().unwrap().contains("--time-limit SECONDS"));
        let chain = Budget::new(Duration::from_mins(1));
        assert_eq!((0..2000).filter(|_| chain.take_dependency().is_ok()).count(), DEPENDENCIES);
    }
}
