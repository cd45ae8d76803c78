//! Rule `replicas-nodes`: workloads that would have more pods than nodes.

use super::{deployment_named, run};
use crate::support::results::worded;
use insta::assert_snapshot;

fn web(replicas: u32) -> String {
    let spec = format!("spec:\n  replicas: {replicas}\n  strategy: {{type: Recreate}}\n  ");
    deployment_named("web", 8080, true).replacen("spec:\n  ", &spec, 1)
}

/// The messages of the rule, and true if the manifest changed.
fn reported(select: &str, nodes: u32, manifest: &str) -> (String, bool) {
    let spec = format!("{{targets: [{{select: {{{select}}}, ports: auto}}], nodes: {nodes}}}");
    let (output, log) = run(&spec, manifest);
    let own: Vec<String> = log.into_iter().filter(|line| line.contains("[replicas-nodes]")).collect();
    (own.join("\n"), output != manifest)
}

#[test]
fn more_replicas_than_nodes_do_not_move() {
    let (error, changed) = reported("name: web", 3, &web(4));
    assert_snapshot!(worded(error), @"error: standard input:5:13: Deployment shop/web: 4 replicas, and at most 3 of the nodes may run it. On each node only one pod can use port 26657/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes [replicas-nodes]");
    assert!(!changed);
    let (warning, changed) = reported("kind: Deployment", 3, &web(4));
    assert_snapshot!(worded(warning), @"warning: standard input:5:13: Deployment shop/web: 4 replicas, and at most 3 of the nodes may run it. On each node only one pod can use port 26657/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes. The workload is not changed [replicas-nodes]");
    assert!(!changed);
    assert_eq!(reported("name: web", 3, &web(3)), (String::new(), true));
    assert_eq!(reported("name: web", 4, &web(4)), (String::new(), true));
}

/// An autoscaler makes its minimum at once.
#[test]
fn the_minimum_of_an_autoscaler_counts() {
    let scaled = |fewest: u32, most: u32| {
        format!(
            "{}---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web, namespace: shop}}\nspec: {{minReplicas: {fewest}, \
             maxReplicas: {most}, scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}}}\n",
            web(1)
        )
    };
    let (warning, changed) = reported("kind: Deployment", 3, &scaled(4, 8));
    assert_snapshot!(worded(warning), @"warning: standard input:5:13: Deployment shop/web: 4 replicas (the fewest that its autoscaler makes), and at most 3 of the nodes may run it. On each node only one pod can use port 26657/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes. The workload is not changed [replicas-nodes]");
    assert!(!changed);
    // Whether there are more pods than the minimum depends on the load.
    assert_eq!(reported("kind: Deployment", 3, &scaled(3, 8)), (String::new(), true));
    let other = scaled(4, 8).replace("kind: Deployment, name: web", "kind: Deployment, name: other");
    assert_eq!(reported("kind: Deployment", 3, &other), (String::new(), true));
    let disabled = scaled(4, 8).replace("replicas: 1\n", "replicas: 0\n");
    assert_eq!(reported("kind: Deployment", 3, &disabled), (String::new(), true));
}

#[test]
fn a_workload_that_already_waits_for_nodes_is_changed() {
    let held = web(4)
        .replace("containerPort: 8080", "containerPort: 8080, hostPort: 8080")
        .replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    let (warning, changed) = reported("kind: Deployment, name: other", 3, &held);
    assert_eq!((warning.as_str(), changed), ("", false), "nobody selected it");
    let keep = "{targets: [{select: {name: web}}], nodes: 3}";
    let (output, log) = run(keep, &held);
    assert!(output.contains("dnsPolicy: ClusterFirstWithHostNet"), "{output}");
    assert!(log.iter().any(|line| line.starts_with("warning: ") && line.contains("[replicas-nodes]")), "{log:?}");
}

fn united(template: &str) -> String {
    format!(
        "apiVersion: apps.kruise.io/v1alpha1\nkind: UnitedDeployment\nmetadata: {{name: web, namespace: shop}}\nspec:\n  replicas: 4\n  topology:\n    subsets:\n    - name: a\n      \
         nodeSelectorTerm: {{matchExpressions: [{{key: pool, operator: In, values: [a]}}]}}\n    - name: b\n      nodeSelectorTerm: {{matchExpressions: [{{key: pool, \
         operator: In, values: [b]}}]}}\n  template:\n    {template}:\n      spec:\n        template:\n          metadata: {{labels: {{app: web}}}}\n          spec:\n            containers:\n            \
         - {{name: web, image: 'example/web:v1', args: [--port=8080], ports: [{{name: http, containerPort: 8080}}]}}\n"
    )
}

/// Each subset has its own nodes and is updated separately.
#[test]
fn subsets_are_judged_one_by_one() {
    let reported = |b: u32, template: &str| {
        let nodes = format!("[{{labels: {{pool: a}}, count: 9}}, {{labels: {{pool: b}}, count: {b}}}]");
        let spec =
            format!("{{targets: [{{select: {{kind: UnitedDeployment}}, ports: {{http: 21000}}}}], nodes: {nodes}}}");
        let (_, log) = run(&spec, &united(template));
        let own = |line: &String| line.contains("[replicas-nodes]") || line.contains("[rollout-surge]");
        log.into_iter().filter(own).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(reported(3, "deploymentTemplate"), "");
    assert_snapshot!(worded(reported(2, "deploymentTemplate")), @"warning: standard input:15:9: UnitedDeployment shop/web, subset b: this update finishes, because the old pods do not have its ports of the node, and the next one never does: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 2 of the nodes may run it, and its 2 pods have port 21000/TCP there: the new one stays Pending, and no old one is removed. Write `rollout: FreePortFirst` in the spec, or add a node [rollout-surge]");
    assert_snapshot!(worded(reported(1, "statefulSetTemplate")), @"error: standard input:5:13: UnitedDeployment shop/web, subset b: 2 replicas, and at most 1 of the nodes may run it. On each node only one pod can use port 21000/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes [replicas-nodes]");
    assert_eq!(reported(2, "statefulSetTemplate"), "");
}

/// A StatefulSet and kinds without a rolling update have `replicas` too.
#[test]
fn kinds_without_a_rolling_update() {
    let of_kind = |api: &str, kind: &str| {
        let web = web(4).replace("  strategy: {type: Recreate}\n", "");
        web.replace("apiVersion: apps/v1", &format!("apiVersion: {api}"))
            .replace("kind: Deployment", &format!("kind: {kind}"))
    };
    for (api, kind) in [
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "ReplicaSet"),
        ("v1", "ReplicationController"),
        ("apps.kruise.io/v1beta1", "StatefulSet"),
    ] {
        let (warning, changed) = reported(&format!("kind: {kind}"), 3, &of_kind(api, kind));
        assert!(warning.starts_with("warning: ") && !changed, "{kind} {warning}");
        assert_eq!(reported(&format!("kind: {kind}"), 4, &of_kind(api, kind)), (String::new(), true), "{kind}");
    }
    // Pods of a Job end and free their nodes.
    let job = of_kind("batch/v1", "Job").replace("replicas: 4", "parallelism: 4");
    assert_eq!(reported("kind: Job", 3, &job), (String::new(), true));
}
