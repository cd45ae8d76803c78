//! P5 in the pod and around it: what moves with a number, and what stops it.

use super::{changes, deployment, ports};
use insta::assert_snapshot;

fn moved(container: &str, around: &str) -> String {
    let web = format!("      - name: web\n        args: [--listen=:8080]\n        ports: [{{name: http, containerPort: 8080}}]\n{container}");
    changes(&ports("{http: 20080}"), &format!("{}{around}", deployment(&web)))
}

#[test]
fn probes_and_hooks_follow() {
    let probes = "        livenessProbe: {httpGet: {port: 8080}}
        readinessProbe: {tcpSocket: {port: 8080, host: example.com}}
        startupProbe: {grpc: {port: 8080}}
        lifecycle: {preStop: {httpGet: {port: http}}, postStart: {httpGet: {port: 8080, host: 127.0.0.1}}}
";
    assert_snapshot!(moved(probes, ""), @"");
}

#[test]
fn exec_commands_follow_or_stop_the_move() {
    let exec = |command: &str| format!("        livenessProbe: {{exec: {{command: {command}}}}}\n");
    assert_snapshot!(moved(&exec("[grpc_health_probe, '-addr=:8080']"), ""), @"");
    assert_snapshot!(moved(&exec("[sh, -c, 'curl -f http://localhost:8080/ready']"), ""), @"");
    assert_snapshot!(moved(&exec("[nc, -z, web, '8080']"), ""), @"");
}

#[test]
fn loopback_addresses_of_other_containers_follow() {
    let proxy = "      - name: proxy
        args: ['--upstream=http://127.0.0.1:8080/', '--other=http://web:8080/']
        env: [{name: APP, value: 'localhost:8080'}]
";
    assert_snapshot!(moved(proxy, ""), @"");
    let doubtful = "      - {name: proxy, env: [{name: APP_PORT, value: '8080'}]}\n";
    assert_snapshot!(moved(doubtful, ""), @"");
}

#[test]
fn scrape_annotations_follow_and_unknown_ones_stop_the_move() {
    let template = |annotations: &str| {
        deployment("      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n")
            .replace("labels: {app: web}", &format!("labels: {{app: web}}\n      annotations: {{{annotations}}}"))
    };
    let spec = ports("{http: 20080}");
    assert_snapshot!(changes(&spec, &template("prometheus.io/port: \"8080\"")), @"");
    assert_snapshot!(changes(&spec, &template("config.linkerd.io/opaque-ports: '8080,9000'")), @"");
}

#[test]
fn numbers_in_kinds_that_are_not_moved_yet_stop_the_move() {
    let policy = "---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {matchLabels: {app: web}}, ingress: [{ports: [{port: 8080}]}]}
";
    assert_snapshot!(moved("", policy), @"");
    assert!(!moved("", &policy.replace("shop", "other")).contains("error"));
    let service = "---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}
";
    let monitor = "---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web, namespace: shop}
spec: {selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}, endpoints: [{targetPort: 8080}]}
";
    assert_snapshot!(moved("", &format!("{service}{monitor}")), @"");
    let pods = "---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: web, namespace: monitoring}
spec: {selector: {}, namespaceSelector: {any: true}, podMetricsEndpoints: [{portNumber: 8080}]}
";
    assert_snapshot!(moved("", pods), @"");
    let marker = "---
apiVersion: apps.kruise.io/v1alpha1
kind: PodProbeMarker
metadata: {name: web, namespace: shop}
spec: {selector: {matchLabels: {app: web}}, probes: [{name: x, probe: {tcpSocket: {port: 8080}}}]}
";
    assert_snapshot!(moved("", marker), @"");
}

#[test]
fn a_variable_from_a_config_map_stops_the_move_and_a_mounted_file_is_reported() {
    let map = "---
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
data:
  listen-port: '8080'
  web.yaml: |
    server:
      port: 8080 # here
";
    let env = "        env: [{name: HTTP_PORT, valueFrom: {configMapKeyRef: {name: web, key: listen-port}}}]\n";
    assert_snapshot!(moved(env, map), @"");
    assert_snapshot!(moved("        envFrom: [{configMapRef: {name: web}}]\n", map), @"");
    assert_snapshot!(moved("      volumes: [{name: v, configMap: {name: web}}]\n", map), @"");
}
