//! The shape of the code: which room may use which, and what comments may cite. `ARCHITECTURE.md` has the picture.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;

/// The rooms from the top to the ground. A room uses rooms below it, never one above; those of one line never use each other.
const FLOORS: [&[&str]; 8] = [
    &["main", "lib"],
    &["cli"],
    &["kinds"],
    &["render"],
    &["proxy"],
    &["plan", "check"],
    &["model", "wire", "api"],
    &["yaml", "catalog", "rule", "no_proxy"],
];

/// All Rust files below a folder.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The room of a file: the folder or file right below `src`.
fn room(path: &Path) -> String {
    let below = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = below.iter().next().unwrap().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

fn floor(room: &str) -> usize {
    FLOORS
        .iter()
        .position(|rooms| rooms.contains(&room))
        .unwrap_or_else(|| panic!("{room} is on no floor: give it one here"))
}

/// Code without comments, whose examples may use every room.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn arrows_point_down() {
    let uses = Regex::new(r"\bcrate::(\{[^}]*\}|[a-z_]+)").unwrap();
    let word = Regex::new(r"[a-z_]+").unwrap();
    let mut wrong = BTreeSet::new();
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in rust_files("src") {
        let from = room(&path);
        let text = std::fs::read_to_string(&path).unwrap();
        for used in uses.captures_iter(&code(&text)) {
            for to in word.find_iter(&used[1]).map(|to| to.as_str().to_owned()) {
                if to == from || !FLOORS.iter().any(|rooms| rooms.contains(&to.as_str())) {
                    continue;
                }
                if floor(&to) <= floor(&from) {
                    wrong.insert(format!("{}: {from} uses {to}, which is not below it", path.display()));
                }
                arrows.entry(from.clone()).or_default().insert(to);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(arrows["kinds"].contains("plan") && arrows["model"].contains("yaml"), "{arrows:?}");
}

/// One word for one thing: "is not a Y", never "is no Y".
#[test]
fn a_thing_is_not_a_thing_rather_than_no_thing() {
    let no = Regex::new(r"\b(\w+) is no ([a-z`][a-z]*)").unwrap();
    // "there is no such object" is a sentence about what is missing.
    let allowed = ["longer", "more", "such", "way", "place", "field", "other", "config"];
    let mut wrong = Vec::new();
    for path in rust_files("src") {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            for found in no.captures_iter(line) {
                if !found[1].eq_ignore_ascii_case("there") && !allowed.contains(&&found[2]) {
                    wrong.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A page that is not in the repository cannot be looked up: no comment names a paragraph of one.
#[test]
fn nothing_cites_a_page_that_is_not_here() {
    let paragraph = Regex::new(r"\((?:[A-Z]\d{1,2}(?:,| and| to)? ?)+\)|//[/!]? [A-Z]\d{1,2}\b|\(facts:").unwrap();
    let mut wrong = Vec::new();
    for path in ["src", "tests", "benches"].into_iter().flat_map(rust_files) {
        if path.ends_with("tests/house.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            if line.contains("//") && paragraph.is_match(line) {
                wrong.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
