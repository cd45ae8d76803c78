//! Rule `pod-security`: a Namespace of the input that refuses pods on the host network.

use super::admission_policy::provider;
use super::{changes, config, deployment_named, infos, run};
use crate::support::results::worded;
use insta::assert_snapshot;

fn in_namespace(labels: &str, workloads: &str) -> String {
    format!("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels: {{{labels}}}\n---\n{workloads}")
}

const BASELINE: &str = "team: a, pod-security.kubernetes.io/enforce: baseline";

/// A config with this select.
fn spec(select: &str, rest: &str) -> String {
    format!("{{targets: [{{select: {{{select}}}}}]{rest}}}")
}

#[test]
fn a_named_workload_is_an_error_and_others_are_unchanged() {
    let manifest = in_namespace(BASELINE, &deployment_named("web", 8000, true));
    assert_snapshot!(worded(changes(&spec("name: web", ""), &manifest)), @r#"error: standard input:15:7: Deployment shop/web: its Namespace enforces `baseline`: the Deployment is accepted, and each of its Pods refused, which only an event FailedCreate shows: `violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`. Write `podSecurity: Privileged` in the spec, which labels the Namespace `pod-security.kubernetes.io/enforce: privileged`, or put the workload under `exclude` [pod-security]"#);
    assert_snapshot!(worded(changes(&spec("kind: Deployment", ""), &manifest)), @r#"warning: standard input:15:7: Deployment shop/web: its Namespace enforces `baseline`: the Deployment is accepted, and each of its Pods refused, which only an event FailedCreate shows: `violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`. Write `podSecurity: Privileged` in the spec, which labels the Namespace `pod-security.kubernetes.io/enforce: privileged`, or put the workload under `exclude`. The workload is not changed [pod-security]"#);
    for pattern in ["name: web|api", "name: we.*"] {
        assert!(changes(&spec(pattern, ""), &manifest).starts_with("warning: "), "{pattern}");
    }
    let numbers = "{targets: [{select: {kind: Deployment}, ports: {http: 20080}}]}";
    assert!(changes(numbers, &manifest).starts_with("error: "));
    let two = in_namespace(
        BASELINE,
        &format!("{}---\n{}", deployment_named("web", 8000, true), deployment_named("web", 8001, true)),
    );
    assert!(!changes(&spec("kind: Deployment", ""), &two).contains('+'));
}

#[test]
fn privileged_labels_the_namespace_that_refuses() {
    let manifest = in_namespace(
        BASELINE,
        &format!("{}---\n{}", deployment_named("web", 8000, true), deployment_named("api", 8001, true)),
    );
    let spec = spec("kind: Deployment", ", podSecurity: Privileged");
    assert_snapshot!(changes(&spec, &manifest), @"
    -  labels: {team: a, pod-security.kubernetes.io/enforce: baseline}
    +  labels: {team: a, pod-security.kubernetes.io/enforce: privileged}
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8000], ports: [{name: http, containerPort: 8000}]}
    +      - {name: web, args: [--port=8000], ports: [{name: http, containerPort: 8000, hostPort: 8000}]}
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8001], ports: [{name: http, containerPort: 8001}]}
    +      - {name: web, args: [--port=8001], ports: [{name: http, containerPort: 8001, hostPort: 8001}]}
    ");
    assert_snapshot!(worded(change_infos(&spec, &manifest)), @r#"info: Namespace shop: pod-security.kubernetes.io/enforce baseline -> privileged, since baseline refuses the pods of Deployment shop/web, Deployment shop/api [pod-security]"#);
}

/// The results of the rule, changes included.
fn change_infos(spec: &str, manifest: &str) -> String {
    use crate::support::results;
    use krm::{Input, Origin};
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = hostnet::kinds::run(std::slice::from_ref(&input), &config(spec).unwrap(), true).unwrap();
    let own = run.results.iter().filter(|result| result.rule == "pod-security");
    own.map(|result| format!("{}\n", results::line(result))).collect()
}

#[test]
fn a_namespace_that_refuses_no_moved_pod_is_not_labelled() {
    let privileged = ", podSecurity: Privileged";
    let web = deployment_named("web", 8000, true);
    for labels in
        ["", "pod-security.kubernetes.io/enforce: privileged", "pod-security.kubernetes.io/enforce: '${LEVEL}'"]
    {
        assert!(!changes(&spec("name: web", privileged), &in_namespace(labels, &web)).contains("enforce"), "{labels}");
    }
    // No workload of the Namespace moves.
    let other = in_namespace(BASELINE, &web.replace("namespace: shop", "namespace: other"));
    assert!(!changes(&spec("name: web", privileged), &other).contains("enforce"));
    let left = in_namespace(BASELINE, &web.replace("    spec:\n", "    spec:\n      hostUsers: false\n"));
    assert!(!changes(&spec("kind: Deployment", privileged), &left).contains("enforce: privileged"));
}

/// If a Namespace occurs twice, each copy that refuses pods counts.
#[test]
fn the_strictest_of_two_namespaces_counts() {
    let web = deployment_named("web", 8000, true);
    let two = |first: &str, second: &str| in_namespace(first, &in_namespace(second, &web));
    let privileged = "pod-security.kubernetes.io/enforce: privileged";
    for manifest in [two(BASELINE, privileged), two(privileged, BASELINE)] {
        assert!(changes(&spec("name: web", ""), &manifest).starts_with("error: "));
        assert_eq!(
            changes(&spec("name: web", ", podSecurity: Privileged"), &manifest).matches("enforce: privileged").count(),
            1
        );
    }
}

/// A Project of `OpenShift` is a Namespace.
#[test]
fn a_project_is_a_namespace() {
    let project = in_namespace(BASELINE, &deployment_named("web", 8000, true))
        .replace("apiVersion: v1\nkind: Namespace", "apiVersion: project.openshift.io/v1\nkind: Project");
    assert!(changes(&spec("name: web", ""), &project).contains("its Namespace enforces `baseline`"));
}

/// Packages run in the namespace of Crossplane's core.
#[test]
fn packages_are_refused_in_the_namespace_of_the_core() {
    let with = |namespace: &str, labels: &str, more: &str| {
        let spec = spec("group: pkg.crossplane.io", &format!(", crossplane: {{version: v1.20.0}}{more}"));
        changes(&spec, &in_namespace(labels, &provider(namespace)))
    };
    let refused = with("shop", BASELINE, "");
    assert!(refused.contains("Provider web: its Namespace enforces `baseline`") && !refused.contains('+'), "{refused}");
    assert!(with("shop", BASELINE, ", podSecurity: Privileged").contains("enforce: privileged}"));
    for (namespace, labels) in [("other", BASELINE), ("shop", "team: a")] {
        assert!(!with(namespace, labels, "").contains("enforces"), "{namespace}");
    }
}

#[test]
fn a_level_that_only_warns_is_a_warning_and_a_missing_label_is_information() {
    let web = deployment_named("web", 8000, true);
    let with_warn_label = in_namespace("pod-security.kubernetes.io/warn: restricted", &web);
    assert_snapshot!(worded(run(&spec("name: web", ""), &with_warn_label).1.join("\n")), @"warning: standard input:15:7: Deployment shop/web: its Namespace has Pod Security mode `warn` for Pods that violate `restricted`: host namespaces (hostNetwork=true). The Pods are admitted now, and refused if the Namespace enforces that level. Write `pod-security.kubernetes.io/warn: privileged` on a Namespace of such workloads [pod-security]");
    assert_snapshot!(worded(infos(&spec("name: web", ""), &in_namespace("team: a", &web), "pod-security")), @"info: Namespaces with host networking and without a label `pod-security.kubernetes.io/enforce`: shop. The cluster's default level is not visible in manifests [pod-security]");
    assert_eq!(infos(&spec("name: web", ""), &web, "pod-security"), "");
}

/// The labels of a Namespace that Argo CD creates are in the Application.
#[test]
fn privileged_labels_the_namespace_of_an_application() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  destination: {namespace: shop}\n  \
                       syncPolicy:\n    syncOptions: [CreateNamespace=true]\n    managedNamespaceMetadata:\n      labels: {pod-security.kubernetes.io/enforce: \
                       baseline}\n";
    let manifest = format!("{application}---\n{}", deployment_named("web", 8000, true));
    let log = changes(&spec("kind: Deployment", ", podSecurity: Privileged"), &manifest);
    assert!(log.contains("+      labels: {pod-security.kubernetes.io/enforce: privileged}"), "{log}");
}
