//! Fuzz targets: properties of the program for any bytes. `fuzz/` runs them for hours; each finding becomes a file of
//! `fuzz/corpus/`, which a test replays.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]
#![allow(unreachable_pub, reason = "fuzz/ makes a library of it")]

mod archives;
mod bytes;
mod configs;
mod edits;
mod helps;
mod plans;
#[cfg(feature = "registry")]
mod registries;
#[cfg(test)]
mod replay;
mod schemas;
mod scripts;

pub use archives::archives;
pub use bytes::bytes;
pub use configs::configs;
pub use edits::edits;
pub use helps::helps;
pub use plans::plans;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
#[cfg(feature = "registry")]
pub use registries::registries;
pub use schemas::schemas;
pub use scripts::scripts;

/// Number of bytes that seed a generator.
const SEED: usize = 32;

/// The case that a generator makes from the first bytes, or `None`. The bytes seed a random number generator; used as
/// the random numbers themselves, each choice between generators would take half of the remaining bytes.
fn drawn<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>, bytes: &[u8]) -> Option<T> {
    let settings = Config { failure_persistence: None, max_local_rejects: 8, ..Config::default() };
    let mut seed = [0; SEED];
    seed.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let tree = strategy.new_tree(&mut TestRunner::new_with_rng(settings, rng)).ok()?;
    Some(tree.current())
}

/// Panics if a property does not hold.
fn holds(outcome: Result<(), TestCaseError>) {
    if let Err(TestCaseError::Fail(why)) = outcome {
        panic!("{why}");
    }
}
