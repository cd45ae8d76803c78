//! Objects that a target matches.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{changes, deployment, run};

fn selected(select: &str, manifest: &str) -> bool {
    run(&format!("{{targets: [{{select: {select}}}], unmatched: Ignore}}"), manifest).0.contains("hostNetwork: true")
}

#[test]
fn all_fields_must_match_the_whole_name() {
    let web = deployment("      - {name: web}\n").replace("shop}", "shop, labels: {tier: a}, annotations: {who: me}}");
    for yes in [
        "{kind: Deployment}",
        "{name: w.*}",
        "{group: apps, version: v1, kind: Deploy.*, namespace: shop, name: web|api}",
        "{labelSelector: 'tier in (a,b)'}",
        "{annotationSelector: who=me}",
    ] {
        assert!(selected(yes, &web), "{yes}");
    }
    for no in [
        "{kind: Deploy}",
        "{name: web, namespace: prod}",
        "{group: ''}",
        "{labelSelector: tier=b}",
        "{annotationSelector: '!who'}",
    ] {
        assert!(!selected(no, &web), "{no}");
    }
}

#[test]
fn the_first_target_decides() {
    let spec =
        "{targets: [{select: {name: web}, ports: {http: 20080}}, {select: {kind: Deployment}, ports: {http: 20081}}]}";
    let web = "      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}\n";
    assert_snapshot!(changes(spec, &deployment(web)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--port=20080], ports: [{name: http, containerPort: 20080, hostPort: 20080}]}
    ");
}

#[test]
fn excluded_and_local_objects_are_not_changed() {
    let web = deployment("      - {name: web}\n");
    assert_snapshot!(changes("{targets: [{select: {kind: Deployment}}], exclude: [{name: w.*}]}", &web), @"");
    let local = web.replace("shop}", "shop, annotations: {config.kubernetes.io/local-config: \"true\"}}");
    assert_snapshot!(changes("{targets: [{select: {kind: Deployment}}]}", &local), @"");
}

#[test]
fn objects_without_a_pod_template_are_matched_only_with_a_group() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n";
    assert_snapshot!(brief(changes("{targets: [{select: {name: web}}]}", service)), @"warning: unmatched (hostnet.yaml:1:81)");
    assert_snapshot!(worded(changes("{targets: [{select: {group: '', name: web}}]}", service)), @"error: standard input:1:1: Service web is matched by the target at hostnet.yaml:1:81 and not changed: it has no pod template (select the workload that it leads to, such as `select: {kind: Deployment, name: web}`) [unmatched]");
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: aws}\nspec: {package: x}\n";
    assert_snapshot!(brief(changes("{targets: [{select: {kind: Provider}}]}", provider)), @"
    -spec: {package: x}
    +spec: {package: x, runtimeConfigRef: {name: hostnet-aws}}
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-aws
    +spec:
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    warning: runtime-config Provider aws (1:1)
    warning: node-port Provider aws (1:1, 8080)
    ");
}

#[test]
fn every_kind_of_the_table_has_its_template() {
    let template = |indent: usize| {
        let pad = " ".repeat(indent);
        format!("{pad}template:\n{pad}  spec:\n{pad}    containers:\n{pad}    - {{name: web}}\n")
    };
    let of =
        |api: &str, kind: &str, body: &str| format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: web}}\n{body}");
    let spec = |indent: usize| format!("spec:\n{}", template(indent));
    for manifest in [
        of("v1", "Pod", "spec:\n  containers:\n  - {name: web}\n"),
        of("v1", "PodTemplate", &template(0)),
        of("v1", "ReplicationController", &spec(2)),
        of("apps/v1", "DaemonSet", &spec(2)),
        of("apps/v1", "ReplicaSet", &spec(2)),
        of("apps/v1", "StatefulSet", &spec(2)),
        of("batch/v1", "Job", &spec(2)),
        of("batch/v1", "CronJob", &format!("spec:\n  jobTemplate:\n    spec:\n{}", template(6))),
        of("apps.kruise.io/v1alpha1", "CloneSet", &spec(2)),
    ] {
        assert!(selected("{name: web}", &manifest), "{manifest}");
    }
    let fleet = of("example.com/v1", "Fleet", &spec(2));
    assert!(!selected("{name: web}", &fleet));
    let config =
        "{targets: [{select: {name: web}}], templates: [{group: example.com, kind: Fleet, path: spec.template}]}";
    assert_snapshot!(changes(config, &fleet), @"+      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet");
}
