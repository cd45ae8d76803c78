//! Tests of the simulated process with flags, variables, scripts and files.

use super::known::Listener;
use super::objects::{Objects, container};
use super::process::{Process, number};
use super::settings::setting;

/// Returns the number that a container binds, for a listener with these settings, this form, and the default 1.
fn binds(fields: &str, settings: &str, form: &str) -> Result<u16, String> {
    let manifest = format!(
        "{{kind: Deployment, metadata: {{name: a}}, spec: {{template: {{spec: {{containers: [{{name: a, {fields}}}]}}}}}}}}\n---\n\
         {{kind: ConfigMap, metadata: {{name: c}}, data: {{PORT: '7', f.yaml: 'a: {{b: \":9\"}}'}}}}"
    );
    let objects = Objects::read(&manifest);
    let listener: Listener =
        serde_yaml::from_str(&format!("{{number: 1, source: a:1, settings: {settings}, value: '{form}'}}")).unwrap();
    let own = container(objects.find("Deployment/a").unwrap(), "a").unwrap();
    Process { objects: &objects, container: own }.binds(&listener)
}

#[test]
fn flags() {
    let of = |args: &str| binds(&format!("args: {args}"), "[{arg: --port}]", "{port}");
    assert_eq!(of("[]"), Ok(1));
    assert_eq!(of("[--port=2]"), Ok(2));
    assert_eq!(of("[-port=2]"), Ok(2));
    assert_eq!(of("[--port, '2']"), Ok(2));
    assert_eq!(of("[--port=2, --port=3]"), Ok(3));
    assert_eq!(of("[--port-of=2, --a-port=3]"), Ok(1));
    assert!(of("[--port=:2]").is_err());
    assert!(of("[--port=99999]").is_err());
    assert_eq!(binds("args: [-p2]", "[{arg: -p}]", "{port}"), Ok(2));
    assert_eq!(binds("command: [a, --port=2]", "[{arg: --port}]", "{port}"), Ok(2));
}

#[test]
fn the_last_present_setting_decides() {
    let of = |fields: &str| binds(fields, "[{env: PORT}, {arg: --port}]", "{port}");
    assert_eq!(of("env: [{name: PORT, value: '2'}]"), Ok(2));
    assert_eq!(of("env: [{name: PORT, value: '2'}], args: [--port=3]"), Ok(3));
    assert_eq!(of("env: [{name: PORT, value: '2'}, {name: PORT, value: '3'}]"), Ok(3));
}

#[test]
fn variables() {
    let of = |fields: &str| binds(fields, "[{arg: --port}]", "{port}");
    assert_eq!(of("args: [--port=$(P)], env: [{name: P, value: '2'}]"), Ok(2));
    assert_eq!(of("args: [--port=$(P)], env: [{name: Q, value: '2'}, {name: P, value: $(Q)}]"), Ok(2));
    assert!(of("args: [--port=$(P)]").is_err());
    assert!(of("args: [--port=$$(P)], env: [{name: P, value: '2'}]").is_err());
    let from = "env: [{name: P, valueFrom: {configMapKeyRef: {name: c, key: PORT}}}]";
    assert_eq!(of(&format!("args: [--port=$(P)], {from}")), Ok(7));
    assert_eq!(binds("envFrom: [{configMapRef: {name: c}}]", "[{env: PORT}]", "{port}"), Ok(7));
    let ip = "env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]";
    assert_eq!(binds(&format!("args: ['--listen=$(IP):2'], {ip}"), "[{arg: --listen}]", ":{port}"), Ok(2));
}

#[test]
fn scripts() {
    let of = |script: &str| {
        let script = serde_json::Value::from(script);
        let fields = format!("command: [/bin/sh, -ec, {script}], env: [{{name: Q, value: '5'}}]");
        binds(&fields, "[{env: PORT}, {arg: --port}]", "{port}")
    };
    assert_eq!(of("exec a --port=2"), Ok(2));
    assert_eq!(of("exec a \\\n  --port=\"2\" \\\n  --b"), Ok(2));
    assert_eq!(of("P=3; a --port=$P"), Ok(3));
    assert_eq!(of("a --port=${P:-4}"), Ok(4));
    assert_eq!(of("a --port=${Q}"), Ok(5));
    assert_eq!(of("a # --port=6"), Ok(1));
    assert_eq!(of("a && b --port 7;"), Ok(7));
    // Without a shell the script is a single argument, which is not a flag.
    assert_eq!(binds("args: [-c, 'a --port=2']", "[{arg: --port}]", "{port}"), Ok(1));
}

#[test]
fn files_and_forms() {
    assert_eq!(binds("args: []", "[{config: f.yaml#a.b}]", ":{port}"), Ok(9));
    assert_eq!(binds("args: []", "[{config: c/f.yaml#a.b}]", ":{port}"), Ok(9));
    assert_eq!(binds("args: []", "[{config: f.yaml#a.c}]", ":{port}"), Ok(1));
    assert_eq!(number("0.0.0.0:80", ":{port}"), Some(80));
    assert_eq!(number("[::]:80", "127.0.0.1:{port}"), Some(80));
    assert_eq!(number("tcp://:80", ":{port}"), None);
    assert_eq!(number("tcp://0.0.0.0:80", "tcp://:{port}"), Some(80));
    assert_eq!(number("udp://0.0.0.0:80", "tcp://:{port}"), None);
    assert_eq!(number("80", ":{port}"), None);
    assert_eq!(number(":80", "{port}"), None);
    assert_eq!(number("http=80", "http={port}"), Some(80));
    assert_eq!(number(":80/tcp", ":{port}/tcp"), Some(80));
    assert_eq!(number(":80a", ":{port}"), None);
}

#[test]
fn files_of_other_forms() {
    let of = |text: &str, path: &str| setting(text, path).unwrap_or_default();
    let nginx = "user x;\nserver {\n  server_name a;\n  location / { return 200; }\n  listen 127.0.0.1:8081 ssl;\n}\n";
    assert_eq!(of(nginx, "server.listen"), "127.0.0.1:8081");
    assert_eq!(of(nginx, "location./.listen"), "");
    let corefile = ".:53 {\n  health {\n    lameduck 5s\n  }\n  prometheus :9153\n  forward . 10.0.0.1:5353\n}\n";
    assert_eq!(of(corefile, "prometheus"), ":9153");
    assert_eq!(of(corefile, "health"), "");
    assert_eq!(of(corefile, "server block"), "53");
    assert_eq!(of("[SERVICE]\n    HTTP_Port  2020\n[INPUT]\n    Port 24224\n", "INPUT.Port"), "24224");
    assert_eq!(
        of("[[inputs.statsd]]\n  service_address = \":8125\" # all\n", "inputs.statsd.service_address"),
        ":8125"
    );
    assert_eq!(of("listener \"tcp\" {\n  address = \"[::]:8200\"\n}\n", "listener.tcp.address"), "[::]:8200");
    assert_eq!(of("listeners.tcp.default = 5672\n", "listeners.tcp.default"), "5672");
    assert_eq!(of("{\"cluster\": {\"port\": 6222}, \"port\": 4222}", "cluster.port"), "6222");
    assert_eq!(of("# port 1\nport 2\n", "port"), "2");
}
