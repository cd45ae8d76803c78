//! Rule `rollout-surge`.

use super::{PORT, host_spec, said, said_with, workload};
use insta::assert_snapshot;

fn deployment(fields: &str) -> String {
    workload("Deployment", "web", &host_spec(PORT)).replace("spec:\n  template", &format!("spec:\n{fields}  template"))
}

fn with_nodes(nodes: u32, manifest: &str) -> String {
    said_with("rollout-surge", &format!("{{nodes: {nodes}}}"), manifest)
}

#[test]
fn without_a_spare_node_the_update_never_ends() {
    assert_snapshot!(with_nodes(1, &deployment("")), @"error: a.yaml:5:3: Deployment shop/web: its update never ends: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 1 of the nodes may run it, and its pod has port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1`, or add a node");
    assert!(with_nodes(3, &deployment("  replicas: 3\n")).starts_with("error: "));
}

#[test]
fn with_one_or_with_one_unavailable_it_ends() {
    assert_eq!(with_nodes(2, &deployment("")), "");
    assert_eq!(with_nodes(4, &deployment("  replicas: 4\n")), "");
    for fields in [
        "  strategy: {type: Recreate}\n",
        "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n",
        "  replicas: 0\n",
    ] {
        assert_eq!(with_nodes(1, &deployment(fields)), "", "{fields}");
    }
    let pod_network = workload("Deployment", "web", "{containers: [{name: a, ports: [{containerPort: 80}]}]}");
    assert_eq!(with_nodes(1, &pod_network), "");
}

#[test]
fn of_unknown_nodes_it_is_one_information_a_run() {
    let two = [deployment(""), deployment("").replace("name: web, namespace", "name: api, namespace")].concat();
    assert_snapshot!(said("rollout-surge", &two), @"info: 2 workloads need a spare node to update (one more than replicas, since maxUnavailable comes to 0): shop/Deployment/web, shop/Deployment/api. Give `nodes` in the config to have it judged, or write `maxSurge: 0, maxUnavailable: 1`");
    let written = deployment("  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n");
    assert_snapshot!(said("rollout-surge", &written), @"warning: a.yaml:5:13: Deployment shop/web: its update ends only where 2 nodes may run it: maxUnavailable is 0, so the new pod needs a node where port 20080/TCP is free. How many nodes there are is not known: give `nodes` in the config, or write `maxSurge: 0, maxUnavailable: 1`");
}

#[test]
fn a_surge_on_the_same_node_never_ends() {
    let set = workload("DaemonSet", "web", &host_spec(PORT));
    assert_eq!(said("rollout-surge", &set), "");
    let surge = set.replace(
        "spec:\n  template",
        "spec:\n  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n  template",
    );
    assert_snapshot!(said("rollout-surge", &surge), @"error: a.yaml:5:19: DaemonSet shop/web: its update never ends: maxSurge starts the new pod beside the old one, which has port 20080/TCP of the node: the new one stays Pending for ever, and the old one is never removed. Write `maxSurge: 0, maxUnavailable: 1`");
}

#[test]
fn a_clone_set_has_no_surge_of_its_own() {
    let set = workload("CloneSet", "web", &host_spec(PORT));
    assert_eq!(with_nodes(1, &set), "");
    let surge =
        set.replace("spec:\n  template", "spec:\n  updateStrategy: {maxSurge: 1, maxUnavailable: 0}\n  template");
    assert!(with_nodes(1, &surge).starts_with("error: "));
}

#[test]
fn nodes_of_the_input_count_as_far_as_the_pods_may_be_there() {
    let node = |name: &str, spec: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{pool: {name}}}}}\nspec: {{{spec}}}\n---\n"
        )
    };
    let two = |spec: &str| [node("a", ""), node("b", spec), deployment("")].concat();
    assert_eq!(said("rollout-surge", &two("")), "");
    for closed in ["unschedulable: true", "taints: [{key: only, value: db, effect: NoSchedule}]"] {
        assert!(said("rollout-surge", &two(closed)).starts_with("error: "), "{closed}");
    }
    // A condition of this minute is not a taint.
    assert_eq!(said("rollout-surge", &two("taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]")), "");
    let asks = two("").replace("hostNetwork: true", "hostNetwork: true, nodeSelector: {pool: a}");
    assert!(said("rollout-surge", &asks).starts_with("error: "));
    let tolerates = two("taints: [{key: only, value: db, effect: NoSchedule}]");
    let tolerates =
        tolerates.replace("hostNetwork: true", "hostNetwork: true, tolerations: [{key: only, operator: Exists}]");
    assert_eq!(said("rollout-surge", &tolerates), "");
}
