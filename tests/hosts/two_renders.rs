//! `examples/two-renders`: two kustomizations that are rendered separately, and one config that gives them different
//! ports.

use crate::cases::{HOSTNET, command, copy, host};
use crate::support::{project, run, text};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const EXAMPLE: &str = "examples/two-renders";
const CONFIG: &str = "config/hostnet.yaml";

fn build(kustomize: &Path, folder: &Path) -> String {
    let flags = ["build", "--enable-alpha-plugins", "--enable-exec"];
    let output = run(command(kustomize).args(flags).arg(folder), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn host_ports(manifests: &str) -> BTreeSet<&str> {
    manifests.lines().filter_map(|line| Some(line.split_once("hostPort: ")?.1)).collect()
}

/// Runs `hostnet COMMAND -c config/hostnet.yaml` in a folder; returns exit code, standard output and standard error.
fn hostnet(at: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let (name, rest) = arguments.split_first().unwrap();
    let output = run(Command::new(HOSTNET).current_dir(at).args([name, "-c", CONFIG]).args(rest), b"");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn read(at: &Path, path: &str) -> String {
    std::fs::read_to_string(at.join(path)).unwrap()
}

/// A copy of the example without recorded numbers.
fn unpinned() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&project().join(EXAMPLE), folder.path());
    let config = read(folder.path(), CONFIG);
    let is_record = |line: &&str| line.contains("assigned:") || line.contains("/Deployment/");
    let left: String = config.split_inclusive('\n').filter(|line| !is_record(line)).collect();
    std::fs::write(folder.path().join(CONFIG), left).unwrap();
    folder
}

#[test]
fn two_renders_use_different_ports() {
    let Some(kustomize) = host("kustomize") else { return };
    let example = project().join(EXAMPLE);
    let (one, other) = (build(&kustomize, &example.join("certificates")), build(&kustomize, &example.join("metrics")));
    assert_eq!(host_ports(&one), BTreeSet::from(["20052", "20071", "20075"]));
    assert_eq!(host_ports(&other), BTreeSet::from(["20053"]));
    // All numbers are recorded, and there are no stale records.
    let log = hostnet(&example, &["pin", "-q", "--sources", "--check", "--prune", "certificates", "metrics"]);
    assert_eq!(log, (Some(0), String::new(), String::new()));
}

#[test]
fn without_recorded_numbers_renders_conflict_and_results_report_it() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = unpinned();
    let at = folder.path();
    let (one, other) = (build(&kustomize, &at.join("certificates")), build(&kustomize, &at.join("metrics")));
    assert!(!host_ports(&one).is_disjoint(&host_ports(&other)), "the example's pool is too large to show anything");
    let unrecorded = |at: &Path, folder: &str| -> Vec<String> {
        let (_, _, log) = hostnet(at, &["apply", "-v", "--sources", folder]);
        log.lines().filter(|line| line.contains("[port-assigned]")).map(str::to_owned).collect()
    };
    assert_eq!(unrecorded(at, "certificates").len(), 3);
    assert_eq!(
        unrecorded(at, "metrics"),
        [
            "info: Deployment kube-system/metrics-server, container metrics-server, port https (10250): 20052 is chosen, not \
          recorded; `hostnet pin` writes it into `assigned` [port-assigned]"
        ]
    );
    assert_eq!(unrecorded(&project().join(EXAMPLE), "metrics"), [""; 0]);
}

#[test]
fn pin_writes_the_config_of_the_example() {
    let folder = unpinned();
    let at = folder.path();
    assert_eq!(hostnet(at, &["pin", "--sources", "--check", "certificates", "metrics"]).0, Some(1));
    assert_eq!(hostnet(at, &["pin", "--sources", "certificates", "metrics"]).0, Some(0));
    assert_eq!(read(at, CONFIG), read(&project().join(EXAMPLE), CONFIG));
}

#[test]
fn a_third_render_keeps_the_numbers_of_the_others() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    copy(&project().join(EXAMPLE), at);
    let builds = || ["certificates", "metrics"].map(|name| build(&kustomize, &at.join(name)));
    let before = builds();
    copy(&at.join("certificates"), &at.join("another"));
    // The key of the third render sorts before all others.
    let another = read(at, "another/cert-manager.yaml").replace("namespace: cert-manager", "namespace: aaa");
    std::fs::write(at.join("another/cert-manager.yaml"), another).unwrap();
    let (code, _, log) = hostnet(at, &["pin", "-q", "--sources", "another"]);
    assert_eq!((code, log.lines().count()), (Some(0), 3), "{log}");
    assert!(builds() == before, "a number changed");
    let third = build(&kustomize, &at.join("another"));
    assert!(before.iter().all(|build| host_ports(build).is_disjoint(&host_ports(&third))));
    // Only lines were added.
    let old = read(&project().join(EXAMPLE), CONFIG);
    let new = read(at, CONFIG);
    let kept: String = new.split_inclusive('\n').filter(|line| !line.starts_with("    aaa/")).collect();
    assert_eq!(kept, old);
}

#[test]
fn the_readme_shows_the_output() {
    let example = project().join(EXAMPLE);
    let readme = read(&example, "README.md");
    let config = read(&example, CONFIG);
    let (_, list) = config.split_once("  assigned:\n").unwrap();
    let list: String = list.split_inclusive('\n').take_while(|line| line.starts_with("    ")).collect();
    assert!(readme.contains(&list));
    for line in readme.lines().filter(|line| line.starts_with("hostnet ") && line.contains(CONFIG)) {
        let command = line.split(['|', '#', '2']).next().unwrap();
        let mut words: Vec<&str> = command.split_whitespace().skip(1).collect();
        if words[0] == "pin" {
            words.push("--check");
        }
        let (code, out, log) =
            hostnet(&example, &words.iter().filter(|word| !["-c", CONFIG].contains(word)).copied().collect::<Vec<_>>());
        assert_eq!(code, Some(0), "{line}: {log}");
        if let Some((_, expected)) = line.split_once("# TCP") {
            assert_eq!(out.trim_end(), format!("TCP{expected}"));
        }
    }
}
