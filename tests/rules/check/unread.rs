//! Documents that cannot be parsed.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{on_host, report, reported};

#[test]
fn documents_after_an_unreadable_one_are_checked() {
    let port = "ports: [{containerPort: 10250, hostPort: 10250}]";
    let manifest = [
        on_host("a", port),
        "kind: {{ .Values.kind }}\nx: [\n---\n".to_owned(),
        on_host("b", port),
        "a: b: c\n".to_owned(),
    ]
    .concat();
    assert_snapshot!(worded(reported("document", &manifest)), @"
    error: a.yaml:9:7: a.yaml, document 2: this is a template and not YAML yet: give its rendered form, as printed by `helm template NAME CHART`. It was not checked
    error: a.yaml:20:5: a.yaml, document 4: a second `: ` in one line: put the value in quotes if it contains one, or write the key on a separate line. It was not checked
    ");
    let found = reported("node-port", &manifest);
    assert!(found.contains("a.yaml:7:") && found.contains("a.yaml:18:"), "{found}");
    assert!(report("{failOn: Error}", &manifest).fails());
}

/// The only status field that counts is the phase of a Pod, in any YAML form.
#[test]
fn a_pod_that_has_ended_holds_no_port() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostNetwork: true\n  dnsPolicy: ClusterFirstWithHostNet\n  \
               containers: [{name: web, image: 'example/web:v1', ports: [{containerPort: 10250, hostPort: 10250}]}]\n";
    for status in [
        "status:\n  phase: PHASE\n  reason: a\n",
        "status: {reason: a, phase: PHASE}\n",
        "status:\n  <<: {phase: PHASE}\n",
    ] {
        let found = |phase: &str| reported("node-port", &format!("{pod}{}", status.replace("PHASE", phase)));
        assert_eq!(found("Succeeded"), "", "{status}");
        assert!(found("Running").contains("10250"), "{status}");
    }
}
