//! `hostnet patch` with the real kustomize: the patches create the same objects as `hostnet apply`, fail the build if
//! their targets have changed, and `--verify` reports whether they were applied.

// Helper functions may panic like the tests themselves; clippy.toml only excuses functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a skipped test is loud")]
#![allow(dead_code, reason = "not every helper of the other tests is needed here")]

mod admission;
mod build;
mod carried;
use crate::support::cases;
mod crds;
mod disturbed;
mod earlier;
mod ends;
mod flux;
mod folder;
mod forms;
mod guards;
mod into;
mod late_names;
mod objects;
use crate::support::pair;
mod parity;
mod verified;
