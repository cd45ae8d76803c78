//! Workloads of a build that the API server calls and that stay in the pod network.

use super::{outcome, reported};
use crate::support::results::worded;
use insta::assert_snapshot;

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

/// A build shows no warnings, so a target of which nothing moves is an error.
#[test]
fn a_target_whose_workloads_all_stay_is_an_error() {
    let all = called(2);
    let text: Vec<&str> = all.split("---\n").filter(|object| object.contains("kind: Deployment")).collect();
    let text = text.join("---\n");
    let spec = |more: &str| {
        format!("kind: HostNetwork\nspec: {{targets: [{{select: {{kind: Deployment}}, ports: auto}}]{more}}}\n")
    };
    let error = |spec: &str, text: &str| {
        let (_, run) = outcome(spec, text);
        let lines: Vec<String> = reported(&run).into_iter().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(run.failed(), !lines.is_empty(), "{lines:?}");
        lines.join("\n")
    };
    let found = error(&spec(""), &text);
    insta::assert_snapshot!(worded(&found), @"error: a target matches these workloads, and all of them stay on the pod network: Deployment shop/web-0, Deployment ops/web-1. Fix the causes of the warnings about them, or exclude them in the spec: `exclude: [{kind: Deployment, namespace: ops, name: web-1}, {kind: Deployment, namespace: shop, name: web-0}]` [host-network]");
    let exclude = found.split('`').find(|part| part.starts_with("exclude: ")).unwrap();
    assert_eq!(error(&spec(&format!(", {exclude}")), &text), "");
    let moving = text.replace("name: web-", "name: other-").replace("      hostUsers: false\n", "");
    assert_eq!(error(&spec(""), &format!("{text}---\n{moving}")), "", "a workload of the target moves");
    let two = spec("").replace("targets: [", "targets: [{select: {name: web-.*}, ports: auto}, ");
    assert!(error(&two, &format!("{text}---\n{moving}")).contains("Deployment shop/web-0"));
    assert_eq!(error(&spec(""), &text.replace("kustomize.config.k8s.io/id", "id")), "", "no build");
    let accepted = text.replace(", annotations: {", ", annotations: {ignore.hostnet.dev/pod-forbids: ours, ");
    assert_ne!(accepted, text);
    assert_eq!(error(&spec(""), &accepted), "", "the warning is accepted");
    let function = "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: f, annotations: {kustomize.config.k8s.io/id: x}}\nspec: {package: 'xpkg.crossplane.io/a/f:v1.0.0'}\n";
    assert_eq!(error(&spec("").replace("Deployment", "Function"), function), "", "Functions stay as intended");
}

/// Registers itself when it runs, which a build without webhooks does not show.
#[test]
fn the_error_about_a_build_without_calls_names_workloads_that_may_register_themselves() {
    let id = "annotations: {kustomize.config.k8s.io/id: x}";
    let build = format!(
        "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: op, {id}}}
rules: [{{apiGroups: [admissionregistration.k8s.io], resources: ['*'], verbs: [create]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: op, {id}}}
subjects: [{{kind: ServiceAccount, name: op, namespace: shop}}]
roleRef: {{kind: ClusterRole, name: op, apiGroup: rbac.authorization.k8s.io}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop, {id}}}
spec: {{template: {{spec: {{serviceAccountName: op, containers: [{{name: web, ports: [{{containerPort: 9443}}]}}]}}}}}}
"
    );
    let error = |build: &str| {
        let (_, run) = outcome(&config(""), build);
        reported(&run).into_iter().find(|line| line.starts_with("error: ")).unwrap_or_default()
    };
    assert_snapshot!(worded(error(&build)), @"error: HostNetwork mine selects no object of this build, so nothing changes. The API server calls no workload of this build: where a layer above adds the webhooks, list the config in that layer. The program of Deployment shop/web may register webhooks when it runs: if the API server calls it, select it by name. If this is intended, write `unmatched: Ignore` in its spec [unmatched]");
    let without_token =
        build.replace("serviceAccountName: op", "serviceAccountName: op, automountServiceAccountToken: false");
    assert!(!error(&without_token).contains("may register"));
}

/// A glob in `exclude` or in a target leaves out an object that it was written for.
#[test]
fn globs_that_miss_an_object_are_errors() {
    let (text, failed) = (called(2).replace("      hostUsers: false\n", ""), |spec: &str, text: &str| {
        let (_, run) = outcome(spec, text);
        let lines: Vec<String> = reported(&run).into_iter().filter(|line| line.contains("[unmatched]")).collect();
        (run.failed(), worded(lines.join("\n")))
    });
    let excluded = |name: &str| config(&format!(", exclude: [{{name: '{name}'}}]"));
    let (stops, message) = failed(&excluded("we*"), &text);
    assert!(stops, "{message}");
    assert_snapshot!(message, @"error: hostnet.yaml:4:79: this entry of `exclude` matches no object of the input: `name: we*` (did you mean `we.*`? Patterns are regular expressions, where `*` repeats what is before it) [unmatched]");
    assert!(!failed(&excluded("we.*"), &text).0, "a regular expression");
    assert!(!failed(&excluded("other*"), &text).0, "no object has the name");
    assert!(!failed(&excluded("we*"), &text.replace("kustomize.config.k8s.io/id", "id")).0, "no build");
    let two = text.replace("name: web-0", "name: we");
    let select = "kind: HostNetwork\nspec: {targets: [{select: {kind: Deployment, name: 'we*'}, ports: auto}]}\n";
    let (stops, message) = failed(select, &two);
    assert!(stops, "{message}");
    assert_snapshot!(message, @"error: hostnet.yaml:4:27: this select does not match Deployment ops/web-1: `name: we*` (did you mean `we.*`? Patterns are regular expressions, where `*` repeats what is before it) [unmatched]");
}

/// A number for an object whose pods belong to another workload, or that does not move.
#[test]
fn a_number_for_an_object_without_own_pods_is_an_error() {
    let id = "annotations: {kustomize.config.k8s.io/id: x}";
    let rollout = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {{name: gate, namespace: shop, {id}}}\nspec: {{workloadRef: {{apiVersion: apps/v1, kind: Deployment, name: gate}}}}\n"
    );
    let spec = |ports: &str| {
        format!("kind: HostNetwork\nspec: {{targets: [{{select: {{kind: Rollout}}, ports: {ports}}}]}}\n")
    };
    let (_, run) = outcome(&spec("{hook: 20443}"), &rollout);
    assert!(run.failed());
    assert_snapshot!(worded(reported(&run).join("\n")), @"
    error: hostnet.yaml:4:27: `hook: 20443` has no effect: no object that this target matches moves [unmatched]
    warning: standard input:1:1: Rollout shop/gate is matched by the target at hostnet.yaml:4:27 and has no pod template: its pods belong to Deployment gate, which moves if a target matches it [unmatched]
    ");
    assert!(!outcome(&spec("auto"), &rollout).1.failed(), "no number");
}
