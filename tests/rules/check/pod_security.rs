//! Rule `pod-security`.

use super::{on_host, reported, workload};
use crate::host_network::admission_policy::provider;
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn namespace(labels: &str) -> String {
    format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, labels: {{{labels}}}}}\n---\n")
}

fn in_namespace(labels: &str, workload: &str) -> String {
    reported("pod-security", &format!("{}{workload}", namespace(labels)))
}

const BASELINE: &str = "pod-security.kubernetes.io/enforce: baseline";

#[test]
fn a_level_that_is_enforced_refuses_the_pods() {
    assert_snapshot!(worded(in_namespace(BASELINE, &on_host("web", "ports: [{containerPort: 8080}]"))), @r#"error: a.yaml:11:11: Deployment shop/web: its Namespace enforces `baseline`: the Deployment is accepted, and each of its Pods refused, which only an event FailedCreate shows: `violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), hostPort (container "web" uses hostPort 8080)`. Label the Namespace `pod-security.kubernetes.io/enforce: privileged`, or move the workload to a Namespace with this label"#);
}

#[test]
fn a_host_port_alone_is_refused_too() {
    let spec = "{containers: [{name: a, ports: [{containerPort: 1, hostPort: 8080}]}], initContainers: [{name: b, ports: [{containerPort: 1, hostPort: 9443}]}]}";
    assert_snapshot!(brief(in_namespace(&format!("{BASELINE}, pod-security.kubernetes.io/enforce-version: v1.30"), &workload("Deployment", "web", spec))), @r#"error: pod-security Deployment shop/web spec.template.spec (a.yaml:11:11, 8080, 9443, baseline:v1.30)"#);
}

#[test]
fn a_level_that_is_not_enforced_is_a_warning() {
    assert_snapshot!(brief(in_namespace("pod-security.kubernetes.io/enforce: privileged, pod-security.kubernetes.io/warn: baseline", &on_host("web", ""))), @"warning: pod-security Deployment shop/web spec.template.spec (a.yaml:11:11)");
}

#[test]
fn privileged_and_the_pod_network_are_not_reported_and_no_label_is_information() {
    assert_eq!(in_namespace("pod-security.kubernetes.io/enforce: privileged", &on_host("web", "")), "");
    assert_eq!(
        in_namespace(
            BASELINE,
            &workload("Deployment", "web", "{containers: [{name: a, ports: [{containerPort: 1}]}]}")
        ),
        ""
    );
    assert_snapshot!(brief(in_namespace("", &on_host("web", ""))), @"info: pod-security Namespace shop (a.yaml:1:1)");
    assert_eq!(reported("pod-security", &on_host("web", "")), "");
}

/// Packages run in the namespace of Crossplane's core.
#[test]
fn packages_are_refused_in_the_namespace_of_the_core() {
    let config = "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: default}\nspec: {deploymentTemplate: {spec: \
                  {selector: {}, template: {spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: package-runtime}]}}}}}\n---\n";
    let log = |namespace: &str| in_namespace(BASELINE, &format!("{config}{}", provider(namespace)));
    assert!(
        log("shop").starts_with("error: ") && log("shop").contains("Provider web: its Namespace"),
        "{}",
        log("shop")
    );
    assert_eq!(log("other"), "");
}

#[test]
fn hosts_of_probes_are_refused_from_1_34_on() {
    let probed = on_host(
        "web",
        "ports: [{containerPort: 8080}], livenessProbe: {httpGet: {port: 8080, host: 127.0.0.1}}, lifecycle: {preStop: {httpGet: {port: 8080, host: web}}}",
    );
    assert_snapshot!(brief(in_namespace(BASELINE, &probed)), @r#"error: pod-security Deployment shop/web spec.template.spec (a.yaml:11:11, 127.0.0.1, 8080)"#);
    let pinned = |version: &str| format!("{BASELINE}, pod-security.kubernetes.io/enforce-version: {version}");
    assert!(in_namespace(&pinned("v1.34"), &probed).contains("probe or lifecycle host ("));
    assert!(!in_namespace(&pinned("v1.33"), &probed).contains("probe or lifecycle host"));
}

#[test]
fn namespaces_without_judged_workloads_are_not_listed() {
    let manifest = format!("{}{}", namespace("team: a"), on_host("web", ""));
    assert!(reported("pod-security", &manifest).starts_with("info: "));
    assert_eq!(super::reported_with("pod-security", "{exclude: [{kind: Deployment}]}", &manifest), "");
}

/// Namespaces that Argo CD, Flux and k3s create count, unless the input has the Namespace with a level.
#[test]
fn namespaces_that_are_created_for_another_object_count() {
    let application = |options: &str, labels: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec: {{destination: {{namespace: shop}}, \
             syncPolicy: {{syncOptions: [{options}], managedNamespaceMetadata: {{labels: {{{labels}}}}}}}}}\n---\n"
        )
    };
    let release = |fields: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web, namespace: flux-system}}\nspec: {{{fields}}}\n---\n"
        )
    };
    let create = "CreateNamespace=true";
    let privileged = "pod-security.kubernetes.io/enforce: privileged";
    let (refuses, unlabelled) = ("error: ", "info: ");
    for (objects, want) in [
        (application(create, BASELINE), refuses),
        (application(create, privileged), ""),
        (application(create, ""), unlabelled),
        (application("CreateNamespace=false", BASELINE), ""),
        (application(create, BASELINE).replace("namespace: shop", "namespace: other"), ""),
        (format!("{}{}", namespace(privileged), application(create, BASELINE)), ""),
        (format!("{}{}", namespace("a: b"), application(create, privileged)), ""),
        (format!("{}{}", namespace("a: b"), application(create, BASELINE)), refuses),
        (format!("{}{}", namespace(BASELINE), application(create, privileged)), refuses),
        (
            application(create, BASELINE)
                .replace("kind: Application", "kind: ApplicationSet")
                .replace("spec: {", "spec: {template: {spec: {")
                .replace("}}}}\n", "}}}}}}\n"),
            refuses,
        ),
        (release("targetNamespace: shop, install: {createNamespace: true}"), unlabelled),
        (release("targetNamespace: shop, install: {createNamespace: false}"), ""),
        (
            format!("{}{}", namespace(privileged), release("targetNamespace: shop, install: {createNamespace: true}")),
            "",
        ),
    ] {
        let log = reported("pod-security", &format!("{objects}{}", on_host("web", "")));
        assert!(if want.is_empty() { log.is_empty() } else { log.starts_with(want) }, "{objects}{log}");
    }
    let fix = "Label the Namespace `pod-security.kubernetes.io/enforce: privileged` in managedNamespaceMetadata of Application argocd/web, or";
    let log = reported("pod-security", &format!("{}{}", application(create, BASELINE), on_host("web", "")));
    assert!(log.contains(fix), "{log}");
}

/// The API server refuses unknown levels, and an enforced one counts as `restricted`.
#[test]
fn an_unknown_level_is_an_error() {
    let only = |labels: &str| in_namespace(labels, &workload("Deployment", "web", "{containers: [{name: a}]}"));
    assert_snapshot!(worded(only("pod-security.kubernetes.io/enforce: Baseline")), @"error: a.yaml:3:69: Namespace shop: label `pod-security.kubernetes.io/enforce` is `Baseline`: must be one of privileged, baseline, restricted. The API server refuses such a Namespace; in an existing one it treats Pods as at the level restricted. Write one of the three levels");
    assert!(only("pod-security.kubernetes.io/warn: none").starts_with("error: "));
    let on_host = in_namespace("pod-security.kubernetes.io/enforce: Baseline", &on_host("web", ""));
    assert_eq!(on_host.lines().count(), 2, "{on_host}");
    for level in ["privileged", "restricted", "'${LEVEL}'"] {
        assert_eq!(only(&format!("pod-security.kubernetes.io/enforce: {level}")), "", "{level}");
    }
}
