//! All kinds that change objects resolve names of a build in the same way.

use super::{outcome, renamed, reported, same, version};

/// A ConfigMap contains the proxy of a container.
#[test]
fn a_proxy_environment_follows_a_renamed_config_map() {
    let text = format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: a-web, namespace: ops, {}}}
spec:
  template:
    spec:
      containers:
      - name: web
        envFrom:
        - configMapRef: {{name: '[proxy|a-proxy]'}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: a-proxy, namespace: ops, {}}}
data: {{HTTPS_PROXY: 'http://proxy.example.com:3128', NO_PROXY: localhost}}
",
        renamed("Deployment", "system,ops", "web,web", "a-"),
        renamed("ConfigMap", "system,ops", "proxy,proxy", "a-")
    );
    let config = "kind: ProxyEnvironment
spec: {targets: [{select: {kind: Deployment}}], httpsProxy: 'http://proxy.example.com:3128', existing: Merge}
";
    same(config, &text);
    let results = [false, true].map(|is_finished| reported(&outcome(config, &version(&text, is_finished)).1));
    assert_eq!(results[0].len(), results[1].len(), "{results:#?}");
}

/// The runtime config of a package whose image comes from the mirror.
#[test]
fn a_package_mirror_follows_a_renamed_runtime_config() {
    let text = format!(
        "apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {{name: a-aws, {}}}
spec:
  package: xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v1.0.0
  runtimeConfigRef: {{name: '[conf|a-conf]'}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {{name: a-conf, {}}}
spec: {{deploymentTemplate: {{spec: {{template: {{spec: {{containers: [{{name: package-runtime, image: xpkg.crossplane.io/c/p:v1}}]}}}}}}}}}}
",
        renamed("Provider", "default", "aws", "a-"),
        renamed("DeploymentRuntimeConfig", "default", "conf", "a-")
    );
    let config = "kind: PackageMirror\nspec: {rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}]}\n";
    assert!(same(config, &text).contains("registry.example.com/xpkg/c/p:v1"));
}
