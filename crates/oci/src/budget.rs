//! Limits of one run, independent of sizes stated by packages and registries.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
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
    registries: RefCell<BTreeMap<String, RegistryTime>>,
    current: RefCell<Option<CurrentEntry>>,
    /// References without a result because of a limit.
    unread: RefCell<BTreeSet<String>>,
}

/// The time of one registry.
#[derive(Debug, Default)]
struct RegistryTime {
    /// References that the run has not started.
    waiting: BTreeSet<String>,
    taken: Duration,
}

/// The reference that the run reads from a registry.
#[derive(Debug)]
struct CurrentEntry {
    registry: String,
    reference: String,
    start: Instant,
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
            registries: RefCell::default(),
            current: RefCell::default(),
            unread: RefCell::default(),
        })
    }

    /// The remaining time for the current entry; an error after the limit.
    pub(super) fn time_left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        let seconds = self.time.as_secs();
        if left.is_zero() {
            return Err(self.mark_limit_exceeded(&format!(
                "the run has taken {seconds} seconds; give it more with `--time-limit SECONDS`"
            )));
        }
        let kept = self.time_for_others();
        match left.checked_sub(kept).filter(|left| !left.is_zero()) {
            Some(left) => Ok(left),
            None => Err(self.mark_incomplete(&format!(
                "its registry has used its share of the run's {seconds} seconds, and the rest is kept for other registries; \
                 give the run more with `--time-limit SECONDS`"
            ))),
        }
    }

    /// The time that is kept for registries with waiting references, apart from the registry of the current entry: the
    /// unused part of an equal share for each.
    fn time_for_others(&self) -> Duration {
        let (registries, current) = (self.registries.borrow(), self.current.borrow());
        let Some(current) = current.as_ref() else { return Duration::ZERO };
        let share = self.time / u32::try_from(registries.len()).unwrap_or(u32::MAX).max(1);
        let others = registries.iter().filter(|(name, one)| **name != current.registry && !one.waiting.is_empty());
        others.map(|(_, one)| share.saturating_sub(one.taken)).sum()
    }

    /// Announces a reference that the run will read from a registry, so that no other registry uses up the time.
    pub fn expect(&self, registry: &str, reference: &str) {
        let mut registries = self.registries.borrow_mut();
        registries.entry(registry.to_owned()).or_default().waiting.insert(reference.to_owned());
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

    /// Starts the next entry, clearing the reason of the previous one: a reference in a registry, or a file.
    pub fn start_entry(&self, entry: Option<(&str, &str)>) {
        self.end_entry();
        let mut registries = self.registries.borrow_mut();
        let current = entry.map(|(registry, reference)| {
            registries.entry(registry.to_owned()).or_default().waiting.remove(reference);
            CurrentEntry { registry: registry.to_owned(), reference: reference.to_owned(), start: Instant::now() }
        });
        self.current.replace(current);
    }

    /// Counts the time of the current entry.
    fn end_entry(&self) {
        let is_cut = self.limit_or_incomplete_reason().is_some();
        self.cut.take();
        let Some(CurrentEntry { registry, reference, start }) = self.current.take() else { return };
        self.registries.borrow_mut().entry(registry).or_default().taken += start.elapsed();
        if is_cut {
            self.unread.borrow_mut().insert(reference);
        }
    }

    /// References without a result because of a limit.
    pub fn unread(&self) -> BTreeSet<String> {
        self.end_entry();
        self.unread.borrow().clone()
    }

    /// Marks the result about the current entry as incomplete; later failures are not faults of the package.
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
        slow.start_entry(None);
        assert_eq!(slow.limit_or_incomplete_reason(), None);
        assert_eq!(slow.unread().len(), 0);
        let late = Budget::new(Duration::ZERO);
        assert!(late.count_bytes(0).is_err());
        assert!(late.limit_or_incomplete_reason().unwrap().contains("--time-limit SECONDS"));
        let chain = Budget::new(Duration::from_mins(1));
        assert_eq!((0..2000).filter(|_| chain.count_dependency().is_ok()).count(), DEPENDENCIES);
    }

    /// A registry gets the time that others do not need, and never their shares.
    #[test]
    fn a_slow_registry_leaves_time_for_others() {
        let ten = Duration::from_secs(10);
        let budget = Budget::new(ten);
        let has_about = |seconds: u64| {
            let left = budget.time_left().unwrap();
            assert!(left <= Duration::from_secs(seconds) && left > Duration::from_secs(seconds - 1), "{left:?}");
        };
        budget.expect("slow.io", "slow.io/a");
        budget.start_entry(Some(("slow.io", "slow.io/a")));
        has_about(10);
        budget.expect("fast.io", "fast.io/a");
        budget.expect("fast.io", "fast.io/b");
        has_about(5);
        budget.registries.borrow_mut().get_mut("fast.io").unwrap().taken = Duration::from_secs(3);
        has_about(8);
        budget.registries.borrow_mut().get_mut("fast.io").unwrap().taken = ten;
        has_about(10);
        // Without a waiting reference nothing is kept.
        budget.start_entry(Some(("fast.io", "fast.io/a")));
        has_about(10);
        budget.start_entry(Some(("fast.io", "fast.io/b")));
        budget.start_entry(Some(("slow.io", "slow.io/a.sig")));
        has_about(10);
        budget.start_entry(None);
        has_about(10);
        assert_eq!(budget.unread().len(), 0);
    }

    #[test]
    fn a_registry_after_its_share_is_not_read() {
        let budget = Budget::new(Duration::from_millis(200));
        budget.expect("slow.io", "slow.io/a");
        budget.expect("fast.io", "fast.io/a");
        budget.start_entry(Some(("slow.io", "slow.io/a")));
        std::thread::sleep(Duration::from_millis(110));
        assert!(budget.time_left().unwrap_err().to_string().contains("share"));
        budget.start_entry(Some(("fast.io", "fast.io/a")));
        assert!(budget.time_left().is_ok());
        assert_eq!(budget.limit_or_incomplete_reason(), None);
        assert_eq!(budget.unread(), BTreeSet::from(["slow.io/a".to_owned()]));
    }
}
