//! Runs every command of the README, the docs and the examples: users copy the `sh` blocks.
//!
//! Each page runs from start to end in a copy of the repository. Pages about a host run in an empty folder with the
//! files of `places/PAGE` instead. Programs that would need a cluster, a registry or a compiler are replaced by scripts
//! in `stand-ins/`. `special.yaml` lists the commands that do not run, with the reason.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_yaml::Value;

use crate::cases::{HOSTNET, copy, host};
use crate::support::{find_program, not_run, project, run, text};

mod page;

use page::{commands, pages, programs};

/// The folder of these tests.
fn here() -> PathBuf {
    project().join("tests/hosts/commands")
}

/// A command that does not run, or has an exit code other than 0.
struct Special {
    /// The page; `None` for all pages.
    page: Option<String>,
    /// The start of the command.
    command: String,
    exit: Option<i64>,
    /// The reason why it does not run.
    not_run: Option<String>,
}

impl Special {
    fn is_about(&self, page: &str, command: &str) -> bool {
        self.page.as_ref().is_none_or(|known| known == page) && command.starts_with(&self.command)
    }
}

fn special() -> Vec<Special> {
    let rows: Value = serde_yaml::from_str(&std::fs::read_to_string(here().join("special.yaml")).unwrap()).unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().map(str::to_owned);
    let row = |row: &Value| Special {
        page: text(row, "page"),
        command: text(row, "command").unwrap(),
        exit: row["exit"].as_i64(),
        not_run: text(row, "notRun"),
    };
    rows.as_sequence().unwrap().iter().map(row).collect()
}

/// Returns the hosts that the pages need in addition to the stand-ins. Returns `None`, and prints a note, if one is
/// missing.
fn hosts() -> Option<[PathBuf; 5]> {
    let found = ["kustomize", "helm", "fluxbuild", "kpt", "kubectl"].map(host);
    let [Some(kustomize), Some(helm), Some(flux), Some(kpt), Some(kubectl)] = found else { return None };
    Some([kustomize, helm, flux, kpt, kubectl])
}

/// Returns the folder name for a page: its path without `README.md`, with hyphens.
fn place(page: &str) -> String {
    let path = page.trim_end_matches("README.md").trim_end_matches(".md").trim_end_matches('/');
    if path.is_empty() { "README".to_owned() } else { path.replace('/', "-") }
}

/// Copies the initial files of a page, and returns the folder where its commands run.
fn start(page: &str, folder: &Path) -> PathBuf {
    let own = here().join("places").join(place(page));
    let alone = page.starts_with("docs/hosts/") || page == "docs/tutorial.md";
    if !alone {
        for part in ["Makefile", "Cargo.toml"] {
            std::fs::copy(project().join(part), folder.join(part)).unwrap();
        }
        copy(&project().join("examples"), &folder.join("examples"));
        copy(&here().join("places/default"), folder);
    }
    let at = page.strip_suffix("/README.md").filter(|at| at.starts_with("examples/"));
    let at = at.map_or(folder.to_owned(), |at| folder.join(at));
    if own.is_dir() {
        copy(&own, &at);
    }
    at
}

/// Runs a page and returns a message for each command that failed.
fn run_page(page: &str, special: &[Special], hosts: &[PathBuf; 5]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let at = start(page, folder.path());
    let all = commands(&std::fs::read_to_string(project().join(page)).unwrap());
    let mut script = String::from("set -uo pipefail\n");
    if at.join("setup.sh").is_file() {
        script.push_str("set -e\n. ./setup.sh\nrm setup.sh\nset +e\n");
    }
    let mut wanted = Vec::new();
    for command in &all {
        let row = special.iter().find(|row| row.is_about(page, &command.text));
        if row.is_some_and(|row| row.not_run.is_some()) {
            continue;
        }
        let nth = wanted.len();
        if command.is_first {
            script.push_str(&format!("cd '{}'\n", at.display()));
        }
        script.push_str(&format!("echo '@@@ {nth}'\n{}\necho \"@@@ exit $?\"\n", command.text));
        wanted.push((command.text.as_str(), row.and_then(|row| row.exit).unwrap_or(0)));
    }
    let last = here().join("places").join(place(page)).join("check.sh");
    if last.is_file() {
        let nth = wanted.len();
        script.push_str(&format!(
            "cd '{}'\necho '@@@ {nth}'\n(set -e; . ./check.sh)\necho \"@@@ exit $?\"\n",
            at.display()
        ));
        wanted.push(("check.sh", 0));
    }
    let mut paths = vec![here().join("stand-ins"), Path::new(HOSTNET).parent().unwrap().to_owned()];
    paths.extend(hosts.iter().map(|host| host.parent().unwrap().to_owned()));
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let [_, helm, _, _, kubectl] = hosts;
    let mut bash = Command::new("bash");
    bash.arg("-c").arg(format!("exec 2>&1\n{script}")).current_dir(&at);
    bash.env("PATH", std::env::join_paths(paths).unwrap()).env("HOME", outside.path());
    bash.env("PROJECT", project()).env("PLACES", here().join("places")).env("CHARTS", outside.path().join("charts"));
    bash.env("REAL_HELM", helm).env("REAL_KUBECTL", kubectl).env("REAL_GIT", find_program("git").unwrap_or_default());
    bash.env("KUSTOMIZE_PLUGIN_HOME", outside.path().join("plugins")).env("NO_COLOR", "1").env("HOSTNET", HOSTNET);
    bash.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_AUTHOR_NAME", "you").env("GIT_AUTHOR_EMAIL", "you@example.com");
    bash.env("GIT_COMMITTER_NAME", "you").env("GIT_COMMITTER_EMAIL", "you@example.com");
    let log = text(&run(&mut bash, b"").stdout);
    let mut wrong = Vec::new();
    for (nth, (command, want)) in wanted.iter().enumerate() {
        let part = log.split_once(&format!("@@@ {nth}\n")).and_then(|(_, rest)| rest.split_once("@@@ exit "));
        match part {
            Some((_, end)) if end.lines().next() == Some(&want.to_string()) => {}
            Some((shown, end)) => {
                let code = end.lines().next().unwrap_or_default();
                let lines: Vec<&str> = shown.lines().collect();
                let shown = lines[lines.len().saturating_sub(15)..].join("\n");
                wrong.push(format!("{page}: exit {code}, not {want}\n$ {command}\n{shown}"));
            }
            None => wrong.push(format!("{page}: did not reach\n$ {command}\n{log}")),
        }
    }
    wrong
}

#[test]
fn every_command_of_every_page_runs() {
    let Some(hosts) = hosts() else { return };
    let special = special();
    let only = std::env::var("HOSTNET_PAGE").unwrap_or_default();
    let chosen: Vec<String> = pages().into_iter().filter(|page| page.contains(&only)).collect();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in &chosen {
        let text = std::fs::read_to_string(project().join(page)).unwrap();
        count += commands(&text).len();
        wrong.extend(run_page(page, &special, &hosts));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count > 100 || !only.is_empty(), "{count} commands: pages are missing");
}

/// The list of exceptions is short, names only existing commands, and gives a reason for each.
#[test]
fn commands_that_do_not_run_are_listed() {
    let special = special();
    let read = |page: &String| commands(&std::fs::read_to_string(project().join(page)).unwrap());
    let all: Vec<(String, Vec<page::Shell>)> = pages().into_iter().map(|page| (page.clone(), read(&page))).collect();
    for row in &special {
        let there = all.iter().any(|(page, all)| all.iter().any(|command| row.is_about(page, &command.text)));
        assert!(there, "{:?}: there is no command `{}`", row.page, row.command);
        assert_ne!(row.exit.is_some(), row.not_run.is_some(), "{}: an exit code or a reason", row.command);
    }
    let count = special.iter().filter(|row| row.not_run.is_some()).count();
    assert!(count <= 10, "{count} commands do not run");
}

/// Each host needs at most ten commands from the README to a working setup, and the README names all their programs.
#[test]
fn readme_hosts_need_at_most_ten_commands() {
    let readme = std::fs::read_to_string(project().join("README.md")).unwrap();
    let named: BTreeSet<String> = commands(&readme).iter().flat_map(|command| programs(&command.text)).collect();
    let pages: Vec<String> =
        pages().into_iter().filter(|page| page.starts_with("docs/hosts/") && !page.ends_with("README.md")).collect();
    assert!(pages.len() >= 7, "{pages:?}");
    for page in pages {
        let all = commands(&std::fs::read_to_string(project().join(&page)).unwrap());
        assert!(!all.is_empty() && all.len() <= 10, "{page} has {} commands", all.len());
        for program in all.iter().flat_map(|command| programs(&command.text)) {
            assert!(named.contains(&program), "{page}: the README does not name `{program}`: {named:?}");
        }
        assert!(here().join("places").join(place(&page)).join("check.sh").is_file(), "{page}: check.sh is missing");
    }
}

#[test]
fn bash_is_installed() {
    if !run(Command::new("bash").arg("--version"), b"").status.success() {
        not_run("bash is missing");
    }
}
