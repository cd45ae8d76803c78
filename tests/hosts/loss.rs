//! kustomize and kpt delete objects that a function does not return, and treat empty output as "delete everything". So
//! every failure must end in an exit code other than 0, for the binary and through the hosts.

use crate::cases::{EXAMPLE, HOSTNET, copy, host};
use crate::example::resource_list;
use crate::kpt::failing_eval;
use crate::kustomize::failing_build;
use crate::support::{project, run, text};
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Runs the function and asserts that it fails, with either no output or all items.
fn refuses(what: &str, input: &[u8]) -> String {
    let output = run(&mut Command::new(HOSTNET), input);
    assert!(!output.status.success(), "{what}: exit 0 with\n{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(1), "{what}: {}", text(&output.stderr));
    assert_ne!(text(&output.stderr), "", "{what}: no reason given");
    if !output.stdout.is_empty() {
        let names = |stream: &[u8]| text(stream).matches("\n  kind: ").count();
        assert_eq!(names(&output.stdout), names(input), "{what}: items went missing");
    }
    text(&output.stderr)
}

#[test]
fn the_complete_list_succeeds() {
    let output = run(&mut Command::new(HOSTNET), resource_list().as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches("hostPort: 20").count(), 3);
}

#[test]
fn invalid_input_is_refused() {
    let list = resource_list();
    refuses("empty stdin", b"");
    refuses("blank stdin", b"\n\n");
    refuses("a comment", b"# nothing\n");
    refuses("items of another type", b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: {a: b}\n");
    refuses("an item that is not an object", list.replace("functionConfig:", "- text\nfunctionConfig:").as_bytes());
    refuses("a broken item", list.replace("spec:\n", "spec: [\n").as_bytes());
    refuses("a NUL", list.replace("# scraped", "\0").as_bytes());
    let mut invalid = list.replace("# scraped", "# @").into_bytes();
    let at = invalid.iter().position(|byte| *byte == b'@').unwrap();
    invalid[at] = 0xff;
    let reason = refuses("invalid UTF-8", &invalid);
    assert!(reason.contains("UTF-8"), "{reason}");
}

/// No host sends a list without items. Returning it would allow the host to delete everything.
#[test]
fn a_list_without_items_is_refused() {
    let list = resource_list();
    refuses("null items", b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n");
    refuses("no items", list.replace("items:", "objects:").as_bytes());
}

/// A truncated list always fails, because it is invalid or has no config: it never becomes a shorter list with exit
/// code 0.
#[test]
fn input_cut_short_is_refused() {
    let list = resource_list();
    let end = list.find("    targets:").unwrap();
    for length in (0..end).step_by(97).chain([end]) {
        refuses(&format!("the first {length} bytes"), list.get(..length).unwrap_or("").as_bytes());
    }
}

#[test]
fn configs_that_cannot_be_satisfied_are_refused() {
    let list = resource_list();
    for (what, old, new) in [
        ("an unknown field", "    ports: {", "    prots: {"),
        ("a port out of range", "20443", "70000"),
        ("a key that matches nothing", "webhook: 20443", "grpc: 20443"),
        ("a selector that is not a regular expression", "name: crossplane}", "name: '('}"),
        ("two keys for one listener", "health: 20081", "readyz: 20081, health: 20082"),
        ("two listeners on one number", "health: 20081", "health: 20080"),
        ("no config", "functionConfig:", "other:"),
    ] {
        assert!(list.contains(old), "{old}");
        refuses(what, list.replace(old, new).as_bytes());
    }
}

#[test]
fn a_write_that_fails_is_an_error() {
    let list = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(list.path(), resource_list()).unwrap();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(HOSTNET).stdin(File::open(list.path()).unwrap()).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_ne!(text(&output.stderr), "");
}

/// The reader closes the pipe after ten bytes, while more data than a pipe can buffer remains.
#[test]
fn a_pipe_closed_early_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let more = format!("\ndata:\n  text: {}\n---\n", "x".repeat(1 << 20));
    let config_map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: large}}{more}");
    let manifest = std::fs::read_to_string(project().join(EXAMPLE).join("base/crossplane.yaml")).unwrap();
    std::fs::write(file.path(), config_map + &manifest).unwrap();
    let mut command = Command::new(HOSTNET);
    command.args(["apply", "-c"]).arg(project().join(EXAMPLE).join("hostnet.yaml"));
    command.stdin(File::open(file.path()).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
}

/// `hostnet catalog | head`: a reader that closes the pipe early gets no error message.
#[test]
fn a_reader_that_closes_the_pipe_early_gets_no_message() {
    for command in ["catalog", "schema", "completions bash", "man"] {
        // The reader exits before the first write.
        let script =
            format!("set -o pipefail; (sleep 0.2; exec {HOSTNET:?} {command}) | true; echo ${{PIPESTATUS[0]}}");
        let output = run(Command::new("bash").args(["-c", &script]), b"");
        assert_eq!((text(&output.stdout), text(&output.stderr)), ("1\n".to_owned(), String::new()), "{command}");
    }
}

/// A folder with a `hostnet` script that breaks the input or output of the real program.
fn troubled(script: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostnet");
    std::fs::write(&file, format!("#!/bin/bash\nset -o pipefail\nhostnet={HOSTNET:?}\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

const TROUBLES: [(&str, &str); 6] = [
    ("empty stdin", r#"exec "$hostnet" </dev/null"#),
    ("a list cut short", r#"head -c 3000 | "$hostnet""#),
    ("no items", r#"sed s/^items:/objects:/ | "$hostnet""#),
    ("invalid UTF-8", r#"sed 's/20443/\xff/' | "$hostnet""#),
    ("a full disk", r#"exec "$hostnet" >/dev/full"#),
    ("a reader that leaves", r#"(sleep 0.3; exec "$hostnet") | true"#),
];

#[test]
fn kustomize_stops_when_the_function_fails() {
    let Some(kustomize) = host("kustomize") else { return };
    for (what, script) in TROUBLES {
        let functions = troubled(script);
        let reason = failing_build(&kustomize, &project().join(EXAMPLE), functions.path());
        // kustomize's own error is the last line and gives no reason; hostnet's message must come before it.
        assert!(reason.trim().lines().count() >= 2, "{what}: {reason}");
    }
}

#[test]
fn kpt_keeps_the_package_when_the_function_fails() {
    let Some(kpt) = host("kpt") else { return };
    for (_, script) in TROUBLES {
        let functions = troubled(script);
        failing_eval(&kpt, &project().join(EXAMPLE).join("hostnet.yaml"), functions.path());
    }
}

/// A copy of the example with one text of its config replaced.
fn broken_example(old: &str, new: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&project().join(EXAMPLE), folder.path());
    let config = folder.path().join("hostnet.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains(old));
    std::fs::write(config, text.replace(old, new)).unwrap();
    folder
}

#[test]
fn hosts_stop_at_a_config_error_and_show_it() {
    let real = Path::new(HOSTNET).parent().unwrap();
    for (old, new, word) in
        [("20443", "70000", "70000"), ("webhook:", "webhok:", "webhok"), ("    ports:", "    prots:", "prots")]
    {
        let example = broken_example(old, new);
        if let Some(kustomize) = host("kustomize") {
            let reason = failing_build(&kustomize, example.path(), real);
            assert!(reason.contains(word), "{reason}");
        }
        if let Some(kpt) = host("kpt") {
            let reason = failing_eval(&kpt, &example.path().join("hostnet.yaml"), real);
            assert!(reason.contains(word), "{reason}");
        }
    }
}
