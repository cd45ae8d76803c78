//! Rule `sidecar-port`.

use super::{PORT, on_host, said, workload};
use insta::assert_snapshot;

fn set(app: &str, port: &str) -> String {
    format!(
        "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {{name: agent}}\nspec: {{selector: {{matchLabels: {{app: {app}}}}}, containers: [{{name: agent, {port}}}]}}\n---\n"
    )
}

const AGENT: &str = "ports: [{containerPort: 15000}]";

#[test]
fn an_injected_port_becomes_one_of_the_node() {
    assert_snapshot!(said("sidecar-port", &[set("web", AGENT), on_host("web", PORT)].concat()), @"warning: a.yaml:4:80: SidecarSet agent: 15000/TCP becomes a port of the node in each pod on the host network that it is put into (Deployment shop/web): no template shows it, and two of them cannot share a node. Take another selector");
}

#[test]
fn one_that_the_pod_has_already_is_an_error() {
    assert_snapshot!(said("sidecar-port", &[set("web", "ports: [{containerPort: 20080}]"), on_host("web", PORT)].concat()), @"error: a.yaml:4:80: SidecarSet agent: 20080/TCP is put into pods on the host network that listen there themselves (Deployment shop/web): nobody validates that before the Pod, and the second one fails with `bind: address already in use`. Take another number or selector");
}

#[test]
fn other_pods_no_ports_and_the_pod_network_are_not_said() {
    assert_eq!(said("sidecar-port", &[set("api", AGENT), on_host("web", PORT)].concat()), "");
    assert_eq!(said("sidecar-port", &[set("web", "image: a"), on_host("web", PORT)].concat()), "");
    assert_eq!(
        said("sidecar-port", &[set("web", AGENT), workload("Deployment", "web", "{containers: []}")].concat()),
        ""
    );
    let every = set("web", AGENT).replace("{matchLabels: {app: web}}", "{}");
    assert_eq!(
        said("sidecar-port", &[every, on_host("web", PORT)].concat()),
        "",
        "its webhook refuses an empty selector"
    );
    let elsewhere = set("web", AGENT).replace("spec: {", "spec: {namespace: other, ");
    assert_eq!(said("sidecar-port", &[elsewhere, on_host("web", PORT)].concat()), "");
}
