//! Rule `port-reference`: fields in and outside of the pod that move with a number, and fields that stop the move.

use super::{changes, deployment, ports, run};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn moved(container: &str, around: &str) -> String {
    let web = format!(
        "      - name: web\n        args: [--listen=:8080]\n        ports: [{{name: http, containerPort: 8080}}]\n{container}"
    );
    changes(&ports("{http: 20080}"), &format!("{}{around}", deployment(&web)))
}

#[test]
fn probes_and_hooks_follow() {
    let probes = "        livenessProbe: {httpGet: {port: 8080}}
        readinessProbe: {tcpSocket: {port: 8080, host: example.com}}
        startupProbe: {grpc: {port: 8080}}
        lifecycle: {preStop: {httpGet: {port: http}}, postStart: {httpGet: {port: 8080, host: 127.0.0.1}}}
";
    assert_snapshot!(moved(probes, ""), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080]
    -        ports: [{name: http, containerPort: 8080}]
    -        livenessProbe: {httpGet: {port: 8080}}
    +        args: [--listen=:20080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        livenessProbe: {httpGet: {port: 20080}}
    -        startupProbe: {grpc: {port: 8080}}
    -        lifecycle: {preStop: {httpGet: {port: http}}, postStart: {httpGet: {port: 8080, host: 127.0.0.1}}}
    +        startupProbe: {grpc: {port: 20080}}
    +        lifecycle: {preStop: {httpGet: {port: http}}, postStart: {httpGet: {port: 20080, host: 127.0.0.1}}}
    ");
}

#[test]
fn exec_commands_follow_or_stop_the_move() {
    let exec = |command: &str| format!("        livenessProbe: {{exec: {{command: {command}}}}}\n");
    assert_snapshot!(moved(&exec("[grpc_health_probe, '-addr=:8080']"), ""), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080]
    -        ports: [{name: http, containerPort: 8080}]
    -        livenessProbe: {exec: {command: [grpc_health_probe, '-addr=:8080']}}
    +        args: [--listen=:20080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        livenessProbe: {exec: {command: [grpc_health_probe, '-addr=:20080']}}
    ");
    assert_snapshot!(moved(&exec("[sh, -c, 'curl -f http://localhost:8080/ready']"), ""), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080]
    -        ports: [{name: http, containerPort: 8080}]
    -        livenessProbe: {exec: {command: [sh, -c, 'curl -f http://localhost:8080/ready']}}
    +        args: [--listen=:20080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +        livenessProbe: {exec: {command: [sh, -c, 'curl -f http://localhost:20080/ready']}}
    ");
    for other in ["'-addr=:9090'", "'--redis=:9090'"] {
        assert!(!moved(&exec(&format!("[check, {other}]")), "").contains("check, '-a"), "{other}");
    }
    assert_snapshot!(brief(moved(&exec("[nc, -z, web, '8080']"), "")), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].livenessProbe.exec.command[3] (13:55, 20080, 8080)");
}

#[test]
fn a_number_after_the_letter_of_a_flag_stops_the_move() {
    // `mysqladmin -p8080` has a password, `-P8080` a port.
    for (command, word) in [
        ("[probe, -p8080]", "-p8080"),
        ("[probe, -P8080]", "-P8080"),
        ("[probe, '-p 8080']", "-p 8080"),
        ("[sh, -c, mysqladmin -P8080 ping]", "mysqladmin -P8080 ping"),
        ("[sh, -c, mysqladmin -p8080 ping]", "mysqladmin -p8080 ping"),
    ] {
        let log = moved(&format!("        livenessProbe: {{exec: {{command: {command}}}}}\n"), "");
        let why = format!("`{word}` contains the port in a form that hostnet does not edit [port-reference]");
        assert!(log.starts_with("error: ") && log.contains(&why), "{command}: {log}");
    }
    let other = moved("        livenessProbe: {exec: {command: [sh, -c, mysqladmin -P9090 ping]}}\n", "");
    assert!(other.contains("hostNetwork: true"), "{other}");
}

#[test]
fn references_in_one_of_many_workloads_are_found() {
    let many: Vec<String> = (0..40)
        .map(|index| {
            let own = "      - {name: a, args: [--listen=:8080], env: [{name: DB_PORT, value: '8080'}], ports: [{name: http, containerPort: 8080}]}\n";
            deployment(own).replacen("name: web", &format!("name: other-{index}"), 1).replace("app: web", &format!("app: other-{index}"))
        })
        .collect();
    let web = deployment(
        "      - {name: web, args: [--listen=:8080], env: [{name: OTHER_7_PORT, value: '8080'}], ports: [{name: http, containerPort: 8080}]}\n",
    );
    let log = changes(&ports("{http: 20080}"), &super::stream([vec![web.clone()], many.clone()].concat()));
    // The variable names another workload, so its number stays.
    assert!(log.contains("--listen=:20080") && !log.contains("error"), "{log}");
    assert!(!log.contains("value: '20080'"), "{log}");
    let db = web.replacen("name: web", "name: db", 1).replace("OTHER_7_PORT", "CACHE_SIZE");
    let spec = "{targets: [{select: {name: db}, ports: {http: 20080}}]}";
    let log = changes(spec, &super::stream([vec![db], many].concat()));
    assert_eq!(
        log.lines().filter(|line| line.contains("`DB_PORT` contains its name and has the value 8080")).count(),
        40,
        "{log}"
    );
}

/// A variable with the name of one workload that sets the port of another one, which also moves, is not a reference.
#[test]
fn settings_that_move_with_their_own_workload_are_no_references() {
    let container = "      - {name: web, env: [{name: WEBHOOK_PORT, value: '8443'}], ports: [{name: webhook, containerPort: 8443}]}\n";
    let webhook = deployment(container).replacen("name: web", "name: webhook", 1);
    let other = webhook.replacen("name: webhook", "name: other", 1).replace("app: web", "app: other");
    let both = super::stream([vec![webhook], vec![other]].concat());
    let target = "{select: {name: webhook}, ports: {webhook: 20443}}";
    let moved =
        changes(&format!("{{targets: [{target}, {{select: {{name: other}}, ports: {{webhook: 20444}}}}]}}"), &both);
    assert!(!moved.contains("port-reference") && moved.contains("value: '20444'"), "{moved}");
    // The other workload stays, so the variable may be a client's.
    let one = changes(&format!("{{targets: [{target}]}}"), &both);
    assert_eq!(one.matches("`WEBHOOK_PORT` contains its name and has the value 8443").count(), 1, "{one}");
}

#[test]
fn loopback_addresses_of_other_containers_follow() {
    let proxy = "      - name: proxy
        args: ['--upstream=http://127.0.0.1:8080/', '--other=http://web:8080/']
        env: [{name: APP, value: 'localhost:8080'}]
";
    assert_snapshot!(moved(proxy, ""), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8080]
    -        ports: [{name: http, containerPort: 8080}]
    +        args: [--listen=:20080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    -        args: ['--upstream=http://127.0.0.1:8080/', '--other=http://web:8080/']
    -        env: [{name: APP, value: 'localhost:8080'}]
    +        args: ['--upstream=http://127.0.0.1:20080/', '--other=http://web:8080/']
    +        env: [{name: APP, value: 'localhost:20080'}]
    ");
    let doubtful = "      - {name: proxy, env: [{name: APP_PORT, value: '8080'}]}\n";
    assert_snapshot!(worded(moved(doubtful, "")), @"error: standard input:13:53: Deployment shop/web, container web, port http (8080): cannot move to 20080: Deployment shop/web at spec.template.spec.containers[1].env[0].value refers to 8080 and cannot be changed: `APP_PORT` of container `proxy` may refer to it [port-reference]");
}

#[test]
fn scrape_annotations_follow_and_unknown_ones_stop_the_move() {
    let template = |annotations: &str| {
        deployment("      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n")
            .replace("labels: {app: web}", &format!("labels: {{app: web}}\n      annotations: {{{annotations}}}"))
    };
    let spec = ports("{http: 20080}");
    assert_snapshot!(changes(&spec, &template("prometheus.io/port: \"8080\"")), @r#"
    -      annotations: {prometheus.io/port: "8080"}
    +      annotations: {prometheus.io/port: "20080"}
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--listen=:20080], ports: [{name: http, containerPort: 20080, hostPort: 20080}]}
    "#);
    assert_snapshot!(changes(&spec, &template("prometheus.io/port: '9090, 8080'")), @"
    -      annotations: {prometheus.io/port: '9090, 8080'}
    +      annotations: {prometheus.io/port: '9090, 20080'}
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}
    +      - {name: web, args: [--listen=:20080], ports: [{name: http, containerPort: 20080, hostPort: 20080}, {name: metrics, containerPort: 9090, hostPort: 9090}]}
    ");
    assert_snapshot!(worded(changes(&spec, &template("prometheus.io/port: '8080;9090'"))), @r#"error: standard input:8:41: Deployment shop/web, container web, port http (8080): cannot move to 20080: Deployment shop/web at spec.template.metadata.annotations["prometheus.io/port"] refers to 8080 and cannot be changed: `8080;9090` contains the port in a form that hostnet does not edit [port-reference]"#);
    assert_snapshot!(worded(changes(&spec, &template("config.linkerd.io/opaque-ports: '8080,9000'"))), @r#"error: standard input:8:53: Deployment shop/web, container web, port http (8080): cannot move to 20080: Deployment shop/web at spec.template.metadata.annotations["config.linkerd.io/opaque-ports"] refers to 8080 and cannot be changed: annotation `config.linkerd.io/opaque-ports` names the port, and its format is not known [port-reference]"#);
    // A discovery of metrics has the port in the key.
    for key in ["io.opentelemetry.discovery.metrics.8080/enabled", "agent.signalfx.com/monitorType.8080"] {
        let log = changes(&spec, &template(&format!("{key}: 'true'")));
        assert!(log.contains(&format!("the key of annotation `{key}` contains the port")), "{log}");
    }
    for key in ["io.opentelemetry.discovery.metrics.8081/enabled", "example.com/run-80801", "example.com/8080x"] {
        let log = changes(&spec, &template(&format!("{key}: 'true'")));
        assert!(log.contains("hostPort: 20080"), "{log}");
    }
}

/// `%%host%%` is the address of the pod in the checks that Datadog's agent makes.
#[test]
fn checks_of_datadog_follow() {
    let of = |key: &str, value: &str| {
        let web =
            deployment("      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n");
        let annotated = format!("labels: {{app: web}}\n      annotations:\n        ad.datadoghq.com/{key}: {value}");
        run(&ports("auto"), &web.replace("labels: {app: web}", &annotated))
    };
    for (key, value) in [
        ("web.instances", "'[{\"prometheus_url\": \"http://%%host%%:8080/metrics\"}]'"),
        (
            "web.instances",
            "|\n          [{\n            \"openmetrics_endpoint\": \"http://%%host%%:8080/metrics\"\n          }]",
        ),
        ("web.checks", "'{\"a\": {\"instances\": [{\"url\": \"%%host_bridge%%:8080\"}]}}'"),
    ] {
        let (output, log) = of(key, value);
        assert!(!output.contains("8080") && log.is_empty(), "{key} {value}: {output} {log:?}");
    }
    for value in ["'[{\"url\": \"http://%%host%%:8081\"}]'", "'[{\"url\": \"%%env_HOST%%:8080\"}]'"] {
        let number = if value.contains("8081") { "8081" } else { "HOST%%:8080" };
        assert!(of("web.instances", value).0.contains(number), "{value}");
    }
}

/// The changed lines after the first container, which moves from 8080 to 20080.
fn proxied(rest: &str) -> String {
    let log = moved(rest, "");
    let own = |line: &&str| !["host", "dnsPolicy", "--listen=", "name: http"].iter().any(|part| line.contains(part));
    log.lines().filter(|line| line.contains("localhost") || own(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn proxy_upstream_port_moves_in_every_form() {
    let forms = [
        "args: ['--upstream=http://127.0.0.1:8080/']",
        "args: [--upstream, 'http://127.0.0.1:8080/']",
        "args: [--upstream, '127.0.0.1:8080']",
        "args: ['--upstream=localhost:8080']",
        "args: ['--upstream=http://[::1]:8080/metrics']",
        "args: ['--upstream=https://user@localhost:8080?a=8080']",
        "command: [proxy, '-u', 'http://localhost:8080']",
        "command: [sh, -c, 'exec proxy --upstream http://127.0.0.1:8080/ --verbose']",
        "command: [/bin/bash, -ec], args: ['proxy \"http://localhost:8080\" & wait']",
        "env: [{name: UPSTREAM, value: 'http://127.0.0.1:8080/'}]",
        "env: [{name: UPSTREAM, value: '[::1]:8080'}]",
        "env: [{name: BACKEND_ADDR, value: '127.0.0.1:8080'}]",
    ];
    for form in forms {
        let log = proxied(&format!("      - {{name: proxy, {form}}}\n"));
        let new = ["127.0.0.1:", "localhost:", "[::1]:"]
            .iter()
            .fold(form.to_owned(), |text, host| text.replace(&format!("{host}8080"), &format!("{host}20080")));
        assert_eq!(log, format!("-      - {{name: proxy, {form}}}\n+      - {{name: proxy, {new}}}\n"));
    }
    for other in [
        "args: ['--upstream=http://127.0.0.1:8081/']",
        "args: ['--upstream=http://127.0.0.1:80800/']",
        "args: ['--upstream=http://10.127.0.0.1:8080/']",
        "args: ['--upstream=http://web:8080/']",
        "args: ['--upstream=http://notlocalhost:8080/']",
        "env: [{name: UPSTREAM, value: 'http://127.0.0.1/8080'}]",
    ] {
        assert_eq!(proxied(&format!("      - {{name: proxy, {other}}}\n")), "", "{other}");
    }
}

#[test]
fn kube_rbac_proxy_in_front_of_a_manager_follows() {
    let pod = "      - name: kube-rbac-proxy
        image: gcr.io/kubebuilder/kube-rbac-proxy:v0.16.0
        args: ['--secure-listen-address=0.0.0.0:8443', '--upstream=http://127.0.0.1:8080/', '--logtostderr=true']
        ports: [{name: https, containerPort: 8443}]
      - name: manager
        args: ['--metrics-bind-address=127.0.0.1:8080']
";
    assert_snapshot!(changes(&ports("{manager/metrics: 20080, https: 20443}"), &deployment(pod)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: ['--secure-listen-address=0.0.0.0:8443', '--upstream=http://127.0.0.1:8080/', '--logtostderr=true']
    -        ports: [{name: https, containerPort: 8443}]
    +        args: ['--secure-listen-address=0.0.0.0:20443', '--upstream=http://127.0.0.1:20080/', '--logtostderr=true']
    +        ports: [{name: https, containerPort: 20443, hostPort: 20443}]
    -        args: ['--metrics-bind-address=127.0.0.1:8080']
    +        args: ['--metrics-bind-address=127.0.0.1:20080']
    +        ports:
    +        - name: metrics, containerPort: 20080, hostPort: 20080
    ");
}

#[test]
fn a_possible_reference_in_another_container_stops_the_move() {
    let stops = |proxy: &str| proxied(&format!("      - {{name: proxy, {proxy}}}\n")).contains("may refer to it");
    assert!(stops("args: [--app-port=8080]"));
    assert!(stops("args: [--app-port=8080], ports: [{containerPort: 9090}]"));
    // A port of the container itself with that number, by another protocol.
    assert!(!stops("args: [--dns-port=8080], ports: [{name: dns, containerPort: 8080, protocol: UDP}]"));
    assert!(!stops("args: [--workers=8080]"));
    assert!(!stops("args: [--app-port=8081]"));
    // An address of the pod itself moves.
    assert!(!stops("args: ['--server-addr=127.0.0.1:8080']"));
    assert!(proxied("      - {name: proxy, args: ['--server-addr=127.0.0.1:8080']}\n").contains("127.0.0.1:20080"));
}

/// In another container of the pod, the target, upstream or backend is most often the pod's main process.
#[test]
fn the_port_of_an_upstream_without_a_host_stops_the_move() {
    let said = |proxy: &str| proxied(&format!("      - {{name: proxy, {proxy}}}\n"));
    let map = |data: &str| {
        let from = "envFrom: [{configMapRef: {name: proxy}}]";
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: proxy, namespace: shop}\n";
        said(&format!("{from}}}\n---\n{map}data: {{{data}"))
    };
    for name in ["target", "upstream", "backend", "service", "remote", "db", "upstream-http"] {
        let variable = name.to_uppercase().replace('-', "_");
        for proxy in [
            format!("args: [--{name}-port=8080]"),
            format!("args: [--{name}-port, '8080']"),
            format!("env: [{{name: {variable}_PORT, value: '8080'}}]"),
            format!(
                "env: [{{name: {variable}_HOST, valueFrom: {{fieldRef: {{fieldPath: status.hostIP}}}}}}, {{name: {variable}_PORT, value: '8080'}}]"
            ),
        ] {
            assert!(said(&proxy).contains("may refer to it"), "{proxy}{}", said(&proxy));
        }
        let key = format!("{variable}_PORT: '8080'");
        assert!(map(&key).contains("may refer to it"), "{key}{}", map(&key));
        let other = format!("{key}, {variable}_HOST: {name}.example.com");
        assert!(!map(&other).contains("may refer to it") && !map(&other).contains("warning: "), "{}", map(&other));
        for proxy in [
            format!("args: [--{name}-port=8081]"),
            format!("args: [--{name}-host=api.example.com, --{name}-port=8080]"),
            format!("args: [--{name}=api.example.com, --{name}-port=8080]"),
            format!("args: [--{name}-port-timeout=8080]"),
            format!("args: [--{name}-requests=8080]"),
            format!(
                "env: [{{name: {variable}_HOST, value: api.example.com}}, {{name: {variable}_PORT, value: '8080'}}]"
            ),
        ] {
            assert_eq!(said(&proxy), said("args: [--x]"), "{proxy}");
        }
    }
    for proxy in ["args: ['--upstream=:8080']", "env: [{name: PGPORT, value: '8080'}]", "args: [--targetport=8080]"] {
        assert!(said(proxy).contains("may refer to it"), "{proxy}{}", said(proxy));
    }
    assert!(!said("env: [{name: PGHOST, value: db.example.com}, {name: PGPORT, value: '8080'}]").contains("8080'"));
    assert!(!said("args: [--export=8080, --support=8080]").contains("may refer to it"));
    // A host of the pod itself is reported.
    let own = said("env: [{name: DB_HOST, value: localhost}, {name: DB_PORT, value: '8080'}]");
    assert!(own.contains("next to an address of the pod itself") && !own.contains("error"), "{own}");
}

#[test]
fn annotations_of_tools_name_no_port() {
    let web = deployment("      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n");
    let stops = |annotation: &str| {
        let annotated =
            web.replace("labels: {app: web}", &format!("labels: {{app: web}}\n      annotations: {{{annotation}}}"));
        changes(&ports("{http: 20080}"), &annotated).contains("error")
    };
    assert!(stops("example.com/x: 'a:8080'"));
    assert!(!stops("example.com/x: 'a:8081'"));
    for tool in ["internal.config.kubernetes.io/index", "config.k8s.io/id", "kubectl.kubernetes.io/x"] {
        assert!(!stops(&format!("{tool}: '8080'")), "{tool}");
    }
}

/// A variable moves with all texts that use it, so no text may use it as another host's port.
#[test]
fn a_variable_that_is_also_another_hosts_port_stops_the_move() {
    let reported = |args: &str, env: &str| {
        let web = format!(
            "      - name: web\n        args: {args}\n        env: [{{name: PORT, value: '8080'}}{env}]\n        ports: [{{name: http, containerPort: 8080}}]\n"
        );
        changes(&ports("{http: 20080}"), &deployment(&web))
    };
    assert_snapshot!(worded(reported("['--listen=:$(PORT)', '--db=db:$(PORT)']", "")), @"error: standard input:11:37: Deployment shop/web, container web, port http (8080): cannot move to 20080: Deployment shop/web at spec.template.spec.containers[0].args[1] refers to 8080 and cannot be changed: `--db=db:$(PORT)` is the port of another program, and also uses the variable `PORT` [port-reference]");
    assert_snapshot!(brief(reported("['--listen=:$(PORT)', --target-port, $(PORT)]", "")), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].args[2] (11:52, 20080, 8080)");
    assert_snapshot!(brief(reported("['--listen=:$(PORT)']", ", {name: DB, value: 'http://u@db:$(PORT)/x'}")), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].env[1].value (12:62, 20080, 8080)");
    let shell = "      - name: web
        command: [sh, -c, 'exec web --listen=:$PORT --greet=shop:$PORT/x --dbs=db:$PORTS']
        env: [{name: PORT, value: '8080'}]
        ports: [{name: http, containerPort: 8080}]
";
    assert_snapshot!(brief(changes(&ports("{http: 20080}"), &deployment(shell))), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].command[2] (11:27, 20080, 8080)");
    for own in [
        "'--self=http://127.0.0.1:$(PORT)/'",
        "'--self=[::1]:$(PORT)'",
        "'--target=localhost:$(PORT)'",
        "'--other=0.0.0.0:$(PORT)'",
        "web-$(PORT)",
        "'--db=db:$(PORTS)'",
        "'--me=$(IP):$(PORT)'",
        "target, $(PORT)",
        "'http://localhost/target?port=$(PORT)'",
    ] {
        let log = reported(
            &format!("['--listen=:$(PORT)', {own}]"),
            ", {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}",
        );
        assert!(log.contains("hostNetwork: true") && !log.contains("error"), "{own}: {log}");
    }
}

/// A text of digits is a wrong port name for the API server, and a gRPC probe takes no names.
#[test]
fn refused_probe_ports_leave_the_workload() {
    let probe = |probe: &str| {
        let container = format!(
            "      - {{name: web, args: [--port=8080], ports: [{{name: http, containerPort: 8080}}], livenessProbe: {{{probe}}}}}\n"
        );
        changes(&ports("keep"), &deployment(&container))
    };
    assert_snapshot!(worded(probe("httpGet: {port: \"8080\"}")), @"error: standard input:10:118: Deployment shop/web: spec.template.spec.containers[0].livenessProbe.httpGet.port is `8080`, which the API server refuses: write the number without quotes, or the name of a port. The workload is not changed [port-reference]");
    assert_snapshot!(brief(probe("grpc: {port: http}")), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].livenessProbe.grpc.port (10:115)");
    for fine in ["httpGet: {port: http}", "tcpSocket: {port: 8080}", "grpc: {port: 8080}", "grpc: {port: '${PORT}'}"] {
        assert!(probe(fine).contains("hostPort"), "{fine}");
    }
}

/// A number that the shell calculates from a variable changes with the variable.
#[test]
fn a_calculation_with_the_variable_stops_the_move() {
    let reported = |script: &str| {
        let web = format!(
            "      - name: web\n        command: [sh, -c, '{script}']\n        env: [{{name: PORT, value: '8080'}}]\n        ports: [{{name: http, containerPort: \
             8080}}]\n"
        );
        changes(&ports("{http: 20080}"), &deployment(&web))
    };
    assert_snapshot!(worded(reported("exec web --port=$PORT --metrics-port=$((PORT+1))")), @"error: standard input:11:27: Deployment shop/web, container web, port http (8080): cannot move to 20080: Deployment shop/web at spec.template.spec.containers[0].command[2] refers to 8080 and cannot be changed: `--metrics-port=$((PORT+1))` calculates another number from the variable `PORT`, which would change too [port-reference]");
    for script in [
        "exec web --port=$PORT --metrics-port=$(expr $PORT + 1)",
        "let M=PORT+1; exec web --port=$PORT --metrics-port=$M",
        "B=8080; exec web --port=$B --metrics-port=$((B + 1))",
        "exec web --port=$PORT --metrics-port=${PORT%0}1",
    ] {
        assert!(reported(script).contains("calculates another number"), "{script}: {}", reported(script));
    }
    for script in [
        "exec web --port=$PORT --limit=$((PORTS+1))",
        "exec web --port=$PORT --limit=$((1+1))",
        "expr 1 + 1; exec web --port=$PORT",
        "exec web --port=${PORT:-8081}",
    ] {
        assert!(!reported(script).contains("calculates"), "{script}: {}", reported(script));
    }
}
