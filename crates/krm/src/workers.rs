//! Work on many units by two threads, with the results in the order of the units.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More threads than this gain little: reading and writing the bytes is done by one.
const MAX_THREADS: usize = 2;

/// Bytes that one batch holds at least. Below two batches no thread is started at all, which a short input, the usual
/// case, would pay for.
const BATCH: usize = 256 * 1024;

/// Calls `work` for consecutive batches of `units` and returns what it gave, in order. `size` is a unit's bytes.
pub(super) fn in_order<U, T, F>(units: &[U], size: impl Fn(&U) -> usize, work: F) -> Vec<T>
where
    U: Sync,
    T: Send,
    F: Fn(&[U]) -> T + Sync,
{
    let batches = batches(units, size);
    let batch = |range: &Range<usize>| work(units.get(range.clone()).unwrap_or_default());
    // How many processors there are is a question to the system, so it is not asked for a short input.
    let few = batches.len() < 2;
    let threads = if few { 1 } else { thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS) };
    if threads < 2 {
        return batches.iter().map(batch).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(batches.len()));
    let run = || {
        while let Some((number, range)) = next_of(&batches, &next) {
            let result = batch(range);
            // A poisoned lock means that the other thread panicked; the scope hands that panic on.
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

fn next_of<'b>(batches: &'b [Range<usize>], next: &AtomicUsize) -> Option<(usize, &'b Range<usize>)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    batches.get(number).map(|range| (number, range))
}

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
    fn results_come_in_the_order_of_the_units() {
        let units: Vec<usize> = (0..100).collect();
        let sums = in_order(&units, |_| BATCH / 4, <[usize]>::to_vec);
        assert_eq!(sums.len(), 25);
        assert_eq!(sums.concat(), units);
    }

    #[test]
    fn nothing_to_do_is_done() {
        assert!(in_order(&[] as &[u8], |_| 1, <[u8]>::len).is_empty());
    }
}
