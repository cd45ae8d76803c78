//! Rule `runtime-config`: the DeploymentRuntimeConfig of a package that gets variables.

use super::check::check;
use super::packages::{SPEC, provider, shown};
use super::{run, settled};
use crate::support::results::{brief, worded};

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

/// Overlays of two environments in one folder use one name.
fn overlay(package: &str, name: &str, replicas: u32) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {package}}}\nspec: {{package: 'example.com/{package}:v1', runtimeConfigRef: \
         {{name: '{name}'}}}}\n---\napiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: '{name}'}}\nspec: {{deploymentTemplate: \
         {{spec: {{replicas: {replicas}, selector: {{}}, template: {{}}}}}}}}\n---\n"
    )
}

#[test]
fn runtime_configs_of_one_name_are_all_edited() {
    for name in ["shared", "${runtime_config}"] {
        let manifest = overlay("a", name, 1) + &overlay("b", name, 2);
        let (output, log) = settled(SPEC, &manifest);
        assert_eq!((output.matches("HTTPS_PROXY").count(), log.as_str()), (2, ""), "{output}");
    }
    // Different names, as before.
    let (output, log) = settled(SPEC, &(overlay("a", "x", 1) + &overlay("b", "y", 2)));
    assert_eq!((output.matches("HTTPS_PROXY").count(), log.as_str()), (2, ""), "{output}");
}

/// The variables of each such runtime config are checked.
#[test]
fn runtime_configs_of_one_name_are_all_checked() {
    let with = |list: &str| {
        let container = format!(
            "template: {{spec: {{containers: [{{name: package-runtime, env: [{{name: HTTPS_PROXY, value: 'http://p:1'}}, {{name: NO_PROXY, value: '{list}'}}]}}]}}}}"
        );
        overlay("a", "shared", 1).replace("template: {}", &container)
    };
    let (log, code) = check(&[], &(with("$(KUBERNETES_SERVICE_HOST)") + &with("").replace("name: a}", "name: b}")));
    assert!(code == Some(1) && log.contains("error: proxy: Provider a -> the API server"), "{log}");
}

/// A package that needs a copy gets none if the input has two runtime configs of the name.
#[test]
fn two_runtime_configs_of_a_copied_name_are_an_error() {
    let spec = SPEC.replace("kind: Provider", "kind: Provider, name: a");
    let (output, log) = run(&spec, &(overlay("a", "shared", 1) + &overlay("b", "shared", 2)));
    assert_eq!(output.matches("hostnet-a").count(), 0, "{output}");
    insta::assert_snapshot!(worded(log), @"error: standard input:16:1: DeploymentRuntimeConfig shared is in the input more than once, and Provider a uses it: it is undefined which one wins. Remove one, or give the files of one cluster, or of one render, at a time [duplicate-object]");
}
