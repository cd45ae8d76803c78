//! Rule `unused-ignore`: suppressed findings, and suppressions that match no finding.

use super::{PORT, on_host, report, reported, reported_with};
use crate::support::results::worded;
use hostnet::render::check::text;
use insta::assert_snapshot;

const KUBELET: &str = "ports: [{containerPort: 10250, hostPort: 10250}, {containerPort: 10256, hostPort: 10256}]";

fn annotated(annotation: &str) -> String {
    on_host("web", KUBELET)
        .replace("metadata: {name: web,", &format!("metadata: {{annotations: {{{annotation}}}, name: web,"))
}

fn left(spec: &str, manifest: &str) -> usize {
    reported_with("node-port", spec, manifest).lines().count()
}

#[test]
fn the_config_accepts_findings() {
    let accept = |rest: &str| format!("{{suppress: [{{rule: node-port, select: {{name: web}}, reason: ours{rest}}}]}}");
    let manifest = on_host("web", KUBELET);
    assert_eq!(
        (left("{}", &manifest), left(&accept(""), &manifest), left(&accept(", ports: [10250]"), &manifest)),
        (2, 0, 1)
    );
    assert!(!report(&accept(""), &manifest).fails());
    assert!(text(&report(&accept(""), &manifest)).contains("; 2 suppressed"));
    // A suppression still applies on its last day.
    assert_eq!(
        (left(&accept(", until: 2026-11-22"), &manifest), left(&accept(", until: 2026-11-21"), &manifest)),
        (0, 2)
    );
    assert_snapshot!(worded(reported_with("unused-ignore", &accept(", until: 2026-11-21"), &manifest)), @"warning: check.yaml:1:138: the suppression of `node-port` ended on 2026-11-21 and is ignored: fix the finding, or set a later day");
    assert_snapshot!(worded(reported_with("unused-ignore", &accept(""), &on_host("api", ""))), @"warning: check.yaml:1:78: no finding of `node-port` matches this suppression: remove it");
    assert_snapshot!(worded(reported_with("unused-ignore", &accept("").replace("name: web", "name: 'w*b'"), &manifest)), @"warning: check.yaml:1:78: no finding of `node-port` matches this suppression: no object has `name: w*b` (did you mean `w.*b`? Patterns are regular expressions, where `*` repeats what is before it)");
}

/// A suppression of a finding that is there, but for one field.
#[test]
fn a_suppression_that_almost_matches_names_the_field() {
    let unused = |entry: &str| {
        let spec = format!("{{suppress: [{{rule: node-port, reason: ours, {entry}}}]}}");
        reported_with("unused-ignore", &spec, &on_host("web", KUBELET))
    };
    assert_snapshot!(worded(unused("select: {kind: deployment, name: web}")), @"warning: check.yaml:1:78: no finding of `node-port` matches this suppression: `kind: deployment`, and Deployment shop/web has `kind: Deployment`");
    assert_snapshot!(worded(unused("select: {name: web}, ports: [8081]")), @"warning: check.yaml:1:78: no finding of `node-port` matches this suppression: the finding about Deployment shop/web is about port 10250, which `ports` does not list");
    assert!(unused("select: {namespace: shpo}").contains("has `namespace: shop`"));
    for stale in ["select: {name: api}", "select: {name: api, namespace: shop}", "select: {kind: DaemonSet}"] {
        assert!(unused(stale).contains("remove it"), "{stale}");
    }
}

#[test]
fn an_annotation_accepts_findings() {
    assert_eq!(left("{}", &annotated("ignore.hostnet.dev/node-port: ours")), 0);
    assert_eq!(left("{}", &annotated("ignore.hostnet.dev/node-port: '10250: ours'")), 1);
    assert_eq!(reported_with("unused-ignore", "{}", &annotated("ignore.hostnet.dev/node-port: ours")), "");
}

#[test]
fn an_annotation_that_suppresses_nothing_is_reported() {
    assert_snapshot!(worded(reported_with("unused-ignore", "{}", &annotated("ignore.hostnet.dev/node-port: ''"))), @r#"warning: a.yaml:3:56: Deployment shop/web: annotation `ignore.hostnet.dev/node-port` suppresses nothing: it gives no reason; write why this is accepted"#);
    assert_eq!(left("{}", &annotated("ignore.hostnet.dev/node-port: ''")), 2);
    assert_snapshot!(worded(reported_with("unused-ignore", "{}", &annotated("ignore.hostnet.dev/node-prt: ours"))), @r#"warning: a.yaml:3:55: Deployment shop/web: annotation `ignore.hostnet.dev/node-prt` suppresses nothing: did you mean `ignore.hostnet.dev/node-port`?"#);
    assert_snapshot!(worded(reported_with("unused-ignore", "{}", &annotated("ignore.hostnet.dev/knative: ours"))), @r#"warning: a.yaml:3:54: Deployment shop/web: annotation `ignore.hostnet.dev/knative` suppresses nothing: the object has no such finding; remove it"#);
    for ports in ["'10250'", "'10250, 10256'", "'10250/TCP: ours'", "'true'"] {
        assert_eq!(left("{}", &annotated(&format!("ignore.hostnet.dev/node-port: {ports}"))), 2, "{ports}");
    }
    assert_snapshot!(worded(reported_with("unused-ignore", "{}", &annotated("ignore.hostnet.dev/node-port: '10250/TCP: ours'"))), @"warning: a.yaml:3:56: Deployment shop/web: annotation `ignore.hostnet.dev/node-port` suppresses nothing: its ports cannot be read; write `8080, 9090: REASON`");
    let misplaced = on_host("web", KUBELET)
        .replace("metadata: {labels", "metadata: {annotations: {ignore.hostnet.dev/node-port: ours}, labels");
    assert_snapshot!(worded(reported_with("unused-ignore", "{}", &misplaced)), @r#"warning: a.yaml:6:60: Deployment shop/web: annotation `ignore.hostnet.dev/node-port` suppresses nothing: an annotation on the template would restart the pods; put it on the object itself"#);
    assert_eq!(left("{}", &misplaced), 2);
}

/// Selects, suppressions and annotations may name either object of a pair.
#[test]
fn either_of_a_pair_counts() {
    let conflict = |spec: &str, manifest: &str| reported_with("port-conflict", spec, manifest).lines().count();
    let (a, b) = (on_host("a", PORT), on_host("b", PORT));
    let both = [a.clone(), b.clone()].concat();
    for name in ["a", "b"] {
        assert_eq!(conflict(&format!("{{select: [{{name: {name}}}]}}"), &both), 1, "{name}");
        assert_eq!(conflict(&format!("{{exclude: [{{name: {name}}}]}}"), &both), 1, "{name}");
        let suppress = format!("{{suppress: [{{rule: port-conflict, select: {{name: {name}}}, reason: ours}}]}}");
        assert_eq!(
            (conflict(&suppress, &both), reported_with("unused-ignore", &suppress, &both).as_str()),
            (0, ""),
            "{name}"
        );
        let ignore = format!("metadata: {{annotations: {{ignore.hostnet.dev/port-conflict: ours}}, name: {name},");
        let annotated = both.replace(&format!("metadata: {{name: {name},"), &ignore);
        assert_eq!((conflict("{}", &annotated), reported("unused-ignore", &annotated).as_str()), (0, ""), "{name}");
    }
    assert_eq!(conflict("{select: [{name: c}]}", &both), 0);
    assert_eq!(conflict("{exclude: [{name: a|b}]}", &both), 0);
    // Suppressing one pair does not hide a conflict with a third workload.
    let three = [both, on_host("c", PORT)].concat();
    let spec = |name: &str| format!("{{suppress: [{{rule: port-conflict, select: {{name: {name}}}, reason: ours}}]}}");
    for name in ["a", "b", "c"] {
        assert_eq!(conflict(&spec(name), &three), 1, "{name}");
    }
    assert_eq!(conflict(&spec("a|b"), &three), 0);
}

/// Containers ports and host ports both count.
#[test]
fn either_number_of_a_host_port_counts() {
    let manifest = on_host("web", "ports: [{containerPort: 20080, hostPort: 20081}]");
    for (port, left) in [(20080, 0), (20081, 0), (20082, 1)] {
        let spec = format!("{{suppress: [{{rule: host-port, select: {{name: web}}, ports: [{port}], reason: ours}}]}}");
        assert_eq!(reported_with("host-port", &spec, &manifest).lines().count(), left, "{port}");
    }
}
