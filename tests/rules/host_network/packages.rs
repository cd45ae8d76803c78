//! Packages of Crossplane.

use crate::support::results::{brief, worded};
use hostnet::kinds;
use hostnet::render::Diagnostic;
use insta::assert_snapshot;
use krm::{Input, Origin};

use super::{changes, config, infos, numbers, run};

pub(super) const S3: &str = "apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: s3}
spec:
  package: xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0
";

/// A provider with this name, image and runtime config.
pub(super) fn provider(name: &str, image: &str, config: Option<&str>) -> String {
    let config = config.map(|name| format!("  runtimeConfigRef:\n    name: {name}\n")).unwrap_or_default();
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: {name}\nspec:\n  package: {image}\n{config}"
    )
}

/// A runtime config with this name, with an IAM role and comments.
pub(super) fn runtime_config(name: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: {name}
spec:
  serviceAccountTemplate:
    metadata:
      annotations:
        eks.amazonaws.com/role-arn: arn:aws:iam::1:role/a # the role
  deploymentTemplate:
    spec:
      selector: {{}}
      template:
        spec:
          containers:
          - name: package-runtime # Crossplane's name
"
    )
}

pub(super) fn stream(documents: &[String]) -> String {
    documents.join("---\n")
}

pub(super) const EC2: &str = "registry.example/mirror/provider-aws-ec2:v2.6.0";

pub(super) const S3_IMAGE: &str = "xpkg.upbound.io/upbound/provider-aws-s3:v2.6.0";

pub(super) const NUMBERS: &str = "ports: {webhook: 20443, metrics: 20080, health: 20081}";

pub(super) fn all(more: &str) -> String {
    format!("{{targets: [{{select: {{group: pkg.crossplane.io, kind: Provider|Function}}, {more}}}]}}")
}

pub(super) fn all_with(more: &str, crossplane: &str) -> String {
    let target = format!("{{select: {{group: pkg.crossplane.io, kind: Provider|Function}}, {more}}}");
    format!("{{targets: [{target}], crossplane: {{{crossplane}}}}}")
}

#[test]
fn a_shared_runtime_config_is_copied_for_each_package() {
    let manifest =
        stream(&[provider("s3", S3_IMAGE, Some("aws")), provider("ec2", EC2, Some("aws")), runtime_config("aws")]);
    let spec = "{targets: [{select: {kind: Provider, name: s3}, ports: {webhook: 20443, metrics: keep}}]}";
    assert_snapshot!(brief(changes(spec, &manifest)), @r#"
    -    name: aws
    +    name: hostnet-s3
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-s3
    +spec:
    +  serviceAccountTemplate:
    +    metadata:
    +      annotations:
    +        eks.amazonaws.com/role-arn: arn:aws:iam::1:role/a # the role
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime # Crossplane's name
    +            ports:
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    +            env:
    +            - name: WEBHOOK_PORT, value: "20443"
    warning: node-port Provider s3 (1:1, 8080)
    "#);
}

/// The object of each result: a new object has the namespace of the object that it copies; before it exists, the result
/// names its package.
#[test]
fn results_name_the_objects() {
    let of = |manifest: &str| {
        let config = config(&all("ports: keep")).unwrap();
        let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
        let results = kinds::run(std::slice::from_ref(&input), &config, true).unwrap().results;
        let named = |result: &Diagnostic| {
            let object = result.resource.as_ref()?;
            let namespace = object.namespace.as_deref().unwrap_or_default();
            Some(format!("{} {}/{} {namespace}\n", result.rule, object.kind, object.name))
        };
        let mut all: Vec<String> = results.iter().filter_map(named).collect();
        all.dedup();
        all.concat()
    };
    let default = runtime_config("default").replace("  name: default\n", "  name: default\n  namespace: b\n");
    let s3 = provider("s3", S3_IMAGE, None).replace("  name: s3\n", "  name: s3\n  namespace: a\n");
    assert_snapshot!(of(&stream(&[runtime_config("x"), s3.clone(), default])), @"
    node-port Provider/s3 a
    runtime-config Provider/s3 a
    port-declared DeploymentRuntimeConfig/hostnet-s3 b
    runtime-config DeploymentRuntimeConfig/hostnet-s3 b
    dns-policy DeploymentRuntimeConfig/hostnet-s3 b
    host-network DeploymentRuntimeConfig/hostnet-s3 b
    port-declared DeploymentRuntimeConfig/hostnet-s3 b
    ");
    assert_snapshot!(of(&stream(&[runtime_config("x"), s3])), @"
    runtime-config Provider/s3 a
    node-port Provider/s3 a
    runtime-config Provider/s3 a
    port-declared DeploymentRuntimeConfig/hostnet-s3 a
    runtime-config DeploymentRuntimeConfig/hostnet-s3 a
    dns-policy DeploymentRuntimeConfig/hostnet-s3 a
    host-network DeploymentRuntimeConfig/hostnet-s3 a
    port-declared DeploymentRuntimeConfig/hostnet-s3 a
    ");
}

#[test]
fn the_default_runtime_config_is_copied() {
    let manifest = stream(&[provider("s3", S3_IMAGE, None), runtime_config("default")]);
    assert_snapshot!(brief(changes(&all("ports: keep"), &manifest)), @"
    +  runtimeConfigRef:
    +    name: hostnet-s3
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-s3
    +spec:
    +  serviceAccountTemplate:
    +    metadata:
    +      annotations:
    +        eks.amazonaws.com/role-arn: arn:aws:iam::1:role/a # the role
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime # Crossplane's name
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: node-port Provider s3 (1:1, 8080)
    ");
}

#[test]
fn an_image_config_wins_over_the_package() {
    let image_config = "apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: {name: all-of-aws}
spec:
  matchImages: [{prefix: xpkg.upbound.io/upbound/provider-aws}]
  runtime: {configRef: {name: aws}}
";
    let manifest = stream(&[
        provider("s3", S3_IMAGE, Some("own")),
        image_config.to_owned(),
        runtime_config("aws"),
        runtime_config("own"),
    ]);
    assert_snapshot!(brief(changes(&all("ports: keep"), &manifest)), @r#"
    +kind: ImageConfig
    +metadata:
    +  name: hostnet-s3
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: "xpkg.upbound.io/upbound/provider-aws-s3:"
    +  runtime:
    +    configRef:
    +      name: hostnet-s3
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +  name: hostnet-s3
    +spec:
    +  serviceAccountTemplate:
    +    metadata:
    +      annotations:
    +        eks.amazonaws.com/role-arn: arn:aws:iam::1:role/a # the role
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime # Crossplane's name
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    warning: node-port Provider s3 (1:1, 8080)
    "#);
    // Before v2.2 an ImageConfig had no such field.
    assert_snapshot!(brief(changes(&all_with("ports: keep", "version: v2.1.8"), &manifest)), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (49:13, 8080)
    ");
}

#[test]
fn the_longest_prefix_of_the_rewritten_image_decides() {
    let image_config = |name: &str, prefix: &str, rest: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {{name: {name}}}\nspec:\n  matchImages:\n  \
             - {{type: Prefix, prefix: \"{prefix}\"}}\n  {rest}\n"
        )
    };
    let manifest = stream(&[
        provider("s3", S3_IMAGE, None),
        image_config("short", "mirror.example", "runtime: {configRef: {name: short}}"),
        image_config("long", "mirror.example/upbound/provider-aws-s3:", "runtime: {configRef: {name: long}}"),
        image_config("old", "xpkg.upbound.io/upbound/provider-aws-s3:", "runtime: {configRef: {name: old}}"),
        image_config("rewrite", "xpkg.upbound.io", "rewriteImage: {prefix: mirror.example}"),
        runtime_config("long"),
    ]);
    // The order of the input does not matter.
    let mut others: Vec<&str> = manifest.split("---\n").collect();
    others.reverse();
    assert_eq!(
        worded(changes(&all("ports: keep"), &others.join("---\n"))).replace("input:16:", "input:55:"),
        worded(changes(&all("ports: keep"), &manifest))
    );
    // An ImageConfig for this package only: its runtime config is not shared.
    assert_snapshot!(brief(changes(&all("ports: keep"), &manifest)), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: node-port DeploymentRuntimeConfig long spec.deploymentTemplate.spec.template.spec.containers[0] (55:13, 8080)
    ");
}

#[test]
fn the_webhook_port_of_a_package_that_registers_nothing_is_not_called() {
    let family = provider("family", "xpkg.upbound.io/upbound/provider-family-aws:v2.6.0", None);
    let unknown = provider("other", "example.org/provider-other:v1.0.0", None);
    let reported = |more: &str| {
        let manifest = stream(&[provider("s3", S3_IMAGE, None), family.clone(), unknown.clone(), more.to_owned()]);
        infos(&all("ports: auto"), &manifest, "port-called")
    };
    assert_snapshot!(worded(reported("")), @"info: the API server must reach these ports of the nodes: 20098 (Provider s3, webhook), 9443 (Provider other, webhook) [port-called]");
    // Crossplane creates the called Service with the name of the package.
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: family}\nwebhooks: [{name: a.example.org, clientConfig: {service: {name: family, namespace: crossplane-system}}}]\n";
    assert!(reported(webhook).contains("(Provider family, webhook)"));
}

#[test]
fn numbers_of_packages_are_recorded_by_their_names() {
    let manifest = stream(&[provider("s3", S3_IMAGE, None), provider("ec2", EC2, None)]);
    assert_snapshot!(brief(numbers(&all("ports: auto"), &manifest)), @"
    pkg.crossplane.io/Provider/ec2/metrics 8080 -> 21498 Pool
    pkg.crossplane.io/Provider/ec2/readyz 8081 -> 25454 Pool
    pkg.crossplane.io/Provider/ec2/webhook 9443 -> 26034 Pool
    pkg.crossplane.io/Provider/s3/metrics 8080 -> 23514 Pool
    pkg.crossplane.io/Provider/s3/readyz 8081 -> 29406 Pool
    pkg.crossplane.io/Provider/s3/webhook 9443 -> 20098 Pool
    warning: runtime-config Provider ec2 (8:1)
    warning: runtime-config Provider s3 (1:1)
    ");
}

#[test]
fn a_provider_without_webhook_reserves_the_port_that_crossplane_declares() {
    let manifest = provider("sql", "xpkg.upbound.io/crossplane-contrib/provider-sql:v0.15.0", Some("own"));
    let manifest = stream(&[manifest, runtime_config("own")]);
    assert_snapshot!(changes(&all("ports: {webhook: 20443, metrics: 20080}"), &manifest), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: metrics, containerPort: 20080, hostPort: 20080
    +            args:
    +            - --metrics-bind-address=:20080
    ");
}

#[test]
fn the_port_of_an_older_provider_cannot_be_set() {
    let old = |image: &str| stream(&[provider("s3", image, Some("own")), runtime_config("own")]);
    let of = |image: &str| changes(&all("ports: {webhook: 20443}"), &old(image));
    assert_snapshot!(worded(of("xpkg.upbound.io/upbound/provider-aws-s3:v1.21.1")), @r#"
    error: standard input:25:13: Provider s3, container package-runtime, port webhook (9443): cannot move to 20443: `WEBHOOK_PORT` of provider-upjet-aws does not exist before v1.22.0, and this is v1.21.1. Write `webhook: keep`, or leave it out of `ports`. If `spec.package` does not show which program runs, name it in the target: `program: NAME@VERSION`. If you know the variable, add to the target `bind: [{container: package-runtime, port: webhook, number: 9443, env: NAME_9443}]`, with `value: ":{port}"` for an address [port-setting]
    warning: standard input:25:13: Provider s3, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: its number cannot be set: `METRICS_BIND_ADDRESS` of provider-upjet-aws does not exist before v1.22.0, and this is v1.21.1. If `spec.package` does not show which program runs, name it in the target: `program: NAME@VERSION`. If you know the variable, add to the target `bind: [{container: package-runtime, port: metrics, number: 8080, env: NAME_8080}]`, with `value: ":{port}"` for an address. Then write `metrics: auto` in `ports` [node-port]
    "#);
    // A digest shows no version: the program may not support the variable.
    assert_snapshot!(worded(of("xpkg.upbound.io/upbound/provider-aws-s3@sha256:0a0b")), @r#"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    +            env:
    +            - name: WEBHOOK_PORT, value: "20443"
    warning: standard input:25:13: Provider s3, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    warning: standard input:25:13: Provider s3, container package-runtime, port webhook (9443): the version of provider-upjet-aws is unknown; `WEBHOOK_PORT` was added in v1.22.0. Add to the target the version that runs: `program: provider-upjet-aws@v2.2.0` for this release or a newer one [port-setting]
    "#);
    assert_snapshot!(brief(of("${REGISTRY}/provider-aws-s3:${VERSION}")), @r#"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    +            env:
    +            - name: WEBHOOK_PORT, value: "20443"
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 8080)
    warning: port-setting DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 9443, provider-upjet-aws@v2.2.0, v1.22.0)
    "#);
    assert_snapshot!(worded(of("${PACKAGE}")), @r#"
    error: standard input:25:13: Provider s3, container package-runtime, port webhook (9443): cannot move to 20443: neither the manifest nor the catalogue shows the setting of its number. If `spec.package` does not show which program runs, name it in the target: `program: NAME@VERSION`. If you know the variable, add to the target `bind: [{container: package-runtime, port: webhook, number: 9443, env: NAME_9443}]`, with `value: ":{port}"` for an address [port-setting]
    warning: standard input:25:13: Provider s3, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: its number cannot be set: neither the manifest nor the catalogue shows the setting of its number. If `spec.package` does not show which program runs, name it in the target: `program: NAME@VERSION`. If you know the variable, add to the target `bind: [{container: package-runtime, port: metrics, number: 8080, env: NAME_8080}]`, with `value: ":{port}"` for an address. Then write `metrics: auto` in `ports` [node-port]
    "#);
    let spec = "{targets: [{select: {kind: Provider}, program: provider-upjet-aws@v2.6.0, ports: {webhook: 20443}}]}";
    assert_snapshot!(brief(changes(spec, &old("${PACKAGE}"))), @r#"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    +            env:
    +            - name: WEBHOOK_PORT, value: "20443"
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 8080)
    "#);
}

#[test]
fn bind_matches_a_variable_of_the_runtime_config() {
    let own = runtime_config("own") + "            env: [{name: WEB, value: none}]\n";
    let bind = "bind: [{container: package-runtime, port: web, number: 7070, env: WEB}]";
    let log =
        run(&all(&format!("ports: {{web: 20070}}, {bind}")), &stream(&[provider("s3", S3_IMAGE, Some("own")), own]));
    assert!(log.1.join("\n").contains("`WEB` has another value than `7070`"), "{log:?}");
}

#[test]
fn two_providers_that_cannot_move_are_unchanged_under_auto() {
    let image = "xpkg.upbound.io/crossplane-contrib/provider-kubernetes:v1.2.1";
    let manifest = stream(&[provider("one", image, None), provider("two", image, None)]);
    assert_snapshot!(brief(changes(&all("ports: auto"), &manifest)), @"
    +  runtimeConfigRef:
    +    name: hostnet-one
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-one
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
    +            - name: readyz, containerPort: 29576, hostPort: 29576
    +            env:
    +            - name: HEALTH_PROBE_BIND_ADDRESS, value: :29576
    +  runtimeConfigRef:
    +    name: hostnet-two
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-two
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
    +            - name: readyz, containerPort: 27150, hostPort: 27150
    +            env:
    +            - name: HEALTH_PROBE_BIND_ADDRESS, value: :27150
    warning: port-conflict Provider one (1:1, 2, 4, 8080, 8080/TCP)
    warning: port-conflict Provider one (1:1, 2, 4, 9443, 9443/TCP)
    warning: runtime-config Provider one (1:1)
    warning: port-setting Provider one (1:1, 2, 8080, 9443, v1.2.1, v1.3.0)
    warning: runtime-config Provider two (8:1)
    warning: port-setting Provider two (8:1, 2, 8080, 9443, v1.2.1, v1.3.0)
    ");
}

#[test]
fn a_provider_that_is_on_the_host_network_already_holds_its_ports() {
    let on_host =
        runtime_config("ec2").replace("          containers", "          hostNetwork: true\n          containers");
    let manifest = stream(&[
        provider("s3", S3_IMAGE, Some("own")),
        runtime_config("own"),
        provider("ec2", EC2, Some("ec2")),
        on_host,
    ]);
    let spec =
        "{targets: [{select: {kind: Provider, name: s3}, ports: {webhook: 9443, metrics: 20080, health: 20081}}]}";
    assert_snapshot!(brief(run(spec, &manifest).1.join("\n")), @"warning: port-conflict DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 2, 4, 9443, 9443/TCP, pkg.crossplane.io/Provider/ec2, pkg.crossplane.io/Provider/s3)");
}

/// The package is not selected and in the pod network: its written host port is taken, its other ports are not.
#[test]
fn a_host_port_of_a_package_in_the_pod_network_is_taken() {
    let ports = "          - name: package-runtime\n            ports: [{containerPort: 9, hostPort: 20443}]\n";
    let host_port = runtime_config("ec2").replace("          - name: package-runtime # Crossplane's name\n", ports);
    let manifest = stream(&[
        provider("s3", S3_IMAGE, Some("own")),
        runtime_config("own"),
        provider("ec2", EC2, Some("ec2")),
        host_port,
    ]);
    let reported = |webhook: u16| {
        let ports = format!("ports: {{webhook: {webhook}, metrics: 20080, health: 8081}}");
        run(&format!("{{targets: [{{select: {{kind: Provider, name: s3}}, {ports}}}]}}"), &manifest).1.join("\n")
    };
    assert_snapshot!(brief(reported(20443)), @"warning: port-conflict DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 2, 20443, 20443/TCP, 4, pkg.crossplane.io/Provider/ec2, pkg.crossplane.io/Provider/s3)");
    assert_eq!(reported(20444), "");
}

pub(super) const FUNCTION: &str = "apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-auto-ready}
spec:
  package: xpkg.crossplane.io/crossplane-contrib/function-auto-ready:v0.7.0
";

#[test]
fn packages_that_register_webhooks_are_called_by_the_api_server() {
    let manifest = stream(&[
        provider("s3", S3_IMAGE, Some("own")),
        runtime_config("own"),
        provider("sql", "xpkg.upbound.io/crossplane-contrib/provider-sql:v0.15.0", Some("sql")),
        runtime_config("sql"),
    ]);
    let spec = "{targets: [{select: {calledByApiServer: true}, ports: keep}]}";
    assert_snapshot!(brief(changes(spec, &manifest)), @"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (25:13, 8080)
    ");
    assert_snapshot!(worded(infos(spec, &manifest, "port-called")), @"
    info: the API server must reach these ports of the nodes: 9443 (Provider s3, webhook) [port-called]
    info: Provider s3 is called by the API server: provider-upjet-aws registers its webhooks and APIs with the API server at run time [port-called]
    ");
}

#[test]
fn a_runtime_config_without_a_pod_template_gets_one() {
    let bare = "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata:\n  name: own\n";
    let with = |spec: &str| stream(&[provider("s3", S3_IMAGE, Some("own")), format!("{bare}{spec}")]);
    assert_snapshot!(brief(changes(&all("ports: keep"), &with(""))), @"
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
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (10:1, 8080)
    ");
    assert_snapshot!(brief(changes(&all("ports: keep"), &with("spec: {}\n"))), @"
    -spec: {}
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
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (14:7, 8080)
    ");
    assert_snapshot!(brief(changes(&all("ports: keep"), &with("spec:\n  deploymentTemplate:\n    spec:\n      replicas: 2\n"))), @"
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            - name: readyz, containerPort: 8081, hostPort: 8081
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0] (17:7, 8080)
    ");
}

#[test]
fn ports_that_the_runtime_config_declares_are_the_packages() {
    let own = runtime_config("own")
        + "            ports:\n            - name: webhook\n              containerPort: 9443\n            env:\n            - \
           name: METRICS_BIND_ADDRESS\n              value: ':8080'\n";
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), own]);
    assert_snapshot!(changes(&all(NUMBERS), &manifest), @r#"
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              containerPort: 9443
    +              containerPort: 20443
    +              hostPort: 20443
    +            - name: metrics, containerPort: 20080, hostPort: 20080
    +            - name: readyz, containerPort: 20081, hostPort: 20081
    -              value: ':8080'
    +              value: ':20080'
    +            - name: WEBHOOK_PORT, value: "20443"
    +            - name: HEALTH_PROBE_BIND_ADDRESS, value: :20081
    "#);
}

#[test]
fn an_invalid_version_is_an_error_of_the_config() {
    let reported = |version: &str| {
        let config = super::config(&all_with("ports: keep", &format!("version: {version}"))).unwrap();
        hostnet::host_network::Targets::compile(&config).unwrap_err().to_string()
    };
    assert_snapshot!(reported("newest"), @r#"
        hostnet.yaml:1:171: `newest` is not a version: expected one such as `v2.0.2`
          |
        1 | [{select: {group: pkg.crossplane.io, kind: Provider|Function}, ports: keep}], crossplane: {version: newest}}}
          |                                                                                                     ^
    "#);
    assert_snapshot!(reported("v2"), @r#"
        hostnet.yaml:1:171: `v2` is not a version: expected one such as `v2.0.2`
          |
        1 | [{select: {group: pkg.crossplane.io, kind: Provider|Function}, ports: keep}], crossplane: {version: v2}}}
          |                                                                                                     ^
    "#);
}

/// An ImageConfig that chooses the runtime config `aws` for images with these prefixes.
pub(super) fn image_config(name: &str, prefixes: &[&str]) -> String {
    let prefixes: String =
        prefixes.iter().map(|prefix| format!("  - {{type: Prefix, prefix: \"{prefix}\"}}\n")).collect();
    format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata:\n  name: {name}\nspec:\n  matchImages:\n{prefixes}  \
         runtime:\n    configRef: {{name: aws}} # theirs\n"
    )
}

#[test]
fn an_image_config_of_one_image_moves_to_the_copy() {
    let manifest = stream(&[
        provider("s3", S3_IMAGE, None),
        provider("ec2", EC2, Some("aws")),
        image_config("one", &["xpkg.upbound.io/upbound/provider-aws-s3:"]),
        runtime_config("aws"),
    ]);
    let spec = "{targets: [{select: {kind: Provider, name: s3}, ports: auto}]}";
    assert_snapshot!(changes(spec, &manifest), @r#"
    -    configRef: {name: aws} # theirs
    +    configRef: {name: hostnet-s3} # theirs
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata:
    +  name: hostnet-s3
    +spec:
    +  serviceAccountTemplate:
    +    metadata:
    +      annotations:
    +        eks.amazonaws.com/role-arn: arn:aws:iam::1:role/a # the role
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime # Crossplane's name
    +            ports:
    +            - name: webhook, containerPort: 20098, hostPort: 20098
    +            - name: metrics, containerPort: 23514, hostPort: 23514
    +            - name: readyz, containerPort: 29406, hostPort: 29406
    +            env:
    +            - name: WEBHOOK_PORT, value: "20098"
    +            - name: METRICS_BIND_ADDRESS, value: :23514
    +            - name: HEALTH_PROBE_BIND_ADDRESS, value: :29406
    "#);
}

#[test]
fn a_port_with_crossplanes_number_needs_its_name() {
    let ports =
        "            ports:\n            - {name: webhooks, containerPort: 9443}\n            - containerPort: 8080\n";
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own") + ports]);
    assert_snapshot!(worded(changes(&all("ports: keep"), &manifest)), @r#"
    error: standard input:25:13: Provider s3, container package-runtime, port 8080 and Provider s3, container package-runtime, port metrics (8080) both get port 8080/TCP; on the host network a port number can be used only once per node. Crossplane declares metrics itself unless the runtime config has a port of that name: call port 8080 `metrics`. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-conflict]
    error: standard input:25:13: Provider s3, container package-runtime, port webhooks (9443) and Provider s3, container package-runtime, port webhook (9443) both get port 9443/TCP; on the host network a port number can be used only once per node. Crossplane declares webhook itself unless the runtime config has a port of that name: call port webhooks `webhook` [port-conflict]
    warning: standard input:28:15: Provider s3, container package-runtime, port 8080 keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: its number cannot be set: neither the manifest nor the catalogue shows the setting of its number. If `spec.package` does not show which program runs, name it in the target: `program: NAME@VERSION`. If you know the variable, add to the target `bind: [{container: package-runtime, port: other, number: 8080, env: NAME_8080}]`, with `value: ":{port}"` for an address. Then write `8080: auto` in `ports` [node-port]
    "#);
    let webhook = manifest.replace("webhooks", "webhook").replace("            - containerPort: 8080\n", "");
    let proxy = "          - {name: proxy, ports: [{containerPort: 8080}]}\n          - name: package-runtime";
    let with_others = webhook.replace("          - name: package-runtime", proxy);
    assert_snapshot!(brief(changes(&all("ports: keep"), &with_others)), @"
    error: port-conflict DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[1] (26:13, 8080, 8080/TCP)
    warning: node-port DeploymentRuntimeConfig own spec.deploymentTemplate.spec.template.spec.containers[0].ports[0] (25:35, 8080)
    ");
    assert_snapshot!(worded(changes(&all("ports: {webhook: 20443, metrics: 20443}"), &webhook)), @"error: standard input:25:13: Provider s3, container package-runtime, port webhook (9443) and Provider s3, container package-runtime, port metrics (8080) both get port 20443/TCP (given at hostnet.yaml:1:141); on the host network a port number can be used only once per node. Give one of them another number in `ports` [port-conflict]");
}

/// The names of runtime configs that change or are new when s3 moves.
pub(super) fn moved(crossplane: &str, others: &[String]) -> Vec<String> {
    let manifest = stream(&[&[provider("s3", S3_IMAGE, None)], others].concat());
    let (output, log) = run(&all_with("ports: auto", crossplane), &manifest);
    assert!(!log.iter().any(|line| line.starts_with("error")), "{log:?}");
    let on_host = output.split("---\n").filter(|document| document.contains("hostNetwork: true"));
    on_host
        .filter_map(|document| document.split_once("metadata:\n  name: "))
        .map(|(_, rest)| rest.lines().next().unwrap().to_owned())
        .collect()
}

#[test]
fn an_image_config_applies_to_one_image_or_several() {
    let with =
        |prefixes: &[&str]| moved("version: v2.2.0", &[image_config("chooser", prefixes), runtime_config("aws")]);
    assert_eq!(with(&["xpkg.upbound.io/upbound/provider-aws-s3:"]), ["aws"]);
    assert_eq!(with(&["xpkg.upbound.io/upbound/provider-aws-s3:v2.6.0"]), ["aws"]);
    assert_eq!(with(&["xpkg.upbound.io/upbound/provider-aws-s3"]), ["hostnet-s3"]);
    assert_eq!(with(&["xpkg.upbound.io/upbound/", "registry.example/provider-aws-s3:"]), ["hostnet-s3"]);
}

#[test]
fn the_image_config_with_the_longest_prefix_decides() {
    let other =
        |name: &str, prefixes: &[&str]| image_config(name, prefixes).replace("name: aws", &format!("name: {name}"));
    let runtime = |name: &str| runtime_config(name).replace("role/a", &format!("role/of-{name}"));
    let of = |configs: &[String]| {
        let all_of_it = [&[provider("s3", S3_IMAGE, None)], configs, &[runtime("a"), runtime("b")]].concat();
        let (output, log) = run(&all_with("ports: auto", "version: v2.2.0"), &stream(&all_of_it));
        let copy = output.split("---\n").find(|document| document.contains("hostNetwork: true"));
        let role = copy.and_then(|copy| copy.split_once("role/of-")?.1.split_once(' '));
        role.unwrap_or_else(|| panic!("{log:?}\n{output}")).0.to_owned()
    };
    // The longest of the ImageConfig's own prefixes counts, in any order.
    let long = other("a", &["xpkg.upbound.io/", "xpkg.upbound.io/upbound/provider"]);
    assert_eq!(of(&[other("b", &["xpkg.upbound.io/upbound/"]), long.clone()]), "a");
    assert_eq!(of(&[long, other("b", &["xpkg.upbound.io/upbound/provider-aws"])]), "b");
    // The first of two ImageConfigs with equally long prefixes wins.
    assert_eq!(of(&[other("a", &["xpkg.upbound.io/"]), other("b", &["xpkg.upbound.io/"])]), "a");
    // An ImageConfig without a runtime config does not count.
    let pulls = "apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {name: pulls}\nspec:\n  matchImages:\n  - \
                 prefix: xpkg.upbound.io/upbound/provider-aws\n";
    assert_eq!(of(&[pulls.to_owned(), other("b", &["xpkg.upbound.io/"])]), "b");
}

#[test]
fn before_v2_2_image_configs_choose_nothing() {
    let own =
        [provider("s3", S3_IMAGE, Some("aws")), image_config("many", &["registry.example/"]), runtime_config("aws")];
    let of = |version: &str| run(&all_with("ports: auto", &format!("version: {version}")), &stream(&own)).0;
    assert!(!of("v2.1.8").contains("hostnet-s3"), "it is the package's own");
    assert!(of("v2.2.0").contains("hostnet-s3"), "images that are not here have it too");
}

#[test]
fn the_image_of_the_runtime_config_wins() {
    let own = runtime_config("own") + "            image: registry.example/provider-aws-s3:v1.21.1\n";
    let manifest = stream(&[provider("s3", S3_IMAGE, Some("own")), own]);
    let log = run(&all("ports: {webhook: 20443}"), &manifest).1.join("\n");
    assert!(log.contains("`WEBHOOK_PORT` of provider-upjet-aws does not exist before v1.22.0"), "{log}");
}

#[test]
fn a_provider_in_the_pod_network_does_not_conflict() {
    let own = [provider("s3", S3_IMAGE, Some("own")), runtime_config("own")];
    let other = [provider("ec2", EC2, Some("other")), runtime_config("other")];
    let spec = "{targets: [{select: {kind: Provider, name: s3}, ports: keep}]}";
    let (alone, with_others) = (run(spec, &stream(&own)).1, run(spec, &stream(&[own, other].concat())).1);
    assert_eq!(alone, with_others);
}

/// Objects that select Crossplane's labels of a package's pods refer to its ports, in any namespace.
#[test]
fn objects_that_select_the_pods_of_a_package_follow_its_ports() {
    let monitor = |labels: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: m, namespace: crossplane-system}}\nspec:\n  \
             selector: {labels}\n  podMetricsEndpoints: [{{portNumber: 8080}}]\n"
        )
    };
    let moves = |labels: &str| {
        let objects = stream(&[provider("s3", S3_IMAGE, Some("own")), runtime_config("own"), monitor(labels)]);
        run(&all(NUMBERS), &objects).0.contains("portNumber: 20080")
    };
    for selecting in [
        "{matchLabels: {pkg.crossplane.io/provider: s3}}",
        "{matchLabels: {pkg.crossplane.io/revision: s3-0123456789ab}}",
        "{matchExpressions: [{key: pkg.crossplane.io/provider, operator: Exists}]}",
        "{matchExpressions: [{key: pkg.crossplane.io/provider, operator: In, values: [s3, ec2]}]}",
    ] {
        assert!(moves(selecting), "{selecting}");
    }
    for other in [
        "{matchLabels: {pkg.crossplane.io/provider: ec2}}",
        "{matchLabels: {pkg.crossplane.io/function: s3}}",
        "{matchLabels: {pkg.crossplane.io/revision: s3-ec2-0123456789ab}}",
        "{matchLabels: {app: s3}}",
    ] {
        assert!(!moves(other), "{other}");
    }
}

/// Two packages with one monitor have to move to one number, otherwise both keep theirs with a message for each.
#[test]
fn two_packages_of_one_monitor_move_to_one_number_or_stay() {
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: m, namespace: crossplane-system}\nspec:\n  selector: {matchExpressions: [{key: pkg.crossplane.io/provider, operator: Exists}]}\n  podMetricsEndpoints: [{portNumber: 8080}]\n";
    let objects = stream(&[
        provider("s3", S3_IMAGE, Some("own")),
        runtime_config("own"),
        provider("ec2", EC2, Some("ec2")),
        runtime_config("ec2"),
        monitor.to_owned(),
    ]);
    assert_snapshot!(worded(run(&all("ports: auto"), &objects).1.join("\n")), @"
    warning: standard input:58:38: Provider ec2, container package-runtime, port metrics (8080): cannot move to 21498: PodMonitor crossplane-system/m at spec.podMetricsEndpoints[0].portNumber refers to 8080 and cannot be changed: Provider s3 also uses 8080 there and does not move to 21498; move all of them to one number, or use the port's name, where the field takes one. It keeps 8080. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-reference]
    warning: standard input:58:38: Provider s3, container package-runtime, port metrics (8080): cannot move to 23514: PodMonitor crossplane-system/m at spec.podMetricsEndpoints[0].portNumber refers to 8080 and cannot be changed: Provider ec2 also uses 8080 there and does not move to 23514; move all of them to one number, or use the port's name, where the field takes one. It keeps 8080. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-reference]
    warning: standard input:51:13: Provider ec2 and Provider s3 hold 8080/TCP of their node. The scheduler keeps them on different nodes: 2 pods need at least 2 nodes; a rollout that starts new pods first needs one more, and 4 if all workloads roll out at the same time. To accept this, write `shared: [{port: 8080, between: [pkg.crossplane.io/Provider/ec2, pkg.crossplane.io/Provider/s3]}]` in the spec [port-conflict]
    ");
    assert!(run(&all("ports: auto"), &objects).0.contains("portNumber: 8080"));
}

/// crossplane-contrib/provider-kubernetes has flags for both ports since v1.3.0.
#[test]
fn provider_kubernetes_moves_since_v1_3() {
    let with = |version: &str| {
        let image = format!("xpkg.crossplane.io/crossplane-contrib/provider-kubernetes:{version}");
        changes(&all("ports: auto"), &provider("kubernetes", &image, None))
    };
    let log = with("v1.4.1");
    assert!(log.contains("name: WEBHOOK_PORT") && log.contains("name: METRICS_BIND_ADDRESS"), "{log}");
    assert!(
        with("v1.2.1").contains("`WEBHOOK_PORT` of provider-kubernetes does not exist before v1.3.0"),
        "{}",
        with("v1.2.1")
    );
}

/// The one package of a whole family needs no package of the family.
#[test]
fn members_of_a_family_need_the_family() {
    let names_family = |package: &str| {
        let manifest = format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: aws}}\nspec: {{package: {package}}}\n"
        );
        let spec = "{targets: [{select: {group: pkg.crossplane.io, kind: Provider}, ports: auto}]}";
        super::infos(spec, &manifest, "runtime-config").contains("provider-family-")
    };
    assert!(names_family("xpkg.upbound.io/upbound/provider-aws-s3:v1.21.0"));
    for alone in ["upbound/provider-aws:v1.0.0", "upbound/provider-gcp:v1.0.0", "upbound/provider-family-aws:v1.21.0"] {
        assert!(!names_family(&format!("xpkg.upbound.io/{alone}")), "{alone}");
    }
}
