//! Rule `host-port`.

use super::{on_host, reported, reported_with, workload};
use crate::support::results::worded;
use insta::assert_snapshot;

const DIFFERS: &str = "ports: [{containerPort: 8080, hostPort: 9090}]";
const ABSENT: &str = "{hostNetwork: true, containers: [{name: web, ports: [{containerPort: 8080}, {containerPort: 8081, hostPort: 0}]}]}";

#[test]
fn a_host_port_that_differs_is_refused() {
    assert_snapshot!(worded(reported("host-port", &on_host("web", DIFFERS))), @r#"error: a.yaml:7:157: Deployment shop/web, container web: hostPort is 9090 and containerPort 8080; the API server refuses it: "spec.template.spec.containers[0].ports[0].hostPort: Invalid value: 9090: must match `containerPort` when `hostNetwork` is true" (up to v1.27 the message is the same error for `containerPort`: "must match `hostPort`"). Write `hostPort: 8080`"#);
    for version in ["v1.27", "v1.33", "v1.34"] {
        let spec = format!("{{versions: {{kubernetes: {version}}}}}");
        let set = workload("StatefulSet", "web", &super::host_spec(DIFFERS));
        let log = reported_with("host-port", &spec, &set);
        assert!(
            log.contains(if version == "v1.34" { "the API server refuses it:" } else { "refuses each of its Pods:" }),
            "{log}"
        );
        assert_eq!(
            log.contains("containerPort: Invalid value: 8080: must match `hostPort`"),
            version == "v1.27",
            "{log}"
        );
    }
}

#[test]
fn an_equal_host_port_and_the_pod_network_are_not_reported() {
    assert_eq!(reported("host-port", &on_host("web", "ports: [{containerPort: 8080, hostPort: 8080}]")), "");
    let pod_network = format!("{{containers: [{{name: web, {DIFFERS}}}]}}");
    assert_eq!(reported("host-port", &workload("Deployment", "web", &pod_network)), "");
    let later = "ports: [{containerPort: '${PORT}', hostPort: 8080}]";
    assert_eq!(reported("host-port", &on_host("web", later)), "");
}

#[test]
fn the_host_port_of_a_sidecar_has_no_effect() {
    let spec = format!(
        "{{hostNetwork: true, initContainers: [{{name: a, restartPolicy: Always, {DIFFERS}}}, {{name: b, {DIFFERS}}}]}}"
    );
    assert_snapshot!(worded(reported("host-port", &workload("Deployment", "web", &spec))), @"warning: a.yaml:7:121: Deployment shop/web, \
         container a: hostPort is 9090 and containerPort 8080; the API server does not validate ports of init containers, and on the \
         host network the mapping has no effect. Write `hostPort: 8080`");
}

#[test]
fn an_absent_host_port_is_information() {
    assert_snapshot!(worded(reported("host-port", &workload("Deployment", "web", ABSENT))), @"info: a.yaml:7:64: Deployment shop/web: no hostPort for 8080, 8081: since v1.28 Kubernetes fills it in only in Pods, so the template does not show which ports of the node it uses. Write it in the template");
    assert_eq!(
        reported_with("host-port", "{versions: {kubernetes: v1.27}}", &workload("Deployment", "web", ABSENT)),
        ""
    );
}

#[test]
fn openkruise_refuses_an_absent_host_port_in_some_versions() {
    let set = workload("CloneSet", "web", ABSENT);
    assert_snapshot!(worded(reported("host-port", &set)), @r#"warning: a.yaml:7:64: CloneSet shop/web: no hostPort for 8080, 8081; OpenKruise from v1.7.0 on, and before v1.9.0, refuses it: admission webhook "vcloneset.kb.io" denied the request: spec.template.spec.containers[0].ports[0].hostPort: Invalid value: 0: must match `containerPort` when `hostNetwork` is true. The version is not known: write it out, or give `versions: {openkruise: v1.9.0}` in the config"#);
    assert_snapshot!(worded(reported_with("host-port", "{versions: {openkruise: v1.8.4}}", &set)), @r#"error: a.yaml:7:64: CloneSet shop/web: no hostPort for 8080, 8081; OpenKruise v1.8.4 refuses it: admission webhook "vcloneset.kb.io" denied the request: spec.template.spec.containers[0].ports[0].hostPort: Invalid value: 0: must match `containerPort` when `hostNetwork` is true. Write it out"#);
    for accepting in ["v1.6.4", "v1.9.0", "v1.9.0-alpha1"] {
        let log = reported_with("host-port", &format!("{{versions: {{openkruise: {accepting}}}}}"), &set);
        assert!(log.starts_with("info: "), "{accepting}: {log}");
    }
    // The version comes from the image of a manager in the input.
    let manager = workload(
        "Deployment",
        "kruise-controller-manager",
        "{containers: [{name: manager, image: 'openkruise/kruise-manager:v1.7.5'}]}",
    );
    let log = reported("host-port", &format!("{manager}{set}"));
    assert!(log.starts_with("error: ") && log.contains("OpenKruise v1.7.5 refuses it"), "{log}");
}

/// Without an image in the input, the version comes from the Helm chart.
#[test]
fn the_chart_of_openkruise_shows_its_version() {
    let set = workload("CloneSet", "web", ABSENT);
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: kruise, namespace: flux}\nspec: {chart: {spec: {chart: kruise, version: \
                   1.8.0, sourceRef: {kind: HelmRepository, name: openkruise}}}}\n---\n";
    assert!(reported("host-port", &[release, &set].concat()).starts_with("error: "));
    assert!(reported("host-port", &[&release.replace("1.8.0", "1.9.0"), set.as_str()].concat()).starts_with("info: "));
    assert!(
        reported("host-port", &[&release.replace("chart: kruise", "chart: web"), set.as_str()].concat())
            .starts_with("warning: ")
    );
}

/// The API server defaults the host ports of Pods.
#[test]
fn a_pod_without_host_ports_is_not_reported() {
    let pod = format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec: {ABSENT}\n");
    assert_eq!(reported("host-port", &pod), "");
    assert!(reported("host-port", &pod.replace("hostPort: 0", "hostPort: 9")).starts_with("error: "));
}
