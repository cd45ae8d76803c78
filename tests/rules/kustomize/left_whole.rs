//! Workloads of a build that the API server calls and that stay in the pod network.

use super::{outcome, reported};

/// Workloads that may not move, each with a Service that a webhook calls, in a kustomize build.
fn called(count: usize) -> String {
    let one = |number: usize| {
        let (name, namespace) = (format!("web-{number}"), ["shop", "ops"][number % 2]);
        let id = "annotations: {kustomize.config.k8s.io/id: x}";
        format!(
            "apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: {namespace}, {id}}}
spec:
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      hostUsers: false
      containers:
      - {{name: web, args: ['--webhook-port=9443'], ports: [{{name: hook, containerPort: 9443}}]}}
---
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: {namespace}, {id}}}
spec: {{selector: {{app: {name}}}, ports: [{{port: 443, targetPort: 9443}}]}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{name: {name}, {id}}}
webhooks: [{{name: a.example.com, clientConfig: {{service: {{name: {name}, namespace: {namespace}}}}}}}]
"
        )
    };
    (0..count).map(one).collect::<Vec<_>>().join("---\n")
}

fn config(more: &str) -> String {
    format!("kind: HostNetwork\nspec: {{targets: [{{select: {{calledByApiServer: true}}, ports: auto}}]{more}}}\n")
}

/// The `exclude` from the message works when it is pasted.
#[test]
fn the_suggested_exclude_accepts_all_workloads() {
    for count in [1, 20, 45] {
        let text = called(count);
        let (_, run) = outcome(&config(""), &text);
        let errors: Vec<String> =
            reported(&run).into_iter().filter(|line| line.starts_with("error: the API server calls")).collect();
        let [error] = errors.as_slice() else { panic!("{errors:#?}") };
        assert_eq!(error.contains(&format!(" and {} more.", count.saturating_sub(20))), count > 20, "{error}");
        let exclude = error.split('`').find(|part| part.starts_with("exclude: ")).unwrap();
        assert_eq!(
            exclude.matches("kind: Deployment").count(),
            count.min(2),
            "one entry for each namespace: {exclude}"
        );
        let (_, run) = outcome(&config(&format!(", {exclude}, unmatched: Ignore")), &text);
        assert!(!run.failed(), "{:#?}", reported(&run));
        // A workload whose name is missing in the `exclude` is an error.
        let but_one = exclude.replace("web-0", "web-x");
        let (_, run) = outcome(&config(&format!(", {but_one}, unmatched: Ignore")), &text);
        assert!(
            run.failed() && reported(&run).iter().any(|line| line.contains("Deployment shop/web-0.")),
            "{:#?}",
            reported(&run)
        );
    }
}
