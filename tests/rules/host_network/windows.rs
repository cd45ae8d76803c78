//! Pods of Windows nodes: rules `pod-forbids` and `dns-policy`.

use super::{infos, named, run};
use insta::assert_snapshot;

fn on(spec: &str) -> String {
    named("web", 8080, true).replace("    spec:\n", &format!("    spec:\n      {spec}\n"))
}

#[test]
fn a_pod_that_windows_gives_no_host_network_stays() {
    let manifest = on("nodeSelector: {kubernetes.io/os: windows}");
    let (output, said) = run("{targets: [{select: {name: web}}]}", &manifest);
    assert_eq!(output, manifest);
    assert_snapshot!(said.join("\n"), @"error: standard input:9:7: Deployment shop/web: its pods run on Windows nodes, and on Windows nodes only HostProcess pods are on the host network (and others from v1.26 to v1.32 where the kubelet has the alpha feature WindowsHostNetwork). The workload is left as it is: put it under `exclude` [pod-forbids]");
    // A broad select leaves it.
    let both = [manifest.as_str(), "---\n", &named("api", 8081, true)].concat();
    let (output, said) = run("{targets: [{select: {kind: Deployment}}]}", &both);
    assert!(output.starts_with(&manifest) && output.contains("hostNetwork: true"), "{output}");
    assert!(said.iter().any(|line| line.starts_with("warning") && line.contains("[pod-forbids]")), "{said:?}");
    let (output, _) = run("{targets: [{select: {name: web}}]}", &on("nodeSelector: {kubernetes.io/os: linux}"));
    assert!(output.contains("hostNetwork: true"), "{output}");
}

/// `HostProcess` pods are on the host network, and have the node's resolver.
#[test]
fn a_host_process_pod_moves_and_its_dns_policy_stays() {
    let manifest = on("securityContext: {windowsOptions: {hostProcess: true}}");
    let spec = "{targets: [{select: {name: web}}]}";
    let (output, _) = run(spec, &manifest);
    assert!(output.contains("hostNetwork: true") && !output.contains("dnsPolicy"), "{output}");
    assert_snapshot!(infos(spec, &manifest, "dns-policy"), @"Deployment shop/web: dnsPolicy is left: Windows nodes do not support ClusterFirstWithHostNet");
}
