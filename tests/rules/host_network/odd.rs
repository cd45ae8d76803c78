//! Unusual but valid manifests, each of which once caused a wrong edit, an incomplete change, or a wrong error.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{changes, deployment, ports};

pub(super) fn web(rest: &str) -> String {
    deployment(&format!("      - name: web\n        args: [--listen=:8080]\n{rest}"))
}

const HTTP: &str = "        ports: [{name: http, containerPort: 8080}]\n";

#[test]
fn every_mention_in_an_exec_command_counts() {
    let probe =
        "        livenessProbe: {exec: {command: [sh, -c, 'wget http://127.0.0.1:8080/x || nc -z web 8080']}}\n";
    assert_snapshot!(brief(changes(&ports("{http: 20080}"), &web(&format!("{HTTP}{probe}")))), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].livenessProbe.exec.command[2] (13:50, 20080, 8080, http://127.0.0.1:8080/x)");
}

#[test]
fn a_port_that_yaml_readers_parse_differently_is_refused() {
    for port in ["0x1F90", "017620", "8_080", "8080.0", "'8080'", "99999"] {
        let log = changes(&ports("{8080: 20080}"), &web(&HTTP.replace("8080", port)));
        assert!(log.contains("error") && log.contains("decimal digits"), "{port}: {log}");
    }
}

#[test]
fn a_reference_that_yaml_readers_parse_differently_is_refused() {
    let around = |probe: &str, target: &str| {
        let service =
            "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports";
        let probe = format!("        livenessProbe: {{httpGet: {{port: {probe}}}}}\n");
        format!("{}---\n{service}: [{{port: 80, targetPort: {target}}}]}}\n", web(&format!("{HTTP}{probe}")))
    };
    assert_snapshot!(worded(changes(&ports("{http: 20080}"), &around("0x1F90", "http"))), @"error: standard input:13:41: Deployment shop/web: spec.template.spec.containers[0].livenessProbe.httpGet.port is `0x1F90`; expected the port's name, or a number from 1 to 65535 in decimal digits. The workload is not changed [port-reference]");
    assert_snapshot!(worded(changes(&ports("{http: 20080}"), &around("http", "8080.0"))), @"error: standard input:18:61: Deployment shop/web: Service shop/web spec.ports[0].targetPort is `8080.0`; expected the port's name, or a number from 1 to 65535 in decimal digits. The workload is not changed [port-reference]");
    for port in ["0x1F90", "017620", "8_080", "8080.0", "99999", "'8080.0'"] {
        for manifest in [around(port, "http"), around("http", port)] {
            let (output, log) = super::run(super::ALL, &manifest);
            assert_eq!(output, manifest, "left unchanged");
            assert!(log.len() == 1 && log[0].contains("decimal digits"), "{port}: {log:?}");
            // Next to a workload that can move, the message is a warning.
            let two = format!("{}---\n{manifest}", web("").replace("web", "api"));
            let (output, log) = super::run(super::ALL, &two);
            assert!(output.ends_with(&manifest) && output.contains("hostNetwork: true"), "{output}");
            assert!(log.len() == 1 && log[0].contains("decimal digits"), "{port}: {log:?}");
        }
    }
    // The API server refuses a number in quotes in a probe.
    assert!(super::run(super::ALL, &around("http", "'8080'")).0.contains("hostNetwork: true"));
    assert!(!super::run(super::ALL, &around("'8080'", "http")).0.contains("hostNetwork: true"));
    for fine in ["8080", "http", "'${PORT}'", "missing"] {
        for manifest in [around(fine, "http"), around("http", fine)] {
            assert!(super::run(super::ALL, &manifest).0.contains("hostNetwork: true"), "{fine}");
        }
    }
    // A name that looks like a number, a Service's own number, and an address of another host.
    let named = around("'8e3'", "'8e3'").replace("name: http", "name: '8e3'");
    let elsewhere = around("0x1F90, host: example.com", "http");
    for manifest in [named, around("http", "0"), around("http", "null"), elsewhere] {
        assert!(super::run(super::ALL, &manifest).0.contains("hostNetwork: true"), "{manifest}");
    }
}

#[test]
fn bind_changes_an_existing_setting_instead_of_adding_it() {
    let spec = |value: &str| {
        format!(
            "{{targets: [{{select: {{name: web}}, ports: {{api: 20070}}, bind: [{{container: web, port: api, number: 7070, arg: --x, value: '{value}'}}]}}]}}"
        )
    };
    let manifest = deployment("      - name: web\n        args: ['--x=tcp://0.0.0.0:7070']\n");
    assert_snapshot!(changes(&spec("tcp://0.0.0.0:{port}"), &manifest), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: ['--x=tcp://0.0.0.0:7070']
    +        args: ['--x=tcp://0.0.0.0:20070']
    +        ports:
    +        - name: api, containerPort: 20070, hostPort: 20070
    ");
    // The present address differs from the address that `bind` would add.
    let address = deployment("      - name: web\n        args: ['--x=127.0.0.1:7070']\n");
    assert_snapshot!(changes(&spec(":{port}"), &address), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: ['--x=127.0.0.1:7070']
    +        args: ['--x=127.0.0.1:20070']
    +        ports:
    +        - name: api, containerPort: 20070, hostPort: 20070
    ");
    let variable = spec("{port}").replace("arg: --x", "env: X_PORT");
    let there = deployment("      - {name: web, env: [{name: X_PORT, value: 'none'}]}\n");
    assert!(changes(&variable, &there).contains("`X_PORT` has another value"));
    // The variable's name has no listen word.
    let (variable, there) = (variable.replace("X_PORT", "WEB"), there.replace("X_PORT", "WEB"));
    assert!(changes(&variable, &there).contains("`WEB` has another value"));
    assert_snapshot!(worded(changes(&spec("udp://0.0.0.0:{port}"), &manifest)), @r#"error: standard input:10:9: Deployment shop/web, container web, port api (7070): cannot move to 20070: `--x` has another value than `udp://0.0.0.0:7070`, which `bind` gives. Write `api: keep`, or leave it out of `ports`. Write `value: "tcp://0.0.0.0:{port}"` in `bind` [port-setting]"#);
}

#[test]
fn bind_for_a_missing_container_is_an_error() {
    let spec = "{targets: [{select: {name: web}, bind: [{container: wep, port: api, number: 7070, env: X}]}]}";
    assert_snapshot!(worded(changes(spec, &web(HTTP))), @"error: hostnet.yaml:1:113: unknown container `wep`: did you mean `web`? Known are `web` [port-key]");
}

#[test]
fn number_keys_that_cross_are_refused() {
    let two = web("        ports: [{name: a, containerPort: 8080}, {name: b, containerPort: 8081}]\n");
    assert_snapshot!(worded(changes(&ports("{8080: 8081, 8081: 8080}"), &two)), @"
    error: hostnet.yaml:1:126: `8080` is also the new number of `8081`, so a second run could not tell these ports apart; use port names [port-key]
    error: hostnet.yaml:1:138: `8081` is also the new number of `8080`, so a second run could not tell these ports apart; use port names [port-key]
    ");
}

#[test]
fn empty_and_null_fields_are_filled() {
    for empty in ["ports: []", "ports:", "ports: ~"] {
        let log = changes(&ports("keep"), &web(&format!("        {empty}\n")));
        assert!(log.contains("hostPort: 8080") && !log.contains("error"), "{empty}: {log}");
    }
    assert_snapshot!(brief(changes(&ports("keep"), &web("        ports:\n        - containerPort: 8080\n          hostPort:\n"))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -          hostPort:
    +          hostPort: 8080
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (13:11, 8080)
    ");
}
