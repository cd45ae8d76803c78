//! One word for one thing, in plain sentences: in code, tests, docs and data of our own.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::{files, rust_files};

/// A file as one text: sentences that a comment breaks over lines are whole.
struct Text {
    path: PathBuf,
    prose: String,
}

/// All that people of the project write. Manifests of other projects, and what is printed into files, are not ours.
static OURS: LazyLock<Vec<Text>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = ["src", "tests", "benches"].into_iter().flat_map(rust_files).collect();
    paths.extend(files("tests/go", &["go"]));
    paths.extend(files("tests", &["md"]));
    paths.extend(files("docs", &["md"]));
    paths.extend(files("catalog", &["md", "yaml"]));
    paths.extend(["examples", "kustomization-tests"].into_iter().flat_map(|folder| files(folder, &["md"])));
    paths.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Makefile", "build.rs"]
            .map(|name| root.join(name)),
    );
    // What refuses words has to name them.
    paths.retain(|path| !path.starts_with(root.join("tests/rules/house")));
    let wrapped = Regex::new(r"\s*\\?\n\s*(?://[/!]?|#)?[ ]*").unwrap();
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        Text { prose: wrapped.replace_all(&text, " ").into_owned(), path }
    };
    paths.into_iter().map(text).collect()
});

/// Fails with all places of a pattern, each with what is around it, but for those that `may_be`.
fn refuse(pattern: &str, may_be: impl Fn(&str) -> bool) {
    let pattern = Regex::new(pattern).unwrap();
    let mut wrong = Vec::new();
    for Text { path, prose } in OURS.iter() {
        for found in pattern.find_iter(prose).filter(|found| !may_be(found.as_str())) {
            let around = |text: &str, from: usize| text.char_indices().nth(from).map_or(text.len(), |(index, _)| index);
            let before: String = prose[..found.start()].chars().rev().take(40).collect();
            let before: String = before.chars().rev().collect();
            let after = &prose[found.end()..];
            let after = &after[..around(after, 40)];
            wrong.push(format!("{}: {before}[{}]{after}", path.display(), found.as_str()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// "is not a Y", never "is no Y".
#[test]
fn a_thing_is_not_a_thing_rather_than_no_thing() {
    // "there is no such object" is a sentence about what is missing.
    let missing = Regex::new(r"(?i)^there\b|\bno (?:longer|more|such|way|place|field|other|config)\b").unwrap();
    refuse(r"\b\w+ (?:may |can |would |will |to )?(?:is|are|was|were|be) (?:no [a-z`][a-z]*|none\b)", |found| {
        missing.is_match(found)
    });
    refuse(r"\b[a-z]\w*_(?:is|are)_(?:no|none)(?:_\w+)?\b", |_| false);
}

/// A select matches: no other word for it.
#[test]
fn a_select_matches() {
    refuse(r"\b(?:meets?|met)\b|_(?:meets?|met)_", |_| false);
}

/// A flag, a variable or a field sets a port.
#[test]
fn a_port_is_set_rather_than_told() {
    let whose = "(?:(?:its|their|another|the|a|one|no) )?(?:own |new |old )?(?:number|port)s?";
    refuse(&format!(r"\btold {whose}\b|\b(?:cannot|could|can) be told(?: (?:its|another)|[:;,.])"), |_| false);
    refuse(&format!(r"\btells? (?:it|them|the process|a process|a listener) {whose}\b"), |_| false);
    refuse(r"\b[Hh]ow (?:it|each|they|(?:each |a |one )?listeners?) (?:is|are) told\b", |_| false);
}

/// A page that is not in the repository cannot be looked up: nothing names a paragraph of one.
#[test]
fn nothing_cites_a_page_that_is_not_here() {
    refuse(
        r"\((?:[A-Z]\d{1,2}(?:,| and| to)? ?)+\)|\(facts: \w|\b[Ff]acts? \d|\b(?:see|See|as in|source:) [A-Z]\d{1,2}\b",
        |_| false,
    );
    refuse(r"\(design: |\([^)]*\bdesign\b[^)]*\)|\bdesign page|\.\./shared/design|§ ?\d", |found| {
        // The page that says why is here.
        found.ends_with("design.md)")
    });
    let paragraph = Regex::new(r"(?m)//[/!]? [A-Z]\d{1,2}\b").unwrap();
    let mut wrong = Vec::new();
    for path in ["src", "tests", "benches"].into_iter().flat_map(rust_files) {
        let text = std::fs::read_to_string(&path).unwrap();
        wrong.extend(paragraph.find_iter(&text).map(|found| format!("{}: {}", path.display(), found.as_str())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names that say less than those that took their place: a newcomer would ask what each of them is.
#[test]
fn names_say_what_they_are() {
    let names = "Told|Selected|Met|Taken|Opening|MayOpen|Whose|Wanted|Choice|Hold|Held|Occupant|Outcome|Shell|Unit|Below|told|untold|held|\
                 between|cook|astray|left_alone|likest|unmet|meets|meet|agrees";
    let defined = Regex::new(&format!(
        r"\b(?:struct|enum|type|trait|mod)\s+(?:{names})\b|\bfn (?:astray|likest|unmet|meets|meet|agrees)\b"
    ))
    .unwrap();
    let mut wrong = Vec::new();
    for path in rust_files("src") {
        let text = std::fs::read_to_string(&path).unwrap();
        let found = text.lines().enumerate().filter(|(_, line)| defined.is_match(line));
        wrong.extend(found.map(|(number, line)| format!("{}:{}: {}", path.display(), number + 1, line.trim())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
