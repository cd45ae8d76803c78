//! References in addresses of the pod itself: loopback, `0.0.0.0`, and the IP that Kubernetes puts into a variable.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{changes, deployment, ports, run};

const POD_IP: &str = "{name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}";

const NODE_IP: &str = "{name: NODE_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}";

/// The messages and the changed lines after the first container, which moves from 8080 to 20080.
fn with_proxy(port: &str, rest: &str) -> String {
    let web = format!("      - {{name: web, args: [--listen=:8080], ports: [{{name: http, {port}}}]}}\n{rest}");
    let log = changes(&ports("{http: 20080}"), &deployment(&web));
    let own = |line: &&str| {
        !["hostNetwork", "dnsPolicy", "--listen=:", "[port-guess]"].iter().any(|part| line.contains(part))
    };
    log.lines().filter(|line| line.contains(": ports") || own(line)).map(|line| format!("{line}\n")).collect()
}

/// True if this number is the only change in a container with this text, without a message.
fn follows(container: &str) -> bool {
    let line = format!("      - {{name: proxy, {container}}}\n");
    with_proxy("containerPort: 8080", &line) == format!("-{line}+{}", line.replace("8080", "20080"))
}

/// True if a container with this text does not change, without a message.
fn stays(container: &str) -> bool {
    with_proxy("containerPort: 8080", &format!("      - {{name: proxy, {container}}}\n")).is_empty()
}

#[test]
fn the_ip_of_the_pod_in_a_variable_is_its_own_address() {
    for text in ["$(POD_IP):8080", "http://$(POD_IP):8080/x", "[$(POD_IP)]:8080", "a,$(POD_IP):8080"] {
        assert!(follows(&format!("args: ['--advertise={text}'], env: [{POD_IP}]")), "{text}");
        assert!(follows(&format!("env: [{POD_IP}, {{name: SELF, value: '{text}'}}]")), "{text}");
    }
    assert!(follows(&format!(
        "env: [{}, {{name: SELF, value: 'http://$(POD_IP):8080/x'}}]",
        POD_IP.replace("IP}", "IPs}")
    )));
    for script in ["curl http://$POD_IP:8080", "curl ${POD_IP}:8080/x", "nc -z \"$POD_IP\" 8080"] {
        assert!(follows(&format!("command: [sh, -c, '{script}'], env: [{POD_IP}]")), "{script}");
    }
    assert!(stays("args: ['--advertise=$(POD_IP):8080']"));
    assert!(stays(
        "args: ['--advertise=$(POD_IP):8080'], env: [{name: POD_IP, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"
    ));
    assert!(stays("args: ['--advertise=$(POD_IP):8080'], env: [{name: POD_IP, value: 192.0.2.1}]"));
    for other in ["$(POD_IP):8081", "$(POD_IP):80801", "$(OTHER):8080", "$(POD_IP)/8080", "$POD_IPS:8080"] {
        assert!(stays(&format!("args: ['--advertise={other}'], env: [{POD_IP}]")), "{other}");
    }
}

#[test]
fn the_listeners_own_container_may_advertise_it() {
    let web = |rest: &str| {
        format!(
            "      - {{name: web, args: ['--listen=:8080', '--advertise=$(POD_IP):8080', '--self=http://0.0.0.0:8080'], {rest}}}\n"
        )
    };
    let log = changes(
        &ports("{http: 20080}"),
        &deployment(&web(&format!("env: [{POD_IP}], ports: [{{name: http, containerPort: 8080}}]"))),
    );
    assert!(log.contains("['--listen=:20080', '--advertise=$(POD_IP):20080', '--self=http://0.0.0.0:20080']"), "{log}");
}

/// Without a `hostPort`, another pod may answer on the address of the node.
#[test]
fn the_ip_of_the_node_is_an_own_address_with_a_host_port() {
    let proxy = format!("      - {{name: proxy, args: ['--advertise=$(NODE_IP):8080'], env: [{NODE_IP}]}}\n");
    assert_snapshot!(with_proxy("containerPort: 8080, hostPort: 8080", &proxy), @"
    -      - {name: proxy, args: ['--advertise=$(NODE_IP):8080'], env: [{name: NODE_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]}
    +      - {name: proxy, args: ['--advertise=$(NODE_IP):20080'], env: [{name: NODE_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]}
    ");
    assert_snapshot!(worded(with_proxy("containerPort: 8080", &proxy)), @"error: standard input:11:30: Deployment shop/web, container web, port http (8080): cannot move to 20080: Deployment shop/web at spec.template.spec.containers[1].args[0] refers to 8080 and cannot be changed: `NODE_IP` is the address of the node, where the pod has no hostPort 8080, so it may refer to another pod [port-reference]");
    let other = proxy.replace(":8080", ":8081");
    assert_eq!(with_proxy("containerPort: 8080", &other), "");
    let host = deployment(&format!(
        "      - {{name: web, args: [--listen=:8080], ports: [{{name: http, containerPort: 8080, hostPort: 8080}}]}}\n{proxy}      hostNetwork: true\n"
    ));
    let log = changes(&ports("{http: 20080}"), &host);
    assert!(log.contains("+      - {name: proxy, args: ['--advertise=$(NODE_IP):20080']"), "{log}");
}

#[test]
fn the_wildcard_address_is_an_own_address() {
    for form in [
        "args: ['--self=http://0.0.0.0:8080']",
        "args: ['--self=0.0.0.0:8080']",
        "env: [{name: SELF, value: 'http://[::]:8080/'}]",
    ] {
        assert!(follows(form), "{form}");
    }
    for other in ["http://0.0.0.0:8081", "http://10.0.0.0:8081", "http://0.0.0.0/8080"] {
        assert!(stays(&format!("args: ['--self={other}']")), "{other}");
    }
    // A listen address of another protocol is not a reference.
    let dns = "      - {name: dns, args: ['--dns-addr=0.0.0.0:8080'], ports: [{containerPort: 8080, protocol: UDP}]}\n";
    let log = with_proxy("containerPort: 8080", dns);
    assert!(log.contains("+      - {name: dns, args: ['--dns-addr=0.0.0.0:8080']"), "{log}");
    // The address may be a listener's or a client's.
    let log = with_proxy("containerPort: 8080", "      - {name: proxy, args: ['--app-addr=0.0.0.0:8080']}\n");
    assert!(log.contains("`--app-addr` of container `proxy` may refer to it"), "{log}");
}

#[test]
fn host_and_port_may_be_two_words() {
    for form in [
        "command: [sh, -c, 'until nc -z localhost 8080; do sleep 1; done']",
        "command: [sh, -c, 'nc -z \"127.0.0.1\"  8080']",
        "command: [nc, -z, localhost, '8080']",
        "command: [nc, '-z'], args: ['127.0.0.1', '8080']",
        "command: [nc, -z], args: [localhost, '8080']",
        "env: [{name: WAIT_FOR, value: 'localhost 8080'}]",
    ] {
        assert!(follows(form), "{form}");
    }
    for other in [
        "command: [nc, -z, localhost, '8081']",
        "command: [nc, -z, web, '8080']",
        "command: [sh, -c, 'nc -z localhost 80801']",
        "command: [sh, -c, 'ping localhost 8080ms']",
    ] {
        assert!(stays(other), "{other}");
    }
}

#[test]
fn a_probe_may_dial_two_words_too() {
    assert!(follows("livenessProbe: {exec: {command: [nc, -z, localhost, '8080']}}"));
    assert!(follows("livenessProbe: {exec: {command: [sh, -c, 'nc -z localhost 8080']}}"));
    // The other number belongs to the container with the probe.
    let proxy =
        "      - {name: proxy, livenessProbe: {exec: {command: [check, 'localhost:8080', 'localhost:9999']}}}\n";
    let log = with_proxy("containerPort: 8080", proxy);
    assert!(log.contains("'localhost:20080', 'localhost:9999'") && log.contains("containerPort: 9999"), "{log}");
}

#[test]
fn a_key_that_a_variable_comes_from_may_have_every_address() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\ndata: {a: 'http://0.0.0.0:8080/', b: 'localhost 8080'}\n";
    let pod = |env: &str| {
        deployment(&format!(
            "      - {{name: web, args: [--listen=:8080], ports: [{{name: http, containerPort: 8080}}]}}\n      - {{name: proxy, env: [{env}]}}\n"
        ))
    };
    let from =
        |name: &str, key: &str| format!("{{name: {name}, valueFrom: {{configMapKeyRef: {{name: web, key: {key}}}}}}}");
    let log = changes(
        &ports("{http: 20080}"),
        &format!("{}{map}", pod(&format!("{}, {}", from("SELF", "a"), from("WAIT", "b")))),
    );
    assert!(log.contains("+data: {a: 'http://0.0.0.0:20080/', b: 'localhost 20080'}"), "{log}");
    // The address may be a listener's or a client's.
    let listen = map.replace("'http://0.0.0.0:8080/'", "'0.0.0.0:8080'");
    let log = changes(&ports("{http: 20080}"), &format!("{}{listen}", pod(&from("APP_ADDR", "a"))));
    assert!(log.contains("variable `APP_ADDR` of container `proxy` may refer to it"), "{log}");
    // A URL is an address of a client, and `SELF` is not a name of a listener.
    for (map, env) in [(map, "APP_ADDR"), (listen.as_str(), "SELF")] {
        let log = changes(&ports("{http: 20080}"), &format!("{}{map}", pod(&from(env, "a"))));
        assert!(log.contains("0.0.0.0:20080"), "{env}: {log}");
    }
}

#[test]
fn a_number_apart_from_an_address_of_the_pod_is_reported() {
    let reported =
        |container: &str| with_proxy("containerPort: 8080", &format!("      - {{name: proxy, {container}}}\n"));
    assert_snapshot!(worded(reported("args: [-h, localhost, -p, '8080']")), @"warning: standard input:11:49: Deployment shop/web, container web, port http (8080): moves to 20080, and container `proxy` has 8080 next to an address of the pod itself in Deployment shop/web; if that refers to this port, change it too [port-reference]");
    for container in [
        "command: [sh, -c, 'psql -h localhost -p 8080']",
        "command: [sh, -c, 'psql -p=8080; ping 127.0.0.1']",
        "command: [sh, -c, 'exec 3<>/dev/tcp/localhost/8080']",
        "command: [nc, localhost, -w, '8080']",
        "command: [sh, -c, 'head -c 8080 localhost']",
        "args: ['--upstream-host=localhost', '--upstream-port=8080']",
        "args: ['localhost', '--to-port=\"8080\"']",
        "env: [{name: DB_HOST, value: localhost}, {name: DB_PORT, value: '8080'}]",
    ] {
        let line = reported(container);
        assert!(line.starts_with("warning") && line.lines().count() == 1, "{container}: {line}");
    }
    for container in [
        "args: ['postgres://db.localhost.example/x', --db-port, '8080']",
        "args: ['--db=notlocalhost', -p, '8080']",
        // A text without the pod, with another number, or with another host.
        "args: [-h, db, -p, '8080']",
        "args: [-h, localhost, -p, '18080']",
        "args: [-h, localhost, -p, '80801']",
        "args: ['--self=localhost:9090', '--db=db:8080']",
        "args: ['--self=localhost:9090', '--db=/dev/tcp/db/8080']",
        "args: ['--self=localhost:9090', '--db=v8080']",
        "args: ['--self=localhost:9090', '--db=8080ms']",
    ] {
        assert!(stays(container), "{container}");
    }
    // An address that Kubernetes fills in.
    let of = |field: &str| {
        reported(&format!(
            "args: [-h, $(IP), -p, '8080'], env: [{{name: IP, valueFrom: {{fieldRef: {{fieldPath: {field}}}}}}}]"
        ))
    };
    assert!(of("status.podIP").starts_with("warning"));
    assert_eq!(of("status.hostIP"), "");
    // The flags of the listener's container belong to its program.
    let own = |args: &str| {
        let web = format!("      - name: web\n        {args}\n        ports: [{{name: http, containerPort: 8080}}]\n");
        changes(&ports("{http: 20080}"), &deployment(&web))
    };
    assert!(!own("args: ['--listen=:8080', '--self=localhost', '--look-alike=8080']").contains("warning"));
    // Numbers that move or stop the move are not reported again.
    assert!(follows("args: [-h, localhost, '8080']"));
    assert!(reported("args: [-h, localhost, --port, '8080']").starts_with("error"));
}

/// `enable` marks a switch; an address in its value belongs to the feature.
#[test]
fn a_switch_may_contain_an_address() {
    let of = |value: &str| {
        let web = format!("      - name: web\n        env: [{{name: ENABLE_PROMETHEUS, value: '{value}'}}]\n");
        changes(&ports("auto"), &deployment(&web))
    };
    assert!(of("0.0.0.0:9090").contains("`ENABLE_PROMETHEUS` 9090"), "{}", of("0.0.0.0:9090"));
    assert!(!of("9090").contains("9090"), "{}", of("9090"));
    let web = "      - name: web\n        env: [{name: ENABLE_METRICS_ADDR, value: ':9090'}]\n";
    assert!(changes(&ports("auto"), &deployment(web)).contains("hostPort"));
}

/// `smtp` is a server to which programs are clients; a name with `listen` or `bind` is a server's setting.
#[test]
fn a_name_with_a_listen_word_is_no_client_setting() {
    let of = |name: &str, value: &str| {
        let web = format!("      - name: web\n        env: [{{name: {name}, value: '{value}'}}]\n");
        changes(&ports("auto"), &deployment(&web))
    };
    for name in ["SMTP_SERVER_LISTEN", "SMTP_BIND_ADDR"] {
        let log = of(name, "0.0.0.0:2525");
        assert!(log.contains("hostPort") && log.matches("2525").count() == 1, "{name}: {log}");
    }
    for (name, value) in
        [("SMTP_SERVER_ADDR", "0.0.0.0:2525"), ("SMTP_BIND_ADDR", "2525"), ("SMTP_BIND_ADDR", "mail:2525")]
    {
        assert!(!of(name, value).contains("hostPort"), "{name}: {}", of(name, value));
    }
}

/// The changed arguments of a container with port 9100.
fn listening(env: &str, args: &str) -> String {
    listening_on(env, args, "")
}

/// The changed arguments of a container with port 9100, with more fields of the port.
fn listening_on(env: &str, args: &str, port: &str) -> String {
    let web = format!(
        "      - name: web\n        args: [{args}]\n        env: [{env}]\n        ports: [{{name: http, containerPort: 9100{port}}}]\n"
    );
    changes(&ports("{http: 20100}"), &deployment(&web))
}

#[test]
fn a_variable_with_the_listen_host_is_read() {
    let values = ["0.0.0.0", "'::'", "'[::]'", "127.0.0.1"].map(|value| format!("{{name: HOST_IP, value: {value}}}"));
    let [pod, node] = ["status.podIP", "status.hostIP"]
        .map(|field| format!("{{name: HOST_IP, valueFrom: {{fieldRef: {{fieldPath: {field}}}}}}}"));
    for env in values.iter().chain([&pod, &node]) {
        // The address of the node is the pod's own if the port has a host port.
        let port = if *env == node { ", hostPort: 9100" } else { "" };
        let listening = |env: &str, args: &str| listening_on(env, args, port);
        for address in ["[$(HOST_IP)]:", "$(HOST_IP):"] {
            let log = listening(env, &format!("'--web.listen-address={address}9100'"));
            assert!(log.contains(&format!("--web.listen-address={address}20100")), "{env} {address}: {log}");
            // The number in a separate variable.
            let log = listening(
                &format!("{env}, {{name: WEB_PORT, value: '9100'}}"),
                &format!("'--web.listen-address={address}$(WEB_PORT)'"),
            );
            assert!(log.contains("{name: WEB_PORT, value: '20100'}"), "{env} {address}: {log}");
        }
    }
}

#[test]
fn another_host_in_a_variable_is_not_a_listen_address() {
    let env = "{name: HOST_IP, value: redis}";
    let log = listening(env, "'--web.listen-address=[$(HOST_IP)]:9100'");
    assert!(!log.contains("20100\n") && log.contains("cannot move to 20100"), "{env}: {log}");
    // An agent of the node, whose port the pod does not declare.
    let agent = "{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}";
    let log = listening(agent, "--port=9100, '--agent-address=$(HOST_IP):8126'");
    assert!(log.contains("--port=20100") && !log.contains("[port-guess]"), "{log}");
}

/// On the host network the address of the node is the pod's own, and no client has a flag with `listen` or `bind`.
#[test]
fn a_listen_address_may_have_the_nodes_address_or_an_unknown_host() {
    let node = "{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}";
    let secret = "{name: HOST_IP, valueFrom: {secretKeyRef: {name: a, key: b}}}";
    for env in [node, secret] {
        let log = listening(env, "'--web.listen-address=[$(HOST_IP)]:9100'");
        assert!(log.contains("--web.listen-address=[$(HOST_IP)]:20100"), "{env}: {log}");
    }
    let undeclared = |env: &str, lines: &str| {
        changes(&ports("auto"), &deployment(&format!("      - name: web\n        env: [{env}]\n        {lines}\n")))
    };
    for (flag, port) in [
        ("--web.listen-address=$(HOST_IP):9100", ""),
        ("--listen=$(HOST_IP):$(LISTEN_PORT)", ", {name: LISTEN_PORT, value: '9100'}"),
    ] {
        let lines = format!("args: ['{flag}']");
        let log = undeclared(&format!("{node}{port}"), &lines);
        assert!(
            log.contains("hostPort") && !log.lines().any(|line| line.starts_with('+') && line.contains("9100")),
            "{log}"
        );
        let log = undeclared(&format!("{secret}{port}"), &lines);
        assert!(!log.contains("hostPort") && log.contains("[port-guess]"), "{log}");
    }
    for (env, args) in [
        (node, "'--statsd-addr=$(HOST_IP):9100'"),
        (secret, "'--metrics-addr=$(HOST_IP):9100'"),
        (node, "'--agent=$(HOST_IP):9100'"),
    ] {
        let log = undeclared(env, &format!("args: [{args}]"));
        assert!(!log.contains("hostPort") && !log.contains("[port-guess]"), "{args}: {log}");
    }
}

/// A pod on the host network has the addresses of its node.
#[test]
fn an_ip_address_with_the_number_may_be_the_pods_own() {
    let map = |data: &str| {
        format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata:\n{data}")
    };
    let web = |rest: &str, around: &str| {
        let ports = "ports: [{name: http, containerPort: 8080}]";
        let manifest = deployment(&format!("      - name: web\n        {ports}\n{rest}"));
        changes(&super::ports("{http: 20080}"), &format!("{manifest}{around}"))
    };
    let from = "        envFrom: [{configMapRef: {name: web}}]\n";
    let key = "        env: [{name: HTTP_PORT, valueFrom: {configMapKeyRef: {name: web, key: HTTP_PORT}}}]\n";
    let data = "  HTTP_PORT: '8080'\n  KERNEL_URL: http://172.22.0.2:8080/kernel\n";
    let warning = |said: &str| {
        said.lines().filter(|line| line.starts_with("warning")).map(|line| format!("{line}\n")).collect::<String>()
    };
    assert_snapshot!(worded(warning(&web(from, &map(data)))), @"warning: standard input:19:15: Deployment shop/web, container web, port http (8080): moves to 20080, and `172.22.0.2:8080`, which may be an address of its node, is in ConfigMap shop/web; if that refers to this port, change it too [port-reference]");
    // Other keys may have other readers.
    assert!(web(key, &map(data)).contains("`172.22.0.2:8080`, which may be an address of its node"));
    let listens = |text: &str| web(&format!("        args: [--listen=:8080, {text}]\n"), "");
    assert_snapshot!(worded(warning(&listens("'--self=http://172.22.0.2:8080/x'"))), @"warning: standard input:12:32: Deployment shop/web, container web, port http (8080): moves to 20080, and `172.22.0.2:8080`, which may be an address of its node, is in Deployment shop/web; if that refers to this port, change it too [port-reference]");
    for text in [
        "'--advertise=[2001:db8::1]:8080'",
        "'--advertise-client-urls=http://10.0.0.1:8080'",
        "--listen-address=10.0.0.1:8080",
    ] {
        assert!(listens(text).contains("which may be an address of its node"), "{text}{}", listens(text));
    }
    let side = |text: &str| web(&format!("        args: [--listen=:8080]\n      - {{name: side, {text}}}\n"), "");
    assert!(side("env: [{name: SELF, value: 'http://10.0.0.1:8080'}]").contains("which may be an address of its node"));
    for text in [
        "'--self=http://172.22.0.2:8081/x'",
        "'--self=http://172.22.0.2/8080'",
        "'--self=http://172.22.0.2:8080x'",
        "'--upstream=172.22.0.2:8080'",
        "'--db-url=http://172.22.0.2:8080'",
        "'--external-url=http://172.22.0.2:8080'",
        "'--metadata=http://169.254.169.254:8080'",
        "'--group=239.0.0.1:8080'",
    ] {
        assert!(!listens(text).contains("warning"), "{text}{}", listens(text));
    }
    assert!(!web(from, &map("  HTTP_PORT: '8080'\n  REDIS_URL: redis://172.22.0.2:8080\n")).contains("warning"));
    let service = |spec: &str| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: api, namespace: shop}}\nspec: {{ports: [{{port: 8080}}], {spec}}}\n"
        )
    };
    for spec in [
        "clusterIP: 172.22.0.2",
        "selector: {app: api}, clusterIPs: [172.22.0.2]",
        "loadBalancerIP: 172.22.0.2, selector: {app: api}",
    ] {
        let around = format!("{}{}", service(spec), map(data));
        assert!(!web(from, &around).contains("which may be"), "{spec}{}", web(from, &around));
    }
    // The public address of a pod on the host network ends with its number.
    let on_host = "        args: [--listen=:8080, '--external-url=http://172.22.0.2:8080']\n      hostNetwork: true\n";
    assert!(web(on_host, "").contains("which may be an address of its node"), "{}", web(on_host, ""));
}

/// A URL with a host that no client dials and a path, such as the liveness endpoint of kopf.
#[test]
fn a_url_of_all_interfaces_with_a_path_is_a_listen_address() {
    let run = |arg: &str, bind: &str| {
        let manifest = deployment(&format!("      - {{name: web, command: [kopf], args: [run, '{arg}']}}\n"));
        let spec = format!("{{targets: [{{select: {{name: web}}, ports: {{8080: 20080}}{bind}}}]}}");
        let (output, log) = run(&spec, &manifest);
        (output, log.join("\n"))
    };
    for host in ["0.0.0.0", "", "[::]"] {
        let (_, log) = run(&format!("--liveness=http://{host}:8080/healthz"), "");
        let line = log.split('`').find(|part| part.starts_with("bind: ")).unwrap_or_default();
        let (output, log) = run(&format!("--liveness=http://{host}:8080/healthz"), &format!(", {line}"));
        assert!(output.contains(&format!("--liveness=http://{host}:20080/healthz")), "{log}");
    }
    for other in ["--liveness=http://web.shop:8080/healthz", "--liveness=http://localhost/8080"] {
        assert!(!run(other, "").1.contains("bind: [{container: web, port: liveness"), "{other}");
    }
}
