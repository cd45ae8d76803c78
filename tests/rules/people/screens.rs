//! Output on a terminal: help, tables, diffs, errors, waiting for input; with and without colour.

use super::terminal::screen;
use super::{called_web, config};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("web.yaml", &called_web());
    write("move.yaml", &config("  targets: [{select: {name: web}, ports: auto}]\n"));
    write("wrong.yaml", &config("  targets:\n  - select: {name: web}\n    ports: {https: 70000}\n"));
    write("warns.yaml", &config("  targets: [{select: {name: wbe}}]\n"));
    folder
}

/// The calls whose screens are in snapshots, by name.
const CALLS: &[(&str, &[&str])] = &[
    ("no arguments", &[]),
    ("help", &["--help"]),
    ("help of apply", &["apply", "--help"]),
    ("ports without a config", &["ports", "web.yaml"]),
    ("ports", &["ports", "-c", "move.yaml", "web.yaml"]),
    ("check", &["check", "web.yaml"]),
    ("a diff", &["apply", "-c", "move.yaml", "--diff", "web.yaml"]),
    ("an error", &["apply", "-c", "wrong.yaml", "web.yaml"]),
    ("a warning", &["apply", "-c", "warns.yaml", "--check", "web.yaml"]),
    ("a wrong argument", &["apply", "--inplace"]),
];

fn screens(environment: &[(&str, &str)]) -> String {
    let folder = folder();
    let shown = CALLS.iter().map(|(name, arguments)| {
        let (code, screen) = screen(folder.path(), arguments, environment, None);
        format!("## {name}\n\n$ hostnet {}\n{screen}(exit {})\n\n", arguments.join(" "), code.unwrap())
    });
    shown.collect()
}

#[test]
fn in_colour() {
    let shown = screens(&[]);
    assert!(shown.contains("^[["), "{shown}");
    insta::assert_snapshot!("colour", shown);
}

#[test]
fn without_colour() {
    let shown = screens(&[("NO_COLOR", "1")]);
    assert!(!shown.contains("^["), "{shown}");
    insta::assert_snapshot!("plain", shown);
    assert!(!screens(&[("TERM", "dumb")]).contains("^["));
}

/// A command that waits for input prints a message.
#[test]
fn waiting_for_input_is_reported() {
    let folder = folder();
    let (code, shown) = screen(folder.path(), &["apply", "-c", "move.yaml"], &[("NO_COLOR", "1")], Some("\u{4}"));
    assert_eq!(code, Some(1));
    let waits = "waiting for manifests on standard input: end them with Ctrl-D, or give files and folders as PATH\n";
    assert!(shown.starts_with(waits), "{shown}");
    assert!(shown.contains("nothing to read"), "{shown}");
}
