//! Rule `port-guess`: numbers that only a name marks as the port of a listener.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{changes, deployment, ports, results_of};

#[test]
fn one_variable_in_several_containers_is_not_a_listener() {
    let two = "      - {name: a, env: [{name: DD_AGENT_IPC_PORT, value: '5009'}]}\n      - {name: b, env: [{name: DD_AGENT_IPC_PORT, value: '5009'}]}\n";
    assert_snapshot!(worded(changes(&ports("keep"), &deployment(two))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: standard input:10:58: Deployment shop/web: `DD_AGENT_IPC_PORT` 5009 (container a), `DD_AGENT_IPC_PORT` 5009 (container b) may be ports of the process according to their names only, so they are not changed. If one is one, add to the target `bind: [{container: a, port: dd-agent-ipc, number: 5009, env: DD_AGENT_IPC_PORT}]`; if not, write under `programs` `- {name: a, images: [a], notListen: [DD_AGENT_IPC_PORT], listeners: []}` [port-guess]
    ");
}

/// A client of such an address reaches the pod itself, so some process of the pod listens there, whatever the
/// variable's name.
#[test]
fn a_url_of_all_interfaces_is_always_reported() {
    for url in ["http://0.0.0.0:8080", "http://[::]:8080", "http://*:8080", "https://+:8080/"] {
        for name in ["APP_URLS", "SERVER_URL", "ANYTHING"] {
            let env = format!("      - {{name: web, env: [{{name: {name}, value: '{url}'}}]}}\n");
            let log = changes(&ports("auto"), &deployment(&env));
            assert!(
                log.contains(&format!("`{name}` 8080 (container web) may be a port of the process")),
                "{name} {url}: {log}"
            );
        }
    }
}

/// A variable with a host does not apply to an address that contains a host, but the address may still be a client's,
/// so it is reported.
#[test]
fn an_address_of_all_interfaces_next_to_a_host_is_always_reported() {
    for other in ["HTTP_HOST", "HTTP_DEBUG_HOST"] {
        let env = format!(
            "        env: [{{name: HTTP_DEBUG_ADDR, value: ':5001'}}, {{name: {other}, value: 'https://a.example.com'}}]\n"
        );
        let log = changes(&ports("auto"), &deployment(&format!("      - name: web\n{env}")));
        assert!(log.contains("`HTTP_DEBUG_ADDR` 5001") && log.contains("[port-guess]"), "{other}: {log}");
        assert!(!log.contains("hostPort"), "{other}: {log}");
    }
}

/// A declared number is certain, and an excluded one is not a listener: neither is a guess.
#[test]
fn declared_and_excluded_numbers_are_no_guesses() {
    let web = |more: &str| deployment(&format!("      - {{name: web, image: web, args: [--port=8080]{more}}}\n"));
    let found = |spec: &str, more: &str| results_of("port-guess", spec, &web(more));
    assert_snapshot!(found(&ports("auto"), ""), @"warning: port-guess Deployment shop/web spec.template.spec.containers[0].args[0] (10:40, 8080)");
    assert_eq!(found(&ports("auto"), ", ports: [{name: http, containerPort: 8080}]"), "");
    let excluded = "{targets: [{select: {name: web}, ports: auto}], programs: [{name: web, images: [web], notListen: [--port], listeners: []}]}";
    assert_eq!(found(excluded, ""), "");
}

/// A URL of all interfaces that no other listener of the pod explains is a warning next to other listeners too.
#[test]
fn a_url_of_all_interfaces_is_a_warning_next_to_other_listeners() {
    let log = |setting: &str| {
        let web = format!("      - {{name: web, args: [--listen=:9443, {setting}]}}\n");
        changes(&ports("keep"), &deployment(&web))
    };
    assert!(
        log("'--liveness=http://0.0.0.0:8080/healthz'").contains("warning: "),
        "{}",
        log("'--liveness=http://0.0.0.0:8080/healthz'")
    );
    for other in [
        "--liveness=30",
        "--liveness=8080",
        "'--liveness=http://127.0.0.1:8080/healthz'",
        "'--liveness=http://0.0.0.0:9443/healthz'",
        "'--prometheus-url=http://0.0.0.0:9090'",
        "'--upstream=http://0.0.0.0:8080/'",
    ] {
        assert!(!log(other).contains("[port-guess]"), "{other}: {}", log(other));
    }
}
