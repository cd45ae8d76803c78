//! The architecture of the code: the allowed dependencies between rooms. `ARCHITECTURE.md` has the picture.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "these are tests"
)]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::{files_below, project};

/// The rooms in layers, from the top. A room may use rooms of lower layers, but no room of a higher layer or of its
/// own.
const FLOORS: [&[&str]; 14] = [
    &["main", "lib"],
    &["cli"],
    &["kinds"],
    &["render"],
    &["port_map"],
    &["host_network", "check", "proxy", "package_mirror"],
    &["judge"],
    &["crossplane"],
    &["xpkg"],
    &["kustomize", "releases"],
    &["plan"],
    &["model", "api"],
    &["dependency", "catalog", "rule", "help"],
    &["version"],
];

/// All Rust files below a folder of the repository, sorted.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut found = files_below(&project().join(folder));
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found
}

/// The sources of the program and of the crates below it.
fn sources() -> Vec<PathBuf> {
    let mut found = rust_files("src");
    found.extend(rust_files("crates").into_iter().filter(|path| path.iter().any(|part| part == "src")));
    found
}

/// The room of a file: the folder or file directly in `src`.
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

/// Code without comments, because examples in comments may use every room.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_use_only_modules_below_them() {
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
    assert!(arrows["kinds"].contains("host_network") && arrows["model"].contains("catalog"), "{arrows:?}");
}

/// The paths that a file uses, with braces expanded: `crate::a::{b, c::d}` gives two paths.
fn used_paths(code: &str) -> Vec<String> {
    let found = Regex::new(r"\b(?:crate|super|self)::[\w:]*(?:\{[^;]*\})?").unwrap();
    found.find_iter(code).flat_map(|path| spread(path.as_str())).collect()
}

fn spread(path: &str) -> Vec<String> {
    let Some((head, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inner.chars().filter(|c| !c.is_whitespace()) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().unwrap().push(c),
        }
    }
    parts.iter().filter(|part| !part.is_empty()).flat_map(|part| spread(&format!("{head}{part}"))).collect()
}

/// The module of a file of the crate whose sources are in `root`: `["model", "text", "name"]`.
fn module(root: &Path, path: &Path) -> Vec<String> {
    let below = path.strip_prefix(root).unwrap().with_extension("");
    let parts = below.iter().map(|part| part.to_str().unwrap().to_owned());
    parts.filter(|part| part != "mod" && part != "lib").collect()
}

/// Files that use each other, directly or indirectly. A `mod.rs` that only declares modules uses no file.
fn circles(uses: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> BTreeSet<String> {
    let reached = |from: &Vec<String>| {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = open.pop() {
            for to in uses.get(at).into_iter().flatten() {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        seen
    };
    uses.keys().filter(|file| reached(file).contains(file)).map(|file| file.join("/")).collect()
}

/// The files of a room have an order in which each file uses only earlier ones.
#[test]
fn modules_have_no_cycles() {
    let root = project();
    let (found, count) = circles_below(&root.join("src"));
    assert!(found.is_empty(), "files that use each other: {found:?}");
    assert!(count > 150, "{count}");
}

/// The files of a crate that use each other, and the number of files that use another file.
fn circles_below(root: &Path) -> (BTreeSet<String>, usize) {
    let files: Vec<(Vec<String>, String)> = rust_files(root.to_str().unwrap())
        .iter()
        .map(|path| (module(root, path), std::fs::read_to_string(path).unwrap()))
        .collect();
    let known: BTreeSet<&Vec<String>> = files.iter().map(|(module, _)| module).collect();
    let reexport = Regex::new(r"(?m)^pub(?:\([^)]*\))? use [^;]*;").unwrap();
    // A `mod.rs` without code only re-exports: a use of the room is a use of the re-exported file.
    let item =
        Regex::new(r"(?m)^(?:pub(?:\([^)]*\))? )?(?:const |async )*(?:fn|struct|enum|trait|impl|const|static|type)\b")
            .unwrap();
    let doors: BTreeSet<&Vec<String>> =
        files.iter().filter(|(_, text)| !item.is_match(text)).map(|(module, _)| module).collect();
    let mut uses: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for (own, text) in &files {
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let text = reexport.replace_all(&code(text), "").into_owned();
        for child in known.iter().filter(|module| module.len() == own.len() + 1 && module.starts_with(own)) {
            let name = format!("{}::", child.last().unwrap());
            let is_whole =
                |(at, _): (usize, &str)| !text[..at].ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric());
            if text.match_indices(&name).any(is_whole) {
                uses.entry(own.clone()).or_default().insert((*child).clone());
            }
        }
        for path in used_paths(&text) {
            let mut parts: Vec<String> = path.split("::").map(str::to_owned).collect();
            let mut base = if parts[0] == "crate" { Vec::new() } else { own.clone() };
            while ["crate", "super", "self"].contains(&parts.first().map_or("", String::as_str)) {
                if parts.remove(0) == "super" {
                    base.pop();
                }
            }
            base.extend(parts);
            // The longest prefix of the path that is a file.
            while !base.is_empty() && !known.contains(&base) {
                base.pop();
            }
            if !base.is_empty() && base != *own && !(own.starts_with(&base) && doors.contains(&base)) {
                uses.entry(own.clone()).or_default().insert(base);
            }
        }
    }
    (circles(&uses), uses.len())
}

/// The maximum number of lines of a file, so that a person can read it in one sitting.
const MAX_FILE_LINES: usize = 500;

#[test]
fn no_file_exceeds_the_limit_of_lines() {
    let count = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<String> = sources()
        .iter()
        .filter(|path| count(path) > MAX_FILE_LINES)
        .map(|path| {
            format!(
                "{}: {} lines, of at most {MAX_FILE_LINES}: which two ideas are in it?",
                path.display(),
                count(path)
            )
        })
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// The enums of configs with only unit variants.
fn words_of_configs() -> Vec<String> {
    let declared = Regex::new(r"(?s)#\[derive\([^\]]*Deserialize[^\]]*\)\]\s*pub enum (\w+) \{(.*?)\n\}").unwrap();
    let files = rust_files("src/api");
    let texts: Vec<String> = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let enums = texts.iter().flat_map(|text| declared.captures_iter(text));
    enums.filter(|found| !code(&found[2]).contains('(')).map(|found| found[1].to_owned()).collect()
}

/// Code handles a new word of a config with a `match`, so that each place without an arm for the word does not compile;
/// a comparison would compile.
#[test]
fn words_of_configs_are_matched_one_by_one() {
    let words = words_of_configs();
    assert!(words.len() > 15 && words.iter().any(|name| name == "DnsPolicy"), "{words:?}");
    let names = words.join("|");
    let compared = Regex::new(&format!(r"[=!]= *(?:&|Some\(&?)?(?:{names})::|matches!\([^;]*\b(?:{names})::")).unwrap();
    let mut wrong = Vec::new();
    for path in rust_files("src") {
        let text = std::fs::read_to_string(&path).unwrap();
        let text = code(text.split("#[cfg(test)]\nmod tests {").next().unwrap());
        let found = text.lines().filter(|line| compared.is_match(line));
        wrong.extend(found.map(|line| format!("{}: {}", path.display(), line.trim())));
    }
    assert!(wrong.is_empty(), "use `match` with an arm for each word, in a method of the enum:\n{}", wrong.join("\n"));
}

/// Each file, folder and type that `ARCHITECTURE.md` and `CONTRIBUTING.md` name exists.
#[test]
fn every_file_and_type_of_the_map_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = Regex::new(r"`([a-z0-9_.-]+(?:/[A-Za-z0-9_.-]*)+|[a-z_]+\.rs|[A-Z]+\.md)`").unwrap();
    let code: String =
        ["src", "crates"].into_iter().flat_map(rust_files).map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let types: HashSet<&str> = Regex::new(r"\b(?:struct|enum|trait|macro) (\w+)")
        .unwrap()
        .captures_iter(&code)
        .map(|name| name.get(1).unwrap().as_str())
        .collect();
    // Traits of serde and schemars that the pages name.
    let foreign = ["Deserialize", "JsonSchema", "PartialEq", "Job", "Service"];
    let named_type = Regex::new(r"`([A-Z]\w*[a-z]\w*)(?:::\w+)?`").unwrap();
    let mut gone = Vec::new();
    let mut count = 0;
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        let type_names = named_type.captures_iter(&text).map(|name| name[1].to_owned());
        gone.extend(type_names.filter(|name| !types.contains(name.as_str()) && !foreign.contains(&name.as_str())));
        for name in named.captures_iter(&text).map(|name| name[1].to_owned()) {
            // `ID` and `PROJECT` are placeholders.
            let name = name.split("/ID").next().unwrap().split("/PROJECT").next().unwrap().to_owned();
            let folders = ["", "src", "crates", "catalog", "src/model", "tests/rules"];
            count += 1;
            if !folders.iter().any(|folder| root.join(folder).join(&name).exists()) {
                gone.push(format!("{page}: {name}"));
            }
        }
    }
    assert!(gone.is_empty(), "{gone:#?}");
    assert!(count > 40, "{count}");
}

/// A clone is self-contained: only the code that finds and fetches material accesses files outside of the checkout.
#[test]
fn no_file_refers_outside_of_the_checkout() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> =
        ["src", "crates", "tests", "benches", "fuzz/targets"].into_iter().flat_map(rust_files).collect();
    for folder in [
        "",
        ".ci",
        ".github/workflows",
        ".github/actions/setup",
        "docs",
        "docs/development",
        "docs/hosts",
        "tests/documents",
    ] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        paths.extend(entries.filter(|path| path.is_file()));
    }
    let may = ["tests/support/material_folders.rs", ".ci/material", "tests/rules/conventions.rs", "Cargo.lock", ".git"]
        .map(|path| root.join(path));
    // A folder next to the checkout, a parent of its root, and folders of one machine.
    let outside = Regex::new(
        r#"\.\./shared|CARGO_MANIFEST_DIR"\)[^;]*(?:\.parent\(\)|\("\.\.)|["'\s`](?:/work|/root|/home/[a-z]+)/"#,
    )
    .unwrap();
    let mut wrong = Vec::new();
    for path in paths.iter().filter(|path| !may.contains(path)) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        wrong.extend(outside.find_iter(&text).map(|found| format!("{}: {}", path.display(), found.as_str())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(paths.len() > 900, "{}", paths.len());
}

/// A doc comment is read alone, in a tooltip or in help: it begins with a noun phrase or a verb instead of a clause or
/// a pronoun.
#[test]
fn doc_comments_name_their_subject() {
    let words = ["What", "Whether", "Who", "Where", "How", "Those", "That of", "The same"];
    let is_doc = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let begins = |text: &str, word: &str| {
        text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    };
    let mut found = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut is_inside = false;
        for (index, line) in text.lines().map(str::trim_start).enumerate() {
            let comment = line.trim_start_matches(['/', '!', ' ']);
            if is_doc(line) && !is_inside && words.iter().any(|word| begins(comment, word)) {
                found.push(format!("{}:{}: {line}", path.display(), index + 1));
            }
            is_inside = is_doc(line) && !comment.is_empty();
        }
    }
    assert!(found.is_empty(), "begin with a noun or a verb:\n{}", found.join("\n"));
}
