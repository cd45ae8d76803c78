//! Documentation: links have a target, and the README shows the output of the program.
#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::support::generated::PAGE_WIDTH;
use crate::support::run::hostnet;
use crate::support::{files_below, project};

/// The pages of the project.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![project().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The text of a page without its blocks of code.
fn prose(page: &Path) -> String {
    let text = std::fs::read_to_string(page).unwrap();
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The anchor of a heading: in lower case, with hyphens for blanks, without punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(page: &Path) -> Vec<String> {
    let heading = |line: &str| line.strip_prefix('#').map(|rest| anchor(rest.trim_start_matches('#')));
    prose(page).lines().filter_map(heading).collect()
}

#[test]
fn every_link_has_a_target() {
    let link = regex::Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut known: HashMap<PathBuf, Vec<String>> = HashMap::new();
    let (mut broken, mut count) = (Vec::new(), 0);
    for page in pages() {
        for found in link.captures_iter(&prose(&page)) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (file, part) = target.split_once('#').map_or((target, None), |(file, part)| (file, Some(part)));
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let has_part = |part: &str| {
                known.entry(path.clone()).or_insert_with(|| anchors(&path)).iter().any(|anchor| anchor == part)
            };
            if !path.exists() || !part.is_none_or(has_part) {
                broken.push(format!("{}: {target}", page.strip_prefix(project()).unwrap().display()));
            }
        }
    }
    assert!(broken.is_empty() && count > 100, "{count} links\n{}", broken.join("\n"));
}

/// The pages in `docs/` by their paths in it.
fn docs() -> Vec<(String, String)> {
    let root = project().join("docs");
    let mut found: Vec<(String, String)> = pages()
        .iter()
        .filter_map(|page| Some((page.strip_prefix(&root).ok()?.to_str().unwrap().to_owned(), page)))
        .map(|(name, page)| (name, std::fs::read_to_string(page).unwrap()))
        .collect();
    found.sort();
    found
}

/// The summary of the book lists each page once.
#[test]
fn the_summary_of_the_book_names_every_page_once() {
    let link = regex::Regex::new(r"\]\(([^)]+)\)").unwrap();
    let summary = std::fs::read_to_string(project().join("docs/SUMMARY.md")).unwrap();
    let mut named: Vec<&str> = link.captures_iter(&summary).map(|found| found.get(1).unwrap().as_str()).collect();
    named.sort_unstable();
    let docs = docs();
    let there: Vec<&str> = docs.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "SUMMARY.md").collect();
    assert_eq!(named, there, "docs/SUMMARY.md: a line for each page of docs/");
}

const MAX_PAGES: usize = 100;
const MAX_WORDS: usize = 60_000;
const MAX_RULE_LINES: usize = 40;

/// The pages stay short enough to be read; to stay below a limit, remove text that another page has too.
#[test]
fn docs_stay_short() {
    let docs = docs();
    let words: usize = docs.iter().map(|(_, text)| text.split_whitespace().count()).sum();
    // The summary is the table of contents and does not count as a page.
    let pages = docs.len() - 1;
    assert!(pages <= MAX_PAGES, "{pages} pages of at most {MAX_PAGES}");
    assert!(words <= MAX_WORDS, "{words} words of at most {MAX_WORDS}");
    let example = regex::Regex::new(r"(?s)\n(?:(?:Bad|Good):\n\n)?```.*?\n```\n").unwrap();
    for (name, text) in docs.iter().filter(|(name, _)| name.starts_with("rules/")) {
        let lines = example.replace_all(text, "").lines().count();
        assert!(lines <= MAX_RULE_LINES, "docs/{name}: {lines} lines of at most {MAX_RULE_LINES}");
    }
}

/// Lines of prose fit a terminal; tables, code and links may be longer.
#[test]
fn lines_of_pages_are_as_wide_as_a_terminal() {
    let mut wide = Vec::new();
    let pages =
        pages().into_iter().filter(|page| page.starts_with(project().join("docs")) || page.ends_with("README.md"));
    for page in pages {
        let prose = prose(&page);
        let lines = prose.lines().filter(|line| !line.trim_start().starts_with('|'));
        let has_break = |line: &str| line.trim_start().contains(' ') && !line.starts_with('#');
        let too_wide = lines.filter(|line| line.chars().count() > PAGE_WIDTH && has_break(line));
        wide.extend(too_wide.map(|line| format!("{}: {line}", page.strip_prefix(project()).unwrap().display())));
    }
    assert!(wide.is_empty(), "lines of more than {PAGE_WIDTH} columns:\n{}", wide.join("\n"));
}

/// Before a release, all pages that name the version name the new version.
#[test]
fn pages_name_the_current_version() {
    let version = env!("CARGO_PKG_VERSION");
    let read = |file: &str| std::fs::read_to_string(project().join(file)).unwrap();
    let changes = read("CHANGELOG.md");
    let first = changes.lines().find_map(|line| line.strip_prefix("## "));
    assert_eq!(first, Some(version), "the newest entry of CHANGELOG.md");
    for file in ["SECURITY.md", "README.md"] {
        assert!(read(file).contains(version), "{file} does not name {version}");
    }
    // The promise of stable numbers begins with a release in the changelog, and the changelog names the test of the
    // promise.
    let golden = read("tests/rules/golden/auto.txt");
    let since = golden.lines().next().unwrap().split_once("since hostnet ").unwrap().1.split_once(':').unwrap().0;
    assert!(changes.contains(&format!("\n## {since}\n")), "CHANGELOG.md has no {since}");
    let test = "the_numbers_of_auto_never_change";
    assert!(changes.contains(test) && read("tests/rules/ports.rs").contains(&format!("fn {test}()")));
}

/// Every promise about hostile input names existing tests.
#[test]
fn every_promise_of_security_names_its_tests() {
    let page = std::fs::read_to_string(project().join("SECURITY.md")).unwrap();
    let named = regex::Regex::new(r"`(?:\w+::)*(\w+)::(\w+)`").unwrap();
    let hostile = page.split("\n## ").filter(|part| part.starts_with("What a hostile"));
    let promises: Vec<&str> = hostile.flat_map(|part| part.split("\n- **").skip(1)).collect();
    assert!(promises.len() > 10);
    for promise in promises {
        assert!(named.is_match(promise), "no test: {promise}");
    }
    let tests: Vec<(String, String)> = ["tests", "src", "crates"]
        .iter()
        .flat_map(|folder| files_below(&project().join(folder)))
        .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
        .map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&file).unwrap()))
        .collect();
    for found in named.captures_iter(&page) {
        let test = format!("#[test]\nfn {}()", &found[2]);
        assert!(tests.iter().any(|(file, text)| *file == found[1] && text.contains(&test)), "{}", &found[0]);
    }
}

/// The code blocks of the README in this language.
fn blocks(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(project().join("README.md")).unwrap();
    let parts: Vec<&str> = text.split("```").collect();
    let code = parts.iter().skip(1).step_by(2);
    code.filter_map(|block| block.strip_prefix(&format!("{language}\n"))).map(str::to_owned).collect()
}

#[test]
fn the_readme_shows_the_output_of_the_program() {
    let config = &blocks("yaml")[0];
    let folder = tempfile::tempdir().unwrap();
    let example = project().join("examples/crossplane-core");
    std::fs::create_dir_all(folder.path().join("examples/crossplane-core/base")).unwrap();
    std::fs::write(folder.path().join("examples/crossplane-core/hostnet.yaml"), config).unwrap();
    std::fs::copy(
        example.join("base/crossplane.yaml"),
        folder.path().join("examples/crossplane-core/base/crossplane.yaml"),
    )
    .unwrap();
    let readme = std::fs::read_to_string(project().join("README.md")).unwrap();
    let start = "`hostnet apply -c examples/crossplane-core/hostnet.yaml";
    let (_, rest) = readme.split_once(start).expect("the command that makes it");
    let command = format!("apply -c examples/crossplane-core/hostnet.yaml{}", rest.split_once('`').unwrap().0);
    let arguments: Vec<&str> = command.split(' ').collect();
    let run = hostnet(folder.path(), &arguments, b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(blocks("diff")[0], run.text());
}

/// Every fault on the page names an existing test that injects it.
#[test]
fn every_fault_of_the_page_has_a_test() {
    let page = std::fs::read_to_string(project().join("docs/development/faults.md")).unwrap();
    let named = regex::Regex::new(r"(?m)^\|.*\| `(\w+)` \|$").unwrap();
    let named: Vec<&str> = named.captures_iter(&page).map(|found| found.get(1).unwrap().as_str()).collect();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| fault |")).count();
    assert_eq!(named.len(), rows, "a row without a test");
    let tests: String = ["closed", "container", "files", "loss", "faults/host", "faults/steps"]
        .map(|file| std::fs::read_to_string(project().join(format!("tests/hosts/{file}.rs"))).unwrap())
        .concat();
    for name in named {
        assert!(tests.contains(&format!("#[test]\nfn {name}() {{")), "{name}");
    }
}
