//! Names of Secrets and ConfigMaps that a run writes into fields that kustomize does not follow.

use super::{outcome, renamed, reported_names, stream};

const PROXY: &str = "kind: ProxyEnvironment
spec:
  httpsProxy: {secretKeyRef: {name: proxy, key: url}}
  case: Upper
  targets: [{select: {group: pkg.crossplane.io, kind: Provider}}, {select: {name: web}}]
  unmatched: Ignore
";

const MIRROR: &str = "kind: PackageMirror
spec: {rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], pullSecret: credentials}
";

const HASH: &str = "annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}";

fn secret(name: &str, annotations: &str) -> String {
    let data = "data: {url: aHR0cDovL3A6MQ==, .dockerconfigjson: e30=}";
    format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}, namespace: crossplane-system, {annotations}}}\n{data}\n"
    )
}

fn provider(name: &str, metadata: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}{metadata}}}\nspec: {{package: 'xpkg.crossplane.io/crossplane-contrib/provider-{name}:v1.0.0'}}\n"
    )
}

fn workload(api: &str, kind: &str) -> String {
    format!(
        "apiVersion: {api}\nkind: {kind}\nmetadata: {{name: web, namespace: crossplane-system}}\nspec: {{template: {{spec: {{containers: [{{name: web, image: web}}]}}}}}}\n"
    )
}

#[test]
fn a_generated_secret_gets_a_hash() {
    let text = stream(&[secret("proxy", HASH), provider("aws", ""), provider("helm", "")]);
    insta::assert_snapshot!(reported_names(PROXY, &text).join("\n"), @"warning: standard input:6:1: Secret crossplane-system/proxy gets a hash in its name at the end of this build, and kustomize does not change that name in DeploymentRuntimeConfig hostnet-aws, DeploymentRuntimeConfig hostnet-helm, which then name an object that does not exist. Give the build this row in a file of `configurations`: nameReference: [{kind: Secret, fieldSpecs: [{group: pkg.crossplane.io, kind: DeploymentRuntimeConfig, path: spec/deploymentTemplate/spec/template/spec/containers/env/valueFrom/secretKeyRef/name}]}], and the field `namespace: crossplane-system` in its kustomization, since kustomize compares the namespaces of the objects; or keep the name with `options: {disableNameSuffixHash: true}` in its generator [kustomize-name]");
    let text = stream(&[secret("credentials", HASH), provider("aws", ", namespace: crossplane-system")]);
    insta::assert_snapshot!(reported_names(MIRROR, &text).join("\n"), @"warning: standard input:6:1: Secret crossplane-system/credentials gets a hash in its name at the end of this build, and kustomize does not change that name in ImageConfig crossplane-system/mine-auth-70344d17, which then name an object that does not exist. Give the build this row in a file of `configurations`: nameReference: [{kind: Secret, fieldSpecs: [{group: pkg.crossplane.io, kind: ImageConfig, path: spec/registry/authentication/pullSecretRef/name}]}]; or keep the name with `options: {disableNameSuffixHash: true}` in its generator [kustomize-name]");
    let rewrite = MIRROR.replace("spec: {", "spec: {style: Rewrite, ");
    insta::assert_snapshot!(reported_names(&rewrite, &text).join("\n"), @"warning: standard input:9:7: Secret crossplane-system/credentials gets a hash in its name at the end of this build, and kustomize does not change that name in Provider crossplane-system/aws, which then name an object that does not exist. Give the build this row in a file of `configurations`: nameReference: [{kind: Secret, fieldSpecs: [{group: pkg.crossplane.io, kind: Provider, path: spec/packagePullSecrets/name}]}]; or keep the name with `options: {disableNameSuffixHash: true}` in its generator [kustomize-name]");
}

/// kustomize has no row for pods of other projects' kinds.
#[test]
fn workloads_of_kubernetes_are_followed_and_others_are_not() {
    let followed = stream(&[secret("proxy", HASH), workload("apps/v1", "Deployment")]);
    assert_eq!(reported_names(PROXY, &followed), Vec::<String>::new());
    let other = stream(&[secret("proxy", HASH), workload("apps.kruise.io/v1alpha1", "CloneSet")]);
    insta::assert_snapshot!(reported_names(PROXY, &other).join("\n"), @"warning: standard input:9:39: Secret crossplane-system/proxy gets a hash in its name at the end of this build, and kustomize does not change that name in CloneSet crossplane-system/web, which then name an object that does not exist. Give the build this row in a file of `configurations`: nameReference: [{kind: Secret, fieldSpecs: [{group: apps.kruise.io, kind: CloneSet, path: spec/template/spec/containers/env/valueFrom/secretKeyRef/name}]}]; or keep the name with `options: {disableNameSuffixHash: true}` in its generator [kustomize-name]");
}

/// The config names the Secret as it is in its file.
#[test]
fn a_prefix_renames_a_secret() {
    let own = renamed("Secret", "crossplane-system", "proxy", "eu-");
    let core = workload("apps/v1", "Deployment")
        .replace("web", "crossplane")
        .replace("image: crossplane", "args: [core, start]");
    let text = stream(&[secret("eu-proxy", &own), provider("aws", ""), core]);
    let (_, run) = outcome(PROXY, &text);
    insta::assert_snapshot!(super::reported(&run).join("\n"), @"
    warning: standard input:6:1: Provider aws names no runtime config, and the input has none called `default`: the package gets a new one, so settings of the cluster's `default` no longer apply to it. If the cluster has that object, add it to the input [runtime-config]
    warning: standard input:6:1: Secret crossplane-system/eu-proxy had the name proxy, and kustomize does not change that name in DeploymentRuntimeConfig hostnet-aws, which then name an object that does not exist. Give the build this row in a file of `configurations`: nameReference: [{kind: Secret, fieldSpecs: [{group: pkg.crossplane.io, kind: DeploymentRuntimeConfig, path: spec/deploymentTemplate/spec/template/spec/containers/env/valueFrom/secretKeyRef/name}]}], and the field `namespace: crossplane-system` in its kustomization, since kustomize compares the namespaces of the objects; or write eu-proxy in the config [kustomize-name]
    ");
    let hashed =
        own.replace("annotations: {", "annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled, ");
    insta::assert_snapshot!(reported_names(PROXY, &stream(&[secret("eu-proxy", &hashed), provider("aws", "")])).join("\n"), @"warning: standard input:6:1: Secret crossplane-system/eu-proxy had the name proxy and gets a hash, and kustomize does not change that name in DeploymentRuntimeConfig hostnet-aws, which then name an object that does not exist. Give the build this row in a file of `configurations`: nameReference: [{kind: Secret, fieldSpecs: [{group: pkg.crossplane.io, kind: DeploymentRuntimeConfig, path: spec/deploymentTemplate/spec/template/spec/containers/env/valueFrom/secretKeyRef/name}]}], and the field `namespace: crossplane-system` in its kustomization, since kustomize compares the namespaces of the objects; or write eu-proxy in the config, with `options: {disableNameSuffixHash: true}` in the generator [kustomize-name]");
    // The remedy of the first message works.
    assert_eq!(reported_names(&PROXY.replace("name: proxy", "name: eu-proxy"), &text), Vec::<String>::new());
}

#[test]
fn secrets_that_keep_their_name_are_not_reported() {
    let disabled = HASH.replace("enabled", "disabled");
    for annotations in ["", &disabled] {
        let text = stream(&[secret("proxy", annotations), secret("other", HASH), provider("aws", "")]);
        assert_eq!(reported_names(PROXY, &text), Vec::<String>::new());
    }
}
