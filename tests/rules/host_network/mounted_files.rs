//! Files that containers of unknown programs mount from ConfigMaps: a message names files with the port, and they are
//! never edited.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{changes, deployment, ports, results_of};

/// A server with a declared port 9153 and these mounted volumes, and a ConfigMap with this data.
fn server(mounts: &str, volumes: &str, data: &str) -> String {
    let container = format!(
        "      - name: web\n        image: example/dns:v1\n        ports: [{{name: metrics, containerPort: 9153}}]\n        volumeMounts: [{mounts}]\n"
    );
    let pods = deployment(&container)
        .replace("      containers:\n", &format!("      volumes: [{volumes}]\n      containers:\n"));
    format!("{pods}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: dns, namespace: shop}}\ndata:\n{data}")
}

const MOUNT: &str = "{name: conf, mountPath: /etc/dns}";
const VOLUME: &str = "{name: conf, configMap: {name: dns}}";
const DATA: &str =
    "  Corefile: |\n    .:53 {\n      prometheus :9153\n      forward . 10.0.0.1:9153\n    }\n  other: 'port: 9153'\n";

fn reported(manifest: &str) -> String {
    let log = changes(&ports("auto"), manifest);
    log.lines().filter(|line| line.contains("[port-setting]")).map(|line| format!("{line}\n")).collect()
}

/// True if the warning of the kept port names a file.
fn names(manifest: &str, file: &str) -> bool {
    reported(manifest).contains(&format!("`{file}` ("))
}

#[test]
fn the_file_with_the_number_of_a_kept_port_is_named() {
    assert_snapshot!(worded(reported(&server(MOUNT, VOLUME, DATA))), @r#"warning: standard input:13:17: Deployment shop/web, container web, port metrics (9153): keeps its number: the mounted file `Corefile` (lines 2, 3 of ConfigMap `dns`), `other` (line 1 of ConfigMap `dns`) contains the number, and may set the port (then write `file` and `key` in place of a flag). If you know the variable, add to the target `bind: [{container: web, port: metrics, number: 9153, env: NAME_9153}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes. Or read it from the help of the program: `docker run --rm example/dns:v1 --help 2>&1 | hostnet learn -c hostnet.yaml shop/web/web MANIFESTS` [port-setting]"#);
}

#[test]
fn every_form_of_a_number_in_a_file_is_found() {
    for text in [
        "jobmanager.rpc.port: 9153",
        "listen 9153;",
        "metrics.listen = 0.0.0.0:9153",
        "endpoint: ${env:POD_IP}:9153",
        ".:9153 {",
        "{\"port\": 9153}",
    ] {
        assert!(names(&server(MOUNT, VOLUME, &format!("  conf: |\n    {text}\n")), "conf"), "{text}");
    }
    for text in ["endpoint: tempo.shop:9153", "id: x9153", "port: 9154"] {
        assert!(!names(&server(MOUNT, VOLUME, &format!("  conf: |\n    {text}\n")), "conf"), "{text}");
    }
}

#[test]
fn only_mounted_files_are_named() {
    let items = "{name: conf, configMap: {name: dns, items: [{key: Corefile, path: Corefile}]}}";
    let projected =
        "{name: conf, projected: {sources: [{configMap: {name: dns, items: [{key: Corefile, path: a/b}]}}]}}";
    let sub_path = "{name: conf, mountPath: /etc/dns/Corefile, subPath: Corefile}";
    let folder = "{name: conf, mountPath: /etc/dns, subPath: a}";
    for (mounts, volumes, corefile, other) in [
        (MOUNT, VOLUME, true, true),
        (MOUNT, items, true, false),
        (MOUNT, projected, true, false),
        (sub_path, VOLUME, true, false),
        (folder, projected, true, false),
        (folder, VOLUME, false, false),
        ("", VOLUME, false, false),
        (MOUNT, "{name: conf, configMap: {name: another}}", false, false),
    ] {
        let manifest = server(mounts, volumes, DATA);
        assert_eq!((names(&manifest, "Corefile"), names(&manifest, "other")), (corefile, other), "{mounts} {volumes}");
    }
}

#[test]
fn a_port_that_moves_names_only_mounted_keys() {
    let manifest = |volumes: &str| {
        server(MOUNT, volumes, DATA)
            .replace("image: example/dns:v1\n", "image: example/dns:v1\n        args: ['--listen=:9153']\n")
    };
    let seen = |volumes: &str| results_of("port-reference", &ports("{metrics: 20080}"), &manifest(volumes));
    assert_snapshot!(seen(VOLUME), @"
    warning: port-reference ConfigMap shop/dns data.Corefile (21:13, 2, 20080, 3, 9153, Deployment shop/web)
    warning: port-reference ConfigMap shop/dns data.other (26:10, 1, 20080, 9153, Deployment shop/web)
    ");
    assert_snapshot!(seen("{name: conf, configMap: {name: dns, items: [{key: Corefile, path: Corefile}]}}"), @"warning: port-reference ConfigMap shop/dns data.Corefile (21:13, 2, 20080, 3, 9153, Deployment shop/web)");
}

#[test]
fn addresses_of_all_interfaces_without_a_listener_are_reported() {
    let found = |text: &str| {
        let manifest = server(MOUNT, VOLUME, &format!("  conf: |\n    bind_port: 1\n    {text}\n"));
        results_of("program-unknown", &ports("keep"), &manifest)
            .lines()
            .filter(|line| line.starts_with("warning"))
            .count()
    };
    for text in ["zpages: 0.0.0.0:55679", "listen: '[::]:55679'", "address: :55679"] {
        assert_eq!(found(text), 1, "{text}");
    }
    for text in ["address: :9153", "exporter: tempo:55679", "check: localhost:55679", "port: 55679", "# 0.0.0.0:55679"]
    {
        assert_eq!(found(text), 0, "{text}");
    }
    // The catalogue lists the settings of the program.
    let known = server(MOUNT, VOLUME, "  conf: 'zpages: 0.0.0.0:55679'\n")
        .replace("example/dns:v1", "quay.io/jetstack/cert-manager-webhook:v1.21.1");
    assert_eq!(results_of("program-unknown", &ports("keep"), &known), "");
    let manifest = server(MOUNT, VOLUME, "  conf: |\n    zpages: 0.0.0.0:55679\n    web: 0.0.0.0:55680\n");
    assert_snapshot!(worded(changes(&ports("keep"), &manifest).lines().filter(|line| line.contains("[program-unknown]")).collect::<String>()), @"warning: standard input:11:9: Deployment shop/web, container web: the program is not in the catalogue, and may also listen on 55679, 55680, according to the mounted file `conf` (line 1 of ConfigMap `dns`), `conf` (line 2 of ConfigMap `dns`). Without a hostPort, other pods may take these ports of the node: declare them under `ports` of the container [program-unknown]");
}

/// Several programs share a ConfigMap, and the one that declares a port of it listens there.
#[test]
fn an_address_in_a_shared_file_is_that_of_the_reader_that_declares_the_port() {
    let first = server(MOUNT, VOLUME, "  conf: 'zpages: 0.0.0.0:55679'\n");
    let (workload, _) = first.split_once("---\n").unwrap();
    let warnings = |second: &str| {
        let manifest = format!("{first}---\n{}", second.replace("name: web, namespace", "name: agent, namespace"));
        results_of("program-unknown", &ports("keep"), &manifest).matches("warning").count()
    };
    let declared = |ports: &str| workload.replace("{name: metrics, containerPort: 9153}", ports);
    assert_eq!(warnings(&declared("{name: zpages, containerPort: 55679}")), 0);
    assert_eq!(warnings(&declared("{name: zpages, containerPort: 55680}")), 1);
    let elsewhere = declared("{name: zpages, containerPort: 55679}").replace("namespace: shop", "namespace: cellar");
    assert_eq!(warnings(&elsewhere), 1);
}

/// The Secret with the number is named, and no finding says that the port moves.
#[test]
fn a_number_from_a_secret_is_named() {
    let secret = |name: &str, number: &str| {
        format!(
            "---\napiVersion: v1\nkind: Secret\nmetadata: {{name: {name}, namespace: shop}}\nstringData: {{port: '{number}'}}\n"
        )
    };
    let web = deployment(
        "      - {name: web, env: [{name: PORT, valueFrom: {secretKeyRef: {name: s, key: port}}}], ports: [{containerPort: 8080}]}\n",
    );
    let log = |secret: String| changes(&ports("{8080: 20443}"), &format!("{web}{secret}"));
    assert_snapshot!(worded(log(secret("s", "8080"))), @"error: standard input:10:99: Deployment shop/web, container web, port 8080: cannot move to 20443: `port` of Secret shop/s, which its pods read, holds the number, and Secrets are not changed. Write the number as a plain `value` in place of the Secret [port-setting]");
    for other in [secret("other", "8080"), secret("s", "9090")] {
        assert!(!log(other).contains("Secret"));
    }
}

#[test]
fn comments_of_a_file_are_left_out() {
    for line in ["#listening-port=9153", "; port = 9153", "// listen 9153;", "  # url: http://dns-0.dns:9153"] {
        assert!(!names(&server(MOUNT, VOLUME, &format!("  conf: |\n    a: b\n    {line}\n")), "conf"), "{line}");
    }
    assert!(names(&server(MOUNT, VOLUME, "  conf: |\n    port: 9153 # the port\n"), "conf"));
}

/// A placeholder cannot be an entry of `bind`: it has to be filled in first.
#[test]
fn a_placeholder_with_the_number_is_filled_in_first() {
    let log = |line: &str| reported(&server(MOUNT, VOLUME, &format!("  Corefile: '{line}'\n")));
    assert!(log("port: ${PORT:=9153}").contains("Write the address out, or run hostnet on the rendered manifests"));
    assert!(!log("port: 9153 # ${PORT}").contains("Write the address out"));
}
