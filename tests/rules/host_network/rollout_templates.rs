//! Rollouts of Argo with a template and a `workloadRef`: no pod of theirs is ever replaced, so neither they nor the other workload move.

use insta::assert_snapshot;

use super::{deployment, results_of, run};

const ALL: &str = "{targets: [{select: {namespace: shop}, ports: auto}]}";

fn web() -> String {
    deployment("      - {name: web, args: ['--listen=:8080'], ports: [{name: http, containerPort: 8080}]}\n")
}

fn rollout(namespace: &str, metadata: &str) -> String {
    format!(
        "---\napiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {{name: canary, namespace: {namespace}}}\nspec:\n  workloadRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}\n  template:\n    metadata: {metadata}\n    spec: {{containers: [{{name: web, args: ['--listen=:8081'], ports: [{{name: http, containerPort: 8081}}]}}]}}\n"
    )
}

#[test]
fn both_workloads_are_left_with_a_warning() {
    let manifest = format!("{}{}", web(), rollout("shop", "{labels: {app: canary}}"));
    let (output, said) = run(ALL, &manifest);
    assert_eq!(output, manifest);
    assert_snapshot!(said.join("\n"), @"
    warning: standard input:6:5: Rollout shop/canary: it has a template and a `workloadRef` to Deployment web: Argo Rollouts replaces none of the pods, which would stay in the pod network, and says `template must be empty for workload reference rollout` in its status alone. Remove one of the two. The workload is left as it is [rollout-surge]
    warning: standard input:18:5: Rollout shop/canary: it has a template and a `workloadRef` to Deployment web: Argo Rollouts replaces none of the pods, which would stay in the pod network, and says `template must be empty for workload reference rollout` in its status alone. Remove one of the two. The workload is left as it is [rollout-surge]
    ");
    assert_snapshot!(results_of("rollout-surge", "{targets: [{select: {name: canary}}]}", &manifest), @"error: Rollout canary spec.template");
    assert_snapshot!(results_of("rollout-surge", "{targets: [{select: {name: web}}]}", &manifest), @"
    error: Deployment web spec.template
    info:
    ");
}

#[test]
fn others_move() {
    // Of another namespace, and a template that Argo does not count: it has neither labels nor annotations.
    for rollout in [rollout("other", "{labels: {app: canary}}"), rollout("shop", "{}")] {
        let (output, said) = run("{targets: [{select: {name: web}, ports: auto}]}", &format!("{}{rollout}", web()));
        assert!(
            output.contains("hostNetwork: true") && said.iter().all(|line| !line.contains("[rollout-surge]")),
            "{said:?}"
        );
    }
}
