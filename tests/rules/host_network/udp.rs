//! References to UDP and SCTP ports of a pod move like references to TCP ports.

use super::{changes, deployment, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const SERVER: &str = "      - name: stats
        args: ['--listen=:8125']
        ports: [{name: stats, containerPort: 8125, protocol: UDP}]
";

/// The messages and changes outside of the container that moves from UDP 8125 to 20125.
fn changes_of_rest(rest: &str) -> String {
    let log = changes(&ports("{stats: 20125}"), &deployment(&format!("{SERVER}{rest}")));
    let own = ["hostNetwork:", "dnsPolicy:", "args: ['--listen=:8125']", "args: ['--listen=:20125']", "[{name: stats,"];
    let lines = log.lines().filter(|line| !own.iter().any(|part| line.contains(part)));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn addresses_of_a_udp_port_follow() {
    for form in [
        "env: [{name: DD_DOGSTATSD_URL, value: 'udp://localhost:8125'}]",
        "args: ['--statsd-address=127.0.0.1:8125']",
        "args: ['--statsd-address', '[::1]:8125']",
        "args: [nc, -u, -z, localhost, '8125']",
        "command: [sh, -c, 'echo x | nc -u -w1 127.0.0.1 8125']",
        "args: ['--to=$(POD_IP):8125'], env: [{name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]",
        "livenessProbe: {exec: {command: [nc, -u, -z, localhost, '8125']}}",
        "readinessProbe: {exec: {command: [sh, -c, 'nc -zu localhost 8125']}}",
        "livenessProbe: {exec: {command: [check, '--address=localhost:8125']}}",
    ] {
        let new = form.replace("8125", "20125");
        let log = changes_of_rest(&format!("      - {{name: web, {form}}}\n"));
        assert_eq!(log, format!("-      - {{name: web, {form}}}\n+      - {{name: web, {new}}}\n"));
    }
    for other in [
        "env: [{name: DD_DOGSTATSD_URL, value: 'udp://statsd:8125'}]",
        "args: ['--statsd-address=127.0.0.1:8126']",
        "args: ['--api=http://localhost:8125/']",
        "args: [nc, -z, localhost, '8125']",
        "command: [sh, -c, 'curl -u me:x localhost:8125']",
    ] {
        assert_eq!(changes_of_rest(&format!("      - {{name: web, {other}}}\n")), "", "{other}");
    }
}

#[test]
fn a_udp_port_apart_from_its_host_is_named() {
    assert_snapshot!(brief(changes_of_rest("      - {name: web, env: [{name: STATSD_HOST, value: localhost}, {name: STATSD_PORT, value: '8125'}]}\n")), @"warning: port-reference Deployment shop/web spec.template.spec.containers[1].env[1].value (13:93, 20125, 8125)");
    assert_snapshot!(brief(changes_of_rest("      - {name: web, command: [sh, -c, 'echo x > /dev/udp/localhost/8125']}\n")), @"warning: port-reference Deployment shop/web spec.template.spec.containers[1].command[2] (13:39, 20125, 8125)");
    assert_snapshot!(brief(changes_of_rest("      - {name: web, args: [--app-port=8125]}\n")), @"error: port-reference Deployment shop/web spec.template.spec.containers[1].args[0] (13:28, 20125, 8125)");
    // Another host, and another protocol.
    for other in [
        "env: [{name: STATSD_HOST, value: statsd}, {name: STATSD_PORT, value: '8125'}]",
        "command: [sh, -c, 'echo x > /dev/tcp/localhost/8125']",
        "env: [{name: WEB_HOST, value: localhost}, {name: WEB_HTTP_PORT, value: '8125'}]",
    ] {
        assert_eq!(changes_of_rest(&format!("      - {{name: web, {other}}}\n")), "", "{other}");
    }
}

#[test]
fn an_address_in_the_containers_own_texts_follows() {
    let own = SERVER.replace("--listen=:8125'", "--listen=:8125', '--self=127.0.0.1:8125'");
    let log = changes(&ports("{stats: 20125}"), &deployment(&own));
    assert!(log.contains("+        args: ['--listen=:20125', '--self=127.0.0.1:20125']"), "{log}");
}

#[test]
fn an_address_of_the_node_follows_where_the_pod_has_the_port_there() {
    let agent = "      - {name: web, args: ['--statsd=$(HOST_IP):8125'], env: [{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]}\n";
    assert!(
        changes_of_rest(agent).contains("`HOST_IP` is the address of the node, where the pod has no hostPort 8125")
    );
    let held = SERVER.replace("containerPort: 8125", "containerPort: 8125, hostPort: 8125");
    let log = changes(&ports("{stats: 20125}"), &deployment(&format!("{held}{agent}")));
    assert!(log.contains("+      - {name: web, args: ['--statsd=$(HOST_IP):20125']"), "{log}");
}

#[test]
fn sctp_follows_too() {
    let pod = format!("{}      - {{name: web, args: ['--to=localhost:8125']}}\n", SERVER.replace("UDP", "SCTP"));
    let log = changes(&ports("{stats: 20125}"), &deployment(&pod));
    assert!(log.contains("+      - {name: web, args: ['--to=localhost:20125']}"), "{log}");
}

#[test]
fn an_address_in_a_key_of_a_config_map_follows() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\ndata: {STATSD: 'udp://localhost:8125', API: 'http://localhost:8125'}\n";
    let web = "      - {name: web, envFrom: [{configMapRef: {name: web}}]}\n";
    assert_snapshot!(changes_of_rest(&format!("{web}{map}")), @"
    -data: {STATSD: 'udp://localhost:8125', API: 'http://localhost:8125'}
    +data: {STATSD: 'udp://localhost:20125', API: 'http://localhost:8125'}
    ");
}

/// A pod with TCP and UDP on one number in two containers; `keys` are the `ports` of the target.
fn twins(keys: &str, rest: &str) -> String {
    let pod = format!(
        "{SERVER}      - name: api\n        args: ['--bind-address=:8125']\n        ports: [{{name: api, containerPort: 8125}}]\n      - {{name: web, {rest}}}\n"
    );
    let log = changes(&ports(keys), &deployment(&pod));
    let lines = log.lines().filter(|line| !line.ends_with("[node-port]"));
    let lines = lines.filter(|line| line.contains("name: web") || line.contains(": Deployment"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_protocol_in_a_text_decides_between_tcp_and_udp() {
    let udp = [
        "args: ['--to=udp://localhost:8125']",
        "args: ['--statsd-address=localhost:8125']",
        "command: [sh, -c, 'nc -u localhost 8125']",
        "env: [{name: DD_DOGSTATSD_HOST_PORT, value: 'localhost:8125'}]",
    ];
    let tcp = [
        "args: ['--to=tcp://localhost:8125']",
        "args: ['--to=http://localhost:8125/x']",
        "env: [{name: API_GRPC, value: 'localhost:8125'}]",
        "command: [sh, -c, 'nc -z localhost 8125']",
        "livenessProbe: {exec: {command: [nc, -z, localhost, '8125']}}",
    ];
    for (key, moves, stays) in [("stats", udp.as_slice(), tcp.as_slice()), ("api", &tcp, &udp)] {
        let keys = format!("{{{key}: 20125}}");
        for text in moves {
            let log = twins(&keys, text);
            assert_eq!(
                log,
                format!("-      - {{name: web, {text}}}\n+      - {{name: web, {}}}\n", text.replace("8125", "20125"))
            );
        }
        for text in stays {
            assert_eq!(twins(&keys, text), "", "{text}");
        }
    }
    // Each reference moves with its own port.
    let log = twins("{stats: 20125, api: 20126}", "args: ['--a=udp://localhost:8125', '--b=http://localhost:8125']");
    assert!(log.contains("['--a=udp://localhost:20125', '--b=http://localhost:20126']"), "{log}");
}

#[test]
fn a_reference_to_tcp_or_udp_moves_if_both_move_to_one_number() {
    let text = "args: ['--to=localhost:8125']";
    assert_snapshot!(worded(twins("{stats: 20125}", text)), @"error: standard input:16:28: Deployment shop/web, container stats, port stats (8125): cannot move to 20125: Deployment shop/web at spec.template.spec.containers[2].args[0] refers to 8125 and cannot be changed: it may also refer to port 8125/TCP of the pod, which does not move to 20125: give both ports the same number, or write the scheme in that text (`udp://`) [port-reference]");
    assert_snapshot!(brief(twins("{stats: auto, api: keep}", text)), @"error: port-reference Deployment shop/web spec.template.spec.containers[2].args[0] (16:28, 27312, 8125, 8125/TCP)");
    let log = twins("{stats: 20125, api: 20125}", text);
    assert!(log.contains("+      - {name: web, args: ['--to=localhost:20125']}") && !log.contains("error"), "{log}");
    assert_snapshot!(brief(twins("{stats: 20125}", "livenessProbe: {exec: {command: [check, 'localhost:8125']}}")), @"error: port-reference Deployment shop/web spec.template.spec.containers[2].livenessProbe.exec.command[1] (16:61, 20125, 8125, 8125/TCP)");
    assert_snapshot!(brief(twins("{api: 20125}", "env: [{name: APP_HOST, value: localhost}, {name: APP, value: '8125'}]")), @"warning: port-reference Deployment shop/web spec.template.spec.containers[2].env[1].value (16:82, 20125, 8125)");
}

/// One variable sets the number of both ports.
#[test]
fn tcp_and_udp_of_one_setting_move_together_and_it_is_added_once() {
    let own = "programs: [{name: list, images: [list], noCmd: true, listeners: [{role: other, names: [tcp], default: 7946, settings: [{env: BIND_PORT}]}, \
               {role: other, names: [udp], default: 7946, protocol: UDP, settings: [{env: BIND_PORT}]}]}]";
    let spec = |ports: &str| format!("{{targets: [{{select: {{name: web}}, ports: {ports}}}], {own}}}");
    let declared = "ports: [{name: tcp, containerPort: 7946}, {name: udp, containerPort: 7946, protocol: UDP}]";
    let container = |env: &str| deployment(&format!("      - {{name: web, image: list:v1.0.0, {declared}{env}}}\n"));
    for env in ["", ", env: [{name: A, value: b}]", ", env: [{name: BIND_PORT, value: '7946'}]"] {
        for ports in ["{tcp: 20946, udp: 20946}", "auto"] {
            let log = changes(&spec(ports), &container(env));
            assert_eq!(log.matches("BIND_PORT").count(), if env.contains("BIND") { 2 } else { 1 }, "{log}");
            assert!(!log.contains("error") && log.matches("hostPort").count() == 2, "{log}");
        }
        let log = changes(&spec("{tcp: 20946}"), &container(env));
        assert!(log.contains("error") && log.contains("`BIND_PORT` sets the number of"), "{log}");
    }
    let undeclared = deployment("      - {name: web, image: list:v1.0.0}\n");
    assert_snapshot!(changes(&spec("{tcp: 20946, udp: 20946}"), &undeclared), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, image: list:v1.0.0}
    +      - {name: web, image: list:v1.0.0, ports: [{name: tcp, containerPort: 20946, hostPort: 20946}, {name: udp, containerPort: 20946, hostPort: 20946, protocol: UDP}], env: [{name: BIND_PORT, value: "20946"}]}
    "#);
}
