//! Inputs of one shape in any size: many of one thing about many of another, or very much in one container.

use std::fmt::Write as _;

use crate::manifests::deployment;

/// Every Deployment gets numbers of its own.
pub(crate) const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata:
  name: shapes
spec:
  targets:
  - {select: {kind: Deployment}, ports: auto}
  portPool: 20000-29999
";

/// A shape: what it is called, the size of the larger of two inputs, and what makes one of a size.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    pub(crate) make: fn(usize) -> String,
}

/// Sizes at which a run takes long enough to be measured, where the shape allows it.
pub(crate) const ALL: [Shape; 5] = [
    Shape { name: "400 PodMonitors over 400 pods", size: 400, make: monitors },
    Shape { name: "400 NetworkPolicies over 400 pods", size: 400, make: policies },
    Shape { name: "4,000 addresses in a ConfigMap", size: 4_000, make: addresses },
    Shape { name: "3,000 ports in a container", size: 3_000, make: ports },
    Shape { name: "8,000 references in a script of 215 KB", size: 8_000, make: script },
];

/// A Deployment up to its only container.
fn pod(name: &str) -> String {
    let container = format!("      - name: web\n        image: registry.example/{name}:1.0.0\n");
    deployment(name, &container).replace("labels: {app:", "labels: {team: a, app:")
}

/// One that listens on a port.
fn web(name: &str, port: usize) -> String {
    format!(
        "{}        args: [--listen-address=:{port}]\n        ports: [{{name: http, containerPort: {port}}}]\n",
        pod(name)
    )
}

/// Pods of one label, and as many objects that select them all and name the port of one of them.
fn selected(count: usize, port: fn(usize) -> usize, object: &str) -> String {
    let mut text: String = (0..count).map(|index| web(&format!("web-{index}"), port(index)) + "---\n").collect();
    for index in 0..count {
        let object = object.replace("NAME", &format!("all-{index}")).replace("PORT", &port(index).to_string());
        let _ = writeln!(text, "{object}---");
    }
    text
}

fn monitors(count: usize) -> String {
    selected(
        count,
        |_| 8080,
        "apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: NAME, namespace: shop}
spec:
  selector: {matchLabels: {team: a}}
  podMetricsEndpoints: [{portNumber: PORT}]
",
    )
}

/// The pods have different numbers. With one number each policy would have to open every new one, and the output itself would be a
/// square.
fn policies(count: usize) -> String {
    selected(
        count,
        |index| 10_000 + index,
        "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: NAME, namespace: shop}
spec:
  podSelector: {matchLabels: {team: a}}
  ingress: [{ports: [{port: PORT}]}]
",
    )
}

/// Variables that all name the pod itself.
fn addresses(count: usize) -> String {
    let mut text = web("web", 8080) + "        envFrom: [{configMapRef: {name: peers}}]\n---\n";
    text.push_str("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: peers, namespace: shop}\ndata:\n");
    for index in 0..count {
        let _ = writeln!(text, "  PEER_{index}: http://localhost:8080/a");
    }
    text
}

/// Declared ports, each told by a flag of its own.
fn ports(count: usize) -> String {
    let mut text = pod("web") + "        args:\n";
    for index in 0..count {
        let _ = writeln!(text, "        - --p{index}-listen-address=:{}", 10_000 + index);
    }
    text.push_str("        ports:\n");
    for index in 0..count {
        let _ = writeln!(text, "        - {{name: p{index}, containerPort: {}}}", 10_000 + index);
    }
    text
}

/// Commands that dial the pod itself.
fn script(count: usize) -> String {
    let mut text = pod("web") + "        ports: [{name: http, containerPort: 8080}]\n        command: [sh, -c]\n";
    text.push_str("        args:\n        - |\n          web --listen-address=:8080 &\n");
    text + &"          curl localhost:8080/a\n".repeat(count)
}
