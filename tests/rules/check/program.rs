//! The command and the function.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::on_host;
use crate::support::reports::assert_reports_fit;
use insta::assert_snapshot;

fn hostnet(arguments: &[&str], input: &str) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_hostnet"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = command.unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_reports_fit(std::path::Path::new("."), arguments, &output.stdout);
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const KUBELET: &str = "ports: [{containerPort: 10250, hostPort: 10250}]";

/// A ResourceList with comments and odd spaces, which the output keeps.
fn list(spec: &str) -> String {
    let item = on_host("web", KUBELET).replace("---\n", "");
    let item: String = item.lines().map(|line| format!("  {line}\n")).collect();
    let item = item.replacen("  ", "- ", 1);
    format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: # all\n{item}functionConfig:\n  apiVersion: hostnet.dev/v1alpha1\n  kind: \
         HostNetworkCheck\n  spec: {spec}\n"
    )
}

#[test]
fn as_a_function_all_items_come_back_and_results_are_added() {
    let list = list("{}");
    let output = hostnet(&[], &list);
    assert_eq!(output.status.code(), Some(1));
    let written = text(&output.stdout);
    let results = written.strip_prefix(&list).unwrap();
    assert_snapshot!(results, @r#"
        results:
        - message: "Deployment shop/web, container web, port 10250 is the port of kubelet on every node: it cannot listen there; its callers fail with `x509: certificate is valid for NODE, not SVC.NS.svc`. Give it another number, such as `ports: auto` of a HostNetwork does"
          severity: error
          resourceRef:
            apiVersion: apps/v1
            kind: Deployment
            name: web
            namespace: shop
          field:
            path: spec.template.spec.containers[0].ports[0]
          tags:
            rule: node-port
            doc: https://hostnet.dev/docs/rules/node-port.md
        - message: "1 workload needs a spare node to update (one more than replicas, because maxUnavailable is 0 or rounds down to 0): shop/Deployment/web. Give `nodes` in the config to have it checked, or write `maxSurge: 0, maxUnavailable: 1`"
          severity: info
          resourceRef:
            apiVersion: apps/v1
            kind: Deployment
            name: web
            namespace: shop
          tags:
            rule: rollout-surge
            doc: https://hostnet.dev/docs/rules/rollout-surge.md
    "#);
    assert_eq!(text(&hostnet(&["check", "-"], &list).stdout), written);
}

#[test]
fn findings_that_fail_on_never_allows_are_no_errors() {
    let output = hostnet(&[], &list("{failOn: Never}"));
    assert_eq!(output.status.code(), Some(0));
    assert!(!text(&output.stdout).contains("severity: error"));
    assert!(text(&output.stderr).starts_with("error: "));
}

#[test]
fn a_function_with_a_bad_config_returns_the_list() {
    let list = list("{rules: {x: Error}}");
    let output = hostnet(&[], &list);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with(&list), "{}", text(&output.stdout));
    assert!(
        text(&output.stderr).starts_with("error: HostNetworkCheck, spec.rules.x: unknown rule"),
        "{}",
        text(&output.stderr)
    );
}

/// The kind of the config decides, not its comments or names.
#[test]
fn a_config_that_only_mentions_a_check_is_a_host_network() {
    let list = list("{targets: [{select: {name: web}}]}").replace("kind: HostNetworkCheck", "kind: HostNetwork");
    for log in ["# kind: HostNetworkCheck", "metadata: {name: x, annotations: {a: 'kind: HostNetworkCheck'}}"] {
        let output = hostnet(&[], &list.replace("  kind: HostNetwork\n", &format!("  {log}\n  kind: HostNetwork\n")));
        assert!(text(&output.stdout).contains("hostNetwork: true"), "{log}: {}", text(&output.stderr));
    }
}

#[test]
fn a_stream_is_reported() {
    let output = hostnet(&["check", "-"], &on_host("web", KUBELET));
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(text(&output.stdout), @"
        error: use another port: on every node another process listens on this port [node-port]
          line 7: Deployment shop/web: 10250 (kubelet)
        1 object, 1 workload: 1 error, 0 warnings, 1 info (node-port 1, rollout-surge 1)
        `hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule
    ");
    let fine = hostnet(&["check", "-"], &on_host("web", "ports: []"));
    assert_eq!((fine.status.code(), text(&fine.stdout).as_str()), (Some(0), "1 object, 1 workload: nothing found\n"));
    assert_eq!(hostnet(&["check"], "").status.code(), Some(2));
}

#[test]
fn files_that_are_not_text_are_findings() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), on_host("web", KUBELET)).unwrap();
    std::fs::write(folder.path().join("b.yaml"), b"\xff\xfe").unwrap();
    let output = hostnet(&["check", folder.path().to_str().unwrap()], "");
    let log = text(&output.stdout);
    assert!(log.contains("[document]") && log.contains("[node-port]") && log.contains("UTF-16"), "{log}");
    assert_eq!(output.status.code(), Some(1));
}
