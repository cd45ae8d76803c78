//! Argo Rollouts with a template and a `workloadRef`: Argo never replaces their pods, so neither the Rollout nor its
//! workload moves.

use crate::support::results::brief;
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
fn both_workloads_stay_with_a_warning() {
    let manifest = format!("{}{}", web(), rollout("shop", "{labels: {app: canary}}"));
    let (output, log) = run(ALL, &manifest);
    assert_eq!(output, manifest);
    assert_snapshot!(brief(log.join("\n")), @"
    warning: rollout-surge Deployment shop/web spec.template (6:5, Rollout shop/canary)
    warning: rollout-surge Rollout shop/canary spec.template (18:5)
    ");
    assert_snapshot!(results_of("rollout-surge", "{targets: [{select: {name: canary}}]}", &manifest), @"error: rollout-surge Rollout shop/canary spec.template (18:5)");
    assert_snapshot!(results_of("rollout-surge", "{targets: [{select: {name: web}}]}", &manifest), @"
    error: rollout-surge Deployment shop/web spec.template (6:5, Rollout shop/canary)
    info: rollout-surge (0, 1)
    ");
}

#[test]
fn workloads_without_a_second_template_move() {
    // A Rollout of another namespace, and a template without labels and annotations, which Argo ignores.
    for rollout in [rollout("other", "{labels: {app: canary}}"), rollout("shop", "{}")] {
        let (output, log) = run("{targets: [{select: {name: web}, ports: auto}]}", &format!("{}{rollout}", web()));
        assert!(
            output.contains("hostNetwork: true") && log.iter().all(|line| !line.contains("[rollout-surge]")),
            "{log:?}"
        );
    }
}
