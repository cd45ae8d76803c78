//! Rule `service-target`.

use super::{PORT, on_host, report_of, reported, workload};
use crate::support::results::worded;
use hostnet::kinds::check::Configs;
use hostnet::render::check::text;
use insta::assert_snapshot;

fn service(fields: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, {fields}}}\n---\n"
    )
}

#[test]
fn a_name_that_no_port_has() {
    assert_snapshot!(worded(reported("service-target", &[service("ports: [{port: 80, targetPort: web}]"), on_host("web", PORT)].concat())), @"warning: a.yaml:4:61: Service shop/web: targetPort `web` is not the name of a TCP port of Deployment shop/web; its ports are http (20080). Kubernetes accepts this: the endpoints silently lack the port. Write the name of the port of the container");
}

#[test]
fn a_name_that_the_api_server_calls_is_an_error() {
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks: [{name: a.b.c, \
                clientConfig: {service: {namespace: shop, name: web, port: 80}}}]\n---\n";
    let log = reported(
        "service-target",
        &[hook, &service("ports: [{port: 80, targetPort: web}]"), &on_host("web", PORT)].concat(),
    );
    assert!(log.starts_with("error: ") && log.contains("ValidatingWebhookConfiguration hook"), "{log}");
}

#[test]
fn a_number_that_only_the_service_has() {
    assert_snapshot!(worded(reported("service-target", &[service("ports: [{port: 80, targetPort: 20081}]"), on_host("web", PORT)].concat())), @"warning: a.yaml:4:61: Service shop/web: no TCP port with the number 20081 is known of Deployment shop/web; its ports are http (20080). On the host network another process of the node may listen on that number. Correct the number, or declare the port in the container that listens on it");
    // In the pod network ports need not be declared.
    let pod_network = workload("Deployment", "web", &format!("{{containers: [{{name: web, {PORT}}}]}}"));
    assert_eq!(
        reported("service-target", &[service("ports: [{port: 80, targetPort: 20081}]"), pod_network].concat()),
        ""
    );
    // The ports of a pod without declared ports are unknown.
    assert_eq!(
        reported("service-target", &[service("ports: [{port: 80, targetPort: 20081}]"), on_host("web", "")].concat()),
        ""
    );
}

/// A file of the pods has the number, or the pods declare no port at all: a process may listen on it.
#[test]
fn a_number_that_a_file_has_is_a_port_to_declare() {
    let service = service("ports: [{port: 80, targetPort: 20081}]");
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\ndata: {metrics-server: ':20081'}\n---\n";
    let pod = |ports: &str| {
        let containers = format!(
            "[{{name: log, image: log:v1}}, {{name: web, {ports}, volumeMounts: [{{name: config, mountPath: /etc/web}}]}}]"
        );
        let volumes = "volumes: [{name: config, configMap: {name: web}}]";
        workload("Deployment", "web", &format!("{{hostNetwork: true, containers: {containers}, {volumes}}}"))
    };
    let targets = |objects: &[&str]| reported("service-target", &objects.concat());
    let declared = |objects: &[&str]| reported("port-declared", &objects.concat());
    assert_ne!(targets(&[&service, &pod(PORT)]), "");
    assert_eq!(targets(&[&service, map, &pod(PORT)]), "");
    assert!(declared(&[&service, map, &pod(PORT)]).contains("container web, port 20081 is not declared"));
    let probed = pod("livenessProbe: {tcpSocket: {port: 20080}}");
    assert_eq!(targets(&[&service, &probed]), "");
    // The container with a probe is likelier than the one without.
    assert!(declared(&[&service, &probed]).contains("container web, port 20081 is not declared"));
    assert_ne!(targets(&[&service, &map.replace("20081", "20082"), &pod(PORT)]), "");
}

#[test]
fn a_target_that_the_pods_have_is_not_reported() {
    for fields in [
        "ports: [{port: 80, targetPort: http}]",
        "ports: [{port: 80, targetPort: 20080}]",
        "ports: [{port: 20080}]",
        "clusterIP: None, ports: [{port: 80, targetPort: web}]",
        "ports: [{port: 80, targetPort: '${PORT}'}]",
    ] {
        assert_eq!(reported("service-target", &[service(fields), on_host("web", PORT)].concat()), "", "{fields}");
    }
    assert_eq!(reported("service-target", &service("ports: [{port: 80, targetPort: web}]")), "");
    let udp = reported(
        "service-target",
        &[service("ports: [{port: 80, targetPort: http, protocol: UDP}]"), on_host("web", PORT)].concat(),
    );
    assert_ne!(udp, "");
}

/// A container that a `SidecarSet` injects may have the port.
#[test]
fn a_name_of_an_injected_container_is_not_reported() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 80, targetPort: \
                   proxy}]}\n---\n";
    let set = "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {name: proxy}\nspec: {selector: {matchLabels: {app: web}}, containers: \
               [{name: proxy, ports: [{name: proxy, containerPort: 15000}]}]}\n---\n";
    let web =
        super::workload("Deployment", "web", "{containers: [{name: web, ports: [{name: http, containerPort: 80}]}]}");
    assert_eq!(reported("service-target", &[service, &web].concat()).lines().count(), 1);
    assert_eq!(reported("service-target", &[service, set, &web].concat()), "");
    assert_ne!(
        reported(
            "service-target",
            &[service, &set.replace("name: proxy, containerPort", "containerPort"), &web].concat()
        ),
        ""
    );
    assert_ne!(reported("service-target", &[service, &set.replace("app: web", "app: api"), &web].concat()), "");
}

/// Two workloads with one name, and equal ports, are named once. Workloads in files of another cluster are not pods of
/// the Service.
#[test]
fn equal_names_are_listed_once() {
    let service = service("ports: [{port: 80, targetPort: web}]");
    let web = on_host("web", PORT);
    let of = |files: &[(&str, &str)]| text(&report_of(&Configs::default(), files));
    let twice = of(&[("service.yaml", &service), ("a.yaml", &web), ("b.yaml", &web.replace("web:v1", "web:v2"))]);
    assert!(twice.contains("port of Deployment shop/web; its ports are http (20080). Kubernetes"), "{twice}");
    // The Service shows a port of a pod without declared ports, unless the Service belongs to another cluster.
    let (number, bare) = (service.replace("targetPort: web", "targetPort: 20081"), on_host("web", ""));
    let one = [number.as_str(), &on_host("web", "stdin: true")].concat();
    let undeclared = |files: &[(&str, &str)]| {
        of(files).contains("b.yaml:7:80: Deployment shop/web, container web, port 20081 is not")
    };
    assert!(!undeclared(&[("a.yaml", &one), ("b.yaml", &bare)]));
    assert!(undeclared(&[("a.yaml", &number), ("b.yaml", &bare)]));
    let named = PORT.replace("name: http", "name: web");
    let other = [service.replace("port: 80", "port: 81"), on_host("web", &named)].concat();
    let two = of(&[("a.yaml", &[service.as_str(), &web].concat()), ("b.yaml", &other)]);
    let lines: Vec<&str> = two.lines().filter(|line| line.contains("[service-target]")).collect();
    assert!(lines.len() == 1 && lines[0].starts_with("warning: a.yaml"), "{two}");
}

#[test]
fn a_call_of_another_port_and_placeholders() {
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks: [{name: a.b.c, \
                clientConfig: {service: {namespace: shop, name: web, port: 443}}}]\n---\n";
    let other =
        [hook, &service("ports: [{port: 80, targetPort: web}, {port: 443, targetPort: http}]"), &on_host("web", PORT)]
            .concat();
    assert!(reported("service-target", &other).starts_with("warning: "));
    let more = PORT.replace("}]", "}, {name: more, containerPort: '${MORE}'}]");
    let later = [service("ports: [{port: 80, targetPort: web}]"), on_host("web", &more)].concat();
    assert_eq!(reported("service-target", &later), "");
    // A number with another protocol is another port.
    let udp = service("ports: [{port: 80, targetPort: 20080, protocol: UDP}]");
    assert_ne!(reported("service-target", &[udp, on_host("web", PORT)].concat()), "");
    // In the pod network the message does not mention other processes of the node.
    let named = [
        service("ports: [{port: 80, targetPort: web}]"),
        workload("Deployment", "web", &format!("{{containers: [{{name: web, {PORT}}}]}}")),
    ]
    .concat();
    let log = reported("service-target", &named);
    assert!(log.contains("silently lack") && !log.contains("process of the node"), "{log}");
}

#[test]
fn a_call_of_the_api_server_to_a_port_that_the_service_lacks() {
    let input = |client: &str, ports: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hook}}\nwebhooks: [{{name: a.b.c, clientConfig: {{{client}}}}}]\n---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: {ports}}}\n"
        )
    };
    let port = |port: &str| format!("service: {{namespace: shop, name: web{port}}}");
    let https = "[{port: 443, targetPort: 9443}]";
    assert_snapshot!(worded(reported("service-target", &input(&port(", port: 8443"), https))), @"error: a.yaml:1:1: ValidatingWebhookConfiguration hook makes the API server call port 8443 of Service shop/web, which has no such port (it has 443): every call fails. Write a port of the Service");
    assert_snapshot!(worded(reported("service-target", &input("url: 'https://web.shop.svc:8443/v'", https))), @"warning: a.yaml:1:1: ValidatingWebhookConfiguration hook makes the API server call port 8443 of Service shop/web, which has no such port (it has 443): every call fails. Write a port of the Service");
    for (client, ports) in [
        (port(""), https),
        (port(", port: 443"), https),
        (port(", port: 8443"), "[{port: 443}, {port: 8443, name: a}]"),
        (port(", port: 8443"), "[{port: '${PORT}'}]"),
        (port(", port: 8443"), "[]"),
        ("url: 'https://web.shop.svc/v'".to_owned(), https),
    ] {
        assert_eq!(reported("service-target", &input(&client, ports)), "", "{client} {ports}");
    }
}

/// A port that is filled in later is no wrong port.
#[test]
fn a_placeholder_as_the_port_of_a_call_is_not_judged() {
    let webhook = |port: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: w}}\nwebhooks: \
             [{{name: a.b.c, clientConfig: {{service: {{name: web, namespace: shop{port}}}}}}}]\n---\napiVersion: v1\nkind: Service\nmetadata: \
             {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 8443}}]}}\n"
        )
    };
    let own = |port: &str| reported("service-target", &webhook(port)).matches("every call fails").count();
    assert_eq!([own(", port: '${P}'"), own(", port: 8443"), own(", port: 9443"), own("")], [0, 0, 1, 1]);
}
