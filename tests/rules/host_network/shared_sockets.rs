//! A number of a pod is a single port, whichever container declares it or connects to it, and for each protocol.

use super::{changes, deployment, ports};
use insta::assert_snapshot;

fn reported(containers: &str) -> String {
    changes(&ports("auto"), &deployment(containers))
}

/// Otherwise the kubelet would probe a port without a listener.
#[test]
fn a_port_that_another_container_declares_does_not_move_apart_from_it() {
    let containers = "      - name: driver\n        ports: [{name: healthz, containerPort: 9808}]\n        livenessProbe: {httpGet: {port: healthz}}\n      - name: probe\n        args: [--health-port=9808]\n";
    let proxied = "      - name: manager\n        ports: [{name: https, containerPort: 8443}]\n      - name: kube-rbac-proxy\n        image: gcr.io/kubebuilder/kube-rbac-proxy:v0.15.0\n        args: ['--secure-listen-address=0.0.0.0:8443', '--upstream=http://127.0.0.1:8080/']\n";
    for (containers, number) in [(containers, "9808"), (proxied, "8443")] {
        let log = reported(containers);
        assert!(!log.lines().any(|line| line.starts_with("-        args")), "{log}");
        assert!(log.contains(number), "{log}");
    }
}

/// A loopback port in a container's own probe belongs to that container, not to a container that mentions the number.
#[test]
fn a_command_of_a_probe_shows_a_port_of_its_own_container() {
    let app = "      - name: app\n        readinessProbe: {exec: {command: [curl, 'http://localhost:9000/']}}\n";
    for agent in ["env: [{name: APP_PORT, value: '9000'}]", "args: ['--app-port=9000']"] {
        let log = reported(&format!("      - name: agent\n        {agent}\n{app}"));
        assert!(
            !log.lines().any(|line| line.starts_with("-        env") || line.starts_with("-        args")),
            "{agent}: {log}"
        );
        assert!(!log.contains("+        readinessProbe"), "{agent}: {log}");
    }
    // The probe shows the setting of its own container.
    let own = reported(
        "      - name: app\n        args: ['--port=9000']\n        readinessProbe: {exec: {command: [curl, 'http://localhost:9000/']}}\n",
    );
    assert!(own.contains("-        args: ['--port=9000']"), "{own}");
}

#[test]
fn a_setting_of_a_udp_port_sets_the_tcp_port_of_a_service() {
    let dns = |args: &str, protocol: &str| {
        let service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: dns, namespace: shop}\nspec: {selector: {app: web}, ports: [{name: dns, port: 53, protocol: UDP, targetPort: 5353}, {name: dns-tcp, port: 53, targetPort: 5353}]}\n";
        let web = format!(
            "      - name: web\n        args: ['{args}']\n        ports: [{{name: dns, containerPort: 5353, protocol: {protocol}}}]\n"
        );
        let text = format!("{}{service}", deployment(&web));
        ["auto", "{dns: 20053}"].map(|spec| changes(&ports(spec), &text))
    };
    for protocol in ["UDP", "TCP"] {
        let [auto, named] = dns("--listen=:5353", protocol);
        assert!(!auto.contains("warning") && !auto.contains("error"), "{protocol}: {auto}");
        assert!(!auto.lines().any(|line| line.starts_with('+') && line.contains("5353")), "{protocol}: {auto}");
        assert!(named.contains("too; give both the same number") || !named.contains("5353\n"), "{protocol}: {named}");
    }
    // A flag for one protocol does not set the other.
    let log = dns("--udp-listen=:5353", "UDP");
    assert!(log[0].contains("dns-tcp"), "{}", log[0]);
}

/// Neither one number nor two different numbers are a remedy.
#[test]
fn two_names_of_one_port_are_declared_once() {
    let web = "      - name: web\n        args: ['--listen=:8080']\n        ports: [{name: http, containerPort: 8080}, {name: metrics, containerPort: 8080}]\n";
    for own in ["auto", "{http: 20001}", "{http: 20001, metrics: 20001}", "{http: 20001, metrics: 20002}"] {
        let log = changes(&ports(own), &deployment(web));
        assert!(log.contains("are one port with two names: declare it once"), "{own}: {log}");
        assert!(!log.contains("give both") && !log.contains("Give one of them another"), "{own}: {log}");
    }
}

/// A proxy at the address of the pod and its program at the loopback address have one number, which moves once.
#[test]
fn a_proxy_and_its_program_at_two_addresses_have_one_number() {
    let pod = |address: &str| {
        format!(
            "      - name: web\n        args: ['--metrics-bind-address={address}:8443']\n      - name: kube-rbac-proxy\n        image: quay.io/brancz/kube-rbac-proxy:v0.18.0\n        \
             args: ['--secure-listen-address=[$(IP)]:8443', '--upstream=http://127.0.0.1:8443/']\n        env: [{{name: IP, valueFrom: {{fieldRef: \
             {{fieldPath: status.podIP}}}}}}]\n        ports: [{{name: https, containerPort: 8443}}]\n"
        )
    };
    assert_snapshot!(changes(&ports("{https: 20443}"), &deployment(&pod("127.0.0.1"))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: ['--metrics-bind-address=127.0.0.1:8443']
    +        args: ['--metrics-bind-address=127.0.0.1:20443']
    -        args: ['--secure-listen-address=[$(IP)]:8443', '--upstream=http://127.0.0.1:8443/']
    +        args: ['--secure-listen-address=[$(IP)]:20443', '--upstream=http://127.0.0.1:20443/']
    -        ports: [{name: https, containerPort: 8443}]
    +        ports: [{name: https, containerPort: 20443, hostPort: 20443}]
    ");
}
