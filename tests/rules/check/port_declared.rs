//! Rule `port-declared`.

use super::{on_host, report_of, reported, workload};
use crate::support::results::worded;
use hostnet::kinds::check::Configs;
use insta::assert_snapshot;

#[test]
fn a_listener_set_by_a_flag_is_not_declared() {
    assert_snapshot!(worded(reported("port-declared", &on_host("web", "args: ['--metrics-bind-address=:20443']"))), @"warning: a.yaml:7:124: Deployment shop/web, container web, port 20443 is not declared (scaffold): neither the scheduler nor the autoscaler sees it, and a second pod on the node crashes with `bind: address already in use` instead of staying Pending. Add to the container's `ports`: `- {name: metrics, containerPort: 20443, hostPort: 20443}`");
}

/// The line to add has the address of a process that listens only there.
#[test]
fn the_line_for_a_loopback_address_has_a_host_ip() {
    let found = |address: &str| {
        reported("port-declared", &on_host("web", &format!("args: ['--metrics-bind-address={address}:20443']")))
    };
    assert!(found("127.0.0.2").contains("hostPort: 20443, hostIP: '127.0.0.2'}`"), "{}", found("127.0.0.2"));
    assert!(found("[::1]").contains("hostIP: '::1'"), "{}", found("[::1]"));
    assert!(!found("0.0.0.0").contains("hostIP"));
}

/// The config file of a program that the catalogue does not know shows its listeners.
#[test]
fn addresses_in_a_mounted_file_are_reported() {
    let web = |image: &str, more: &str| {
        let container =
            format!("{{name: web, image: '{image}', volumeMounts: [{{name: config, mountPath: /etc/web}}]{more}}}");
        let spec = format!(
            "{{hostNetwork: true, containers: [{container}], volumes: [{{name: config, configMap: {{name: web}}}}]}}"
        );
        workload("Deployment", "web", &spec)
    };
    let map = |text: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata: {{web.yaml: '{text}'}}\n"
        )
    };
    let found = |pods: &str, text: &str| reported("port-declared", &format!("{pods}{}", map(text)));
    let unknown = web("example/web:v1", "");
    assert_snapshot!(worded(found(&unknown, "listen: :18080")), @"warning: a.yaml:7:44: Deployment shop/web, container web: the program is not in the catalogue, and may listen on 18080 according to the mounted file `web.yaml` (line 1 of ConfigMap `web`): neither the scheduler nor the autoscaler sees it. If it does, add the ports to `ports` of the container");
    for near in ["listen: 127.0.0.1:18080", "upstream: web:18080", "{\"id\":18080}", "port: 18080"] {
        assert_eq!(found(&unknown, near), "", "{near}");
    }
    let declared = web("example/web:v1", ", ports: [{containerPort: 18080, hostPort: 18080}]");
    let known = web("quay.io/jetstack/cert-manager-webhook:v1.15.0", "");
    for pods in [declared, known, unknown.replace("hostNetwork: true, ", "")] {
        assert!(!found(&pods, "listen: :18080").contains("mounted file"), "{pods}");
    }
}

/// Libraries open ports that no manifest shows.
#[test]
fn ports_of_libraries_are_reported() {
    let env = |names: &[&str]| {
        let vars: Vec<String> = names.iter().map(|name| format!("{{name: {name}, value: x}}")).collect();
        format!("env: [{}]", vars.join(", "))
    };
    let found = |fields: &str| reported("port-declared", &on_host("web", fields));
    let knative = env(&["METRICS_DOMAIN", "CONFIG_LOGGING_NAME"]);
    assert_snapshot!(worded(found(&knative)), @"warning: a.yaml:7:80: Deployment shop/web, container web: the program is not in the catalogue. Its variables belong to knative.dev/pkg, which may also listen on 8008 (profiling), 8080 (probes), 9090 (metrics): neither the scheduler nor the autoscaler sees it. If it does, add the ports to `ports` of the container");
    let all = "ports: [{containerPort: 8008}, {containerPort: 8080}, {containerPort: 9090}]";
    assert!(!found(&format!("{knative}, {all}")).contains("knative"));
    assert_eq!(found(&env(&["METRICS_DOMAIN", "LOGGING"])), "");
    let known = workload(
        "Deployment",
        "web",
        &format!(
            "{{hostNetwork: true, containers: [{{name: web, image: 'quay.io/jetstack/cert-manager-webhook:v1.15.0', {knative}}}]}}"
        ),
    );
    assert!(!reported("port-declared", &known).contains("knative"));
    assert_eq!(
        reported(
            "port-declared",
            &workload("Deployment", "web", &format!("{{containers: [{{name: web, {knative}}}]}}"))
        ),
        ""
    );
}

#[test]
fn a_declared_listener_and_a_disabled_one_are_not_reported() {
    let args = "args: ['--metrics-bind-address=:20443'], ports: [{containerPort: 20443, hostPort: 20443}]";
    assert_eq!(reported("port-declared", &on_host("web", args)), "");
    assert_eq!(reported("port-declared", &on_host("web", "args: ['--metrics-bind-address=0']")), "");
    let pod_network = "{containers: [{name: a, args: ['--metrics-bind-address=:20443']}]}";
    assert_eq!(reported("port-declared", &workload("Deployment", "web", pod_network)), "");
}

/// A chart moves the metrics port and forgets the annotation: no process listens on the old number.
#[test]
fn a_scraped_number_next_to_a_metrics_port_is_not_reported() {
    let web = |container: &str| {
        let annotations = "annotations: {prometheus.io/port: '20080'}, labels";
        on_host("web", container).replacen("{labels", &format!("{{{annotations}"), 1)
    };
    let metrics = "ports: [{name: metrics, containerPort: 20480, hostPort: 20480}]";
    assert_eq!(reported("port-declared", &web(metrics)), "");
    assert_eq!(reported("node-port", &web(metrics).replace("'20080'", "'8080'")), "");
    let other = on_host("web", "ports: [{name: http, containerPort: 20080, hostPort: 20080}]").replace("web", "other");
    assert_eq!(reported("port-conflict", &[web(metrics), other].concat()), "");
    // Without another metrics port, the annotation shows a listener.
    let other = metrics.replace("name: metrics", "name: http");
    assert!(reported("port-declared", &web(&other)).contains("port 20080 is not declared (annotation)"));
}

/// Files that hold one object with different content belong to two clusters; annotations and monitors apply only to
/// their own cluster.
#[test]
fn annotations_and_monitors_of_another_cluster_do_not_count() {
    let web = |port: u16| on_host("web", &format!("ports: [{{name: http, containerPort: {port}, hostPort: {port}}}]"));
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop, annotations: {prometheus.io/port: '9102'}}\nspec: {selector: {app: \
                   web}, ports: [{port: 80, targetPort: 20080}]}\n---\n";
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: web, namespace: shop}\nspec: {selector: {matchLabels: {app: \
                   web}}, podMetricsEndpoints: [{targetPort: 9103}]}\n---\n";
    for (says, number) in [(service, "9102"), (monitor, "9103")] {
        let one = [web(20080).as_str(), says].concat();
        let reported = |files: &[(&str, &str)]| {
            let report = report_of(&Configs::default(), files);
            let found = report
                .entries
                .into_iter()
                .filter(|entry| entry.rule.id == "port-declared" && entry.message.contains(number));
            found.filter_map(|entry| entry.place?.file).collect::<Vec<_>>()
        };
        assert_eq!(reported(&[("one.yaml", &one), ("two.yaml", &web(20081))]), ["one.yaml"], "{number}");
        assert_eq!(reported(&[("one.yaml", says), ("two.yaml", &web(20081))]), ["two.yaml"], "{number}");
    }
}

/// The place is the text that sets the number, or the probe that shows it.
#[test]
fn the_place_is_the_text_with_the_number() {
    let web = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  hostNetwork: true\n  dnsPolicy: ClusterFirstWithHostNet\n  containers:\n  - name: web\n    image: example/web:v1\n";
    for (rest, place) in [
        ("    args:\n    - --v=1\n    - --metrics-bind-address=:20443\n", "a.yaml:12:7"),
        ("    env:\n    - name: METRICS_BIND_ADDRESS\n      value: '0.0.0.0:20443'\n", "a.yaml:12:14"),
        ("    readinessProbe:\n      httpGet:\n        port: 20443\n", "a.yaml:12:15"),
    ] {
        let log = worded(reported("port-declared", &format!("{web}{rest}")));
        assert!(
            log.starts_with(&format!("warning: {place}: Pod web, container web, port 20443 is not declared")),
            "{log}"
        );
    }
}
