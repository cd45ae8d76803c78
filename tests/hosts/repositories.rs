//! The figures in docs/hosts/flux.md: the objects that `hostnet charts` finds in whole public repositories, and that
//! kustomize builds all of their Kustomizations. `make repositories` fetches the repositories and writes the table.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::cases::{command_with, host};
use crate::support::{project, run, text};

const PAGE: &str = "docs/hosts/flux.md";

/// Reads the rows of the table: repository, commit, folder, and the figures.
fn rows(page: &str) -> Vec<[String; 4]> {
    let row = regex::Regex::new(r"(?m)^\| `([^`]+/[^`]+)` ([0-9a-f]{8}), `([^`]+)` \| (.*) \|$").unwrap();
    row.captures_iter(page).map(|found| [1, 2, 3, 4].map(|group| found[group].to_owned())).collect()
}

/// Reads the counts from the last line of a run: releases, Kustomizations, objects that other programs render, and
/// objects that are not rendered.
fn figures(log: &str) -> [u64; 4] {
    let last = log.lines().last().unwrap();
    let count = |what: &str| {
        let part = last.split(", ").find(|part| part.split_once(' ').is_some_and(|(_, name)| name.starts_with(what)));
        part.map_or(0, |part| part.split(' ').next().unwrap().parse().unwrap())
    };
    ["release", "kustomization", "of other programs", "not rendered"].map(count)
}

#[test]
fn the_table_of_the_page_is_true() {
    let path = project().join(PAGE);
    let page = fs::read_to_string(&path).unwrap();
    let rows = rows(&page);
    assert!(rows.len() >= 4, "{rows:?}");
    let Some(folder) = std::env::var_os("HOSTNET_REPOSITORIES").filter(|folder| !folder.is_empty()) else { return };
    let Some(kustomize) = host("kustomize") else { return };
    let programs = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&kustomize, programs.path().join("kustomize")).unwrap();
    // Charts are not fetched.
    for name in ["helm", "flux-operator"] {
        fs::write(programs.path().join(name), "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(programs.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let search = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let mut written = page.clone();
    for [name, commit, below, old] in rows {
        let root = Path::new(&folder).join(&name);
        let head = run(command_with(Path::new("git"), &root).arg("-C").arg(&root).args(["rev-parse", "HEAD"]), b"");
        assert!(text(&head.stdout).starts_with(&commit), "{name}: {}", text(&head.stderr));
        let to = tempfile::tempdir().unwrap();
        let mut charts = command_with(Path::new(env!("CARGO_BIN_EXE_hostnet")), &root);
        let charts = charts.current_dir(&root).args(["charts", &below, "--to"]).arg(to.path());
        let script = run(charts, b"");
        assert!(script.status.success(), "{name}: {}", text(&script.stderr));
        let figures = figures(&text(&script.stderr));
        let mut shell = command_with(Path::new("/bin/sh"), &root);
        let rendered = run(shell.current_dir(&root).env("PATH", &search), &script.stdout);
        assert_eq!(
            u64::try_from(fs::read_dir(to.path()).unwrap().count()).unwrap(),
            figures[1],
            "{name}: {}",
            text(&rendered.stderr)
        );
        let new = figures.map(|figure| figure.to_string()).join(" | ");
        let row = |figures: &str| format!("| `{name}` {commit}, `{below}` | {figures} |");
        written = written.replace(&row(&old), &row(&new));
    }
    if std::env::var_os("HOSTNET_BLESS").is_some() {
        fs::write(&path, &written).unwrap();
    } else {
        assert_eq!(page, written, "`make repositories` writes the table");
    }
}
