//! Inputs of one shape in any size: many objects that refer to many others, or a very large container.

use std::fmt::Write as _;

use crate::manifests::deployment;

/// Every Deployment gets new port numbers.
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

/// A shape: its name, the size of the larger of two inputs, and a function that makes an input of a size.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    pub(crate) make: fn(usize) -> String,
    /// True for `hostnet proxy check`, false for `hostnet apply` with the config.
    pub(crate) is_checked: bool,
    /// True if the output grows with the square of the size, as with pairs of policies and pods.
    pub(crate) is_of_pairs: bool,
}

impl Shape {
    const fn new(name: &'static str, size: usize, make: fn(usize) -> String) -> Self {
        Self { name, size, make, is_checked: false, is_of_pairs: false }
    }

    const fn checked(name: &'static str, size: usize, make: fn(usize) -> String) -> Self {
        Self { is_checked: true, ..Self::new(name, size, make) }
    }

    const fn of_pairs(name: &'static str, size: usize, make: fn(usize) -> String) -> Self {
        Self { is_of_pairs: true, ..Self::new(name, size, make) }
    }
}

/// Sizes with a measurable run time, if the shape allows it.
pub(crate) const ALL: [Shape; 12] = [
    Shape::new("400 PodMonitors over 400 pods", 400, monitors),
    Shape::new("400 NetworkPolicies over 400 pods", 400, policies),
    Shape::of_pairs("400 NetworkPolicies with NotIn over 400 pods of one number", 400, excluding),
    Shape::of_pairs("400 Services over 400 pods", 400, services),
    Shape::of_pairs("400 headless Services over 400 pods of one number", 400, headless),
    Shape::of_pairs("400 keys of a ConfigMap that 400 pods take as variables", 400, taken_by_all),
    Shape::new("4,000 addresses in a ConfigMap", 4_000, addresses),
    Shape::new("3,000 ports in a container", 3_000, ports),
    Shape::new("8,000 references in a script of 215 KB", 8_000, script),
    Shape::checked("8,000 functions, and a policy for what each takes", 8_000, taken),
    Shape::checked("8,000 functions, and policies of whom the core may reach", 8_000, reached),
    Shape::checked("8,000 functions, and NO_PROXY with the name of each", 8_000, functions_by_name),
];

/// A Deployment up to its only container.
fn pod(name: &str) -> String {
    let container = format!("      - name: web\n        image: registry.example/{name}:1.0.0\n");
    deployment(name, &container).replace("labels: {app:", "labels: {team: a, app:")
}

/// A Deployment that listens on a port.
fn web(name: &str, port: usize) -> String {
    format!(
        "{}        args: [--listen-address=:{port}]\n        ports: [{{name: http, containerPort: {port}}}]\n",
        pod(name)
    )
}

/// Pods with the same label, and as many objects that select all of them and name the port of one pod.
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

fn services(count: usize) -> String {
    selected(
        count,
        |index| 10_000 + index,
        "apiVersion: v1
kind: Service
metadata: {name: NAME, namespace: shop}
spec: {selector: {team: a}, ports: [{port: 80, targetPort: PORT}]}
",
    )
}

/// The pods have different numbers. With one number, each policy would have to open every new number, so the output
/// would grow quadratically.
fn policies(count: usize) -> String {
    selected(count, |index| 10_000 + index, &opening("{matchLabels: {team: a}}"))
}

/// A policy that opens a port of the selected pods.
fn opening(selector: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: NAME, namespace: shop}}
spec:
  podSelector: {selector}
  ingress: [{{ports: [{{port: PORT}}]}}]
"
    )
}

/// Each policy opens the common number of all pods, and gets all of their new numbers.
fn excluding(count: usize) -> String {
    selected(count, |_| 8080, &opening("{matchExpressions: [{key: app, operator: NotIn, values: [NAME]}]}"))
}

/// Clients dial the pods of a headless Service directly: each pair gives a warning.
fn headless(count: usize) -> String {
    selected(
        count,
        |_| 8080,
        "apiVersion: v1
kind: Service
metadata: {name: NAME, namespace: shop}
spec: {clusterIP: None, selector: {team: a}, ports: [{port: 80, targetPort: PORT}]}
",
    )
}

/// Every pod gets every key as a variable.
fn taken_by_all(count: usize) -> String {
    let web =
        |index: usize| web(&format!("web-{index}"), 8080) + "        envFrom: [{configMapRef: {name: all}}]\n---\n";
    let mut text: String = (0..count).map(web).collect();
    text.push_str("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: all, namespace: shop}\ndata:\n");
    for index in 0..count {
        let _ = writeln!(text, "  KEY_{index}: ':{}'", 10_000 + index);
    }
    text
}

/// Variables with addresses of the pod itself.
fn addresses(count: usize) -> String {
    let mut text = web("web", 8080) + "        envFrom: [{configMapRef: {name: peers}}]\n---\n";
    text.push_str("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: peers, namespace: shop}\ndata:\n");
    for index in 0..count {
        let _ = writeln!(text, "  PEER_{index}: http://localhost:8080/a");
    }
    text
}

/// Declared ports, each set by its own flag.
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

/// A core of Crossplane with this `NO_PROXY`, and functions with one additional object each.
fn crossplane(list: &str, count: usize, each: impl Fn(usize) -> String) -> String {
    let mut text = deployment(
        "crossplane",
        "      - name: crossplane\n        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4\n",
    );
    let _ = writeln!(
        text,
        "        args: [core, start]\n        env: [{{name: HTTPS_PROXY, value: 'http://p:3128'}}, {{name: NO_PROXY, value: '{list}'}}]\n---"
    );
    for index in 0..count {
        let _ = writeln!(
            text,
            "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {{name: f-{index}}}\nspec: {{package: example.com/f:v1}}\n---\n{}",
            each(index)
        );
    }
    text
}

fn network_policy(index: usize, spec: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: p-{index}, namespace: shop}}\nspec: {{{spec}}}\n---\n"
    )
}

fn taken(count: usize) -> String {
    let each = |index: usize| {
        network_policy(
            index,
            &format!(
                "podSelector: {{matchLabels: {{pkg.crossplane.io/function: f-{index}}}}}, policyTypes: [Ingress], ingress: [{{ports: [{{port: 9443}}]}}]"
            ),
        )
    };
    crossplane(".shop,$(KUBERNETES_SERVICE_HOST)", count, each)
}

fn reached(count: usize) -> String {
    let each = |index: usize| {
        network_policy(
            index,
            &format!(
                "podSelector: {{}}, policyTypes: [Egress], egress: [{{to: [{{podSelector: {{matchLabels: {{pkg.crossplane.io/function: f-{}}}}}}}]}}]",
                (index + 1) % count
            ),
        )
    };
    crossplane(".shop,$(KUBERNETES_SERVICE_HOST)", count, each)
}

fn functions_by_name(count: usize) -> String {
    let functions = (0..count).map(|index| format!("f-{index}.shop"));
    // Without the API server's address the check fails, and failed runs are not measured.
    let names: Vec<String> = functions.chain(["$(KUBERNETES_SERVICE_HOST)".to_owned()]).collect();
    crossplane(&names.join(","), count, |_| String::new())
}
