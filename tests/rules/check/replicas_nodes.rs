//! Rule `replicas-nodes`.

use super::{PORT, host_spec, said, said_with, workload};
use insta::assert_snapshot;

fn deployment(replicas: u32) -> String {
    workload("Deployment", "web", &host_spec(PORT))
        .replace("spec:\n  template", &format!("spec:\n  replicas: {replicas}\n  template"))
}

const NODES: &str = "{nodes: [{labels: {pool: web}, count: 2}, {labels: {pool: db}, count: 1}]}";

#[test]
fn more_replicas_than_nodes() {
    assert_snapshot!(said_with("replicas-nodes", "{nodes: 3}", &deployment(4)), @"error: a.yaml:5:13: Deployment shop/web: 4 replicas, and at most 3 of the nodes may run it. Each of them has port 20080/TCP once, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
    let scaled = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\nspec: {maxReplicas: 5, \
                  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n";
    assert_snapshot!(said_with("replicas-nodes", "{nodes: 3}", &format!("{}{scaled}", deployment(1))), @"warning: a.yaml:5:13: Deployment shop/web: 5 replicas (the most that its autoscaler makes), and at most 3 of the nodes may run it. Each of them has port 20080/TCP once, so 2 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
}

/// An autoscaler makes its most under load alone; its fewest are always there.
#[test]
fn more_than_an_autoscaler_ever_needs_is_an_error() {
    let scaled = |own: u32, fewest: u32, most: u32| {
        let scaler = format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web, namespace: shop}}\nspec: {{minReplicas: {fewest}, maxReplicas: {most}, \
             scaleTargetRef: {{kind: Deployment, name: web}}}}\n"
        );
        let said = said_with("replicas-nodes", "{nodes: 3}", &format!("{}{scaler}", deployment(own)));
        said.split(':').next().unwrap_or_default().to_owned()
    };
    assert_eq!([scaled(1, 2, 3), scaled(3, 2, 3)], [""; 2]);
    assert_eq!([scaled(1, 2, 4), scaled(4, 3, 4), scaled(5, 1, 2)], ["warning"; 3]);
    assert_eq!(scaled(4, 4, 5), "error");
}

/// Its pods end, and the next ones have their nodes.
#[test]
fn more_pods_of_a_job_than_nodes_wait() {
    let job = workload("Job", "web", &host_spec(PORT)).replace("apps/v1", "batch/v1");
    let job = job.replace("spec:\n  template", "spec:\n  parallelism: 4\n  template");
    assert!(said_with("replicas-nodes", "{nodes: 3}", &job).starts_with("warning: "));
    assert_eq!(said_with("replicas-nodes", "{nodes: 4}", &job), "");
}

#[test]
fn as_many_as_nodes_and_pods_without_host_ports_are_not_said() {
    assert_eq!(said_with("replicas-nodes", "{nodes: 3}", &deployment(3)), "");
    assert_eq!(said("replicas-nodes", &deployment(400)), "");
    let free = deployment(4).replace(PORT, "ports: []");
    assert_eq!(said_with("replicas-nodes", "{nodes: 3}", &free), "");
}

#[test]
fn of_groups_those_count_that_the_pods_may_be_on() {
    let on = |pool: &str| {
        deployment(2).replace("hostNetwork: true", &format!("hostNetwork: true, nodeSelector: {{{pool}}}"))
    };
    assert_eq!(said_with("replicas-nodes", NODES, &on("pool: web")), "");
    assert_ne!(said_with("replicas-nodes", NODES, &on("pool: db")), "");
    // What is not said of a group may be.
    assert_eq!(said_with("replicas-nodes", NODES, &on("kubernetes.io/os: linux")), "");
}
