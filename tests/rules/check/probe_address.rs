//! Rule `probe-address`.

use super::{PORT, on_host, reported, workload};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn probed(probe: &str) -> String {
    reported("probe-address", &on_host("web", &format!("{PORT}, readinessProbe: {probe}")))
}

#[test]
fn a_number_that_only_the_probe_has() {
    assert_snapshot!(worded(probed("{httpGet: {port: 20081}}")), @"warning: a.yaml:7:212: Deployment shop/web, container web: spec.template.spec.containers[0].readinessProbe.httpGet.port is 20081, and nothing else shows that the pod listens there (it listens on 20080): on the host network another process of the node may answer there, and the probe passes. Correct the number, or declare the port and probe it by its name");
    // Rule `port-declared` does not report the number too.
    assert_eq!(
        reported("port-declared", &on_host("web", &format!("{PORT}, readinessProbe: {{httpGet: {{port: 20081}}}}"))),
        ""
    );
}

#[test]
fn a_name_that_the_container_does_not_have() {
    assert_snapshot!(worded(probed("{httpGet: {port: web}}")), @"warning: a.yaml:7:212: Deployment shop/web, container web: spec.template.spec.containers[0].readinessProbe.httpGet.port is `web`, which is not the name of one of its ports: the kubelet cannot resolve it. Write the name or the number of a port of this container");
}

#[test]
fn a_host_that_is_not_the_pod() {
    assert_snapshot!(worded(probed("{httpGet: {port: http, host: 10.0.0.1}}")), @"warning: a.yaml:7:224: Deployment shop/web, container web: spec.template.spec.containers[0].readinessProbe.httpGet dials 10.0.0.1 and not the pod. Remove `host`: on the host network the pod has the address of its node. Pod Security `baseline` forbids `host` from v1.34 on, and so does OpenKruise from v1.9 on in a PodProbeMarker");
}

/// An address at which the process itself listens: without `host` the kubelet would dial an address without listener.
#[test]
fn an_address_in_the_settings_of_the_pod_is_its_own() {
    let probed = |args: &str| {
        let probe = "readinessProbe: {httpGet: {port: http, host: 169.254.20.10}}";
        reported("probe-address", &on_host("web", &format!("{PORT}, args: [{args}], {probe}")))
    };
    assert_eq!(probed("-localip, '169.254.20.10,10.96.0.10'"), "");
    assert_eq!(probed("'--health=169.254.20.10:20080'"), "");
    for args in ["", "-localip, 169.254.20.101", "-localip, 1169.254.20.10"] {
        assert!(probed(args).starts_with("warning: "), "{args}");
    }
}

#[test]
fn probes_of_known_ports_are_not_reported() {
    for probe in [
        "{httpGet: {port: http}}",
        "{tcpSocket: {port: 20080}}",
        "{httpGet: {port: 20080, host: 127.0.0.1}}",
        "{httpGet: {port: '${PORT}'}}",
    ] {
        assert_eq!(probed(probe), "", "{probe}");
    }
    // The probe is the only known port of a container without ports and settings.
    assert_eq!(reported("probe-address", &on_host("web", "readinessProbe: {httpGet: {port: 20081}}")), "");
    let pod_network = format!("{{containers: [{{name: web, {PORT}, readinessProbe: {{httpGet: {{port: 20081}}}}}}]}}");
    assert_eq!(reported("probe-address", &workload("Deployment", "web", &pod_network)), "");
}

#[test]
fn a_probe_may_dial_another_container() {
    let spec = format!(
        "{{hostNetwork: true, containers: [{{name: web, {PORT}, readinessProbe: {{httpGet: {{port: 20090}}}}}}, {{name: proxy, ports: [{{containerPort: 20090}}]}}]}}"
    );
    assert_eq!(reported("probe-address", &workload("Deployment", "web", &spec)), "");
}

/// A file or variable of the pod has the number, or the catalogue lists it for the program. Rule `port-declared`
/// reports it.
#[test]
fn a_number_of_the_pods_configuration_is_not_reported() {
    let probe = "readinessProbe: {httpGet: {port: 20081}}";
    let mounted = |rule: &str, map: &str| {
        let volume = format!("volumes: [{{name: c, configMap: {{name: {map}}}}}]");
        let spec = format!("{{hostNetwork: true, {volume}, containers: [{{name: web, {PORT}, {probe}}}]}}");
        let data = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: web, namespace: shop}\ndata: {health-addr: '127.0.0.1:20081', config.json: \
                    '{\"port\":20082}'}\n---\n";
        reported(rule, &format!("{data}{}", workload("Deployment", "web", &spec)))
    };
    assert_eq!(mounted("probe-address", "web"), "");
    assert!(mounted("port-declared", "web").contains("port 20081 is not declared (probe)"));
    assert!(mounted("probe-address", "other").contains("20081"));
    assert_eq!(mounted("port-declared", "other"), "");
    let known = |image: &str| {
        let envoy = format!("image: '{image}', {PORT}, readinessProbe: {{httpGet: {{port: 9878}}}}");
        let spec = format!("{{hostNetwork: true, containers: [{{name: envoy, {envoy}}}]}}");
        reported("probe-address", &workload("DaemonSet", "envoy", &spec))
    };
    assert_eq!(known("quay.io/cilium/cilium-envoy:v1.35.9"), "");
    assert!(known("example/web:v1").contains("9878"));
}

#[test]
fn placeholders_are_not_reported() {
    assert_eq!(probed("{httpGet: {port: http, host: '${HOST}'}}"), "");
    let later =
        PORT.replace("}]", "}, {name: more, containerPort: '${MORE}'}], readinessProbe: {httpGet: {port: 20081}}");
    assert_eq!(reported("probe-address", &on_host("web", &later)), "");
    assert_eq!(probed("{httpGet: {path: /}}"), "", "the API server requires a port");
    // A port of another container is not a port of this container.
    let spec = format!(
        "{{hostNetwork: true, containers: [{{name: web, readinessProbe: {{httpGet: {{port: 20081}}}}}}, {{name: proxy, {PORT}}}]}}"
    );
    assert_eq!(reported("probe-address", &workload("Deployment", "web", &spec)), "");
}

/// A number with a second source, such as a flag or a Service, is not a mistake of the probe.
#[test]
fn a_probed_number_with_a_second_source_is_not_reported() {
    let flag =
        format!("{PORT}, args: ['--health-probe-bind-address=:20081'], readinessProbe: {{httpGet: {{port: 20081}}}}");
    assert_eq!(reported("probe-address", &on_host("web", &flag)), "");
    let later = super::on_host("web", PORT);
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 80, targetPort: 20081}]}\n---\n";
    let probe = later.replace("hostPort: 20080}]", "hostPort: 20080}], readinessProbe: {httpGet: {port: 20081}}");
    assert_eq!(reported("probe-address", &[service, &probe].concat()), "");
}

/// A probe of a `PodProbeMarker` dials the pod and names its container.
#[test]
fn probes_of_a_pod_probe_marker_are_checked() {
    let marker = |probe: &str| {
        format!(
            "apiVersion: apps.kruise.io/v1alpha1\nkind: PodProbeMarker\nmetadata: {{name: m, namespace: shop}}\nspec:\n  selector: {{matchLabels: {{app: \
             web}}}}\n  probes:\n  - {{name: x, containerName: web, probe: {probe}}}\n---\n"
        )
    };
    let all = |probe: &str| reported("probe-address", &[marker(probe), on_host("web", PORT)].concat());
    assert_snapshot!(brief(all("{httpGet: {port: 20081}}")), @"warning: probe-address PodProbeMarker shop/m spec.probes[0].probe.httpGet.port (a.yaml:7:59, 20080, 20081, Deployment shop/web)");
    assert_snapshot!(worded(all("{tcpSocket: {port: web}}")), @"warning: a.yaml:7:61: PodProbeMarker shop/m, Deployment shop/web, container web: spec.probes[0].probe.tcpSocket.port is `web`, which is not the name of one of its ports: OpenKruise cannot resolve it. Write the name or the number of a port of this container");
    assert_snapshot!(brief(all("{httpGet: {port: http, host: 10.0.0.1}}")), @"warning: probe-address PodProbeMarker shop/m spec.probes[0].probe.httpGet.host (a.yaml:7:71, 10.0.0.1, Deployment shop/web, v1.34, v1.9)");
    for probe in [
        "{httpGet: {port: http}}",
        "{tcpSocket: {port: 20080}}",
        "{exec: {command: [nc, '20081']}}",
        "{httpGet: {port: '${PORT}'}}",
    ] {
        assert_eq!(all(probe), "", "{probe}");
    }
    // Other pods, other containers, other namespaces, and the pod network.
    let odd = marker("{tcpSocket: {port: 20081}}");
    let web = on_host("web", PORT);
    for (odd, web) in [
        (odd.replace("app: web", "app: api"), web.clone()),
        (odd.replace("containerName: web", "containerName: api"), web.clone()),
        (odd.replace("namespace: shop", "namespace: other"), web.clone()),
        (odd.clone(), web.replace("hostNetwork: true", "hostNetwork: false")),
    ] {
        assert_eq!(reported("probe-address", &[odd, web].concat()), "");
    }
    // An annotation of the workload also suppresses findings about its marker.
    let ignored =
        web.replace("namespace: shop}", "namespace: shop, annotations: {ignore.hostnet.dev/probe-address: ours}}");
    assert_eq!(reported("probe-address", &[odd, ignored].concat()), "");
}
