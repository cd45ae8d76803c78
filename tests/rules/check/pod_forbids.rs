//! Rule `pod-forbids`.

use super::{reported, reported_with, workload};
use crate::support::results::worded;
use insta::assert_snapshot;

fn spec(fields: &str) -> String {
    workload("Deployment", "web", &format!("{{hostNetwork: true, {fields}}}"))
}

#[test]
fn fields_that_the_api_server_refuses() {
    assert_snapshot!(worded(reported("pod-forbids", &spec("hostUsers: false"))), @"error: a.yaml:7:42: Deployment shop/web: spec.template.spec.hostUsers is `false`, which the API server refuses together with `hostNetwork: true` (from v1.33 on): Forbidden: when `hostUsers` is false. Remove the field or `hostNetwork`");
    assert_snapshot!(worded(reported("pod-forbids", &spec("securityContext: {sysctls: [{name: net.ipv4.ip_forward, value: '1'}]}"))), @"error: a.yaml:7:66: Deployment shop/web: spec.template.spec.securityContext.sysctls[0].name is `net.ipv4.ip_forward`, which the API server refuses together with `hostNetwork: true` (from v1.29 on): Invalid value: may not be specified when 'hostNetwork' is true. Remove the field or `hostNetwork`");
    assert_snapshot!(worded(reported("pod-forbids", &spec("hostnameOverride: web"))), @"error: a.yaml:7:49: Deployment shop/web: spec.template.spec.hostnameOverride is `web`, which the API server refuses together with `hostNetwork: true` (from v1.35 on): Forbidden: may not be specified when hostNetwork is true. Remove the field or `hostNetwork`");
    assert!(
        reported_with("pod-forbids", "{versions: {kubernetes: v1.33}}", &spec("hostUsers: false"))
            .contains("pod.Spec.HostUsers")
    );
}

/// Kubernetes before the feature of a field drops the field; sysctls reach the kubelet, which refuses the Pod.
#[test]
fn the_version_decides() {
    let at = |version: &str, fields: &str| {
        reported_with("pod-forbids", &format!("{{versions: {{kubernetes: {version}}}}}"), &spec(fields))
    };
    for (fields, before, since) in [("hostUsers: false", "v1.32", "v1.33"), ("hostnameOverride: web", "v1.34", "v1.35")]
    {
        assert_eq!(at(before, fields), "", "{fields}");
        assert!(at(since, fields).contains("the API server refuses"), "{fields}");
    }
    let sysctl = "securityContext: {sysctls: [{name: net.ipv4.ip_forward, value: '1'}]}";
    assert!(
        at("v1.28", sysctl).contains("`SysctlForbidden`") && at("v1.29", sysctl).contains("the API server refuses")
    );
}

#[test]
fn fields_that_kubernetes_accepts_are_not_reported() {
    for fields in ["hostUsers: true", "securityContext: {sysctls: [{name: kernel.shm_rmid_forced, value: '1'}]}"] {
        assert_eq!(reported("pod-forbids", &spec(fields)), "", "{fields}");
    }
    assert_eq!(reported("pod-forbids", &workload("Deployment", "web", "{hostUsers: false}")), "");
}

/// On Windows nodes, Kubernetes has a host network only for `HostProcess` containers.
#[test]
fn windows_nodes_have_a_host_network_for_host_process_pods_alone() {
    assert_snapshot!(worded(reported("pod-forbids", &spec("nodeSelector: {kubernetes.io/os: windows}"))), @"warning: a.yaml:7:25: Deployment shop/web: hostNetwork is true, and its pods run on Windows nodes: on Windows nodes only HostProcess pods are on the host network (and others from v1.26 to v1.32 where the kubelet has the alpha feature WindowsHostNetwork), so they stay in the pod network, but the scheduler still reserves their ports on the node. Remove `hostNetwork`, or make it a HostProcess pod");
    for fine in [
        "nodeSelector: {kubernetes.io/os: linux}",
        "os: {name: windows}, securityContext: {windowsOptions: {hostProcess: true}}",
        "os: {name: windows}, containers: [{name: a, securityContext: {windowsOptions: {hostProcess: true}}}]",
    ] {
        assert_eq!(reported("pod-forbids", &spec(fine)), "", "{fine}");
    }
}

/// On the host network no CNI plugin sets up the redirect that the container waits for.
#[test]
fn a_container_that_waits_for_a_redirect_is_a_warning() {
    let with = |name: &str| spec(&format!("initContainers: [{{name: {name}}}]"));
    let finding = worded(reported("pod-forbids", &with("istio-validation")));
    assert!(finding.starts_with("warning: a.yaml:7:"), "{finding}");
    assert!(
        finding.contains("container istio-validation waits until the traffic of its pod is redirected"),
        "{finding}"
    );
    assert_eq!(reported("pod-forbids", &with("istio-init")), "");
    assert_eq!(reported("pod-forbids", &with("validation")), "");
}

#[test]
fn annotations_for_network_plugins_and_virtual_machines_have_no_effect_there() {
    let annotated = spec("containers: []")
        .replace("labels: {app: web}}", "labels: {app: web}, annotations: {k8s.v1.cni.cncf.io/networks: a}}");
    assert_snapshot!(worded(reported("pod-forbids", &annotated)), @"warning: a.yaml:6:79: Deployment shop/web: hostNetwork is true, and the annotation `k8s.v1.cni.cncf.io/networks` requests more network interfaces from a network plugin, but the kubelet calls no network plugin for pods on the host network. Remove the annotation or `hostNetwork`");
    assert_eq!(reported("pod-forbids", &annotated.replace("hostNetwork: true", "hostNetwork: false")), "");
    assert_snapshot!(worded(reported("pod-forbids", &spec("runtimeClassName: kata"))), @"warning: a.yaml:7:49: Deployment shop/web: runtimeClassName is `kata`: Kata Containers run a pod in a virtual machine and do not support the host network, where they may change the network of the node. Use another runtime class, or keep the pod in the pod network");
    assert_eq!(reported("pod-forbids", &spec("runtimeClassName: gvisor")), "");
}

/// Pods on the host network get the identity of their node. Programs of the nodes select them by the label.
#[test]
fn identities_by_the_metadata_address_have_no_effect_there() {
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web, namespace: shop, annotations: {iam.gke.io/gcp-service-account: a}}\n---\n";
    let of_account = format!("{account}{}", spec("serviceAccountName: web"));
    assert_snapshot!(worded(reported("pod-forbids", &of_account)), @"warning: a.yaml:11:11: Deployment shop/web: hostNetwork is true, its ServiceAccount has `iam.gke.io/gcp-service-account`, and GKE gives Pods on the host network the identity of their node and not that of the account. Remove this setting or `hostNetwork`");
    let node = spec("nodeSelector: {iam.gke.io/gke-metadata-server-enabled: 'true'}");
    assert_eq!(reported("pod-forbids", &node), "");
    let fargate = reported("pod-forbids", &spec("nodeSelector: {eks.amazonaws.com/compute-type: fargate}"));
    assert!(fargate.starts_with("error: "), "{fargate}");
}
