//! A judge of what counts as a listener: settings that real software uses, each in many surroundings and under every form of
//! `ports`.
//!
//! `client_settings.yaml` holds what names somebody else's port, or is no port at all: nothing of it ever changes.
//! `listen_settings.yaml` holds what tells a process its own port: it moves whole, or the run says why it does not. A row more
//! is a line more in one of the tables; their heads say how a line is written.
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

/// How many offenders are printed.
const PRINTED: usize = 40;

#[test]
fn the_tables_are_large_and_say_nothing_twice() {
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
    assert_snapshot!(count.table(), @"");
}

#[test]
fn every_listener_moves_whole_or_is_said() {
    let count = judged("listen_settings", listen::judge, Forms::Every(2));
    count.assert_none(&["false", "silent"], PRINTED);
    assert_snapshot!(count.table(), @"");
}

#[test]
#[ignore = "every row in all surroundings under every form of `ports` takes minutes"]
fn no_client_setting_changes_under_any_form() {
    let count = judged("client_settings", client::judge, Forms::All);
    eprintln!("{}", count.table_of_forms());
    count.assert_none(&["false"], PRINTED);
}

#[test]
#[ignore = "every row in all surroundings under every form of `ports` takes minutes"]
fn every_listener_moves_whole_or_is_said_under_any_form() {
    let count = judged("listen_settings", listen::judge, Forms::All);
    eprintln!("{}", count.table_of_forms());
    count.assert_none(&["false", "silent"], PRINTED);
}

/// Which forms of `ports` a row is tried under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forms {
    /// One in every so-manieth surroundings, in turn, so that the rows of a table have all of them everywhere; `auto` in the
    /// first surroundings.
    Every(usize),
    /// All of them everywhere.
    All,
}

/// Judges a row, under the forms of `ports` for the surroundings of this position.
type Judge = fn(&table::Row, &dyn Fn(usize) -> Vec<run::Form>, &mut Count);

/// Every row of a table, on all processors. `HOSTNET_TRUST_ROW` takes only rows whose name has it, under all forms.
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
