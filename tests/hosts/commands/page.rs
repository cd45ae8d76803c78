//! Reads the commands of a documentation page.

use std::path::Path;

use crate::support::project;

/// One command of an `sh` block.
pub(super) struct Shell {
    pub(super) text: String,
    /// True for the first command of a block.
    pub(super) is_first: bool,
}

/// Returns the paths of all documentation pages.
pub(super) fn pages() -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![project().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !name.starts_with('.') && !["target", "tests"].contains(&name) {
                open.push(path);
            } else if Path::new(name).extension().is_some_and(|extension| extension == "md") {
                found.push(path.strip_prefix(project()).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// Returns the commands in the `sh` blocks of a page, in order. A command continues after a line that ends in `\`, `|`
/// or `&&`, and in a here-document.
pub(super) fn commands(text: &str) -> Vec<Shell> {
    let mut found: Vec<Shell> = Vec::new();
    let (mut is_shell, mut is_other, mut is_first, mut open, mut end) = (false, false, false, false, None::<String>);
    for line in text.lines() {
        let bare = line.trim();
        if end.is_none() && bare.starts_with("```") {
            let starts = !is_shell && !is_other;
            (is_shell, is_other) = (starts && bare == "```sh", starts && bare != "```sh");
            (is_first, open) = (true, false);
            continue;
        }
        if !is_shell || (bare.is_empty() && end.is_none()) || (!open && bare.starts_with('#')) {
            continue;
        }
        match found.last_mut().filter(|_| open) {
            Some(last) => last.text.push_str(&format!("\n{line}")),
            None => {
                found.push(Shell { text: bare.to_owned(), is_first });
                is_first = false;
            }
        }
        end = match end {
            Some(end) => Some(end).filter(|end| bare != end),
            None => bare.split_once("<<'").and_then(|(_, rest)| Some(rest.split_once('\'')?.0.to_owned())),
        };
        open = end.is_some() || bare.ends_with(['\\', '|']) || bare.ends_with("&&");
    }
    found
}

/// Returns the programs of a command, each with its subcommand if it has one.
pub(super) fn programs(command: &str) -> Vec<String> {
    let code = command.split("<<'").next().unwrap().replace("\\\n", " ");
    let code: Vec<&str> = code.lines().map(|line| line.split(" #").next().unwrap()).collect();
    let code = code.join(" ");
    let word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
    let parts = code.split(['|', ';', '&']).map(str::trim).filter(|part| !part.is_empty());
    let parts = parts.map(|part| part.split_whitespace().skip_while(|word| word.contains('=')).collect::<Vec<_>>());
    let name = |words: Vec<&str>| {
        let many = ["hostnet", "kustomize", "kubectl", "kpt", "helm", "flux", "git", "docker", "cargo", "make"];
        let deep = if words.first() == Some(&"kpt") || words.get(1) == Some(&"plugin") { 3 } else { 2 };
        let count = if many.contains(words.first()?) { deep } else { 1 };
        Some(words.iter().copied().take(count).filter(word).collect::<Vec<_>>().join(" "))
    };
    parts.filter_map(name).collect()
}
