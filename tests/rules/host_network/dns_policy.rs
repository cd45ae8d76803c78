//! Rule `dns-policy`: the dnsPolicy of pods that move.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{changes, deployment, deployment_named, infos, ports, run};

/// Deployment `web` with this additional field in its pod spec.
pub(super) fn on(spec: &str) -> String {
    deployment_named("web", 8080, true).replace("    spec:\n", &format!("    spec:\n      {spec}\n"))
}

/// `HostProcess` pods may be on the host network and use the resolver of the node.
#[test]
fn a_host_process_pod_moves_and_its_dns_policy_stays() {
    let manifest = on("securityContext: {windowsOptions: {hostProcess: true}}");
    let spec = "{targets: [{select: {name: web}}]}";
    let (output, _) = run(spec, &manifest);
    assert!(output.contains("hostNetwork: true") && !output.contains("dnsPolicy"), "{output}");
    assert_snapshot!(worded(infos(spec, &manifest, "dns-policy")), @"info: Deployment shop/web: dnsPolicy is not changed: Windows nodes do not support ClusterFirstWithHostNet [dns-policy]");
}

#[test]
fn an_authors_dns_policy_is_kept() {
    let manifest = deployment("      - {name: web}\n").replace("    spec:\n", "    spec:\n      dnsPolicy: None\n");
    assert_snapshot!(changes(&ports("keep"), &manifest), @"+      hostNetwork: true");
}

#[test]
fn the_config_may_set_another_dns_policy() {
    let spec = "{targets: [{select: {name: web}}], dnsPolicy: Default}";
    assert_snapshot!(changes(spec, &deployment("      - {name: web}\n")), @"+      hostNetwork: true, dnsPolicy: Default");
}

#[test]
fn a_dns_policy_that_is_kept_is_reported() {
    for kept in ["None", "Default"] {
        let manifest = deployment("      - {name: web}\n")
            .replace("      containers", &format!("      dnsPolicy: {kept}\n      containers"));
        let log = worded(super::infos(&ports("keep"), &manifest, "dns-policy"));
        assert_eq!(log.contains("do not resolve"), kept == "Default", "{log}");
        assert!(
            log.starts_with(&format!(
                "info: Deployment shop/web: dnsPolicy `{kept}` is set in the manifest and is kept"
            )),
            "{log}"
        );
    }
}

/// The API server refuses `dnsPolicy: None` without name servers.
#[test]
fn a_pod_without_name_servers_does_not_get_none() {
    let spec = "{targets: [{select: {name: web}}], dnsPolicy: None}";
    let (output, log) = run(spec, &on("dnsPolicy: ClusterFirst"));
    assert_snapshot!(worded(log.first().map(String::as_str).unwrap_or_default()), @"error: standard input:9:18: Deployment shop/web: `dnsPolicy: None` needs `dnsConfig.nameservers` in the pod spec, and the API server refuses a pod without them. Write the servers there, or leave out `dnsPolicy` in the config [dns-policy]");
    assert!(!output.contains("dnsPolicy: None"), "{output}");
    let (output, log) = run(spec, &on("dnsConfig: {nameservers: [10.0.0.10]}"));
    assert!(output.contains("dnsPolicy: None") && !log.join("").contains("[dns-policy]"), "{log:?}");
    for kept in ["Default", "None"] {
        assert!(!run(spec, &on(&format!("dnsPolicy: {kept}"))).1.join("").contains("[dns-policy]"), "{kept}");
    }
}

/// The API server refuses a policy that it does not know, before and after a move.
#[test]
fn an_unknown_dns_policy_leaves_the_workload() {
    let spec = "{targets: [{select: {name: web}}]}";
    for host in ["", "hostNetwork: true\n      "] {
        let (output, log) = run(spec, &on(&format!("{host}dnsPolicy: clusterFirst")));
        assert!(!output.contains("hostPort"), "{output}");
        assert!(log.join("").contains("dnsPolicy is `clusterFirst`"), "{log:?}");
    }
    let log = run(spec, &on("dnsPolicy: clusterFirst")).1.join("\n");
    assert_snapshot!(worded(log), @"error: standard input:9:18: Deployment shop/web: spec.template.spec.dnsPolicy is `clusterFirst`, which the API server refuses: write ClusterFirstWithHostNet, ClusterFirst, Default or None. The workload is not changed [dns-policy]");
    for fine in ["~", "''", "Default", "ClusterFirstWithHostNet", "'${DNS_POLICY}'", "'{{ dnsPolicy }}'", "DNS_POLICY"]
    {
        let (output, log) = run(spec, &on(&format!("dnsPolicy: {fine}")));
        assert!(output.contains("hostPort"), "{fine}: {log:?}");
        let is_later = fine.contains('{') || fine == "DNS_POLICY";
        assert_eq!(log.join("").contains("which is filled in later"), is_later, "{fine}: {log:?}");
    }
}
