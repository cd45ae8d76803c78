//! Rule `sidecar-port`.

use super::{PORT, on_host, reported, workload};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn set(app: &str, port: &str) -> String {
    format!(
        "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {{name: agent}}\nspec: {{selector: {{matchLabels: {{app: {app}}}}}, containers: [{{name: agent, {port}}}]}}\n---\n"
    )
}

const AGENT: &str = "ports: [{containerPort: 15000}]";

#[test]
fn an_injected_port_becomes_a_port_of_the_node() {
    assert_snapshot!(brief(reported("sidecar-port", &[set("web", AGENT), on_host("web", PORT)].concat())), @"warning: sidecar-port SidecarSet agent spec.containers[0].ports[0] (a.yaml:4:80, 15000/TCP, Deployment shop/web)");
}

#[test]
fn an_injected_port_that_the_pod_has_is_an_error() {
    assert_snapshot!(brief(reported("sidecar-port", &[set("web", "ports: [{containerPort: 20080}]"), on_host("web", PORT)].concat())), @"error: sidecar-port SidecarSet agent spec.containers[0].ports[0] (a.yaml:4:80, 20080/TCP, Deployment shop/web)");
}

/// On the host network containerPort and hostPort have to be equal; in the pod network they may differ.
#[test]
fn a_host_port_of_another_number_is_an_error() {
    let mapped = "ports: [{containerPort: 15000, hostPort: 15001}]";
    let finding = worded(reported("sidecar-port", &[set("web", mapped), on_host("web", PORT)].concat()));
    assert!(
        finding.starts_with("error: a.yaml:4:80: SidecarSet agent: injects containerPort 15000 with hostPort 15001"),
        "{finding}"
    );
    let same = "ports: [{containerPort: 15000, hostPort: 15000}]";
    assert!(!reported("sidecar-port", &[set("web", same), on_host("web", PORT)].concat()).contains("error"));
    let pod_network = workload("Deployment", "web", "{containers: [{name: a}]}");
    assert_eq!(reported("sidecar-port", &[set("web", mapped), pod_network].concat()), "");
    assert_eq!(reported("sidecar-port", &[set("api", mapped), on_host("web", PORT)].concat()), "");
}

#[test]
fn other_pods_no_ports_and_the_pod_network_are_not_reported() {
    assert_eq!(reported("sidecar-port", &[set("api", AGENT), on_host("web", PORT)].concat()), "");
    assert_eq!(reported("sidecar-port", &[set("web", "image: a"), on_host("web", PORT)].concat()), "");
    assert_eq!(
        reported("sidecar-port", &[set("web", AGENT), workload("Deployment", "web", "{containers: []}")].concat()),
        ""
    );
    let every = set("web", AGENT).replace("{matchLabels: {app: web}}", "{}");
    assert_eq!(
        reported("sidecar-port", &[every, on_host("web", PORT)].concat()),
        "",
        "its webhook refuses an empty selector"
    );
    let elsewhere = set("web", AGENT).replace("spec: {", "spec: {namespace: other, ");
    assert_eq!(reported("sidecar-port", &[elsewhere, on_host("web", PORT)].concat()), "");
}

#[test]
fn another_protocol_and_uncertain_listeners_are_warnings() {
    let udp = "ports: [{containerPort: 20080, protocol: UDP}]";
    assert!(reported("sidecar-port", &[set("web", udp), on_host("web", PORT)].concat()).starts_with("warning: "));
    let probed = on_host("web", "readinessProbe: {httpGet: {port: 15000}}");
    assert!(reported("sidecar-port", &[set("web", AGENT), probed].concat()).starts_with("warning: "));
}

/// A container of a Pod in a dump that its template does not have.
/// Pods with the annotation share a message; pods in the pod network have no port of the node.
#[test]
fn annotated_pods_of_an_injector() {
    let annotate = |text: String| text.replacen("{labels:", "{annotations: {dapr.io/enabled: 'true'}, labels:", 1);
    let both = annotate(on_host("web", PORT)) + &annotate(on_host("api", ""));
    assert_snapshot!(brief(reported("sidecar-port", &both)), @r#"
    warning: sidecar-port Deployment shop/web spec.template.metadata.annotations["dapr.io/enabled"] (a.yaml:6:47, 3500/TCP, Deployment shop/api)
    warning: sidecar-port Deployment shop/web spec.template.metadata.annotations["dapr.io/enabled"] (a.yaml:6:47, 3501/TCP, Deployment shop/api)
    warning: sidecar-port Deployment shop/web spec.template.metadata.annotations["dapr.io/enabled"] (a.yaml:6:47, 50001/TCP, Deployment shop/api)
    warning: sidecar-port Deployment shop/web spec.template.metadata.annotations["dapr.io/enabled"] (a.yaml:6:47, 50002/TCP, Deployment shop/api)
    warning: sidecar-port Deployment shop/web spec.template.metadata.annotations["dapr.io/enabled"] (a.yaml:6:47, 9090/TCP, Deployment shop/api)
    "#);
    let in_pod_network = annotate(on_host("web", "")).replace("hostNetwork: true, ", "");
    assert_eq!(reported("sidecar-port", &in_pod_network), "");
}

#[test]
fn a_port_that_only_a_pod_has() {
    let pod = |containers: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: web-1, namespace: shop, ownerReferences: [{{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}}]}}\nspec: {{hostNetwork: true, nodeName: n, containers: [{{name: web, {PORT}}}{containers}]}}\n---\n"
        )
    };
    let of =
        |ports: &str, containers: &str| reported("sidecar-port", &[on_host("web", ports), pod(containers)].concat());
    let proxy = ", {name: proxy, ports: [{containerPort: 15000, hostPort: 15000}]}";
    assert!(
        of(PORT, proxy).starts_with("warning: ")
            && of(PORT, proxy).contains("Pod shop/web-1, container proxy: 15000/TCP")
    );
    assert_eq!(of(PORT, ""), "");
    assert_eq!(of(PORT, ", {name: proxy, ports: []}"), "");
    // If a container of the template listens on that port, the second process fails.
    let listens = format!("{PORT}, args: ['--metrics-bind-address=:15000']");
    assert!(of(&listens, proxy).starts_with("error: "));
    assert!(of(&listens, &proxy.replace("hostPort: 15000", "hostPort: 15000, protocol: UDP")).starts_with("warning: "));
    // A SidecarSet of the input explains the container.
    let explained = reported("sidecar-port", &[set("web", AGENT), on_host("web", PORT), pod(proxy)].concat());
    assert!(explained.lines().count() == 1 && explained.contains("SidecarSet agent"), "{explained}");
}
