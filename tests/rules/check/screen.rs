//! The screen of a first run: remedies on a single screen, errors first.

use std::path::Path;

use super::{PORT, on_host, report_of, workload};
use crate::support::run::hostnet;
use hostnet::kinds::check::Configs;
use hostnet::render::check::{Report, screen};
use hostnet::rule::Severity;
use insta::assert_snapshot;

/// Columns and rows of a terminal.
const SCREEN: (usize, usize) = (100, 40);

fn rows(text: &str) -> usize {
    text.lines().map(|line| line.chars().count().div_ceil(SCREEN.0).max(1)).sum()
}

/// Asserts that each finding has a short form that begins with the remedy and fits on a line.
pub(super) fn has_short_forms(report: &Report) {
    for entry in report.entries.iter().filter(|entry| entry.severity != Severity::Info) {
        // Rules about the config have no short form; their messages are printed in full.
        if ["unused-ignore", "unmatched"].contains(&entry.rule.id) {
            continue;
        }
        let brief = entry.brief.as_ref().unwrap_or_else(|| panic!("{} has no short form", entry.message));
        let begins_small = brief.fix.starts_with(|c: char| c.is_ascii_lowercase());
        assert!(begins_small && brief.fix.len() <= 130 && brief.fix.contains(": "), "{}: {}", entry.rule.id, brief.fix);
    }
}

#[test]
fn a_pair_of_workloads_is_one_line() {
    let ports = "ports: [{containerPort: 20080, hostPort: 20080}, {containerPort: 20081, hostPort: 20081}], args: \
                 ['--metrics-bind-address=:20082']";
    let both = [on_host("a", ports), on_host("b", ports)].concat();
    assert_snapshot!(screen(&report_of(&Configs::default(), &[("a.yaml", &both)])), @"
    error: give one of the two other ports, or keep them on different nodes: they cannot run on one node [port-conflict]
      a.yaml:15: Deployment shop/b and Deployment shop/a: 20082/TCP
    warning: give one workload other ports, or provide a node for each pod: the scheduler keeps these pods on different nodes [port-conflict]
      a.yaml:15: Deployment shop/a and Deployment shop/b: 20080/TCP, pods: 2, 20081/TCP, pods: 2
    warning: add this port to `ports` of the container: the scheduler does not see undeclared ports [port-declared]
      a.yaml:7: Deployment shop/a, container web: `{name: metrics, containerPort: 20082, hostPort: 20082}`
      a.yaml:15: Deployment shop/b, container web: `{name: metrics, containerPort: 20082, hostPort: 20082}`
    2 objects, 2 workloads: 1 error, 4 warnings, 1 info (port-conflict 3, port-declared 2, rollout-surge 1)
    `hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule
    ");
}

#[test]
fn long_lists_are_cut_and_errors_last_longest() {
    let many = |count: usize, spec: &str| -> String {
        (0..count).map(|number| workload("Deployment", &format!("w{number:03}"), spec)).collect()
    };
    let kubelet = "{hostNetwork: true, containers: [{name: web, ports: [{containerPort: 10250, hostPort: 9}]}]}";
    assert_snapshot!(screen(&report_of(&Configs::default(), &[("a.yaml", &many(40, kubelet))])), @"
    error: make hostPort equal containerPort: on the host network the API server refuses anything else [host-port]
      a.yaml:7: Deployment shop/w000, container web: `hostPort: 10250` (is 9)
      a.yaml:15: Deployment shop/w001, container web: `hostPort: 10250` (is 9)
      a.yaml:23: Deployment shop/w002, container web: `hostPort: 10250` (is 9)
      a.yaml:31: Deployment shop/w003, container web: `hostPort: 10250` (is 9)
      a.yaml:39: Deployment shop/w004, container web: `hostPort: 10250` (is 9)
      a.yaml:47: Deployment shop/w005, container web: `hostPort: 10250` (is 9)
      and 34 more
    error: use another port: on every node another process listens on this port [node-port]
      a.yaml:7: Deployment shop/w000: 10250 (kubelet)
      a.yaml:15: Deployment shop/w001: 10250 (kubelet)
      a.yaml:23: Deployment shop/w002: 10250 (kubelet)
      a.yaml:31: Deployment shop/w003: 10250 (kubelet)
      a.yaml:39: Deployment shop/w004: 10250 (kubelet)
      a.yaml:47: Deployment shop/w005: 10250 (kubelet)
      and 34 more
    warning: write `dnsPolicy: ClusterFirstWithHostNet` (or `Default` on purpose): names of the cluster do not resolve [dns-policy]
      40 of them
    warning: give one workload other ports, or provide a node for each pod: the scheduler keeps these pods on different nodes [port-conflict]
      a.yaml:319: Deployment shop/w000 and 39 more: 10250/TCP, pods: 40
    40 objects, 40 workloads: 80 errors, 41 warnings, 1 info (dns-policy 40, host-port 40, node-port 40, port-conflict 1, rollout-surge 1)
    `hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule
    ");
    let text = screen(&report_of(&Configs::default(), &[("a.yaml", &many(500, kubelet))]));
    assert!(rows(&text) <= SCREEN.1, "{text}");
}

#[test]
fn output_without_findings_and_with_information_only() {
    let reported = |manifest: &str| screen(&report_of(&Configs::default(), &[("a.yaml", manifest)]));
    assert_snapshot!(reported(&on_host("web", "ports: []")), @"1 object, 1 workload: nothing found");
    assert_snapshot!(reported(&on_host("web", PORT)), @"
        1 object, 1 workload: 0 errors, 0 warnings, 1 info (rollout-surge 1)
        `hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule
    ");
}

#[test]
fn names_cannot_write_to_the_terminal() {
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\e[31m\\nerror: x\"}\nspec: {hostNetwork: true, containers: [{name: a}]}\n";
    let text = screen(&report_of(&Configs::default(), &[("a.yaml", manifest)]));
    assert!(!text.contains('\u{1b}') && !text.contains("\nerror: x"), "{text}");
}

#[test]
fn files_and_verbose_output_have_all_findings() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), on_host("web", PORT)).unwrap();
    let run = |arguments: &[&str]| hostnet(Path::new(folder.path()), &[&["check"], arguments].concat(), b"");
    let full = run(&["-v", "a.yaml"]).text();
    assert!(full.starts_with("info: a.yaml:1:1: "), "{full}");
    assert!(!run(&["a.yaml"]).text().contains("info: "));
    run(&["-o", "text=all.txt", "a.yaml"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("all.txt")).unwrap(), full);
}
