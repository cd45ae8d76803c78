//! References in ConfigMaps: variables, and mounted files.

use super::{changes, deployment, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const MAP: &str = "---
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
data:
  listen-port: '8080'
  web.yaml: |
    server:
      port: 8080 # here
";

const KEY: &str = "        env: [{name: HTTP_PORT, valueFrom: {configMapKeyRef: {name: web, key: listen-port}}}]\n";

/// Deployment `name` whose container has port 8080 and only the settings in `rest`.
fn with_settings(name: &str, rest: &str) -> String {
    let container = format!("      - name: web\n        ports: [{{name: http, containerPort: 8080}}]\n{rest}");
    deployment(&container).replace("metadata: {name: web,", &format!("metadata: {{name: {name},"))
}

fn moved(rest: &str, around: &str) -> String {
    changes(&ports("{http: 20080}"), &format!("{}{around}", with_settings("web", rest)))
}

#[test]
fn a_key_that_a_variable_comes_from_moves() {
    assert_snapshot!(moved(KEY, MAP), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    -  listen-port: '8080'
    +  listen-port: '20080'
    ");
    assert_snapshot!(worded(moved("        envFrom: [{prefix: WEB_, configMapRef: {name: web}}]\n", &MAP.replace("'8080'", "0.0.0.0:8080 # all"))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    -  listen-port: 0.0.0.0:8080 # all
    +  listen-port: 0.0.0.0:20080 # all
    warning: standard input:19:13: Deployment shop/web, container web, port http (8080): moves to 20080, and variable `WEB_web.yaml` of container `web` holds 8080 in ConfigMap shop/web; if that refers to this port, change it too [port-reference]
    ");
}

#[test]
fn a_key_is_edited_together_with_an_argument() {
    let both = format!("        args: [--listen=:8080]\n{KEY}");
    let immutable = MAP.replace("\ndata:", "\nimmutable: true\ndata:");
    assert_snapshot!(worded(moved(&both, &immutable).lines().last().unwrap_or_default()), @"warning: standard input:20:16: Deployment shop/web, container web, port http (8080): moves to 20080, and ConfigMap shop/web is immutable: where it is in the cluster already, the API server refuses the change. Give it a new name [port-reference]");
    assert_snapshot!(brief(moved(KEY, &immutable).lines().last().unwrap_or_default()), @"warning: port-reference ConfigMap shop/web data.listen-port (19:16, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(moved(&both, MAP), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    -        args: [--listen=:8080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        args: [--listen=:20080]
    -  listen-port: '8080'
    +  listen-port: '20080'
    ");
}

/// Objects without a pod template read the same key for a purpose that no manifest shows.
#[test]
fn a_key_that_another_object_reads_is_a_warning() {
    let warning = |spec: &str| {
        let reader = format!(
            "---\napiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {{name: load, namespace: shop}}\nspec: {spec}\n"
        );
        moved(KEY, &format!("{MAP}{reader}")).lines().find(|line| line.starts_with("warning")).map(str::to_owned)
    };
    let env = |key: &str| {
        format!(
            "{{templates: [{{container: {{env: [{{name: P, valueFrom: {{configMapKeyRef: {{name: web, key: {key}}}}}}}]}}}}]}}"
        )
    };
    for spec in [
        &env("listen-port"),
        "{templates: [{container: {envFrom: [{configMapRef: {name: web}}]}}]}",
        "{postBuild: {substituteFrom: [{kind: ConfigMap, name: web}]}}",
        "{valuesFrom: [{kind: ConfigMap, name: web, valuesKey: listen-port, targetPath: port}]}",
        "{volumes: [{name: web, configMap: {name: web}}]}",
    ] {
        let expected = "warning: port-reference ConfigMap shop/web data.listen-port (18:16, 20080, 8080, Deployment shop/web, Workflow shop/load)";
        assert_eq!(warning(spec).map(|warning| brief(&warning)).as_deref(), Some(expected), "{spec}");
    }
    assert_snapshot!(worded(warning(&env("listen-port")).unwrap_or_default()), @"warning: standard input:18:16: Deployment shop/web, container web, port http (8080): moves to 20080. Workflow shop/load reads the same key, so it gets the new number too. If it has to keep the old number, give it a separate ConfigMap [port-reference]");
    for spec in [
        &env("other"),
        "{postBuild: {substituteFrom: [{kind: Secret, name: web}]}}",
        "{valuesFrom: [{kind: ConfigMap, name: web}]}",
        "{envFrom: [{configMapRef: {name: api}}]}",
        "{data: 'configMapRef: {name: web}'}",
    ] {
        assert_eq!(warning(spec), None, "{spec}");
    }
}

/// The key of a number next to the key of a Service: clients read both as one address.
#[test]
fn a_key_that_is_a_part_of_a_services_address_is_a_warning() {
    let moved = |data: &str, service: &str| {
        let map =
            format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata: {data}\n");
        let service = format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: {service}, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 8080, targetPort: http}}]}}\n"
        );
        let key = "        args: [--port=$(WEB_PORT)]\n        envFrom: [{configMapRef: {name: web}}]\n";
        let log = moved(key, &format!("{map}{service}"));
        assert!(log.contains("+data: {") && log.contains("20080"), "{log}");
        log.lines().filter(|line| line.starts_with("warning")).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let address = "{WEB_HOST: web-api.shop, WEB_PORT: '8080'}";
    assert_snapshot!(worded(moved(address, "web-api")), @"warning: standard input:18:42: Deployment shop/web, container web, port http (8080): moves to 20080, and `WEB_PORT` next to `WEB_HOST` in ConfigMap shop/web is an address of Service shop/web-api, which keeps 8080: clients that read both keys dial 20080. Write the number into the pod's own `env` or flag, so that the key stays [port-reference]");
    for (data, service) in [
        (address, "web"),
        ("{WEB_HOST: 0.0.0.0, WEB_PORT: '8080'}", "web-api"),
        ("{WEB_HOST: web-api.other, WEB_PORT: '8080'}", "web-api"),
        ("{API_HOST: web-api, WEB_PORT: '8080'}", "web-api"),
    ] {
        assert_eq!(moved(data, service), "", "{data} {service}");
    }
}

/// A generated ConfigMap is in the build of a kustomization only.
#[test]
fn a_map_outside_of_the_input_is_named() {
    let shown = |rest: &str| moved(rest, "");
    for rest in [KEY, "        envFrom: [{configMapRef: {name: web}}]\n"] {
        assert!(shown(rest).contains("its variables from ConfigMap `web` are not in the input"), "{rest}");
    }
    for rest in [&KEY.replace("HTTP_PORT", "GREETING"), "        envFrom: [{secretRef: {name: web}}]\n", ""] {
        assert!(!shown(rest).contains("are not in the input"), "{rest}");
    }
}

#[test]
fn a_variable_of_another_purpose_sets_nothing() {
    assert!(moved(&KEY.replace("HTTP_PORT", "REDIS_PORT"), MAP).contains("neither the manifest nor the catalogue"));
    assert!(moved(KEY, &MAP.replace("namespace: shop", "namespace: other")).contains("neither the manifest"));
    assert!(moved(KEY, &MAP.replace("'8080'", "${PORT}")).contains("neither the manifest"));
}

#[test]
fn a_key_of_several_workloads_moves_if_all_move_to_one_number() {
    let around = format!("---\n{}{MAP}", with_settings("api", KEY));
    assert_snapshot!(worded(moved(KEY, &around)), @"error: standard input:31:16: Deployment shop/web, container web, port http (8080): cannot move to 20080: ConfigMap shop/web at data.listen-port refers to 8080 and cannot be changed: Deployment shop/api also uses 8080 there and does not move to 20080; move all of them to one number, or use a separate object for each [port-reference]");
    let both = "{targets: [{select: {kind: Deployment, name: web}, ports: {http: 20080}}, {select: {kind: Deployment, name: api}, ports: {http: 20080}}], shared: [{port: 20080, between: [shop/Deployment/web, shop/Deployment/api]}]}";
    let manifest = format!("{}{around}", with_settings("web", KEY));
    let log = changes(both, &manifest);
    assert!(log.contains("-  listen-port: '8080'\n+  listen-port: '20080'\n") && !log.contains("error"), "{log}");
    let reads = [
        "        envFrom: [{configMapRef: {name: web}}]\n",
        "      volumes: [{name: v, configMap: {name: web}}]\n",
        "      volumes: [{name: v, projected: {sources: [{configMap: {name: web, items: [{key: listen-port, path: x}]}}]}}]\n",
        "      initContainers: [{name: i, envFrom: [{configMapRef: {name: web}}]}]\n",
    ];
    for read in reads {
        let log = moved(KEY, &format!("---\n{}{MAP}", with_settings("api", read)));
        assert!(log.contains("Deployment shop/api also uses 8080 there and does not move to 20080"), "{read}{log}");
    }
    let other = "      volumes: [{name: v, configMap: {name: web, items: [{key: web.yaml, path: x}]}}]\n";
    assert!(!moved(KEY, &format!("---\n{}{MAP}", with_settings("api", other))).contains("error"));
}

#[test]
fn a_variable_of_another_container_stops_the_move() {
    let ports = "        ports: [{name: admin, containerPort: 9090}]\n";
    let other = format!("        args: [--listen=:8080]\n      - name: proxy\n{ports}{KEY}");
    assert_snapshot!(brief(moved(&other, MAP)), @"error: port-reference ConfigMap shop/web data.listen-port (21:16, 20080, 8080, Deployment shop/web)");
}

#[test]
fn a_number_in_a_mounted_file_is_reported() {
    let mounted = "        args: [--listen=:8080]\n      volumes: [{name: v, configMap: {name: web}}]\n";
    assert_snapshot!(brief(moved(mounted, MAP)), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    -        args: [--listen=:8080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        args: [--listen=:20080]
    warning: port-reference ConfigMap shop/web data.listen-port (19:16, 1, 20080, 8080, Deployment shop/web)
    warning: port-reference ConfigMap shop/web data["web.yaml"] (20:13, 2, 20080, 8080, Deployment shop/web)
    "#);
}

#[test]
fn a_variable_of_the_catalogue_may_come_from_a_key() {
    let pod = "apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane, namespace: shop}
spec:
  template:
    spec:
      containers:
      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:v1.20.0
        args: [core, start]
        env: [{name: METRICS_PORT, valueFrom: {configMapKeyRef: {name: web, key: listen-port}}}]
";
    let spec = "{targets: [{select: {name: crossplane}, ports: {metrics: 20080}}]}";
    let log = changes(spec, &format!("{pod}{}", MAP.replace("'8080'", "'8088'")));
    assert!(log.contains("-  listen-port: '8088'\n+  listen-port: '20080'\n") && !log.contains("error"), "{log}");
}

#[test]
fn listeners_set_by_one_key_move_together() {
    let udp = KEY.to_owned()
        + "        ports: [{name: http, containerPort: 8080}, {name: quic, containerPort: 8080, protocol: UDP}]\n";
    let manifest = format!("{}{MAP}", deployment(&format!("      - name: web\n{udp}")));
    assert_snapshot!(brief(changes(&ports("{http: 20080}"), &manifest)), @"error: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (12:17, 8080)");
    let both = changes(&ports("{http: 20080, quic: 20080}"), &manifest);
    assert!(both.contains("+  listen-port: '20080'") && !both.contains("error"), "{both}");
}

#[test]
fn a_loopback_address_in_a_key_follows() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\ndata: {upstream: 'http://localhost:8080/', other: 'http://web:8080/'}\n";
    let proxy = "        args: [--listen=:8080]\n      - name: proxy\n        envFrom: [{configMapRef: {name: web}}]\n";
    // A variable in `env` wins over the key.
    let own = moved(&format!("{proxy}        env: [{{name: upstream, value: none}}]\n"), map);
    assert!(own.contains("+        args: [--listen=:20080]") && !own.contains("data:"), "{own}");
    assert_snapshot!(moved(proxy, map), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    -        args: [--listen=:8080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        args: [--listen=:20080]
    -data: {upstream: 'http://localhost:8080/', other: 'http://web:8080/'}
    +data: {upstream: 'http://localhost:20080/', other: 'http://web:8080/'}
    ");
}

#[test]
fn a_key_sets_a_port_that_only_a_probe_names() {
    let probe = "        readinessProbe: {httpGet: {port: 8080}}\n";
    let pod = deployment(&format!("      - name: web\n{probe}{KEY}"));
    assert_snapshot!(changes(&ports("{8080: 20080}"), &format!("{pod}{MAP}")), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        readinessProbe: {httpGet: {port: 8080}}
    +        ports:
    +        - name: health, containerPort: 20080, hostPort: 20080
    +        readinessProbe: {httpGet: {port: 20080}}
    -  listen-port: '8080'
    +  listen-port: '20080'
    ");
}

#[test]
fn a_key_of_another_port_or_purpose_does_not_set_a_probed_port() {
    let env = format!("        env: [{}, {}]\n", var("METRICS_PORT", "metrics"), var("REDIS_PORT", "listen-port"));
    let pod = deployment(&format!("      - name: web\n        readinessProbe: {{httpGet: {{port: 8080}}}}\n{env}"));
    let map = MAP.replace("data:\n", "data:\n  metrics: '9090'\n");
    let log = changes(&ports("{8080: 20080}"), &format!("{pod}{map}"));
    assert!(log.contains("neither the manifest nor the catalogue"), "{log}");
}

#[test]
fn a_key_that_sets_the_number_is_not_a_reference_as_well() {
    let lines = super::explained(&ports("{http: 20080}"), &format!("{}{MAP}", with_settings("web", KEY)));
    assert_snapshot!(lines.join("\n"), @"
    shop/Deployment/web/http containerPort 8080 -> 20080 [port-moved]
    shop/Deployment/web/http ConfigMap shop/web HTTP_PORT 8080 -> 20080 [port-setting]
    ");
}

/// The changed lines of the ConfigMap `web` and the warnings, for a container that also has an argument with the
/// number.
fn in_map(data: &str, rest: &str) -> String {
    let map = format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata:\n{data}");
    let log = moved(&format!("        args: [--listen=:8080]\n{rest}"), &map);
    let own = |line: &&str| !["host", "dnsPolicy", "--listen=", "name: http"].iter().any(|part| line.contains(part));
    log.lines().filter(|line| line.contains("warning") || own(line)).map(|line| format!("{line}\n")).collect()
}

/// A variable of the container `web` from a key of the ConfigMap `web`.
fn var(name: &str, key: &str) -> String {
    format!("{{name: {name}, valueFrom: {{configMapKeyRef: {{name: web, key: {key}}}}}}}")
}

#[test]
fn every_key_with_the_number_moves_and_is_reported_once() {
    let env = format!("        env: [{}, {}, {}]\n", var("HTTP_PORT", "a"), var("LISTEN_ADDR", "b"), var("BIND", "a"));
    let data = "  a: '8080'\n  b: ' 0.0.0.0:8080'\n";
    assert_snapshot!(in_map(data, &env), @"
    -  a: '8080'
    -  b: ' 0.0.0.0:8080'
    +  a: '20080'
    +  b: ' 0.0.0.0:20080'
    ");
}

#[test]
fn keys_of_other_ports_and_purposes_stay() {
    let (port, host) = (var("REDIS_PORT", "redis"), var("REDIS_HOST", "host"));
    let env = format!("        env: [{}, {port}, {host}]\n", var("METRICS_PORT", "metrics"));
    assert_snapshot!(in_map("  metrics: '9090'\n  redis: '8080'\n  host: redis\n", &env), @"");
}

/// A variable of a container that listens on the same number by another protocol belongs to that container.
#[test]
fn a_variable_of_a_container_with_the_same_number_is_its_own() {
    let ports = "        ports: [{name: dns, containerPort: 8080, protocol: UDP}]\n";
    assert_snapshot!(in_map("  listen-port: '8080'\n", &format!("      - name: proxy\n{ports}{KEY}")), @"-        ports: [{name: dns, containerPort: 8080, protocol: UDP}]");
}

#[test]
fn edits_of_a_mounted_map_are_not_reported_and_other_mentions_are() {
    let rest = format!("{KEY}      volumes: [{{name: v, configMap: {{name: web}}}}]\n");
    let data = "  listen-port: '8080'\n  one: 'port: 8080'\n  two: |\n    server:\n      port: 8080\n";
    assert_snapshot!(brief(in_map(data, &rest)), @"
    -  listen-port: '8080'
    +  listen-port: '20080'
    warning: port-reference ConfigMap shop/web data.one (21:8, 1, 20080, 8080, Deployment shop/web)
    warning: port-reference ConfigMap shop/web data.two (22:8, 2, 20080, 8080, Deployment shop/web)
    ");
}

#[test]
fn a_text_of_more_than_a_quarter_of_a_megabyte_is_not_configuration() {
    let file = |length: usize| {
        let text = "port: 8080 #";
        in_map(
            &format!("  web.yaml: '{text}{}'\n", "x".repeat(length - text.len())),
            "      volumes: [{name: v, configMap: {name: web}}]\n",
        )
    };
    assert!(file(256 * 1024).contains("the mounted file `web.yaml` holds 8080 (line 1)"));
    assert_eq!(file(256 * 1024 + 1), "");
}

/// The warnings about a mounted file with these lines, without the constant words.
fn mounted(file: &str) -> String {
    let lines: String = file.lines().map(|line| format!("    {line}\n")).collect();
    let log = in_map(&format!("  app.conf: |\n{lines}"), "      volumes: [{name: v, configMap: {name: web}}]\n");
    log.replace("Deployment shop/web, container web, port http (8080): moves to 20080, and ", "")
}

#[test]
fn addresses_and_directives_anywhere_in_a_mounted_file_are_reported() {
    assert_snapshot!(brief(mounted("http {\n  server {\n    listen 9000;\n    location / { proxy_pass http://127.0.0.1:8080/; }\n  }\n}\n")), @r#"warning: port-reference ConfigMap shop/web data["app.conf"] (19:13, 20080, 4, 8080, Deployment shop/web)"#);
    for line in [
        "proxy_pass http://127.0.0.1:8080;",
        "upstream app { server localhost:8080; }",
        "url: http://[::1]:8080/x",
        "server: {url: 'http://localhost:8080', name: x}",
        "exec nc -z localhost 8080",
        "endpoint: 0.0.0.0:8080 tcp",
        "listen 8080;",
        "listen 8080 default_server;",
        "  listen\t8080 ssl;",
        "server { listen 8080; }",
        "listen [::]:8080 ssl;",
        "listen 0.0.0.0:8080 ssl;",
        "Listen 8080",
        "bind *:8080 ssl",
        "bind :8080 ssl",
        "http_port 8080",
        "{\"server\":{\"name\":\"x\",\"port\":8080}}",
        "{\"server\":{\"name\":\"x\",\"addr\":\":8080\"}}",
        "server: {name: x, port: 8080}",
        "exec web --name=x --port=8080 --y",
    ] {
        let log = mounted(&format!("# a file\n{line}\n"));
        assert_eq!(
            log.matches("the mounted file `app.conf` holds 8080 (line 2) in ConfigMap shop/web").count(),
            1,
            "{line}: {log}"
        );
    }
    for other in [
        "proxy_pass http://127.0.0.1:8081;",
        "proxy_pass http://web:8080/x;",
        "proxy_pass http://web-server:8080/x;",
        "proxy_pass http://10.0.0.1:8080/x;",
        "listen 80801;",
        "listen 8080s;",
        "listen 8080.5;",
        "listen unix:/run/8080;",
        "sleep 8080 x",
        "unlistened 8080 x",
        "8080 listen",
        "a: {size: 8080, b: 1}",
    ] {
        assert_eq!(mounted(&format!("{other}\n")), "", "{other}");
    }
}

#[test]
fn a_mounted_file_is_reported_line_by_line() {
    assert_snapshot!(worded(mounted("listen 8080;\n\nlisten [::]:8080; # 127.0.0.1:8080\nproxy_pass http://localhost:8080;\n")), @"warning: standard input:19:13: the mounted file `app.conf` holds 8080 (lines 1, 3, 4) in ConfigMap shop/web; if that refers to this port, change it too [port-reference]");
}

/// The source of `PORT` in this environment that sets the port: the ConfigMap that moves, or a line of the manifest.
fn counts(env: &str) -> String {
    let map = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: shop}}\ndata: {{PORT: '8080', key: '8080'}} # {name}\n"
        )
    };
    let log = moved(env, &["a", "b", "c", "d", "e", "f"].map(map).concat());
    let maps: Vec<&str> =
        log.lines().filter(|line| line.starts_with('+')).filter_map(|line| Some(line.split_once("# ")?.1)).collect();
    assert!(!log.contains("error") && !log.contains("warning"), "{log}");
    maps.join(" ")
}

#[test]
fn the_last_of_several_variables_with_one_name_counts() {
    let source = |name: &str| format!("{{configMapRef: {{name: {name}}}}}");
    let all = |names: &[&str]| {
        format!("        envFrom: [{}]\n", names.iter().map(|name| source(name)).collect::<Vec<_>>().join(", "))
    };
    // The last of several sources wins, for any number of sources.
    assert_eq!(counts(&all(&["a"])), "a");
    assert_eq!(counts(&all(&["a", "b"])), "b");
    assert_eq!(counts(&all(&["b", "a"])), "a");
    assert_eq!(counts(&all(&["a", "b", "c", "d", "e", "f"])), "f");
    assert_eq!(counts(&all(&["f", "e", "d", "c", "b", "a"])), "a");
    // `env` wins over `envFrom` in any order, and the last entry in `env` wins.
    let key = |map: &str| format!("{{name: PORT, valueFrom: {{configMapKeyRef: {{name: {map}, key: key}}}}}}");
    let env = |variables: &[String]| format!("        env: [{}]\n", variables.join(", "));
    assert_eq!(counts(&(env(&[key("c")]) + &all(&["a", "b"]))), "c");
    assert_eq!(counts(&(env(&[key("c"), key("d")]) + &all(&["a", "b"]))), "d");
    assert_eq!(counts(&(env(&[key("c"), "{name: PORT, value: '8080'}".to_owned()]) + &all(&["a"]))), "");
    let plain = "        env:\n        - {name: PORT, value: '9090'}\n        - {name: PORT, value: '8080'} # last\n";
    assert_eq!(counts(&(plain.to_owned() + &all(&["a"]))), "last");
}

/// Deployment `web` with all keys of a `ConfigMap` with `data` as variables, and `rest` of its pod.
fn with_keys(data: &str, rest: &str) -> String {
    let from = "        envFrom: [{configMapRef: {name: web}}]\n";
    let map = format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata:\n{data}");
    worded(moved(&format!("{from}{rest}"), &map))
}

#[test]
fn a_list_of_ports_in_a_key_moves_like_the_list_of_a_variable() {
    assert_snapshot!(with_keys("  HTTP_PORT: '8080'\n  LISTEN_PORTS: 9090,8080\n", ""), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    -  HTTP_PORT: '8080'
    -  LISTEN_PORTS: 9090,8080
    +  HTTP_PORT: '20080'
    +  LISTEN_PORTS: 9090,20080
    ");
    assert_snapshot!(with_keys("  LISTEN_PORTS: ':8080;[::]:8080'\n", ""), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    -  LISTEN_PORTS: ':8080;[::]:8080'
    +  LISTEN_PORTS: ':20080;[::]:20080'
    ");
    // The list of another program's ports stays.
    let others = with_keys("  HTTP_PORT: '8080'\n  DB_HOST: db.example.com\n  DB_PORTS: 9090,8080\n", "");
    assert!(!others.contains("DB_PORTS") && !others.contains("warning"), "{others}");
    let side = "      - name: side\n        envFrom: [{prefix: SIDE_, configMapRef: {name: web}}]\n";
    assert_snapshot!(with_keys("  LISTEN_PORTS: 9090,8080\n", side), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    -  LISTEN_PORTS: 9090,8080
    +  LISTEN_PORTS: 9090,20080
    warning: standard input:1:1: Deployment shop/web: `LISTEN_PORTS` 9090 (container web), `SIDE_LISTEN_PORTS` 9090 (container side) may be ports of the process according to their names only, so they are not changed. If one is one, add to the target `bind: [{container: web, port: ports, number: 9090, env: LISTEN_PORTS}]`; if not, write under `programs` `- {name: web, images: [web], notListen: [LISTEN_PORTS], listeners: []}` [port-guess]
    ");
}

#[test]
fn a_key_never_changes_in_part() {
    let setting = "  HTTP_PORT: '8080'\n";
    for text in [
        "'{\"url\": \"http://127.0.0.1:8080\", \"port\": 8080}'",
        "|\n    {\"url\": \"http://127.0.0.1:8080\", \"n\": 8080}",
        "curl http://localhost:8080 && web 8080",
        "'[8080, 9090]'",
    ] {
        let said = with_keys(&format!("{setting}  CONF: {text}\n"), "");
        assert!(said.contains("variable `CONF` of container `web` holds 8080 too"), "{text}{said}");
    }
    assert_snapshot!(with_keys(&format!("{setting}  CONF: '{{\"url\": \"http://127.0.0.1:8080\", \"port\": 8080}}'\n"), ""), @"error: standard input:19:9: Deployment shop/web, container web, port http (8080): cannot move to 20080: ConfigMap shop/web at data.CONF refers to 8080 and cannot be changed: variable `CONF` of container `web` holds 8080 too, and may refer to this port or to another one. If it refers to another port, write under `programs` `- {name: web, images: [web], notListen: [CONF], listeners: []}` [port-reference]");
    // A text of several lines is a file.
    assert_snapshot!(with_keys(&format!("{setting}  CONF: |\n    server.port=8080\n    self=http://localhost:8080\n"), ""), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    -  HTTP_PORT: '8080'
    +  HTTP_PORT: '20080'
    -    self=http://localhost:8080
    +    self=http://localhost:20080
    warning: standard input:19:9: Deployment shop/web, container web, port http (8080): moves to 20080, and variable `CONF` of container `web` holds 8080 in ConfigMap shop/web; if that refers to this port, change it too [port-reference]
    ");
    for text in [
        "http://127.0.0.1:8080 http://localhost:8080/x",
        "http://127.0.0.1:8080 db.example.com:8080",
        "|\n    self=http://localhost:8080\n    # server.port=8080\n    # default",
        "http://127.0.0.1:8080/18080",
    ] {
        let said = with_keys(&format!("{setting}  CONF: {text}\n"), "");
        assert!(
            !said.contains("warning")
                && !said.contains("error")
                && said.contains("127.0.0.1:20080") != text.starts_with('|'),
            "{text}{said}"
        );
    }
}

#[test]
fn a_text_of_another_container_is_reported_if_it_changes_in_part() {
    let side = |rest: &str| format!("        args: [--listen=:8080]\n      - name: side\n{rest}");
    let text = "'{\"url\": \"http://127.0.0.1:8080\", \"port\": 8080}'";
    let data = format!("  CONF: {text}\n");
    let of_key = side("        env: [{name: CONF, valueFrom: {configMapKeyRef: {name: web, key: CONF}}}]\n");
    let map = format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata:\n{data}");
    assert_snapshot!(worded(moved(&of_key, &map)), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    -        args: [--listen=:8080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        args: [--listen=:20080]
    -  CONF: '{"url": "http://127.0.0.1:8080", "port": 8080}'
    +  CONF: '{"url": "http://127.0.0.1:20080", "port": 8080}'
    warning: standard input:20:9: Deployment shop/web, container web, port http (8080): moves to 20080, and variable `CONF` of container `side` holds 8080 in ConfigMap shop/web; if that refers to this port, change it too [port-reference]
    "#);
    let of_value = side(&format!("        env: [{{name: CONF, value: {text}}}]\n"));
    assert_snapshot!(worded(moved(&of_value, "")), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080}]
    -        args: [--listen=:8080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        args: [--listen=:20080]
    -        env: [{name: CONF, value: '{"url": "http://127.0.0.1:8080", "port": 8080}'}]
    +        env: [{name: CONF, value: '{"url": "http://127.0.0.1:20080", "port": 8080}'}]
    warning: standard input:14:35: Deployment shop/web, container web, port http (8080): moves to 20080, and container `side` has 8080 next to an address of the pod itself in Deployment shop/web; if that refers to this port, change it too [port-reference]
    "#);
    let whole = side(
        "        env: [{name: CONF, value: '{\"url\": \"http://127.0.0.1:8080\", \"db\": \"db.example.com:8080\"}'}]\n",
    );
    assert!(!moved(&whole, "").contains("warning"), "{}", moved(&whole, ""));
}

/// A flag that expands a variable from a ConfigMap has its number in the key of the ConfigMap.
#[test]
fn a_flag_takes_its_number_from_a_config_map() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg, namespace: shop}\ndata: {V: '10260', A: ':9100'}\n---\n";
    let run_with = |image: &str, args: &str, ports: &str| {
        let container = format!(
            "      - name: web\n        image: {image}\n        args: [{args}]\n        env:\n        - {{name: V, valueFrom: {{configMapKeyRef: {{name: cfg, \
             key: V}}}}}}\n        envFrom: [{{configMapRef: {{name: cfg}}}}]\n{ports}"
        );
        super::run(
            "{targets: [{select: {name: web}, ports: auto}]}",
            &format!("{map}{}", super::deployment(&container)),
        )
    };
    // A program of the catalogue.
    let (output, log) = run_with("quay.io/jetstack/cert-manager-webhook:v1.14.0", "--secure-port=$(V)", "");
    assert!(!output.contains("10260") && !output.contains("6443"), "{output}{log:?}");
    // Any program, with a declared port.
    let declared = |number: u16| format!("        ports: [{{name: https, containerPort: {number}}}]\n");
    for (args, number) in [("--port=$(V)", 10260), ("'--listen=:$(V)'", 10260), ("--addr=$(A)", 9100)] {
        let (output, log) = run_with("example.com/web:v1", args, &declared(number));
        assert!(!output.contains(&number.to_string()), "{args}: {output}{log:?}");
    }
    // The port of another program, and a flag that is none.
    for args in ["'--redis=redis:$(V)'", "--backlog=$(V)"] {
        let (output, _) = run_with("example.com/web:v1", args, "");
        assert!(output.contains("V: '10260'"), "{args}");
    }
}
