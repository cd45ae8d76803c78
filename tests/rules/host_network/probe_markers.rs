//! References in OpenKruise's probe markers.

use super::{moved_with, neighbour, ports};
use crate::support::results::brief;
use insta::assert_snapshot;

fn marker(container: &str, probe: &str) -> String {
    format!(
        "---
apiVersion: apps.kruise.io/v1alpha1
kind: PodProbeMarker
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  probes:
  - name: x
    containerName: {container}
    probe: {probe}
"
    )
}

fn moved(around: &str) -> String {
    moved_with(&ports("{http: 20080}"), around)
}

#[test]
fn numbers_of_a_marker_follow() {
    for kind in ["httpGet", "tcpSocket", "grpc"] {
        let log = moved(&marker("web", &format!("{{{kind}: {{port: 8080}}}}")));
        assert_eq!(log, format!("-    probe: {{{kind}: {{port: 8080}}}}\n+    probe: {{{kind}: {{port: 20080}}}}\n"));
    }
    assert_snapshot!(moved(&marker("web", "{exec: {command: [sh, -c, 'curl -f localhost:8080 && nc -p 8080 ::1']}}")), @"
    -    probe: {exec: {command: [sh, -c, 'curl -f localhost:8080 && nc -p 8080 ::1']}}
    +    probe: {exec: {command: [sh, -c, 'curl -f localhost:20080 && nc -p 20080 ::1']}}
    ");
    assert_snapshot!(brief(moved(&marker("web", "{exec: {command: [check, '8080']}}"))), @"error: port-reference PodProbeMarker shop/web spec.probes[0].probe.exec.command[1] (20:37, 20080, 8080, Deployment shop/web)");
    for other in
        ["{httpGet: {port: http}}", "{tcpSocket: {port: 8081}}", "{tcpSocket: {port: 8080, host: example.com}}"]
    {
        assert_eq!(moved(&marker("web", other)), "", "{other}");
    }
}

#[test]
fn a_marker_applies_to_the_container_that_it_names() {
    assert_eq!(moved(&marker("other", "{tcpSocket: {port: 8080}}")), "");
    assert_eq!(moved(&marker("web", "{tcpSocket: {port: 8080}}").replace("shop", "other")), "");
    assert_eq!(moved(&marker("web", "{tcpSocket: {port: 8080}}").replace("app: web", "app: api")), "");
}

#[test]
fn a_marker_of_several_workloads_needs_one_new_number() {
    for probe in ["{tcpSocket: {port: 8080}}", "{exec: {command: [curl, 'localhost:8080']}}"] {
        let around = format!("---\n{}{}", neighbour("api", "web"), marker("web", probe));
        assert!(moved(&around).contains("also uses 8080 there and does not move to 20080"), "{probe}");
        assert!(!moved(&around).contains("ConfigMap"), "{probe}");
        let elsewhere = around.replacen("- {name: web, args", "- {name: api, args", 1);
        assert!(moved(&elsewhere).starts_with("-    probe"), "{probe}: {}", moved(&elsewhere));
    }
}
