//! Rule `dns-policy`.

use super::{on_host, reported, workload};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

#[test]
fn without_a_policy_names_of_the_cluster_do_not_resolve() {
    assert_snapshot!(worded(reported("dns-policy", &workload("Deployment", "web", "{hostNetwork: true, containers: []}"))), @"warning: a.yaml:7:11: Deployment shop/web: dnsPolicy is absent, and on the host network the kubelet then silently gives it the node's resolver: names of the cluster do not resolve. Write `dnsPolicy: ClusterFirstWithHostNet`, or `Default` if that is intended");
    let written = "{hostNetwork: true, dnsPolicy: ClusterFirst, containers: []}";
    assert_snapshot!(worded(reported("dns-policy", &workload("Deployment", "web", written))), @"warning: a.yaml:7:42: Deployment shop/web: dnsPolicy is ClusterFirst, and on the host network the kubelet then silently gives it the node's resolver: names of the cluster do not resolve. Write `dnsPolicy: ClusterFirstWithHostNet`, or `Default` if that is intended");
}

#[test]
fn the_right_policy_the_pod_network_and_placeholders_are_not_reported() {
    assert_eq!(reported("dns-policy", &on_host("web", "")), "");
    for spec in
        ["{containers: []}", "{hostNetwork: true, dnsPolicy: None}", "{hostNetwork: true, dnsPolicy: '${POLICY}'}"]
    {
        assert_eq!(reported("dns-policy", &workload("Deployment", "web", spec)), "", "{spec}");
    }
}

#[test]
fn a_written_policy_is_information() {
    assert_snapshot!(worded(reported("dns-policy", &workload("Deployment", "web", "{hostNetwork: true, dnsPolicy: Default}"))), @"info: a.yaml:7:42: Deployment shop/web: dnsPolicy is Default: names of the cluster do not resolve; the manifest sets this policy explicitly");
}

#[test]
fn dns_policy_is_info_for_node_agents_and_error_for_crossplane() {
    let spec = |image: &str| {
        format!("{{hostNetwork: true, containers: [{{name: a, image: '{image}', args: [core, start]}}]}}")
    };
    assert_snapshot!(worded(reported("dns-policy", &workload("DaemonSet", "agent", &spec("quay.io/prometheus/node-exporter:v1.9.0")))), @"info: \
         a.yaml:7:11: DaemonSet shop/agent: dnsPolicy is absent, and on the host network the kubelet then silently gives it the node's \
         resolver: names of the cluster do not resolve; agents of nodes usually do not need them. Write `dnsPolicy: \
         ClusterFirstWithHostNet`, or `Default` if that is intended");
    assert_snapshot!(worded(reported("dns-policy", &workload("Deployment", "crossplane", &spec("xpkg.crossplane.io/crossplane/crossplane:v2.0.2")))), @"error: a.yaml:7:11: Deployment shop/crossplane: dnsPolicy is absent, and on the host network the kubelet then silently gives it the node's resolver: names of the cluster do not resolve, and every call of a Function fails: `produced zero addresses`. Write `dnsPolicy: ClusterFirstWithHostNet`, or `Default` if that is intended");
    assert_snapshot!(brief(reported("dns-policy", &workload("Deployment", "crossplane", &spec("m.example.com/crossplane-core:v2.0.2")))), @"error: dns-policy Deployment shop/crossplane spec.template.spec.dnsPolicy (a.yaml:7:11)");
}

/// The image of a node agent may also run a controller.
#[test]
fn a_deployment_is_not_an_agent_of_nodes() {
    let spec = "{hostNetwork: true, containers: [{name: a, image: 'openkruise/kruise-manager:v1.8.3'}]}";
    assert!(reported("dns-policy", &workload("Deployment", "manager", spec)).starts_with("warning: "));
    assert!(reported("dns-policy", &workload("DaemonSet", "daemon", spec)).starts_with("info: "));
}

/// A network plugin runs before other pods of its node have a network.
#[test]
fn an_installer_of_a_network_plugin_is_an_agent_of_nodes() {
    let found = |kind: &str, path: &str| {
        let volumes = format!("volumes: [{{name: v, hostPath: {{path: {path}}}}}]");
        let spec = format!("{{hostNetwork: true, {volumes}, containers: [{{name: a, image: 'example/plugin:v1'}}]}}");
        let found = reported("dns-policy", &workload(kind, "plugin", &spec));
        found.split_once(':').map(|(severity, _)| severity.to_owned()).unwrap_or_default()
    };
    for path in ["/opt/cni/bin", "/etc/cni/net.d/", "/opt/cni"] {
        assert_eq!(found("DaemonSet", path), "info", "{path}");
    }
    for (kind, path) in [("DaemonSet", "/opt/cnition"), ("DaemonSet", "/opt"), ("Deployment", "/opt/cni/bin")] {
        assert_eq!(found(kind, path), "warning", "{kind} {path}");
    }
}

/// `ClusterFirstWithHostNet` has no effect on Windows nodes.
#[test]
fn pods_of_windows_nodes_are_not_reported() {
    for windows in [
        "os: {name: windows}",
        "nodeSelector: {kubernetes.io/os: windows}",
        "securityContext: {windowsOptions: {hostProcess: true}}",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}",
    ] {
        let spec = |more: &str| format!("{{hostNetwork: true, {more}, containers: []}}");
        assert_eq!(reported("dns-policy", &workload("DaemonSet", "agent", &spec(windows))), "", "{windows}");
        let linux = windows.replace("windows]", "linux]").replace("windows}", "linux}").replace("true", "false");
        assert_ne!(reported("dns-policy", &workload("DaemonSet", "agent", &spec(&linux))), "", "{linux}");
    }
}

#[test]
fn the_policy_that_windows_nodes_do_not_support() {
    let reported = |more: &str| {
        let spec = format!(
            "{{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, os: {{name: windows}}{more}, containers: []}}"
        );
        reported("dns-policy", &workload("DaemonSet", "agent", &spec))
    };
    assert_snapshot!(worded(reported("")), @"warning: a.yaml:7:42: DaemonSet shop/agent: dnsPolicy is ClusterFirstWithHostNet, which Windows nodes do not support. Write `dnsPolicy: ClusterFirst`");
    assert_snapshot!(brief(reported(", securityContext: {windowsOptions: {hostProcess: true}}")), @"warning: dns-policy DaemonSet shop/agent spec.template.spec.dnsPolicy (a.yaml:7:42)");
}

#[test]
fn similar_images_are_neither_agents_nor_crossplane() {
    let spec =
        |image: &str| format!("{{hostNetwork: true, dnsPolicy: null, containers: [{{name: a, image: '{image}'}}]}}");
    for (kind, image, severity) in [
        ("DaemonSet", "example/web:v1", "warning: "),
        ("Deployment", "quay.io/jetstack/cert-manager-controller:v1.15.0", "warning: "),
    ] {
        let log = reported("dns-policy", &workload(kind, "web", &spec(image)));
        assert!(log.starts_with(severity), "{kind} {image}: {log}");
    }
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {}\n",
        spec("quay.io/prometheus/node-exporter:v1.9.0")
    );
    assert!(reported("dns-policy", &pod).starts_with("info: "));
    let windows = "{hostNetwork: true, dnsPolicy: Default, os: {name: windows}, containers: []}";
    assert_eq!(reported("dns-policy", &workload("DaemonSet", "agent", windows)), "");
}
