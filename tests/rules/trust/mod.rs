//! A judge of recognized listeners: settings of real software, each in several surroundings and under each form of
//! `ports`.
//!
//! `client_settings.yaml` contains settings that name another program's port, or no port: they never change.
//! `listen_settings.yaml` contains settings of a process's own port: they move completely, or the run gives the reason.
//! A new row is a new line in a table; the heads of the tables describe the format.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]
#![allow(clippy::string_slice, reason = "these are tests")]

mod client;
mod count;
mod listen;
mod manifest;
mod run;
mod table;

use count::Count;
use insta::assert_snapshot;

use crate::support::runs_slow_tests;

/// Number of unexpected verdicts that are printed.
const PRINTED: usize = 40;

#[test]
fn the_tables_are_large_and_have_no_duplicates() {
    for (name, least) in [("client_settings", 520), ("listen_settings", 360)] {
        let rows = table::rows(name);
        assert!(rows.len() >= least, "{name} has {} rows", rows.len());
        let mut seen = std::collections::BTreeMap::new();
        for row in &rows {
            if let Some(before) = seen.insert(row.texts(), &row.of) {
                panic!("{name}: {} and {before} have the same row {:?}", row.of, row.texts());
            }
        }
    }
}

#[test]
fn no_client_setting_changes() {
    let count = judged("client_settings", client::judge, Forms::Every(3));
    count.assert_none(&["false"], PRINTED);
    assert_snapshot!(count.table(), @"
    Moved: listener kept 77, listener moved 235
    Nothing: listener kept 1030
    OtherPort: listener kept 86, listener moved 257
    Owner: listener kept 86, listener moved 257
    SameBare: error 15, listener kept 79, listener moved 194
    SameKeys: error 7, listener kept 55, listener moved 136
    SameMoved: error 9, listener kept 73, listener moved 177
    SameOwner: error 14, listener kept 77, listener moved 203
    SameTold: error 10, listener kept 75, listener moved 203
    SameUntold: error 143, listener kept 144
    Sidecar: error 72, listener kept 114, listener moved 158
    ");
}

#[test]
fn every_listener_moves_completely_or_is_reported() {
    let count = judged("listen_settings", listen::judge, Forms::Every(2));
    count.assert_none(&["false", "silent"], PRINTED);
    assert_snapshot!(count.table(), @"
    Any Alone: kept 21, loud 1, moved 64
    Any Coincidence: kept 22, moved 65
    Any Declared: loud 1, moved 172
    Any Keys: kept 9, moved 23
    Any Moved: kept 17, moved 49
    Any Probed: kept 22, moved 65
    Any Referred: kept 22, loud 1, moved 63
    Any Scraped: kept 21, moved 66
    Any Second: kept 22, moved 64
    Any Targeted: kept 21, loud 1, moved 64
    Bare Alone: listed 109
    Bare Coincidence: kept 28, moved 81
    Bare Declared: loud 1, moved 217
    Bare Keys: kept 13, moved 39
    Bare Moved: kept 20, moved 62
    Bare Probed: kept 27, loud 1, moved 81
    Bare Referred: kept 27, moved 82
    Bare Scraped: kept 27, loud 1, moved 81
    Bare Second: kept 27, moved 82
    Bare Targeted: kept 27, moved 82
    Public Alone: left 5
    Public Coincidence: kept 1, loud 1, moved 4
    Public Declared: loud 1, moved 10
    Public Keys: moved 1
    Public Moved: kept 1, loud 1, moved 4
    Public Probed: kept 2, moved 4
    Public Referred: kept 1, moved 4
    Public Scraped: kept 2, loud 1, moved 3
    Public Second: kept 1, moved 4
    Public Targeted: kept 2, moved 3
    Scaffold Alone: kept 4, moved 14
    Scaffold Coincidence: kept 4, moved 14
    Scaffold Declared: moved 36
    Scaffold Keys: kept 1, moved 1
    Scaffold Moved: kept 5, moved 10
    Scaffold Probed: kept 5, moved 13
    Scaffold Referred: kept 5, moved 13
    Scaffold Scraped: kept 4, moved 14
    Scaffold Second: kept 5, moved 13
    Scaffold Targeted: kept 4, moved 14
    Unnamed Alone: left 59, moved 14
    Unnamed Coincidence: kept 18, loud 16, moved 38
    Unnamed Declared: loud 40, moved 105
    Unnamed Keys: kept 5, loud 12, moved 2
    Unnamed Moved: kept 9, loud 14, moved 11
    Unnamed Probed: kept 17, loud 13, moved 42
    Unnamed Referred: kept 18, loud 15, moved 40
    Unnamed Scraped: kept 19, loud 16, moved 37
    Unnamed Second: kept 18, loud 15, moved 40
    Unnamed Targeted: kept 18, loud 16, moved 39
    ");
}

#[test]
fn no_client_setting_changes_under_any_form() {
    if !runs_slow_tests("every setting of clients in all surroundings under every form of `ports`") {
        return;
    }
    let count = judged("client_settings", client::judge, Forms::All);
    eprintln!("{}", count.table_of_forms());
    count.assert_none(&["false"], PRINTED);
}

#[test]
fn every_listener_moves_completely_or_is_reported_under_any_form() {
    if !runs_slow_tests("every setting of listeners in all surroundings under every form of `ports`") {
        return;
    }
    let count = judged("listen_settings", listen::judge, Forms::All);
    eprintln!("{}", count.table_of_forms());
    count.assert_none(&["false", "silent"], PRINTED);
}

/// The forms of `ports` to try for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forms {
    /// One form in every n-th surroundings, in turn, so that the rows of a table together cover all combinations;
    /// `auto` in the first surroundings.
    Every(usize),
    /// All forms in all surroundings.
    All,
}

/// Judges a row under the forms of `ports` for the surroundings at a position.
type Judge = fn(&table::Row, &dyn Fn(usize) -> Vec<run::Form>, &mut Count);

/// Judges every row of a table on all processors. `HOSTNET_TRUST_ROW` limits the rows to names that contain it, under
/// all forms.
fn judged(table: &str, judge: Judge, forms: Forms) -> Count {
    let wanted = std::env::var("HOSTNET_TRUST_ROW").ok();
    let forms = if wanted.is_some() { Forms::All } else { forms };
    let rows: Vec<_> = table::rows(table).into_iter().enumerate().collect();
    let rows: Vec<_> =
        rows.iter().filter(|(_, row)| wanted.as_ref().is_none_or(|part| row.name().contains(part))).collect();
    let of = |position: usize| {
        move |turn: usize| match forms {
            Forms::Every(_) if turn == 0 => vec![run::Form::Auto],
            Forms::Every(step) if !(position + turn).is_multiple_of(step) => Vec::new(),
            Forms::Every(step) => vec![run::FORMS[(position + turn) / step % run::FORMS.len()]],
            Forms::All => run::FORMS.to_vec(),
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = Count::default();
    std::thread::scope(|scope| {
        let chunks: Vec<_> = rows
            .chunks(rows.len().div_ceil(threads).max(1))
            .map(|chunk| {
                scope.spawn(move || {
                    let mut count = Count::default();
                    for (position, row) in chunk {
                        judge(row, &of(*position), &mut count);
                    }
                    count
                })
            })
            .collect();
        for chunk in chunks {
            all.add(chunk.join().unwrap());
        }
    });
    all
}
