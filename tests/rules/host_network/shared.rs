//! Objects that several workloads share and that move to one number: each move plans the same edit, which is made once.

use super::{changes, deployment_named, stream};
use crate::support::results::brief;
use insta::assert_snapshot;

/// `web` and `api`, both with `http` on 8080 and pods with the additional label `tier: front`.
fn two() -> [String; 2] {
    ["web", "api"].map(|name| deployment_named(name, 8080, true).replace("labels: {", "labels: {tier: front, "))
}

const TARGETS: &str = "{targets: [{select: {name: web}, ports: {http: 20080}}, {select: {name: api}, ports: {http: 20080}}], shared: [{port: 20080, between: [shop/Deployment/web, shop/Deployment/api]}]}";
const AUTO: &str = "{targets: [{select: {name: web|api}, ports: auto}]}";

/// The changes outside of the Deployments, and the messages.
fn around(spec: &str, object: &str) -> String {
    let log = changes(spec, &stream(two().into_iter().chain([object.to_owned()])));
    let own =
        |line: &&str| line.contains("- {name: web, args") || line.contains("hostNetwork") || line.contains("dnsPolicy");
    log.lines().filter(|line| !own(line)).map(|line| format!("{line}\n")).collect()
}

fn service(more: &str, ports: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: front\n  namespace: shop\n{more}spec:\n  selector: {{tier: front}}\n  ports:\n{ports}"
    )
}

#[test]
fn an_absent_target_port_is_added_once() {
    let absent = service("", "  - port: 8080\n");
    for spec in [TARGETS, AUTO] {
        assert_eq!(around(spec, &absent), "+    targetPort: http\n");
    }
    assert_snapshot!(around(TARGETS, &service("", "  - name: a\n    port: 8080\n  - {name: b, port: 8080}\n")), @"
    -  - {name: b, port: 8080}
    +    targetPort: http
    +  - {name: b, port: 8080, targetPort: http}
    ");
    // A Service in JSON.
    let json = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "front", "namespace": "shop"}, "spec": {"selector": {"tier": "front"}, "ports": [{"port": 8080}]}}
"#;
    assert!(around(TARGETS, json).contains(r#"{"port": 8080, "targetPort": "http"}"#));
}

#[test]
fn a_target_by_number_is_added_once() {
    // Without port names, only the number leads to both.
    let unnamed = two().map(|text| text.replace("name: http, ", ""));
    let spec = TARGETS.replace("http: ", "8080: ");
    let log = changes(&spec, &stream(unnamed.into_iter().chain([service("", "  - port: 8080\n")])));
    assert!(log.contains("+    targetPort: 20080\n") && !log.contains("error"), "{log}");
}

#[test]
fn a_third_workload_that_stays_keeps_the_name() {
    let third = deployment_named("old", 8080, true).replace("labels: {", "labels: {tier: front, ");
    let log = changes(TARGETS, &stream(two().into_iter().chain([third, service("", "  - port: 8080\n")])));
    assert_eq!(log.matches("targetPort: http").count(), 1, "{log}");
}

#[test]
fn annotations_monitors_and_config_maps_change_once() {
    let annotated = service("  annotations: {prometheus.io/port: '8080'}\n", "  - {port: 80, targetPort: http}\n");
    assert_snapshot!(around(TARGETS, &annotated), @"
    -  annotations: {prometheus.io/port: '8080'}
    +  annotations: {prometheus.io/port: '20080'}
    ");
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: front, namespace: shop}\nspec:\n  selector: {matchLabels: {tier: front}}\n  podMetricsEndpoints:\n  - targetPort: 8080\n";
    assert_snapshot!(around(TARGETS, monitor), @"
    -  - targetPort: 8080
    +  - targetPort: 20080
    ");
    let services = service("  labels: {tier: front}\n", "  - {port: 80, targetPort: 8080}\n");
    let monitor = "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: front, namespace: shop}\nspec:\n  selector: {matchLabels: {tier: front}}\n  endpoints:\n  - targetPort: 8080\n";
    assert_snapshot!(around(TARGETS, &format!("{services}{monitor}")), @"
    -  - {port: 80, targetPort: 8080}
    +  - {port: 80, targetPort: http}
    -  - targetPort: 8080
    +  - targetPort: 20080
    ");
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: front, namespace: shop}\ndata:\n  PORT: '8080'\n";
    let with_config_map =
        |text: String| text.replace("args: [--port=8080]", "envFrom: [{configMapRef: {name: front}}]");
    let log = changes(TARGETS, &stream(two().map(with_config_map).into_iter().chain([map.to_owned()])));
    assert!(log.contains("+  PORT: '20080'\n") && !log.contains("error"), "{log}");
}

fn policy(ports: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: front, namespace: shop}}\nspec:\n  podSelector: {{matchLabels: {{app: client}}}}\n  egress:\n  - to: [{{podSelector: {{matchLabels: {{tier: front}}}}}}]\n    ports: {ports}\n"
    )
}

#[test]
fn a_policy_opens_a_number_once() {
    assert_snapshot!(brief(around(TARGETS, &policy("[{port: 8080}]"))), @"
    -    ports: [{port: 8080}]
    +    ports: [{port: 20080}]
    warning: network-policy NetworkPolicy shop/front spec.egress[0].to[0] (29:10, Deployment shop/api, Deployment shop/web)
    ");
    // A range, and a number that a third workload keeps.
    assert_snapshot!(brief(around(TARGETS, &policy("[{port: 8000, endPort: 9000}]"))), @"
    -    ports: [{port: 8000, endPort: 9000}]
    +    ports: [{port: 8000, endPort: 9000}, {port: 20080}]
    warning: network-policy NetworkPolicy shop/front spec.egress[0].to[0] (29:10, Deployment shop/api, Deployment shop/web)
    ");
    let third = deployment_named("old", 8080, true).replace("labels: {", "labels: {tier: front, ");
    let log = changes(TARGETS, &stream(two().into_iter().chain([third, policy("[{port: 8080}]")])));
    let log: Vec<&str> = log.lines().filter(|line| line.contains("ports: [{port")).collect();
    assert_snapshot!(log.join("\n"), @"
    -    ports: [{port: 8080}]
    +    ports: [{port: 8080}, {port: 20080}]
    ");
    // Two workloads move to one number, a third to another.
    let third = deployment_named("old", 8080, true).replace("labels: {", "labels: {tier: front, ");
    let spec = TARGETS.replace("], shared", ", {select: {name: old}, ports: {http: 20081}}], shared");
    for order in [[0, 1, 2], [2, 0, 1], [0, 2, 1]] {
        let all = [two().to_vec(), vec![third.clone()]].concat();
        let all = order.map(|index| all[index].clone());
        let log = changes(&spec, &stream(all.into_iter().chain([policy("[{port: 8080}]")])));
        let new = log.lines().find(|line| line.starts_with("+    ports: [{port")).unwrap();
        assert_eq!((new.matches("20080").count(), new.matches("20081").count()), (1, 1), "{new}");
    }
}
