//! Colour in pipes: only if it is forced.

use std::process::Command;

use super::{config, deployment};

fn run(environment: &[(&str, &str)]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("web.yaml", &deployment("web"));
    write("config.yaml", &config("  targets: [{select: {name: web}, ports: auto}, {select: {name: wbe}}]\n"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    command.args(["apply", "-c", "config.yaml", "--diff", "web.yaml"]).current_dir(folder.path());
    for unset in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(unset);
    }
    let output = command.envs(environment.iter().copied()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_pipe_gets_colour_only_if_forced() {
    let (diff, log) = run(&[]);
    assert!(!diff.contains('\u{1b}') && !log.contains('\u{1b}'), "{diff}{log}");
    let (diff, log) = run(&[("CLICOLOR_FORCE", "1")]);
    assert!(diff.contains("\u{1b}[32m+      hostNetwork: true\u{1b}[0m\n"), "{diff:?}");
    assert!(log.contains("warning:\u{1b}[0m "), "{log:?}");
    let (diff, log) = run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]);
    assert!(!diff.contains('\u{1b}') && !log.contains('\u{1b}'), "NO_COLOR wins: {log:?}");
}

/// A patch for a program contains no colours.
#[test]
fn a_coloured_diff_has_the_same_text() {
    let escape = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    let (plain, _) = run(&[]);
    let (forced, _) = run(&[("CLICOLOR_FORCE", "1")]);
    assert_eq!(escape.replace_all(&forced, ""), plain);
}
