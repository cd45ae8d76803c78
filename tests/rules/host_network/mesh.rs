//! Rule `mesh`: workloads that leave their service mesh.

use super::admission_policy::provider;
use super::{ALL, changes, deployment};
use crate::support::results::worded;
use insta::assert_snapshot;

/// Deployment `web` whose pods have these labels and annotations, in a namespace with this metadata.
fn pods(labels: &str, annotations: &str, namespace: &str) -> String {
    let own = format!("labels: {{app: web{labels}}}\n      annotations: {{{annotations}}}");
    let web = deployment("      - {name: web}\n").replace("labels: {app: web}", &own);
    match namespace {
        "" => web,
        _ => format!("{web}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, {namespace}}}\n"),
    }
}

/// The messages of rule `mesh` for a manifest.
fn reported(manifest: &str) -> String {
    changes(ALL, manifest).lines().filter(|line| line.ends_with("[mesh]")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_workload_that_leaves_its_mesh_is_reported() {
    assert_snapshot!(worded(changes(ALL, &pods(", sidecar.istio.io/inject: 'true'", "", ""))), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: standard input:7:51: Deployment shop/web: label `sidecar.istio.io/inject: true` puts its pods into Istio, which leaves out pods on the host network: they have no proxy, and where the mesh demands mTLS, calls to them and from them fail. Put the workload under `exclude`, or remove it from Istio with the label `sidecar.istio.io/inject: "false"` [mesh]
    "#);
    assert_snapshot!(worded(reported(&pods("", "linkerd.io/inject: enabled", ""))), @r#"warning: standard input:8:40: Deployment shop/web: annotation `linkerd.io/inject: enabled` puts its pods into Linkerd, which leaves out pods on the host network: they have no proxy, and where the mesh demands mTLS, calls to them and from them fail. Put the workload under `exclude`, or remove it from Linkerd with the annotation `linkerd.io/inject: disabled` [mesh]"#);
    assert_snapshot!(worded(reported(&pods("", "", "labels: {istio-injection: enabled}"))), @r#"warning: standard input:10:7: Deployment shop/web: label `istio-injection: enabled` of its Namespace puts its pods into Istio, which leaves out pods on the host network: they have no proxy, and where the mesh demands mTLS, calls to them and from them fail. Put the workload under `exclude`, or remove it from Istio with the label `sidecar.istio.io/inject: "false"` [mesh]"#);
    assert_snapshot!(worded(reported(&pods(", kuma.io/sidecar-injection: enabled", "", ""))), @r#"warning: standard input:7:53: Deployment shop/web: label `kuma.io/sidecar-injection: enabled` puts its pods into Kuma, whose injector ignores hostNetwork: the containers that it adds to the pods redirect the traffic of the node itself, unless a CNI plugin of the mesh does that instead. Put the workload under `exclude`, or remove it from Kuma with the label `kuma.io/sidecar-injection: disabled` [mesh]"#);
}

#[test]
fn every_key_of_the_catalogue_puts_pods_into_a_mesh() {
    for labels in ["istio.io/rev: canary", "istio.io/dataplane-mode: ambient", "sidecar.istio.io/inject: 'True'"] {
        assert!(!reported(&pods(&format!(", {labels}"), "", "")).is_empty(), "{labels}");
    }
    for annotations in [
        "sidecar.istio.io/inject: 'true'",
        "linkerd.io/inject: ingress",
        "kuma.io/sidecar-injection: enabled",
        "consul.hashicorp.com/connect-inject: 'true'",
        "openservicemesh.io/sidecar-injection: enabled",
        "flomesh.io/sidecar-injection: enabled",
        "appmesh.k8s.aws/sidecarInjectorWebhook: enabled",
    ] {
        assert!(!reported(&pods("", annotations, "")).is_empty(), "{annotations}");
    }
    for namespace in [
        "labels: {istio.io/rev: stable}",
        "labels: {istio.io/dataplane-mode: ambient}",
        "annotations: {linkerd.io/inject: enabled}",
        "labels: {kuma.io/sidecar-injection: enabled}",
        "labels: {appmesh.k8s.aws/sidecarInjectorWebhook: enabled}",
        "annotations: {openservicemesh.io/sidecar-injection: enabled}",
        "annotations: {flomesh.io/sidecar-injection: 'yes'}",
    ] {
        assert!(!reported(&pods("", "", namespace)).is_empty(), "{namespace}");
    }
}

/// Packages run in the namespace of Crossplane's core.
#[test]
fn the_namespace_of_the_core_puts_packages_into_a_mesh() {
    let with = |namespace: &str| {
        let namespace = format!(
            "apiVersion: v1\nkind: Namespace\nmetadata: {{name: {namespace}, labels: {{istio-injection: enabled}}}}\n"
        );
        let spec = "{crossplane: {version: v1.20.0}, targets: [{select: {name: web}, ports: auto}]}";
        changes(spec, &super::stream([namespace, provider("shop")]))
    };
    assert!(
        with("shop").contains("Provider web: label `istio-injection: enabled` of its Namespace"),
        "{}",
        with("shop")
    );
    assert!(!with("other").contains("[mesh]"));
}

#[test]
fn one_warning_is_enough() {
    let all = pods(", sidecar.istio.io/inject: 'true', istio.io/rev: x", "linkerd.io/inject: enabled", "");
    assert_eq!(reported(&all).lines().count(), 1);
}

#[test]
fn pods_outside_of_a_mesh_are_not_reported() {
    for (labels, annotations, namespace) in [
        ("", "", ""),
        (", sidecar.istio.io/inject: 'false', istio.io/rev: default", "", ""),
        (", istio.io/rev: default", "sidecar.istio.io/inject: 'false'", ""),
        (", istio.io/dataplane-mode: none", "", "labels: {istio.io/dataplane-mode: ambient}"),
        ("", "linkerd.io/inject: disabled", "annotations: {linkerd.io/inject: enabled}"),
        (", sidecar.istio.io/inject: 'false'", "", "labels: {istio-injection: enabled}"),
        (", sidecar.istio.io/inject: 'true'", "", "labels: {istio-injection: disabled}"),
        (", kuma.io/sidecar-injection: disabled", "", "labels: {kuma.io/sidecar-injection: enabled}"),
        ("", "consul.hashicorp.com/connect-inject: 'false'", ""),
        // Settings of a proxy do not put the pod into a mesh.
        ("", "config.linkerd.io/opaque-ports: '25', traffic.sidecar.istio.io/excludeInboundPorts: '9443'", ""),
        // Linkerd reads annotations, not labels.
        ("", "", "labels: {linkerd.io/inject: enabled}"),
    ] {
        let manifest = pods(labels, annotations, namespace);
        assert_eq!(reported(&manifest), "", "{manifest}");
    }
    // The Namespace of other pods.
    let other =
        pods("", "", "labels: {istio-injection: enabled}").replace("{name: shop, labels", "{name: prod, labels");
    assert_eq!(reported(&other), "");
}

#[test]
fn workloads_that_do_not_move_are_not_reported() {
    let host = pods(", sidecar.istio.io/inject: 'true'", "", "");
    assert_eq!(reported(&host.replace("    spec:\n", "    spec:\n      hostNetwork: true\n")), "");
    assert_eq!(reported(&host.replace("    spec:\n", "    spec:\n      hostUsers: false\n")), "");
    let labelled = host.replace("shop}", "shop, labels: {linkerd.io/inject: enabled}}");
    assert_eq!(reported(&labelled).lines().count(), 1);
}

/// The manifest already contains the injected proxy, and a CNI plugin does the redirect: there is no label and no init
/// container.
#[test]
fn a_proxy_in_the_template_is_membership() {
    let with = |containers: &str| reported(&deployment(containers));
    for (proxy, mesh) in [
        ("{name: istio-proxy, image: 'docker.io/istio/proxyv2:1.27.0'}", "Istio"),
        ("{name: linkerd-proxy, image: 'cr.l5d.io/linkerd/proxy:edge-25.8.5'}", "Linkerd"),
        ("{name: kuma-sidecar, image: 'docker.io/kumahq/kuma-dp:2.11.0'}", "Kuma"),
        ("{name: consul-dataplane, image: 'hashicorp/consul-dataplane:1.8.0'}", "Consul"),
        (
            "{name: envoy, image: '840364872350.dkr.ecr.us-west-2.amazonaws.com/aws-appmesh-envoy:v1.29.6.0-prod'}",
            "AWS App Mesh",
        ),
    ] {
        let log = with(&format!("      - {{name: web}}\n      - {proxy}\n"));
        assert!(log.contains(&format!("is a proxy of {mesh}")) && log.contains("from its template"), "{log}");
        // As the only container it is a gateway.
        assert_eq!(with(&format!("      - {proxy}\n")), "");
    }
    assert_eq!(with("      - {name: web}\n      - {name: envoy, image: 'envoyproxy/envoy:v1.34.0'}\n"), "");
    assert_eq!(with("      - {name: web}\n      - {name: proxy, image: 'example/linkerd-proxy-tools:v1'}\n"), "");
}
