//! Rule `function`.

use super::reported;
use crate::support::results::worded;
use insta::assert_snapshot;

fn function(name: &str, config: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {{name: {name}}}\nspec: {{package: 'example.org/function-x:v1', runtimeConfigRef: {{name: {config}}}}}\n---\n"
    )
}

fn config(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: {name}}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: {spec}}}}}}}}}\n---\n"
    )
}

fn grpc(port: u16) -> String {
    format!(
        "{{hostNetwork: true, containers: [{{name: package-runtime, ports: [{{name: grpc, containerPort: {port}}}]}}]}}"
    )
}

#[test]
fn a_port_that_crossplane_does_not_dial() {
    assert_snapshot!(worded(reported("function", &[function("a", "a"), config("a", &grpc(20443))].concat())), @"error: a.yaml:9:99: Function a: its runtime config a declares port grpc as 20443, and Crossplane always dials 9443 of a Function's pod: every call fails. Leave the Function in the pod network, or leave the port at 9443");
}

#[test]
fn two_on_the_host_network() {
    let all =
        [function("a", "a"), config("a", &grpc(9443)), function("b", "b"), config("b", "{hostNetwork: true}")].concat();
    assert_snapshot!(worded(reported("function", &all)), @"error: a.yaml:11:1: Function b and Function a are both on the host network, and Crossplane always dials 9443 of a Function's pod: only one of them can be on a node. Leave Functions in the pod network: the API server does not call them");
}

#[test]
fn a_function_on_its_port_and_the_pod_network_are_not_reported() {
    assert_eq!(reported("function", &[function("a", "a"), config("a", &grpc(9443))].concat()), "");
    let pod_network = grpc(20443).replace("hostNetwork: true, ", "");
    assert_eq!(reported("function", &[function("a", "a"), config("a", &pod_network)].concat()), "");
}

#[test]
fn other_ports_and_providers_are_not_reported() {
    let metrics = "{hostNetwork: true, containers: [{name: package-runtime, ports: [{name: grpc, containerPort: 9443}, {name: metrics, containerPort: 8080}]}, \
                   {name: other, ports: [{name: grpc, containerPort: 1}]}]}";
    assert_eq!(reported("function", &[function("a", "a"), config("a", metrics)].concat()), "");
    let provider = function("b", "b").replace("Function", "Provider");
    let all = [function("a", "a"), config("a", &grpc(9443)), provider.clone(), config("b", &grpc(9443))].concat();
    assert_eq!(reported("function", &all), "");
    assert_eq!(reported("function", &[provider, config("b", &grpc(20443))].concat()), "");
    // A Function that occurs twice is a single Function.
    let twice = [function("a", "a"), function("a", "a").replace("x:v1", "x:v2"), config("a", &grpc(9443))].concat();
    assert_eq!(reported("function", &twice), "");
}
