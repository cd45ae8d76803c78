//! Listeners of a pod, and the settings of their ports.

use crate::support::results::brief;
use insta::assert_snapshot;

use super::{changes, deployment, numbers, ports};

pub(super) fn changes_with(container: &str) -> String {
    changes(
        &ports("{http: 20080}"),
        &deployment(&format!("      - name: web\n{container}        ports: [{{name: http, containerPort: 8080}}]\n")),
    )
}

#[test]
fn every_form_of_an_argument_is_found() {
    for args in [
        "[--port=8080]",
        "[--port, '8080']",
        "['-p', ':8080']",
        "[--listen-address=0.0.0.0:8080]",
        "[--bind, '[::]:8080']",
        "[--addr=127.0.0.1:8080]",
        "[--webhookServerPort=8080, --upstream=redis:8080, --workers=8080]",
    ] {
        let log = changes_with(&format!("        args: {args}\n"));
        let line =
            log.lines().find(|line| line.starts_with('+') && line.contains("args")).unwrap_or_else(|| panic!("{log}"));
        let expected = args.replacen("8080", "20080", 1);
        assert_eq!(line, format!("+        args: {expected}"), "{log}");
    }
}

#[test]
fn a_variable_sets_the_port() {
    assert_snapshot!(changes_with("        env:\n        - {name: HTTP_PORT, value: \"8080\"}\n        - {name: REDIS_PORT, value: \"8080\"}\n        - {name: REDIS_HOST, value: redis}\n"), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        - {name: HTTP_PORT, value: "8080"}
    +        - {name: HTTP_PORT, value: "20080"}
    -        ports: [{name: http, containerPort: 8080}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    "#);
}

#[test]
fn a_variable_in_an_argument_moves_instead_of_it() {
    assert_snapshot!(changes_with("        args: [\"--listen=:$(WHERE)\"]\n        env: [{name: WHERE, value: '8080'}]\n"), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        env: [{name: WHERE, value: '8080'}]
    -        ports: [{name: http, containerPort: 8080}]
    +        env: [{name: WHERE, value: '20080'}]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    ");
}

#[test]
fn words_of_a_script_are_arguments() {
    assert_snapshot!(changes_with("        command:\n        - sh\n        - -c\n        - |\n          set -e\n          exec web --port 8080 --workers 8080 # 8080\n"), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -          exec web --port 8080 --workers 8080 # 8080
    -        ports: [{name: http, containerPort: 8080}]
    +          exec web --port 20080 --workers 8080 # 8080
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    ");
}

#[test]
fn a_variable_in_a_script_sets_the_port() {
    assert_snapshot!(changes_with("        command: [sh, -c, 'cd / && WEB_PORT=:8080 exec web']\n"), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        command: [sh, -c, 'cd / && WEB_PORT=:8080 exec web']
    -        ports: [{name: http, containerPort: 8080}]
    +        command: [sh, -c, 'cd / && WEB_PORT=:20080 exec web']
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    ");
}

pub(super) const CORE: &str = "      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:TAG
        args: [core, start]
        ports:
        - {name: readyz, containerPort: 8081}
        - {name: webhooks, containerPort: 9443}
";

#[test]
fn the_catalogue_adds_a_variable_to_a_version_that_has_it() {
    let spec = ports("{webhook: 20443, metrics: 20080, health: 20081}");
    assert_snapshot!(changes(&spec, &deployment(&CORE.replace("TAG", "v1.19.0"))), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        env:
    +        - name: HEALTH_PROBE_PORT, value: "20081"
    +        - name: WEBHOOK_PORT, value: "20443"
    +        - name: METRICS_PORT, value: "20080"
    -        - {name: readyz, containerPort: 8081}
    -        - {name: webhooks, containerPort: 9443}
    +        - {name: readyz, containerPort: 20081, hostPort: 20081}
    +        - {name: webhooks, containerPort: 20443, hostPort: 20443}
    +        - {name: metrics, containerPort: 20080, hostPort: 20080}
    "#);
}

#[test]
fn a_flag_that_turns_a_listener_on_counts() {
    let gatekeeper = |args: &str| {
        deployment(&format!(
            "      - name: manager\n        image: openpolicyagent/gatekeeper:v3.23.0\n        args: [{args}]\n"
        ))
    };
    assert_snapshot!(changes(&ports("keep"), &gatekeeper("--prometheus-port=8888, --health-addr=:9090, --pprof-port=6060")), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        ports:
    +        - name: metrics, containerPort: 8888, hostPort: 8888
    +        - name: healthz, containerPort: 9090, hostPort: 9090
    ");
    assert_snapshot!(changes(&ports("{pprof: 20060}"), &gatekeeper("--prometheus-port=8888, --health-addr=:9090, --enable-pprof")), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--prometheus-port=8888, --health-addr=:9090, --enable-pprof]
    +        args: [--prometheus-port=8888, --health-addr=:9090, --enable-pprof, --pprof-port=20060]
    +        ports:
    +        - name: metrics, containerPort: 8888, hostPort: 8888
    +        - name: healthz, containerPort: 9090, hostPort: 9090
    +        - name: pprof, containerPort: 20060, hostPort: 20060
    ");
}

/// A probe or an annotation decides the role of a port, and the role decides the listener of a key.
#[test]
fn probes_and_annotations_decide_the_role_of_a_port() {
    let two = deployment(
        "      - name: web
        args: [--a-port=7000, --b-port=7001]
        ports: [{name: a, containerPort: 7000}, {name: b, containerPort: 7001}]
        PROBE
",
    );
    let moved = "shop/Deployment/web/a 7000\nshop/Deployment/web/b 7001 -> 20001 Config\n";
    let called = |role: &str, caller: &str, target: &str| {
        let service = format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{name: a, port: 80, targetPort: a}}, {{name: b, port: 443, targetPort: {target}}}]}}\n---\n{caller}"
        );
        super::numbers(&ports(&format!("{{{role}: 20001}}")), &format!("{}{service}", two.replace("PROBE", "")))
    };
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: hooks}\nwebhooks: [{name: b, clientConfig: {service: {namespace: shop, name: web}}}]\n";
    let api = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.shop}\nspec: {service: {namespace: shop, name: web}}\n";
    for target in ["7001", "b"] {
        assert_eq!(called("webhook", webhook, target), moved);
        assert_eq!(called("apiservice", api, target), moved);
    }
    let probed = |port: &str| {
        let probe = format!("readinessProbe: {{httpGet: {{port: {port}}}}}");
        super::numbers(&ports("{health: 20001}"), &two.replace("PROBE", &probe))
    };
    for port in ["7001", "b"] {
        assert_eq!(probed(port), moved);
    }
    let scraped = two
        .replace("PROBE", "")
        .replace("labels: {app: web}", "labels: {app: web}\n      annotations: {prometheus.io/port: '7001'}");
    let log = super::numbers(&ports("{metrics: 20001}"), &scraped);
    assert_eq!(log, moved);
}

/// Some charts write the port of the Service into the annotation for scrapers.
#[test]
fn an_annotation_of_a_service_shows_a_port_of_pods_alone() {
    let pod = deployment(
        "      - name: web\n        args: ['--metrics-addr=:7001']\n        ports: [{name: metrics, containerPort: 7001}]\n",
    );
    let listeners = |ports_of_service: &str| {
        let service = format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop, annotations: {{prometheus.io/port: '7090'}}}}\nspec: {{selector: {{app: web}}, ports: [{ports_of_service}]}}\n"
        );
        super::numbers(&ports("keep"), &(pod.clone() + &service))
    };
    let declared = "shop/Deployment/web/metrics 7001\n";
    assert_eq!(listeners("{port: 7090, targetPort: metrics}"), declared);
    assert_eq!(listeners("{port: 7090, targetPort: 7001}"), declared);
    let scraped = format!("{declared}shop/Deployment/web/metrics-2 7090\n");
    assert_eq!(listeners("{port: 80, targetPort: metrics}"), scraped);
    assert_eq!(listeners("{port: 7090}"), scraped);
}

/// All listeners of two containers, `web` and `other`, with these lines.
fn listeners_of(web: &str, other: &str) -> String {
    let pod = format!("      - name: web\n{web}      - name: other\n{other}");
    super::numbers(&ports("keep"), &deployment(&pod))
}

#[test]
fn a_number_that_several_containers_hold_is_an_address() {
    let listen = "        args: ['--listen=:7000']\n";
    let declared = "        ports: [{name: http, containerPort: 7000}]\n";
    // A number that only a flag with a listen word shows is a listener if no other container has the number.
    assert_snapshot!(listeners_of(listen, ""), @"shop/Deployment/web/listen 7000");
    assert_snapshot!(listeners_of(listen, "        args: ['--listen=:7001']\n"), @"
    shop/Deployment/web/listen 7000
    shop/Deployment/web/listen-2 7001
    ");
    assert_snapshot!(listeners_of(listen, listen), @"shop/Deployment/web/listen 7000");
    assert_snapshot!(listeners_of(listen, declared), @"shop/Deployment/web/http 7000");
    assert_snapshot!(listeners_of(listen, &declared.replace("7000", "7001")), @"
    shop/Deployment/web/http 7001
    shop/Deployment/web/listen 7000
    ");
    assert_snapshot!(listeners_of(&format!("{listen}{declared}"), ""), @"shop/Deployment/web/http 7000");
    // A flag with a role shows a listener: two listeners on one number.
    assert_snapshot!(brief(listeners_of("        args: ['--metrics-bind-address=:7000']\n", declared)), @"
    shop/Deployment/web/http 7000
    shop/Deployment/web/metrics 7000
    error: port-conflict Deployment shop/web spec.template.spec.containers[1].ports[0] (13:17, 7000, 7000/TCP)
    ");
}

#[test]
fn a_probe_dials_tcp() {
    let dns = "        ports: [{name: dns, containerPort: 7000, protocol: UDP}]\n";
    let probe = "        livenessProbe: {tcpSocket: {port: 7000}}\n";
    assert_snapshot!(listeners_of(&format!("{dns}{probe}"), ""), @"
    shop/Deployment/web/dns 7000
    shop/Deployment/web/health 7000
    ");
    assert_snapshot!(listeners_of(&format!("{}{probe}", dns.replace("UDP", "TCP")), ""), @"shop/Deployment/web/dns 7000");
    assert_snapshot!(listeners_of(&format!("{}{probe}", dns.replace("7000, protocol: UDP", "7001")), ""), @"
    shop/Deployment/web/dns 7001
    shop/Deployment/web/health 7000
    ");
}

#[test]
fn options_of_a_shell_come_before_its_script() {
    for shell in ["[sh, -e, -c, 'exec web --port 8080']", "[/bin/bash, -o, pipefail, -ec, 'exec web --port 8080']"] {
        let log = changes_with(&format!("        command: {shell}\n"));
        assert!(log.contains(&format!("+        command: {}", shell.replace("8080", "20080"))), "{log}");
    }
    // Only shells have scripts.
    assert!(changes_with("        command: [web, -c, 'exec web --port 8080']\n").contains("neither the manifest"));
}

/// The role comes from the words of the port's name, otherwise from the words of its setting.
#[test]
fn names_decide_the_role_of_a_port() {
    let moves = |role: &str, rest: &str| {
        let two = deployment(&format!("      - name: web\n{rest}"));
        super::numbers(&ports(&format!("{{{role}: 20001}}")), &two)
            .lines()
            .filter(|line| line.contains("20001"))
            .collect::<String>()
    };
    let two = "        args: [--one-addr=:7000, --scrape-metrics-addr=:7001]\n        ports: [{name: a, containerPort: 7000}, {name: NAME, containerPort: 7001}]\n";
    assert_snapshot!(moves("metrics", &two.replace("NAME", "b")), @"shop/Deployment/web/b 7001 -> 20001 Config");
    assert_snapshot!(moves("health", &two.replace("NAME", "healthz")), @"shop/Deployment/web/healthz 7001 -> 20001 Config");
    assert_snapshot!(moves("webhook", &two.replace("NAME", "webhook-tls")), @"shop/Deployment/web/webhook-tls 7001 -> 20001 Config");
    let key = "        env: [{name: METRICS_ADDR, valueFrom: {configMapKeyRef: {name: c, key: k}}}]\n        ports: [{name: a, containerPort: 7000}]\n";
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {k: '7000'}\n";
    assert_snapshot!(moves("metrics", &format!("{key}{map}")), @"shop/Deployment/web/a 7000 -> 20001 Config");
}

#[test]
fn bind_matches_a_declared_port_by_name_or_number() {
    let spec = |bind: &str| {
        format!("{{targets: [{{select: {{name: web}}, ports: {{http: 20080}}, bind: [{{container: web, {bind}}}]}}]}}")
    };
    let web = |args: &str| {
        let ports = "ports: [{name: http, containerPort: 8080}, {name: other, containerPort: 7000}]";
        deployment(&format!("      - {{name: web, args: [{args}], {ports}}}\n"))
    };
    let args = |spec: &str, args: &str| {
        let log = changes(spec, &web(args));
        let new = log.lines().find(|line| line.starts_with("+      - {name: web") || line.starts_with("error"));
        new.unwrap_or_default().split(", ports").next().unwrap_or_default().to_owned()
    };
    assert_snapshot!(args(&spec("port: http, arg: --x"), "run"), @"+      - {name: web, args: [run, --x=20080]");
    assert_snapshot!(args(&spec("port: web, number: 8080, arg: --x"), "run"), @"+      - {name: web, args: [run, --x=20080]");
    assert_snapshot!(args(&spec("port: http, arg: --x"), "'--x=8080', '--workers=8080'"), @"+      - {name: web, args: ['--x=20080', '--workers=8080']");
    assert_snapshot!(args(&spec("port: http, arg: --x, value: 'tcp://web:{port}/x'"), "'--x=tcp://web:8080/x'"), @"+      - {name: web, args: ['--x=tcp://web:20080/x']");
}

/// A setting or a listener that the version no longer has does not count.
#[test]
fn removed_settings_and_listeners_do_not_count() {
    let listeners = "{role: metrics, names: [metrics], default: 8080, settings: [{env: METRICS_PORT, since: v1.2.0, until: v1.5.0}, {arg: --metrics, since: v1.5.0}]}, \
                     {role: health, names: [health], default: 8081, settings: [{env: HEALTH_PORT, since: v1.2.0}], until: v1.5.0}";
    let spec = format!(
        "{{targets: [{{select: {{name: web}}, ports: auto}}], programs: [{{name: old, images: [old], listeners: [{listeners}]}}]}}"
    );
    let with = |tag: &str| {
        let container = "args: [run], env: [{name: METRICS_PORT, value: '8090'}]";
        numbers(&spec, &deployment(&format!("      - {{name: web, image: 'old:{tag}', {container}}}\n")))
    };
    let old = with("v1.4.0");
    assert!(old.contains("metrics 8090 -> ") && old.contains("health 8081 -> "), "{old}");
    let new = with("v1.5.0");
    assert!(new.contains("metrics 8080 -> ") && !new.contains("8081"), "{new}");
}

/// A default number may be that of newer versions only. An unknown version has the number that the manifest shows.
#[test]
fn a_default_number_depends_on_the_version() {
    let numbers_of = |tag: &str, more: &str| {
        let container = format!("      - {{name: speaker, image: 'quay.io/metallb/speaker{tag}'{more}}}\n");
        let log = numbers("{targets: [{select: {name: web}}]}", &deployment(&container));
        ["7472", "9120"].map(|number| log.contains(&format!(" {number}\n")))
    };
    let (former, current) = ([true, false], [false, true]);
    for tag in ["", ":latest", ":v0.16.0", ":v0.16.1"] {
        assert_eq!(numbers_of(tag, ""), current, "{tag}");
    }
    assert_eq!(numbers_of(":v0.15.3", ""), former);
    for more in [
        ", args: [--port=7472]",
        ", ports: [{containerPort: 7472}]",
        ", ports: [{name: monitoring, containerPort: 7472}]",
        ", readinessProbe: {httpGet: {path: /metrics, port: 7472}}",
    ] {
        assert_eq!(numbers_of(":latest", more), former, "{more}");
    }
    assert_eq!(numbers_of(":latest", ", readinessProbe: {httpGet: {path: /metrics, port: 9120}}"), current);
}

/// The bus port of Redis Cluster is the number of `--port` plus 10000, unless a flag sets it.
#[test]
fn a_listener_that_follows_another_keeps_both_numbers() {
    let redis = |args: &str, more: &str| {
        deployment(&format!(
            "      - {{name: redis, command: [redis-server], args: [--port, '6379'{args}], ports: [{{name: redis, containerPort: 6379}}{more}]}}\n"
        ))
    };
    let cluster = ", --cluster-enabled, 'yes'";
    let bus = ", {name: bus, containerPort: 16379}";
    for more in ["", bus] {
        let (output, log) = super::run(&ports("auto"), &redis(cluster, more));
        let kept = ["--port, '6379'", "hostPort: 6379", "hostPort: 16379"];
        assert!(kept.iter().all(|text| output.contains(text)), "{output}");
        assert!(log.join("\n").contains("Write `--cluster-port 16379` into the arguments"), "{log:?}");
        let own = format!("{cluster}, --cluster-port, '16379'");
        let (output, log) = super::run(&ports("{redis: 20379, bus: 20380}"), &redis(&own, more));
        assert!(output.contains("--port, '20379'") && output.contains("--cluster-port, '20380'"), "{output}{log:?}");
    }
    for args in ["", ", --cluster-enabled, 'no'"] {
        let (output, _) = super::run(&ports("{redis: 20379}"), &redis(args, ""));
        assert!(output.contains("--port, '20379'") && !output.contains("16379"), "{output}");
    }
}

/// A port that only a Service shows belongs to the main container, and never to a program that listens elsewhere.
#[test]
fn an_undeclared_port_is_one_of_the_likely_container() {
    const MANAGER: &str = "      - {name: manager, image: example/manager:v1, command: [/manager]}\n";
    let service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{name: webhook, port: 9443}]}\n";
    let container = |first: &str, main: &str| {
        let pod = deployment(&format!("      - {{{first}}}\n{MANAGER}"));
        let annotations =
            format!("labels: {{app: web}}\n      annotations: {{kubectl.kubernetes.io/default-container: {main}}}");
        let pod = if main.is_empty() { pod } else { pod.replace("labels: {app: web}", &annotations) };
        let log = brief(changes(&ports("auto"), &format!("{pod}{service}")));
        let warned = log.lines().find(|line| line.starts_with("warning: port-setting"));
        warned.unwrap_or_else(|| panic!("{log}")).split(['[', ']']).nth(1).unwrap().to_owned()
    };
    let proxy = "name: kube-rbac-proxy, image: quay.io/brancz/kube-rbac-proxy:v0.15.0, args: ['--secure-listen-address=0.0.0.0:8443']";
    for (first, main, expected) in [
        (proxy, "", "1"),
        (proxy, "manager", "1"),
        ("name: istio-proxy, image: docker.io/istio/proxyv2:1.22.0", "", "1"),
        // The annotation that `kubectl logs` follows may name a proxy.
        ("name: istio-proxy, image: docker.io/istio/proxyv2:1.22.0", "istio-proxy", "1"),
        ("name: cloud-sql-proxy, image: gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.8.0", "manager", "1"),
        ("name: server, image: example/server:v1", "", "0"),
        ("name: server, image: example/server:v1", "other", "0"),
        // Its number may be in the file of a ConfigMap.
        ("name: proxy, image: quay.io/brancz/kube-rbac-proxy:v0.15.0", "", "0"),
    ] {
        assert_eq!(container(first, main), expected, "{first} {main}");
    }
}

/// `changes` compares a second run: a port that the first run declares does not become another listener of the program.
#[test]
fn a_kept_port_does_not_get_the_name_of_another_listener() {
    let pod = |image: &str, rest: &str| deployment(&format!("      - name: core\n        image: {image}\n{rest}"));
    let service = |name: &str, port: u16| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{name: {name}, port: {port}}}]}}\n"
        )
    };
    let harbor = pod("goharbor/harbor-core:v2.14.0", "        ports: [{containerPort: 8080}]\n")
        + &service("http-metrics", 8001);
    assert_snapshot!(brief(changes(&ports("auto"), &harbor)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{containerPort: 8080}]
    +        ports: [{containerPort: 8080, hostPort: 8080}, {name: http-metrics-2, containerPort: 8001, hostPort: 8001}]
    warning: port-setting Deployment shop/web spec.template.spec.containers[0] (10:9, 2, 8001, 8080, goharbor/harbor-core:v2.14.0)
    ");
    let agent = pod("gcr.io/datadoghq/agent:7.60.0", "        livenessProbe: {httpGet: {path: /live, port: 5556}}\n");
    assert_snapshot!(brief(changes(&ports("auto"), &agent)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        ports:
    +        - name: health, containerPort: 5556, hostPort: 5556
    warning: port-setting Deployment shop/web spec.template.spec.containers[0] (10:9, 5556, gcr.io/datadoghq/agent:7.60.0)
    ");
    // Nothing listens there, so no port is declared.
    let kyverno =
        pod("ghcr.io/kyverno/background-controller:v1.13.0", "        ports: [{name: metrics, containerPort: 8000}]\n")
            + &service("https", 9443);
    assert_snapshot!(brief(changes(&ports("auto"), &kyverno)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: metrics, containerPort: 8000}]
    +        ports: [{name: metrics, containerPort: 8000, hostPort: 8000}]
    warning: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (12:17, 8000)
    ");
}

/// One variable sets the number of both protocols.
#[test]
fn a_listener_of_the_other_protocol_moves_too() {
    let speaker = deployment(
        "      - name: speaker\n        image: quay.io/metallb/speaker:v0.14.9\n        args: [--port=7472]\n        ports: [{name: monitoring, containerPort: 7472}, {name: memberlist-tcp, containerPort: 7946}]\n",
    );
    assert_snapshot!(brief(changes(&ports("auto"), &speaker)), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--port=7472]
    -        ports: [{name: monitoring, containerPort: 7472}, {name: memberlist-tcp, containerPort: 7946}]
    +        args: [--port=20715]
    +        ports: [{name: monitoring, containerPort: 20715, hostPort: 20715}, {name: memberlist-tcp, containerPort: 25061, hostPort: 25061}, {name: memberlist-udp, containerPort: 25061, hostPort: 25061, protocol: UDP}]
    +        env:
    +        - name: METALLB_ML_BIND_PORT, value: "25061"
    "#);
    // Without a declared port it does not listen.
    let alone = speaker.replace(", {name: memberlist-tcp, containerPort: 7946}", "");
    assert!(!changes(&ports("auto"), &alone).contains("METALLB"));
}

/// GitHub calls this webhook, not the API server: the catalogue says so, whatever the words of the flag are.
#[test]
fn a_role_of_the_catalogue_is_no_word_of_a_flag() {
    let runners = deployment(
        "      - name: c\n        image: example.org/actions-runner-controller:v99.0.0\n        args: [/github-webhook-server]\n        ports: [{containerPort: 8000}, {containerPort: 8080}]\n",
    );
    assert_snapshot!(brief(changes(&ports("{other: 20000, metrics: 20001}"), &runners)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [/github-webhook-server]
    -        ports: [{containerPort: 8000}, {containerPort: 8080}]
    +        args: [/github-webhook-server, --webhook-addr=:20000, --metrics-addr=0.0.0.0:20001]
    +        ports: [{containerPort: 20000, hostPort: 20000}, {containerPort: 20001, hostPort: 20001}]
    ");
}
