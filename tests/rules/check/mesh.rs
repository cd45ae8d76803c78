//! Rule `mesh`.

use super::{on_host, reported};
use crate::support::results::worded;
use insta::assert_snapshot;

fn labelled(label: &str) -> String {
    on_host("web", "").replace("labels: {app: web}", &format!("labels: {{app: web, {label}}}"))
}

#[test]
fn a_label_puts_pods_of_the_host_network_into_a_mesh() {
    assert_snapshot!(worded(reported("mesh", &labelled("sidecar.istio.io/inject: 'true'"))), @r#"warning: a.yaml:6:60: Deployment shop/web: label `sidecar.istio.io/inject: true` puts its pods into Istio, which leaves out pods on the host network: they have no proxy, and where the mesh demands mTLS, calls to them and from them fail; remove it from Istio with the label `sidecar.istio.io/inject: "false"`"#);
}

#[test]
fn excluded_pods_and_the_pod_network_are_not_reported() {
    assert_eq!(reported("mesh", &labelled("sidecar.istio.io/inject: 'false'")), "");
    assert_eq!(
        reported(
            "mesh",
            &labelled("sidecar.istio.io/inject: 'true'").replace("hostNetwork: true", "hostNetwork: false")
        ),
        ""
    );
}

/// A mesh whose injector ignores `hostNetwork` redirects the traffic of the node.
#[test]
fn the_message_depends_on_the_injector_of_the_mesh() {
    let istio = reported("mesh", &labelled("sidecar.istio.io/inject: 'true'"));
    assert!(istio.contains("leaves out pods on the host network") && !istio.contains("redirects"), "{istio}");
    let others = hostnet::catalog::MESHES.iter().filter(|mesh| !mesh.skips).count();
    let dapr = reported("mesh", &labelled("kuma.io/sidecar-injection: enabled"));
    assert!(others == 0 || dapr.contains("redirect the traffic of the node"), "{dapr}");
}

#[test]
fn a_proxy_next_to_other_containers_is_membership() {
    let with = |containers: &str| {
        let spec = format!("{{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{containers}]}}");
        reported("mesh", &super::workload("Deployment", "web", &spec))
    };
    let proxy = "{name: istio-proxy, image: istio/proxyv2:1.27.0}";
    let log = with(&format!("{{name: web, image: example/web:v1}}, {proxy}"));
    assert!(log.starts_with("warning: ") && log.contains("container istio-proxy is a proxy of Istio"), "{log}");
    assert_eq!(with(proxy), "");
}
