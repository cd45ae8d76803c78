//! Processes many units with two threads and keeps the order of the results.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More threads gain little, because one thread reads and writes all bytes.
const MAX_THREADS: usize = 2;

/// Minimum bytes per batch. Inputs below two batches, the usual case, are processed without starting a thread.
const BATCH: usize = 256 * 1024;

/// Calls `work` for consecutive batches of `units` and returns the results in order. `size` returns
/// the bytes of a unit.
pub(super) fn map_batches_in_order<U, T, F>(units: &[U], size: impl Fn(&U) -> usize, work: F) -> Vec<T>
where
    U: Sync,
    T: Send,
    F: Fn(&[U]) -> T + Sync,
{
    let batches = batches(units, size);
    let batch = |range: &Range<usize>| work(units.get(range.clone()).unwrap_or_default());
    // Short inputs do not need the system call for the number of processors.
    let few = batches.len() < 2;
    let threads = if few { 1 } else { thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS) };
    if threads < 2 {
        return batches.iter().map(batch).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(batches.len()));
    let run = || {
        while let Some((number, range)) = take_next_batch(&batches, &next) {
            let result = batch(range);
            // A poisoned lock means that the other thread panicked; the scope propagates that panic.
            if let Ok(mut done) = done.lock() {
                done.push((number, result));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take_next_batch<'b>(batches: &'b [Range<usize>], next: &AtomicUsize) -> Option<(usize, &'b Range<usize>)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    batches.get(number).map(|range| (number, range))
}

/// Divides the units into batches of similar size.
fn batches<U>(units: &[U], size: impl Fn(&U) -> usize) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, unit) in units.iter().enumerate() {
        bytes += size(unit);
        if bytes >= BATCH {
            batches.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    if start < units.len() {
        batches.push(start..units.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_units() {
        let units: Vec<usize> = (0..100).collect();
        let sums = map_batches_in_order(&units, |_| BATCH / 4, <[usize]>::to_vec);
        assert_eq!(sums.len(), 25);
        assert_eq!(sums.concat(), units);
    }

    #[test]
    fn no_work_gives_no_results() {
        assert!(map_batches_in_order(&[] as &[u8], |_| 1, <[u8]>::len).is_empty());
    }
}
