//! Rule `node-port`.

use super::{on_host, reported, workload};
use crate::support::results::worded;
use insta::assert_snapshot;

fn port(number: u16) -> String {
    on_host("web", &format!("ports: [{{containerPort: {number}, hostPort: {number}}}]"))
}

#[test]
fn the_port_of_the_kubelet_is_an_error() {
    assert_snapshot!(worded(reported("node-port", &port(10250))), @"error: a.yaml:7:125: Deployment shop/web, container web, port 10250 is the port of kubelet on every node: it cannot listen there; its callers fail with `x509: certificate is valid for NODE, not SVC.NS.svc`. Give it another number, such as `ports: auto` of a HostNetwork does");
}

/// A program listens on the last value of a flag, such as one of the chart's `extraArgs`.
#[test]
fn the_last_value_of_a_repeated_flag_counts() {
    let webhook = |first: u16, last: u16| {
        let args = format!("args: [--secure-port={first}, --secure-port={last}]");
        let container = format!("{{name: a, image: 'quay.io/jetstack/cert-manager-webhook:v1.16.0', {args}}}");
        let pod = format!("{{hostNetwork: true, containers: [{container}]}}");
        reported("node-port", &workload("Deployment", "cert-manager-webhook", &pod))
    };
    assert_eq!(webhook(10250, 10270), "");
    let log = webhook(10270, 10250);
    assert!(log.starts_with("error: ") && log.contains("the port of kubelet"), "{log}");
}

#[test]
fn ports_of_many_nodes_and_ranges_are_warnings() {
    for (number, what) in
        [(9100, "node-exporter"), (30080, "node ports of Services"), (40000, "assigns to outgoing connections")]
    {
        let log = reported("node-port", &port(number));
        assert!(log.starts_with("warning: ") && log.contains(what), "{log}");
    }
}

#[test]
fn a_free_port_and_the_owners_own_are_not_reported() {
    assert_eq!(reported("node-port", &port(10251)), "");
    let exporter = "{hostNetwork: true, containers: [{name: a, image: 'quay.io/prometheus/node-exporter:v1', ports: [{containerPort: 9100}]}]}";
    assert_eq!(reported("node-port", &workload("DaemonSet", "exporter", exporter)), "");
    let pod_network = "{containers: [{name: a, ports: [{containerPort: 10250}]}]}";
    assert_eq!(reported("node-port", &workload("Deployment", "web", pod_network)), "");
}

#[test]
fn a_port_below_1024_needs_a_privilege() {
    let low = |context: &str| {
        reported(
            "node-port",
            &on_host("web", &format!("ports: [{{containerPort: 81}}], securityContext: {{{context}}}")),
        )
    };
    assert_snapshot!(worded(low("runAsUser: 1000, allowPrivilegeEscalation: false")), @"error: a.yaml:7:125: Deployment shop/web, container web, port 81 is below 1024, and the container is neither root nor has the capability NET_BIND_SERVICE: `bind: permission denied`. In the pod network the container runtime allows it. Give it a number from 1024 on");
    assert!(low("runAsNonRoot: true").starts_with("warning: "));
    assert_eq!(low("runAsUser: 0"), "");
    // Kubernetes sets no ambient capabilities, so the image's program needs the file capability.
    let added = "runAsUser: 1000, capabilities: {add: [NET_BIND_SERVICE]}";
    assert_snapshot!(worded(low(added)), @"info: a.yaml:7:125: Deployment shop/web, container web, port 81 is below 1024, and the container is not root: the added capability NET_BIND_SERVICE works only if the image's program has it as file capability (`setcap`), because Kubernetes sets no ambient capabilities. Give it a number from 1024 on");
}

/// The kernel checks the capability and not the user.
#[test]
fn root_without_the_capability_cannot_use_a_port_below_1024() {
    let low = |context: &str| {
        reported(
            "node-port",
            &on_host("web", &format!("ports: [{{containerPort: 81}}], securityContext: {{{context}}}")),
        )
    };
    assert_snapshot!(worded(low("runAsUser: 0, capabilities: {drop: [ALL]}")), @"error: a.yaml:7:125: Deployment shop/web, container web, port 81 is below 1024, and `capabilities` drops NET_BIND_SERVICE, which root needs too: `bind: permission denied`. In the pod network the container runtime allows it. Write `add: [NET_BIND_SERVICE]`, or give it a number from 1024 on");
    for drops in ["capabilities: {drop: [all]}", "runAsUser: 0, capabilities: {drop: [CAP_NET_BIND_SERVICE]}"] {
        assert!(low(drops).starts_with("error: "), "{drops}");
    }
    for fine in [
        "capabilities: {drop: [NET_RAW]}",
        "capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}",
        "privileged: true, capabilities: {drop: [ALL]}",
    ] {
        assert_eq!(low(fine), "", "{fine}");
    }
    // Ports from 1024 on need no capability.
    let high = "ports: [{containerPort: 20080}], securityContext: {capabilities: {drop: [ALL]}}";
    assert_eq!(reported("node-port", &on_host("web", high)), "");
}

/// The command shows the owner if several programs use the image or a placeholder fills it in later.
#[test]
fn an_owner_is_known_by_its_program() {
    let daemon_set = |image: &str, starts: &str, number: u16| {
        let ports = format!("ports: [{{containerPort: {number}}}]");
        let spec = format!("{{hostNetwork: true, containers: [{{name: a, image: '{image}', {starts}, {ports}}}]}}");
        reported("node-port", &workload("DaemonSet", "agent", &spec))
    };
    let ingress = "registry.k8s.io/ingress-nginx/controller:v1.15.1";
    assert_eq!(daemon_set(ingress, "args: [/nginx-ingress-controller, --ingress-class=nginx]", 443), "");
    assert_eq!(daemon_set("controller:latest", "command: [/kruise-daemon]", 10221), "");
    let windows = "command: ['$env:CONTAINER_SANDBOX_MOUNT_POINT/kruise-daemon.exe']";
    assert_eq!(daemon_set("example/kruise-daemon-win:v1", windows, 10221), "");
    // Another program, and a program that only mentions the owner.
    assert!(daemon_set("controller:latest", "args: [/manager]", 10221).contains("kruise-daemon"));
    assert!(daemon_set("example/web:v1", "args: [wait-for, nginx-ingress-controller]", 443).contains("ingress-nginx"));
}

/// Distributors ship the images of the owners by names of their own.
#[test]
fn an_owner_is_known_by_a_distributors_image() {
    let found = |image: &str, number: u16| {
        let ports = format!("ports: [{{containerPort: {number}}}], command: [start]");
        let spec = format!("{{hostNetwork: true, containers: [{{name: a, image: '{image}', {ports}}}]}}");
        reported("node-port", &workload("DaemonSet", "agent", &spec))
    };
    for (image, number) in [
        ("rancher/mirrored-cilium-cilium:v1.16.2", 4244),
        ("rancher/mirrored-calico-node:v3.28", 9099),
        ("rancher/hardened-etcd:v3.5", 2379),
        ("rancher/hardened-dns-node-cache:1.23", 9253),
        ("openshift4/ose-prometheus-node-exporter-rhel9:v4.16", 9100),
        ("google_containers/kube-proxy-amd64:v1.15", 10256),
    ] {
        assert_eq!(found(image, number), "", "{image}");
    }
    for (image, number) in
        [("rancher/mirrored-cilium:v1", 4244), ("example/csi-node:v1", 9099), ("example/unhardened-etcd:v1", 2379)]
    {
        assert!(!found(image, number).is_empty(), "{image}");
    }
    let spec = "{hostNetwork: true, containers: [{name: a, image: 'rancher/hardened-kubernetes:v1.30', command: [kube-proxy], ports: [{containerPort: 10256}]}]}";
    assert_eq!(reported("node-port", &workload("DaemonSet", "kube-proxy", spec)), "");
}

/// A number that only a probe shows may be a mistake of the probe, which rule `probe-address` reports.
#[test]
fn a_number_that_may_be_a_mistake_is_not_reported() {
    let probe = "ports: [{containerPort: 20080, hostPort: 20080}], readinessProbe: {tcpSocket: {port: 10250}}";
    assert_eq!(reported("node-port", &on_host("web", probe)), "");
    assert!(
        reported("node-port", &on_host("web", "readinessProbe: {tcpSocket: {port: 10250}}")).starts_with("error: ")
    );
}

#[test]
fn the_last_low_port_and_those_that_the_config_reserves() {
    let user = |number: u16| {
        let fields = format!(
            "ports: [{{containerPort: {number}}}], securityContext: {{runAsUser: 1000, allowPrivilegeEscalation: false}}"
        );
        reported("node-port", &on_host("web", &fields))
    };
    assert!(user(1023).starts_with("error: "));
    assert_eq!(user(1024), "");
    assert!(!port(10249).contains("x509") && !reported("node-port", &port(10249)).contains("x509"));
    let reserved = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: x}}], reserved: [20080-20081]}}";
    let mut configs = hostnet::kinds::check::Configs::default();
    configs.add(reserved, "hostnet.yaml").unwrap();
    for (number, found) in [(20079, 0), (20080, 1), (20081, 1), (20082, 0)] {
        let report = super::report_of(&configs, &[("a.yaml", &port(number))]);
        let count = report.entries.iter().filter(|entry| entry.rule.id == "node-port").count();
        assert_eq!(count, found, "{number}");
    }
}

/// The owner of the port may listen behind a proxy of its own pod. Another program behind the same proxy is not the
/// owner.
#[test]
fn the_owner_of_a_port_behind_a_proxy_of_its_pod() {
    let pod = |image: &str| {
        let spec = format!(
            "{{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{{name: main, image: {image}, args: ['--web.listen-address=127.0.0.1:9101']}}, \
             {{name: proxy, image: quay.io/brancz/kube-rbac-proxy:v0.22.1, args: ['--secure-listen-address=:9100', '--upstream=http://127.0.0.1:9101/'], \
             ports: [{{name: https, containerPort: 9100, hostPort: 9100}}]}}]}}"
        );
        reported("node-port", &workload("DaemonSet", "web", &spec))
    };
    assert_eq!(pod("quay.io/prometheus/node-exporter:v1.12.1"), "");
    assert_eq!(pod("docker.io/rancher/mirrored-prometheus-node-exporter:v1.8.2"), "");
    assert_eq!(pod("registry.redhat.io/openshift4/ose-prometheus-node-exporter:v4.17"), "");
    assert!(pod("example.com/shop/web:v1").contains("port https (9100) is the port of node-exporter"));
    // The images of OpenShift's releases share a repository, so the name of the container shows the program.
    let release = |name: &str| {
        let digest = "0123456789abcdef".repeat(4);
        let spec = format!(
            "{{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{{name: {name}, image: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:{digest}', \
             args: ['--web.listen-address=:9100']}}]}}"
        );
        reported("node-port", &workload("DaemonSet", "web", &spec))
    };
    assert_eq!(release("node-exporter"), "");
    assert!(release("exporter").contains("9100"));
    let spec = "{hostNetwork: true, containers: [{name: a, image: 'example/prom:v1', command: [/bin/node_exporter], args: ['--web.listen-address=:9100']}]}";
    assert_eq!(reported("node-port", &workload("DaemonSet", "web", spec)), "");
    // The upstream shows the program behind the proxy.
    let both = |upstream: u16| {
        let spec = format!(
            "{{hostNetwork: true, containers: [{{name: main, image: quay.io/prometheus/node-exporter:v1.9.0, args: ['--web.listen-address=:9101']}}, \
             {{name: other, image: example/process-exporter:v1, args: ['--web.listen-address=127.0.0.1:9256']}}, \
             {{name: proxy, image: quay.io/brancz/kube-rbac-proxy:v0.22.1, args: ['--secure-listen-address=:9100', '--upstream=http://127.0.0.1:{upstream}/'], \
             ports: [{{name: https, containerPort: 9100, hostPort: 9100}}]}}]}}"
        );
        reported("node-port", &workload("DaemonSet", "web", &spec)).contains("port https (9100)")
    };
    assert!(both(9256) && !both(9101));
}

fn host_port(name: &str, container: &str) -> String {
    workload(
        "DaemonSet",
        name,
        &format!("{{containers: [{{name: web, image: 'example/web:v1', ports: [{{{container}}}]}}]}}"),
    )
}

/// The network plugin redirects connections from the port of the node to the pod.
#[test]
fn a_host_port_of_the_pod_network_takes_the_port_of_a_process_of_every_node() {
    let found = reported("node-port", &host_port("web", "containerPort: 80, hostPort: 10250"));
    assert_snapshot!(worded(found), @"error: a.yaml:7:70: DaemonSet shop/web, container web, hostPort 10250 is the port of kubelet on every node: the pod gets the connections of kubelet there. Give it another number");
    for near in [
        "containerPort: 10250, hostPort: 10251",
        "containerPort: 80, hostPort: 10250, protocol: UDP",
        "containerPort: 80, hostPort: 10250, hostIP: 10.0.0.1",
        // Other programs do not run on every node, and ephemeral ports are not redirected.
        "containerPort: 80, hostPort: 9100",
        "containerPort: 80, hostPort: 40000",
    ] {
        assert_eq!(reported("node-port", &host_port("web", near)), "", "{near}");
    }
    assert!(reported("node-port", &host_port("web", "containerPort: 80, hostPort: 30080")).starts_with("warning: "));
}

#[test]
fn the_node_port_of_a_service_is_an_error() {
    let service = |spec: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: one, namespace: shop}}\nspec: {{type: NodePort, {spec}}}\n---\n"
        )
    };
    let other = service("selector: {app: other}, ports: [{port: 80, nodePort: 30080}]");
    let web = |spec: &str| [other.as_str(), &host_port("web", spec)].concat();
    assert_snapshot!(worded(reported("node-port", &web("containerPort: 80, hostPort: 30080"))), @"error: a.yaml:12:70: DaemonSet shop/web, container web, hostPort 30080 is the node port of Service shop/one: only one of the two gets the connections. Give one of the two another number");
    assert_snapshot!(worded(reported("node-port", &[other.as_str(), &port(30080)].concat())), @"error: a.yaml:12:125: Deployment shop/web, container web, port 30080 is the node port of Service shop/one: the Service gets the connections. Give one of the two another number");
    assert!(reported("node-port", &web("containerPort: 80, hostPort: 30081")).starts_with("warning: "));
    assert!(reported("node-port", &web("containerPort: 80, hostPort: 30080, protocol: UDP")).starts_with("warning: "));
    // The Service and the host port lead to the same port of the pods.
    let own =
        |target: &str| service(&format!("selector: {{app: web}}, ports: [{{port: 80, nodePort: 30080{target}}}]"));
    let named = host_port("web", "name: http, containerPort: 80, hostPort: 30080");
    for target in ["", ", targetPort: 80", ", targetPort: http"] {
        assert!(reported("node-port", &[own(target), named.clone()].concat()).starts_with("warning: "), "{target}");
    }
    assert!(reported("node-port", &[own(", targetPort: 81"), named].concat()).starts_with("error: "));
}

/// Nodes report the port of their kubelet in their status.
#[test]
fn the_kubelet_has_the_port_that_nodes_report() {
    let node = |name: &str, port: u16| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}}}}}\nstatus: {{daemonEndpoints: {{kubeletEndpoint: {{Port: {port}}}}}}}\n---\n"
        )
    };
    let on = |nodes: &[String], number: u16| reported("node-port", &[nodes.concat(), port(number)].concat());
    let moved = [node("n1", 10350)];
    assert!(on(&moved, 10350).contains("the port of kubelet on every node"));
    assert_eq!(on(&moved, 10250), "");
    let both = [node("n1", 10350), node("n2", 10250)];
    assert_eq!([on(&both, 10350).contains("kubelet on n1:"), on(&both, 10250).contains("kubelet on n2:")], [true; 2]);
    let bound = port(10350).replace("hostNetwork", "nodeName: n2, hostNetwork");
    assert_eq!(reported("node-port", &[both.concat(), bound].concat()), "");
    // A Node without a status has the default port.
    let plain = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n".to_owned();
    assert!(on(&[plain], 10250).contains("the port of kubelet on every node"));
}

/// An operator of the input gives ports of a range to its pods.
#[test]
fn a_port_in_the_range_of_an_operator() {
    let operator = |image: &str| {
        let env = "env: [{name: MIN_PORT, value: '7000'}, {name: MAX_PORT, value: '8000'}]";
        workload("Deployment", "operator", &format!("{{containers: [{{name: a, image: '{image}', {env}}}]}}"))
    };
    let agones = operator("agones-controller:1.50.0");
    let message = "warning: a.yaml:15:125: Deployment shop/web, container web, port 7777 is one of the ports of nodes that Deployment shop/operator gives to GameServers (7000-8000). Give it another number";
    assert_eq!(worded(reported("node-port", &[agones.clone(), port(7777)].concat())).trim_end(), message);
    assert_eq!(reported("node-port", &[agones.clone(), port(8001)].concat()), "");
    assert_eq!(reported("node-port", &[operator("example/game:v1"), port(7777)].concat()), "");
    // A pod of the operator.
    let server = |more: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: game, namespace: shop{more}}}\nspec: {{containers: [{{name: a, ports: [{{containerPort: 7654, hostPort: 7777}}]}}]}}\n"
        )
    };
    let owner = ", ownerReferences: [{apiVersion: agones.dev/v1, kind: GameServer, name: game, controller: true}]";
    assert_eq!(reported("node-port", &[agones.clone(), server(owner)].concat()), "");
    assert_ne!(reported("node-port", &[agones, server("")].concat()), "");
}
