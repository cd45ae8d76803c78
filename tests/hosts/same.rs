//! The same input has the same results for every command and every form of input.

use crate::cases::HOSTNET;
use crate::support::manifests::{HEADLESS, MOVES_WEB, WEB};
use crate::support::{run, text};
use std::path::Path;
use std::process::{Command, Output};

const TWICE: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: twice, namespace: shop}\ndata:\n  a: b\n  a: c\n";

/// A `ResourceList` with an unknown version.
fn list(items: &[&str]) -> String {
    let items: String = items
        .iter()
        .flat_map(|item| {
            item.lines().enumerate().map(|(line, text)| format!("{}{text}\n", if line == 0 { "- " } else { "  " }))
        })
        .collect();
    format!("apiVersion: config.kubernetes.io/v9\nkind: ResourceList\nitems:\n{items}")
}

/// Command lines with the same results, and true if the input is a file.
const WAYS: [(&[&str], bool); 13] = [
    (&["apply", "-c", "config.yaml"], false),
    (&["apply", "-c", "config.yaml"], true),
    (&["apply", "-c", "config.yaml", "--diff"], false),
    (&["apply", "-c", "config.yaml", "--diff"], true),
    (&["apply", "-c", "config.yaml", "--check"], false),
    (&["apply", "-c", "config.yaml", "--check"], true),
    (&["apply", "-c", "config.yaml", "--in-place"], true),
    (&["ports", "-c", "config.yaml"], false),
    (&["ports", "-c", "config.yaml"], true),
    (&["pin", "-c", "config.yaml"], true),
    (&["explain", "shop/web", "-c", "config.yaml"], true),
    (&["patch", "-c", "config.yaml", "--as", "component"], false),
    (&["patch", "-c", "config.yaml", "--as", "component"], true),
];

fn call(at: &Path, (arguments, file): (&[&str], bool), input: &str) -> Output {
    std::fs::write(at.join("config.yaml"), MOVES_WEB).unwrap();
    std::fs::write(at.join("all.yaml"), input).unwrap();
    let mut command = Command::new(HOSTNET);
    command.current_dir(at).args(arguments).args(file.then_some("all.yaml"));
    run(&mut command, if file { b"" } else { input.as_bytes() })
}

/// Returns the errors and warnings of a run, sorted and without the input's name, because their order differs between
/// files and standard input.
fn reported(output: &Output) -> String {
    let log = text(&output.stderr).replace("standard input", "INPUT").replace("all.yaml", "INPUT");
    let lines = log.lines().filter(|line| line.starts_with("error") || line.starts_with("warning"));
    let mut lines: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
    lines.sort();
    lines.concat()
}

#[test]
fn every_command_reports_the_same_problems_of_the_input() {
    let twice_in_web = WEB.replace("  template:", "  replicas: 1\n  replicas: 2\n  template:");
    let stream = |objects: &[&str]| objects.join("---\n");
    for (input, words, failed) in [
        (stream(&[WEB, TWICE]), &["warning: INPUT:", "key `a` is on line", "[duplicate-key]"][..], false),
        (stream(&[WEB, HEADLESS, TWICE]), &["is headless", "[duplicate-key]"], false),
        (stream(&[&twice_in_web]), &["error: INPUT:", "key `replicas` is on line"], true),
        (list(&[WEB, TWICE]), &["key `a` is on line", "warning: INPUT:1: ", "v9"], false),
        (list(&[&twice_in_web]), &["error: ", "key `replicas` is on line", "warning: INPUT:1: ", "v9"], true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let first = reported(&call(folder.path(), WAYS[0], &input));
        for word in words {
            assert!(first.contains(word), "{word}: {first}");
        }
        for way in WAYS {
            let output = call(folder.path(), way, &input);
            assert_eq!(reported(&output), first, "{way:?}");
            let code = i32::from(failed || way.0.contains(&"--check"));
            assert_eq!(output.status.code(), Some(code), "{way:?}: {}", text(&output.stderr));
        }
    }
}

/// A `ResourceList` in a file gets its results and may contain its config, like one on standard input.
#[test]
fn a_resource_list_may_be_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let config: String = MOVES_WEB.lines().map(|line| format!("  {line}\n")).collect();
    for (key, code) in [("http", 0), ("nothing", 1)] {
        let list = format!("{}functionConfig:\n{config}", list(&[WEB, TWICE]))
            .replace("http: 20080", &format!("{key}: 20080"));
        let by_file = call(folder.path(), (&["apply"], true), &list);
        let by_stdin = call(folder.path(), (&["apply"], false), &list);
        assert_eq!((by_file.status.code(), by_stdin.status.code()), (Some(code), Some(code)), "{}", reported(&by_file));
        assert_eq!(reported(&by_file), reported(&by_stdin));
        let results = |output: &Output| text(&output.stdout).lines().filter(|line| line.contains("message: ")).count();
        assert_eq!(results(&by_file), results(&by_stdin), "{}", text(&by_file.stdout));
        assert!(results(&by_file) > 0, "{}", text(&by_file.stdout));
    }
}
