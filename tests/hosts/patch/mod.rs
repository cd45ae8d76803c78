//! `hostnet patch` against the real kustomize: the patches make the objects that `hostnet apply` writes, fail the build
//! when what they patch has changed, and `--verify` tells whether they reached their targets.

// Helpers of a test may panic like the test itself; clippy.toml excuses only functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a skipped test is loud")]
#![allow(dead_code, reason = "not every helper of the other tests is needed here")]

mod admission;
mod build;
mod carried;
use crate::support::cases;
mod crds;
mod disturbed;
mod ends;
mod flux;
mod folder;
mod forms;
mod guards;
mod into;
mod objects;
use crate::support::pair;
mod parity;
mod verified;
