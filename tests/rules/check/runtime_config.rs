//! Rule `runtime-config`.

use super::said;
use insta::assert_snapshot;

fn provider(name: &str, config: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\nspec: {{package: 'example.org/{name}:v1', runtimeConfigRef: {{name: {config}}}}}\n---\n"
    )
}

fn config(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: {name}}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: {spec}}}}}}}}}\n---\n"
    )
}

#[test]
fn two_packages_with_one_config_on_the_host_network() {
    let all = [provider("a", "default"), provider("b", "default"), config("default", "{hostNetwork: true}")].concat();
    assert_snapshot!(said("runtime-config", &all), @"error: a.yaml:14:81: DeploymentRuntimeConfig default puts its packages on the host network, and Provider a, Provider b have it: their pods want the same ports of a node, and the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give each a runtime config of its own");
    let ports = "{containers: [{name: package-runtime, ports: [{containerPort: 1, hostPort: 8080}]}]}";
    let said = said("runtime-config", &[provider("a", "x"), provider("b", "x"), config("x", ports)].concat());
    assert!(said.contains("declares host ports"), "{said}");
}

#[test]
fn one_each_and_one_without_host_ports_are_not_said() {
    let each = [
        provider("a", "a"),
        provider("b", "b"),
        config("a", "{hostNetwork: true}"),
        config("b", "{hostNetwork: true}"),
    ]
    .concat();
    assert_eq!(said("runtime-config", &each), "");
    let plain = [provider("a", "x"), provider("b", "x"), config("x", "{serviceAccountName: aws}")].concat();
    assert_eq!(said("runtime-config", &plain), "");
}
