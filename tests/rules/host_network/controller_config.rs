//! Rule `controller-config`: fields of a ControllerConfig that a runtime config lacks.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;
use serde_json::json;

use super::controller_configs::{ALL, REFERENCE, controller_config, objects, provider};
use super::{changes, run};

#[test]
fn the_role_of_the_service_account_stays() {
    let config = "---
# Role of the provider
apiVersion: pkg.crossplane.io/v1alpha1
kind: ControllerConfig
metadata:
  name: irsa
  labels: {team: data}
  annotations:
    eks.amazonaws.com/role-arn: arn:aws:iam::${ACCOUNT}:role/sql
    config.kubernetes.io/origin: 'path: irsa.yaml'
spec:
  replicas: ${REPLICAS}
  args:
  - --debug
  env:
  - name: REGION
    value: \"${REGION}\"
";
    let manifest = format!("{}{config}", provider("sql", REFERENCE));
    assert_snapshot!(worded(changes(ALL, &manifest)), @r#"
    -  controllerConfigRef:
    -    name: irsa
    +  runtimeConfigRef:
    +    name: hostnet-sql
    -# Role of the provider
    -apiVersion: pkg.crossplane.io/v1alpha1
    -kind: ControllerConfig
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    -  name: irsa
    -  labels: {team: data}
    -  annotations:
    -    eks.amazonaws.com/role-arn: arn:aws:iam::${ACCOUNT}:role/sql
    -    config.kubernetes.io/origin: 'path: irsa.yaml'
    +  name: hostnet-sql
    -  replicas: ${REPLICAS}
    -  args:
    -  - --debug
    -  env:
    -  - name: REGION
    -    value: "${REGION}"
    +  deploymentTemplate:
    +    metadata:
    +      labels:
    +        team: data
    +      annotations:
    +        eks.amazonaws.com/role-arn: arn:aws:iam::${ACCOUNT}:role/sql
    +    spec:
    +      replicas: ${REPLICAS}
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            args:
    +            - --debug
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            env:
    +            - name: REGION, value: "${REGION}"
    +  serviceAccountTemplate:
    +    metadata:
    +      labels:
    +        team: data
    +      annotations:
    +        eks.amazonaws.com/role-arn: arn:aws:iam::${ACCOUNT}:role/sql
    warning: standard input:1:1: Provider sql, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    warning: standard input:11:1: Provider sql: comments of ControllerConfig irsa are not copied to DeploymentRuntimeConfig hostnet-sql; copy useful comments by hand [controller-config]
    "#);
}

#[test]
fn lost_and_changed_fields_are_reported() {
    let of = |package: &str, spec: &str| {
        let manifest = format!("{}{package}{}", provider("sql", REFERENCE), controller_config(spec));
        run(ALL, &manifest).1.join("\n")
    };
    assert_snapshot!(worded(of("", "  env: [{name: POD_NAMESPACE, value: x}, {name: A}]\n")), @"
    warning: standard input:1:1: Provider sql, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    warning: standard input:10:1: Provider sql: ControllerConfig irsa sets the variable POD_NAMESPACE, which Crossplane sets too: Crossplane used the value of the ControllerConfig, but overrides the value of a runtime config. Remove the variable if it is not needed [controller-config]
    ");
    assert_snapshot!(brief(of("", "  replicas: 1 # not two\n")), @"
    warning: node-port Provider sql (1:1, 8080)
    warning: controller-config ControllerConfig irsa (10:1)
    ");
    assert_snapshot!(worded(of("  packagePullPolicy: Always\n", "  imagePullPolicy: Never\n")), @"
    warning: standard input:1:1: Provider sql, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    warning: standard input:1:1: Provider sql: spec.packagePullPolicy is Always, and ControllerConfig irsa has Never: the package's value now applies to its Deployment too [controller-config]
    ");
    assert_snapshot!(brief(of("  packagePullPolicy: Always\n", "  imagePullPolicy: Always\n")), @"warning: node-port Provider sql (1:1, 8080)");
    assert_snapshot!(worded(of("", "  hostAliases: [{ip: 10.0.0.1}]\n")), @"error: standard input:1:1: Provider sql is not changed: spec.hostAliases of ControllerConfig irsa has no place in a DeploymentRuntimeConfig and would be lost. Remove it, or put the package under `exclude` [controller-config]");
}

#[test]
fn a_controller_config_needs_a_crossplane_that_has_both() {
    let manifest = format!("{}{}", provider("sql", REFERENCE), controller_config("  replicas: 2\n"));
    let of = |version: &str| {
        let spec =
            format!("{{targets: [{{select: {{kind: Provider}}, ports: keep}}], crossplane: {{version: {version}}}}}");
        run(&spec, &manifest).1.join("\n")
    };
    assert_snapshot!(brief(of("v1.13.2")), @"error: crossplane-version Provider sql (1:1, v1.13.2, v1.14.0)");
    assert_snapshot!(brief(of("v1.14.0")), @"warning: node-port Provider sql (1:1, 8080)");
    assert_snapshot!(worded(of("v2.0.0")), @"
    warning: standard input:1:1: Provider sql, container package-runtime, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    warning: standard input:1:1: Provider sql: Crossplane v2.0.0 (`crossplane.version` of the config) does not support ControllerConfigs any more and ignores irsa: with the runtime config its settings apply again [controller-config]
    ");
    let absent = provider("sql", REFERENCE);
    assert_snapshot!(brief(run(ALL, &absent).1.join("\n")), @"error: runtime-config Provider sql (1:1)");
}

#[test]
fn every_field_of_a_controller_config_is_reported() {
    let of = |old: &str, new: &str| {
        let manifest = format!("{}{}", provider("sql", REFERENCE), controller_config("  replicas: 2\n"));
        run(ALL, &manifest.replace(old, new)).1.join("\n")
    };
    assert_snapshot!(worded(of("  replicas: 2\n", "  replicas: 2\nsettings: {a: b}\n")), @"error: standard input:1:1: Provider sql is not changed: settings of ControllerConfig irsa has no place in a DeploymentRuntimeConfig and would be lost. Remove it, or put the package under `exclude` [controller-config]");
    assert_snapshot!(brief(of("  replicas: 2\n", "  metadata: {name: sql, labels: {a: b}}\n")), @"error: controller-config Provider sql (1:1)");
}

/// A ControllerConfig that was converted in place stays in its file with an annotation and does not count.
#[test]
fn a_local_controller_config_does_not_count() {
    let local = "metadata:\n  annotations: {config.kubernetes.io/local-config: \"true\"}\n";
    let config = controller_config("  replicas: 2\n").replace("metadata:\n", local);
    assert!(config.contains("local-config"), "{config}");
    assert_snapshot!(brief(run(ALL, &format!("{}{config}", provider("sql", REFERENCE))).1.join("\n")), @"error: runtime-config Provider sql (1:1)");
}

#[test]
fn a_pull_policy_that_is_null_does_not_count() {
    let references = format!("{REFERENCE}  packagePullPolicy:\n  packagePullSecrets: null\n");
    let spec = "  imagePullPolicy: Always\n  imagePullSecrets: [{name: a}]\n";
    let (output, log) = run(ALL, &format!("{}{}", provider("sql", &references), controller_config(spec)));
    let package = &objects(&output)[0]["spec"];
    assert_eq!(
        (&package["packagePullPolicy"], &package["packagePullSecrets"]),
        (&json!("Always"), &json!([{"name": "a"}]))
    );
    assert!(!log.iter().any(|line| line.contains("[controller-config]")), "{log:?}");
}
