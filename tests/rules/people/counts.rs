//! The line of counts at the end of a run, and the flags `-q`, `-v` and `--strict`.

use insta::assert_snapshot;

use super::{called_web, config, deployment};
use crate::support::run::{Run, hostnet};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("web.yaml"), called_web()).unwrap();
    std::fs::write(folder.path().join("api.yaml"), deployment("api")).unwrap();
    let config = config("  targets:\n  - select: {kind: Deployment}\n    ports: auto\n  - select: {name: none}\n");
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    folder
}

fn run(folder: &tempfile::TempDir, command: &[&str]) -> Run {
    hostnet(folder.path(), &[command, &["-c", "config.yaml", "web.yaml", "api.yaml"]].concat(), b"")
}

fn last(run: &Run) -> &str {
    run.stderr.lines().last().unwrap_or_default()
}

#[test]
fn every_run_ends_with_counts() {
    let folder = folder();
    let reported = |command: &[&str]| last(&run(&folder, command)).to_owned();
    assert_snapshot!(reported(&["apply"]), @"2 workloads moved, 4 ports, 1 warning (-v shows all)");
    assert_snapshot!(reported(&["apply", "-v"]), @"2 workloads moved, 4 ports, 1 warning");
    assert_snapshot!(reported(&["apply", "--diff"]), @"2 workloads to move, 4 ports, 2 files to change, 1 warning (-v shows all)");
    assert_snapshot!(reported(&["apply", "--check"]), @"2 workloads to move, 4 ports, 2 files to change, 1 warning (-v shows all)");
    assert_snapshot!(reported(&["ports"]), @"2 workloads, 4 listeners, 1 called by the API server, 1 warning (-v shows all)");
    assert_snapshot!(reported(&["patch", "--as", "component"]), @"2 objects patched, 0 new, 1 warning (-v shows all)");
    assert_snapshot!(reported(&["pin", "--check"]), @"4 numbers added, 0 removed, 1 warning (-v shows all)");
    assert_snapshot!(reported(&["apply", "--in-place"]), @"2 workloads moved, 4 ports, 2 files changed, 1 warning (-v shows all)");
    assert_snapshot!(reported(&["apply", "--in-place"]), @"0 workloads moved, 0 ports, 0 files changed, 1 warning");
}

/// Other kinds move no workloads, and count changed objects.
#[test]
fn a_proxy_environment_counts_objects() {
    let folder = folder();
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: proxy}\nspec:\n  httpsProxy: http://p:3128\n  \
                  targets: [{select: {kind: Deployment}}]\n";
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    assert_snapshot!(last(&run(&folder, &["apply", "--diff"])), @"2 objects to change, 2 files to change, 0 warnings (-v shows all)");
    assert_snapshot!(last(&run(&folder, &["apply", "--in-place"])), @"2 objects changed, 2 files changed, 0 warnings (-v shows all)");
    assert_snapshot!(last(&run(&folder, &["apply", "--in-place"])), @"0 objects changed, 0 files changed, 0 warnings");
}

#[test]
fn quiet_runs_print_only_errors() {
    let folder = folder();
    for command in [&["apply"][..], &["apply", "--diff"], &["ports"], &["patch", "--as", "component"]] {
        let run = run(&folder, &[command, &["-q"]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{command:?}");
    }
    let wrong = config("  targets: [{select: {name: web}, ports: {nothing: 20443}}]\n");
    std::fs::write(folder.path().join("config.yaml"), wrong).unwrap();
    let run = run(&folder, &["apply", "-q"]);
    assert!(run.stderr.starts_with("error: ") && run.stderr.lines().count() == 1, "{}", run.stderr);
}

#[test]
fn strict_runs_write_nothing_when_there_are_warnings() {
    let folder = folder();
    let before = std::fs::read_to_string(folder.path().join("web.yaml")).unwrap();
    for command in [&["apply"][..], &["apply", "--in-place"], &["apply", "--diff"], &["ports"], &["pin"]] {
        let run = run(&folder, &[command, &["--strict"]].concat());
        assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{command:?}");
        assert!(
            run.stderr.contains("error: 1 warning, and `--strict` makes warnings fail\n"),
            "{command:?}: {}",
            run.stderr
        );
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("web.yaml")).unwrap(), before);
    let fine = config("  targets: [{select: {kind: Deployment}, ports: auto}]\n");
    std::fs::write(folder.path().join("config.yaml"), fine).unwrap();
    assert_eq!(run(&folder, &["apply", "--strict"]).code, Some(0));
}

/// A KRM host shows the results itself.
#[test]
fn a_function_prints_no_counts() {
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let config = indented(&config("  targets: [{select: {name: web}, ports: auto}]\n"));
    let item = indented(&deployment("web"));
    let list = format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n  -\n{item}functionConfig:\n{config}"
    );
    let run = hostnet(std::path::Path::new("."), &[], list.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

/// A port that the config keeps gives no warning, but the line of counts includes it.
#[test]
fn kept_ports_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let input = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    \
                 metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: example/web:v1, ports: [{name: http, containerPort: 19443}]}]}\n";
    for (ports, count) in [("{http: keep}", true), ("keep", false)] {
        let config = super::config(&format!("  targets: [{{select: {{name: web}}, ports: {ports}}}]\n"));
        std::fs::write(folder.path().join("host.yaml"), config).unwrap();
        let run =
            crate::support::run::hostnet(folder.path(), &["apply", "-c", "host.yaml", "--diff", "-"], input.as_bytes());
        assert_eq!(run.stderr.contains("1 workload with kept ports"), count, "{ports}: {}", run.stderr);
        assert!(run.stderr.contains("0 warnings"), "{}", run.stderr);
    }
}
