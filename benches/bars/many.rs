//! Time per item with ten and with a thousand targets, and with ten and a thousand objects that select the same pods.

use std::path::Path;

use super::generate::stream;
use super::manifests::deployment;
use super::{Inputs, LINEAR, ROUNDS, Table};

/// The two counts of targets or objects.
const FEW: usize = 10;
const MANY: usize = 1_000;

/// Resources in the stream; a third of them change with any number of targets.
const RESOURCES: usize = 12_000;

/// Number of pods that each object selects.
const PODS: usize = 1_000;

/// Kinds that select pods: the name in the table, and an object that selects all pods with the label `team: a`.
const ABOUT_PODS: [(&str, &str); 3] = [
    (
        "Services",
        "apiVersion: v1
kind: Service
metadata: {name: NAME, namespace: shop}
spec: {selector: {team: a}, ports: [{port: 80, targetPort: http}]}
",
    ),
    (
        "PodMonitors",
        "apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: NAME, namespace: shop}
spec: {selector: {matchLabels: {team: a}}, podMetricsEndpoints: [{port: http}]}
",
    ),
    (
        "NetworkPolicies",
        "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: NAME, namespace: shop}
spec: {podSelector: {matchLabels: {team: a}}, policyTypes: [Ingress], ingress: [{ports: [{port: http}]}]}
",
    ),
];

pub(crate) fn bars(inputs: &Inputs<'_>, table: &mut Table) {
    let resources = inputs.folder.join("many.yaml");
    stream(RESOURCES, &mut std::io::BufWriter::new(std::fs::File::create(&resources).unwrap())).unwrap();
    let with_targets = |count: usize| time(inputs, &resources, &targets(count));
    let ratio = with_targets(MANY) / with_targets(FEW);
    table.at_most(&format!("time per item, {MANY} targets / {FEW}, the same workloads move"), ratio, LINEAR);
    for (kind, object) in ABOUT_PODS {
        let per_item = |count: usize| {
            std::fs::write(&resources, pods_and(count, object)).unwrap();
            let config = "  - {select: {kind: Deployment}, ports: auto}\n  portPool: 20000-29999\n";
            time(inputs, &resources, config) / f64::from(u32::try_from(PODS + count).unwrap())
        };
        let ratio = per_item(MANY) / per_item(FEW);
        table.at_most(&format!("time per item, {MANY} {kind} over the same {PODS} pods / {FEW}"), ratio, LINEAR);
    }
}

/// The shortest time of several runs with these targets.
fn time(inputs: &Inputs<'_>, input: &Path, targets: &str) -> f64 {
    let config = inputs.folder.join("many-config.yaml");
    let head = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: many}\nspec:\n  targets:\n";
    std::fs::write(&config, format!("{head}{targets}")).unwrap();
    let command = [&inputs.tools.hostnet, Path::new("apply"), Path::new("-c"), &config];
    let runs = inputs.tools.many(ROUNDS, input, &command);
    runs.iter().map(|run| run.time).min().expect("a run").as_secs_f64()
}

/// `count` targets; the last matches all workloads that no other target names.
fn targets(count: usize) -> String {
    let named = (0..count - 1).map(|number| {
        let moved = number * 3;
        format!("  - {{select: {{kind: Deployment, name: moved-{moved}}}}}\n")
    });
    named.collect::<String>() + "  - {select: {kind: Deployment, labelSelector: network=host}}\n  unmatched: Ignore\n"
}

/// Pods with the same label and different ports, and `count` objects that select all of them.
fn pods_and(count: usize, object: &str) -> String {
    let pod = |index: usize| {
        let (name, port) = (format!("web-{index}"), 10_000 + index);
        let container = format!(
            "      - name: web
        image: registry.example/{name}:1.0.0
        args: [--listen-address=:{port}]
        ports: [{{name: http, containerPort: {port}}}]
"
        );
        deployment(&name, &container).replace("labels: {app:", "labels: {team: a, app:") + "---\n"
    };
    let about = |index: usize| object.replace("NAME", &format!("all-{index}")) + "---\n";
    (0..PODS).map(pod).chain((0..count).map(about)).collect()
}
