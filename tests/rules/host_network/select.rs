//! Which objects a target is about.

use super::{changes, deployment, run};
use insta::assert_snapshot;

fn selected(select: &str, manifest: &str) -> bool {
    run(&format!("{{targets: [{{select: {select}}}], unmatched: Ignore}}"), manifest).0.contains("hostNetwork: true")
}

#[test]
fn all_that_is_given_must_match_as_a_whole() {
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
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--port=20080], ports: [{name: http, containerPort: 20080, hostPort: 20080}]}
    ");
}

#[test]
fn excluded_and_local_objects_are_left_alone() {
    let web = deployment("      - {name: web}\n");
    assert_snapshot!(changes("{targets: [{select: {kind: Deployment}}], exclude: [{name: w.*}]}", &web), @"");
    let local = web.replace("shop}", "shop, annotations: {config.kubernetes.io/local-config: \"true\"}}");
    assert_snapshot!(changes("{targets: [{select: {kind: Deployment}}]}", &local), @"");
}

/// A config that a kustomization lists under `resources`: piped into `hostnet` it is an object like the others.
#[test]
fn a_config_among_the_objects_is_said() {
    let with = |metadata: &str| {
        let web = deployment("      - {name: web}\n");
        format!(
            "{web}---\napiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: x{metadata}}}\nspec: {{}}\n"
        )
    };
    let spec = "{targets: [{select: {kind: Deployment}}], exclude: [{name: w.*}]}";
    assert_snapshot!(changes(spec, &with("")), @r#"warning: standard input:12:1: HostNetwork x is among the objects: it is a config, which passes through and which no cluster knows. List it under `transformers` of the kustomization and not under `resources`, or give it with `-c`; where its file has to lie among the objects, annotate it with `config.kubernetes.io/local-config: "true"` [config]"#);
    let local = ", annotations: {config.kubernetes.io/local-config: \"true\"}";
    assert_snapshot!(changes(spec, &with(local)), @"");
    // The kind alone and the group alone make no config.
    for (own, others) in [("hostnet.dev", "example.com"), ("kind: HostNetwork", "kind: Network")] {
        assert_eq!(changes(spec, &with("").replace(own, others)), "");
    }
}

#[test]
fn unmatched_targets_are_what_the_config_says() {
    let web = deployment("      - {name: web}\n");
    assert_snapshot!(changes("{targets: [{select: {name: api}}]}", &web), @"warning: hostnet.yaml:1:81: this target matches no object of the input. No workload or package of it has `name: api`. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]");
    assert_snapshot!(changes("{targets: [{select: {name: api}}], unmatched: Error}", &web), @"error: hostnet.yaml:1:81: this target matches no object of the input. No workload or package of it has `name: api`. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]");
    assert_snapshot!(changes("{targets: [{select: {name: api}}], unmatched: Ignore}", &web), @"");
}

#[test]
fn what_nobody_has_of_an_unmatched_target_is_said() {
    let web = deployment("      - {name: web}\n");
    let other = web.replace("name: web", "name: api").replace("shop", "cert-manager");
    let input = format!("{web}---\n{other}");
    let said = |select: &str| {
        let said = changes(&format!("{{targets: [{{select: {select}}}]}}"), &input);
        let (_, why) = said.split_once("no object of the input").unwrap();
        why.split_once(". Patterns").unwrap().0.to_owned()
    };
    assert_snapshot!(said("{kind: deployment}"), @". No workload or package of it has `kind: deployment` (did you mean `Deployment`?)");
    assert_snapshot!(said("{kind: Deploymnet, name: web}"), @". No workload or package of it has `kind: Deploymnet` (did you mean `Deployment`?)");
    assert_snapshot!(said("{namespace: certmanager, name: w.b-.*}"), @". No workload or package of it has `name: w.b-.*` or `namespace: certmanager` (did you mean `cert-manager`?)");
    assert_snapshot!(said("{group: app, kind: Deployment}"), @". No object of it has `group: app` (did you mean `apps`?)");
    assert_snapshot!(said("{labelSelector: app=web2}"), @". No workload or package of it has `labelSelector: app=web2`");
    assert_snapshot!(said("{name: web, namespace: cert-manager}"), @". No workload or package of it has `name: web` and `namespace: cert-manager` at once");
    assert_snapshot!(said("{calledByApiServer: true, kind: Deployment, name: web}"), @"");
    assert_snapshot!(said("{kind: DaemonSet}"), @". No workload or package of it has `kind: DaemonSet`");
}

#[test]
fn objects_without_a_pod_template_are_matched_only_with_a_group() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n";
    assert_snapshot!(changes("{targets: [{select: {name: web}}]}", service), @"warning: hostnet.yaml:1:81: this target matches no object of the input. It holds no workload or package. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]");
    assert_snapshot!(changes("{targets: [{select: {group: '', name: web}}]}", service), @"error: standard input:1:1: Service web is matched by the target at hostnet.yaml:1:81 and left as it is: it holds no pod template (select the workload that it leads to, such as `select: {kind: Deployment, name: web}`) [unmatched]");
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: aws}\nspec: {package: x}\n";
    assert_snapshot!(changes("{targets: [{select: {kind: Provider}}]}", provider), @"
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
    +          hostNetwork: true
    +          dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            ports:
    +            - name: webhook
    +              containerPort: 9443
    +              hostPort: 9443
    +            - name: metrics
    +              containerPort: 8080
    +              hostPort: 8080
    warning: standard input:1:1: Provider aws names no runtime config, and none called `default` is in the input: it gets a new one, and what the cluster's `default` may hold no longer reaches it. Add that object to the input if it holds anything [runtime-config]
    warning: standard input:1:1: Provider aws, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. Where yours do: write `auto` or another number for `metrics` in `ports` [node-port]
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
    assert_snapshot!(changes(config, &fleet), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    ");
}

#[test]
fn crossplanes_rbac_manager_wants_to_be_named_alone() {
    let manifest = "apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane-rbac-manager}
spec:
  template:
    spec:
      containers:
      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4
        args: [rbac, start]
";
    assert_snapshot!(changes("{targets: [{select: {kind: Deployment}}]}", manifest), @"warning: standard input:1:1: Deployment crossplane-rbac-manager stays on the pod network: the ports of crossplane-rbac-manager cannot be set (metrics 8080), and nothing in the cluster calls it. A select whose name matches it alone moves it all the same [program-alone]");
    assert_snapshot!(changes("{targets: [{select: {name: crossplane-rbac-manager}}]}", manifest), @"
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    +        ports:
    +        - name: metrics
    +          containerPort: 8080
    +          hostPort: 8080
    warning: standard input:8:9: Deployment crossplane-rbac-manager, container crossplane, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. Where yours do: write `auto` or another number for `metrics` in `ports` [node-port]
    ");
}

#[test]
fn a_config_without_targets_is_an_error() {
    for targets in ["[]", ""] {
        let text = format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec:\n  targets: {targets}\n");
        let error = hostnet::api::Config::read(&text, "hostnet.yaml", 1).unwrap_err();
        assert!(error.to_string().starts_with("hostnet.yaml:4:"), "{error}");
        assert!(error.message.contains("targets: [{select:"), "{error}");
    }
}
