//! Fields that are missing in kustomize's own table.

use super::{CALLED, operator, outcome, renamed, reported_names, same, stream, version, webhook};

pub(super) fn definition(namespace: &str, name: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ledgers.example.com, {}}}
spec: {{conversion: {{strategy: Webhook, webhook: {{clientConfig: {{service: {{namespace: '{namespace}', name: '{name}'}}}}}}}}}}
",
        renamed("CustomResourceDefinition", "_non_namespaceable_", "ledgers.example.com", "")
    )
}

#[test]
fn a_conversion_is_followed_and_the_row_is_named() {
    let text = stream(&[operator(), definition("ops", "[hook|a-hook]")]);
    assert!(same(CALLED, &text).contains("+      hostNetwork: true\n"));
    insta::assert_snapshot!(reported_names(CALLED, &text).join("\n"), @"info: CustomResourceDefinition ledgers.example.com: spec.conversion.webhook.clientConfig.service.name names Service ops/a-hook by its former name hook. kustomize replaces the name only if the build has this row in a file of `configurations`: nameReference: [{kind: Service, fieldSpecs: [{group: apiextensions.k8s.io, kind: CustomResourceDefinition, path: spec/conversion/webhook/clientConfig/service/name}]}] [kustomize-name]");
    assert!(!outcome(CALLED, &version(&text, false)).1.failed());
}

/// One object whose file has the final namespace, such as a Role by controller-gen: kustomize's own row finds no
/// Service `ops/hook`, and kubebuilder's row for the name alone does.
#[test]
fn a_webhook_is_followed_by_kubebuilders_row() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a-role, namespace: ops, ";
    let role = format!("{role}{}}}\nrules: []\n", renamed("Role", "ops", "role", "a-"));
    let text = stream(&[role, operator(), webhook("ops", "[hook|a-hook]")]);
    assert!(same(CALLED, &text).contains("+      hostNetwork: true\n"));
    insta::assert_snapshot!(reported_names(CALLED, &text).join("\n"), @"info: ValidatingWebhookConfiguration a-w: webhooks[0].clientConfig.service.name names Service ops/a-hook by its former name hook. kustomize replaces the name only if the build has this row in a file of `configurations`: nameReference: [{kind: Service, fieldSpecs: [{group: admissionregistration.k8s.io, kind: ValidatingWebhookConfiguration, path: webhooks/clientConfig/service/name}]}] [kustomize-name]");
    let other = text.replace("'ops', name: '[hook", "'elsewhere', name: '[hook");
    assert!(!outcome(CALLED, &version(&other, false)).0.contains("hostNetwork: true"));
}

/// References by present name, finished builds and workloads that do not move have no finding.
#[test]
fn present_names_are_not_reported() {
    assert_eq!(reported_names(CALLED, &stream(&[operator(), definition("ops", "a-hook")])), Vec::<String>::new());
    let finished = version(&stream(&[operator(), definition("ops", "[hook|a-hook]")]), true);
    assert_eq!(reported_names(CALLED, &finished), Vec::<String>::new());
    let other = "kind: HostNetwork\nspec: {targets: [{select: {name: other}, ports: auto}], unmatched: Ignore}\n";
    assert_eq!(reported_names(other, &stream(&[operator(), definition("ops", "hook")])), Vec::<String>::new());
}

/// Two objects match: one has the name, one had it. kustomize calls the second object if the build has a row, and
/// otherwise the first.
#[test]
fn a_present_and_a_former_name_are_an_error() {
    let idle = "apiVersion: v1\nkind: Service\nmetadata: {name: hook, namespace: ops}\nspec: {selector: {app: idle}, ports: [{port: 443}]}\n";
    let log = reported_names(CALLED, &stream(&[operator(), idle.to_owned(), definition("ops", "hook")]));
    assert!(log[0].contains("which may be Service ops/hook or Service ops/a-hook:"), "{log:?}");
    assert!(log[0].starts_with("error: "), "{log:?}");
}

fn provider(reference: &str, kind: &str) -> String {
    let version = if kind == "ControllerConfig" { "v1alpha1" } else { "v1beta1" };
    format!(
        "apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {{name: a-aws, {}}}
spec:
  package: xpkg.upbound.io/upbound/provider-aws-s3:v1.0.0
  {reference}: {{name: '[conf|a-conf]'}}
---
apiVersion: pkg.crossplane.io/{version}
kind: {kind}
metadata: {{name: a-conf, {}}}
spec: {{}}
",
        renamed("Provider", "default", "aws", "a-"),
        renamed(kind, "default", "conf", "a-")
    )
}

const PROVIDERS: &str = "kind: HostNetwork
spec: {crossplane: {version: v1.20.0}, targets: [{select: {kind: Provider}, ports: auto}]}
";

#[test]
fn a_provider_follows_a_renamed_runtime_config() {
    let changed = same(PROVIDERS, &provider("runtimeConfigRef", "DeploymentRuntimeConfig"));
    assert!(changed.contains("deploymentTemplate"), "{changed}");
    assert!(!changed.contains("runtimeConfigRef"), "{changed}");
}

/// The new object has the prefix of the present name, without annotations of the old object.
#[test]
fn a_renamed_controller_config_is_converted() {
    let changed = same(PROVIDERS, &provider("controllerConfigRef", "ControllerConfig"));
    assert!(changed.contains("+  name: hostnet-a-aws\n"), "{changed}");
    assert!(!changed.lines().any(|line| line.starts_with('+') && line.contains("internal.config")), "{changed}");
}

/// The build also contains the old config, whose settings a new config would lose.
#[test]
fn create_new_is_not_offered_for_a_renamed_config() {
    let other = provider("runtimeConfigRef", "DeploymentRuntimeConfig").replace("a-", "b-");
    let text = [provider("runtimeConfigRef", "DeploymentRuntimeConfig"), other].join("---\n");
    let text = version(&text, false).replacen("prefixes: 'a-'", "prefixes: ''", 1);
    let config = PROVIDERS.replace("{version: v1.20.0}", "{version: v1.20.0, missingRuntimeConfig: CreateNew}");
    let (output, run) = outcome(&config, &text);
    assert!(run.failed());
    assert_eq!(output, text);
    let log = super::reported(&run).join("\n");
    assert!(log.contains("had that name before kustomize renamed it") && !log.contains("CreateNew"), "{log}");
}

/// kustomize does not know the kind; the message shows a row for it.
#[test]
fn a_config_map_of_a_custom_workload() {
    let map = format!(
        "apiVersion: v1
kind: ConfigMap
metadata: {{name: a-conf, namespace: ops, {}}}
data:
  port: '9443'
",
        renamed("ConfigMap", "system,ops", "conf,conf", "a-")
    );
    let clone_set = operator().replace("apps/v1", "apps.kruise.io/v1alpha1").replace("Deployment", "CloneSet");
    let clone_set =
        clone_set.replace("        args: [--webhook-port=9443]\n", "        args: [--webhook-port=$(WEBHOOK_PORT)]\n");
    let env = "        env:\n        - {name: WEBHOOK_PORT, valueFrom: {configMapKeyRef: {name: '[conf|a-conf]', key: port}}}\n";
    let clone_set = clone_set.replace("        ports:\n", &format!("{env}        ports:\n"));
    let text = stream(&[clone_set, map, super::webhook("[system|ops]", "[hook|a-hook]")]);
    assert!(same(CALLED, &text).contains("+  port: '20443'\n"));
    let log = reported_names(CALLED, &text);
    let path = "path: spec/template/spec/containers/env/valueFrom/configMapKeyRef/name}]}]";
    assert!(log.len() == 1 && log[0].starts_with("info: ") && log[0].contains(path), "{log:?}");
}
