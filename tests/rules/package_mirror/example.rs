//! Runs the commands of the page of examples/private-mirror.

use std::process::Command;

use crate::support::{project, run, text};

fn hostnet(arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output = run(command.args(arguments).current_dir(project().join("examples/private-mirror")), b"");
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// The commands of the page, in order.
fn commands() -> Vec<String> {
    let page = std::fs::read_to_string(project().join("examples/private-mirror/README.md")).unwrap();
    page.lines().filter_map(|line| line.strip_prefix("hostnet ")).map(str::to_owned).collect()
}

#[test]
fn every_command_of_the_page_runs() {
    let commands = commands();
    assert!(commands.len() >= 2, "{commands:?}");
    for command in commands {
        let (success, out, log) = hostnet(&command.split_whitespace().collect::<Vec<_>>());
        assert!(success, "{command}: {log}");
        assert!(!out.is_empty() || command.contains("--check"), "{command} prints nothing: {log}");
    }
}

#[test]
fn the_output_is_the_file_want_yaml() {
    let (success, out, log) = hostnet(&["apply", "-c", "hostnet.yaml", "base/crossplane.yaml"]);
    assert!(success, "{log}");
    let want = std::fs::read_to_string(project().join("examples/private-mirror/want.yaml")).unwrap();
    assert_eq!(out, want, "hostnet apply -c hostnet.yaml base/crossplane.yaml > want.yaml");
}

#[test]
fn the_page_shows_the_complete_list() {
    let (success, out, log) =
        hostnet(&["mirror", "list", "-c", "hostnet.yaml", "--complete", "-o", "lines", "base/crossplane.yaml"]);
    assert!(success, "{log}");
    let page = std::fs::read_to_string(project().join("examples/private-mirror/README.md")).unwrap();
    assert!(page.contains(&out), "the page shows the list:\n{out}");
}
