//! Runs hostnet on the manifests of programs whose listeners were read from their source. See README.md here, and
//! `docs/development/truth.md` and `tests/corpus/truth/loud.md`, which this test writes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "these are tests"
)]

mod classify;
mod differences;
mod judged;
mod known;
mod learned;
mod objects;
mod process;
mod programs;
mod settings;
mod started;
mod table;
mod written;

use crate::support::generated::assert_generated;
use classify::Verdict;
use programs::programs;
use table::{Row, counts, loud, page};

#[test]
fn nothing_is_silently_wrong() {
    let rows: Vec<Row> = programs().iter().map(Row::for_program).collect();
    let learned: Vec<Row> = programs().iter().map(Row::with_learned).collect();
    let (page, loud) = (page(&rows, &learned), loud(&rows));
    println!("{page}{loud}");
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let wrong = rows.iter().chain(&learned).filter(|row| row.verdict() == Verdict::Silent);
    let wrong: String = wrong.map(Row::lines).collect();
    assert_eq!([counts(&rows)[2], counts(&learned)[2]], [0, 0], "silently wrong:\n{wrong}");
    assert_generated(&project.join("docs/development/truth.md"), &page);
    assert_generated(&project.join("tests/corpus/truth/loud.md"), &loud);
}
