//! Rule `runtime-config`: the DeploymentRuntimeConfig of a package that gets variables.

use super::packages::{SPEC, provider, shown};
use super::settled;
use crate::support::results::brief;

#[test]
fn a_package_without_a_runtime_config_gets_one() {
    insta::assert_snapshot!(brief(shown(settled(SPEC, provider("a", "").trim_end_matches("---\n")))), @"
    apiVersion: pkg.crossplane.io/v1
    kind: Provider
    metadata: {name: a}
    spec:
      package: example.com/a:v1.0.0
      runtimeConfigRef:
        name: hostnet-a
    ---
    apiVersion: pkg.crossplane.io/v1beta1
    kind: DeploymentRuntimeConfig
    metadata:
      name: hostnet-a
    spec:
      deploymentTemplate:
        spec:
          selector: {}
          template:
            spec:
              containers:
              - name: package-runtime
                env:
                - name: HTTPS_PROXY
                  value: http://p:3128
                - name: NO_PROXY
                  value: CLUSTER
    warning: runtime-config Provider a (1:1)
    ");
}

#[test]
fn a_package_with_a_runtime_config_in_the_input_is_not_reported() {
    let config =
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: own}\nspec: {}\n";
    let manifest = provider("a", "  runtimeConfigRef: {name: own}\n") + config;
    let (output, log) = settled(SPEC, &manifest);
    assert!(output.contains("HTTPS_PROXY") && !log.contains("[runtime-config]"), "{output}{log}");
}
