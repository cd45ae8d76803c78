//! Rule `port-placeholder`: `${VAR}`, which Flux replaces later, stays and is reported.

use super::{ALL, changes, config, deployment, infos, numbers, ports, run, stream};
use crate::support::results::{brief, worded};
use hostnet::kinds;
use insta::assert_snapshot;
use krm::{Input, Origin};

const RULE: &str = "port-placeholder";

/// The container `web` with a port that moves, and more lines.
pub(super) fn web(more: &str) -> String {
    deployment(&format!(
        "      - name: web\n        args: [--listen=:8089]\n        ports: [{{name: http, containerPort: 8089}}]\n{more}"
    ))
}

/// A Service in front of the pods.
pub(super) fn service(port: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec:\n  selector: {{app: web}}\n  \
         ports: [{port}]\n"
    )
}

/// The warnings of a run that moves `http`.
pub(super) fn reported(manifest: &str) -> String {
    run(&ports("{http: 20080}"), manifest).1.join("\n")
}

#[test]
fn a_declared_port_stays() {
    let debug =
        "      - name: debug\n        ports:\n        - name: debug\n          containerPort: ${PORT:=6060} # later\n";
    assert_snapshot!(changes(&ports("{http: 20080}"), &web(debug)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8089]
    -        ports: [{name: http, containerPort: 8089}]
    +        args: [--listen=:20080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    +          hostPort: ${PORT:=6060}
    ");
    assert_snapshot!(worded(infos(&ports("{http: 20080}"), &web(debug), RULE)), @"info: Deployment shop/web, container debug, port \
         debug: containerPort is `${PORT:=6060}`, which is filled in later: it stays, and hostnet cannot check that its number is free \
         on the node. Fill in a number that nothing else on the node uses [port-placeholder]");
    // `auto` requests a move, so the message is a warning.
    assert_snapshot!(brief(run(ALL, &web(debug)).1.join("\n")), @"warning: port-placeholder Deployment shop/web spec.template.spec.containers[1].ports[0].containerPort (16:26)");
    // The port's name is a valid key, but the port cannot move.
    assert_snapshot!(numbers(&ports("{http: 20080, debug: keep}"), &web(debug)), @"shop/Deployment/web/http 8089 -> 20080 Config");
    assert_snapshot!(worded(numbers(&ports("{http: 20080, debug: 20060}"), &web(debug))), @"
    shop/Deployment/web/http 8089 -> 20080 Config
    error: hostnet.yaml:1:140: `debug` matches Deployment shop/web, container debug, port debug (`${PORT:=6060}`), which is a placeholder and cannot be moved; fill in the intended number, and remove this key from `ports` [port-key]
    ");
    assert_snapshot!(brief(numbers(&ports("{debug/debug: auto}"), &web(debug))), @"
    shop/Deployment/web/http 8089
    error: port-key (Deployment shop/web, hostnet.yaml:1:133)
    ");
}

#[test]
fn quotes_stay_as_they_are() {
    let quoted =
        "      - name: debug\n        ports: [{name: debug, containerPort: '${PORT}', hostPort: \"${PORT}\"}]\n";
    assert_snapshot!(changes(&ports("keep"), &web(quoted)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8089}]
    +        ports: [{name: http, containerPort: 8089, hostPort: 8089}]
    ");
    let none = quoted.replace(", hostPort: \"${PORT}\"", "");
    assert_snapshot!(changes(&ports("keep"), &web(&none)), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8089}]
    +        ports: [{name: http, containerPort: 8089, hostPort: 8089}]
    -        ports: [{name: debug, containerPort: '${PORT}'}]
    +        ports: [{name: debug, containerPort: '${PORT}', hostPort: "${PORT}"}]
    "#);
}

#[test]
fn a_placeholder_that_may_be_a_moved_port_is_reported() {
    let probes = "        readinessProbe: {httpGet: {port: \"${PORT}\"}}\n        startupProbe: {grpc: {port: '${A}', host: b}}\n        \
                  lifecycle: {preStop: {tcpSocket: {port: \"${HOOK_PORT:-8089}\"}}}\n";
    assert_snapshot!(brief(reported(&web(probes))), @"
    warning: port-placeholder Deployment shop/web spec.template.spec.containers[0].lifecycle.preStop.tcpSocket.port (15:49, 20080, 8089)
    warning: port-placeholder Deployment shop/web spec.template.spec.containers[0].readinessProbe.httpGet.port (13:42, 20080, 8089)
    ");
    let env = "        env:\n        - {name: METRICS_PORT, value: \"${PORT}\"}\n        - {name: REDIS_PORT, value: \"${PORT}\"}\n      \
                - name: other\n        args: [\"--bind-address=0.0.0.0:${BIND}\", \"--url=${URL}\", --port, \"${PORT}\"]\n";
    assert_eq!(reported(&web(env)), "");
    assert_snapshot!(brief(infos(&ports("{http: 20080}"), &web(env), RULE)), @"
    info: port-placeholder Deployment shop/web spec.template.spec.containers[0].env[0].value
    info: port-placeholder Deployment shop/web spec.template.spec.containers[1].args[0]
    info: port-placeholder Deployment shop/web spec.template.spec.containers[1].args[3]
    ");
    let loopback = "      - {name: proxy, args: [\"--upstream=http://localhost:${PORT}/\", \"--x=localhost:8443\"], env: [{name: UP, value: \"http://[::1]:${B}\"}]}\n";
    assert_snapshot!(brief(reported(&web(loopback))), @"
    warning: port-placeholder Deployment shop/web spec.template.spec.containers[1].args[0] (13:30, 20080, 8089)
    warning: port-placeholder Deployment shop/web spec.template.spec.containers[1].env[0].value (13:117, 20080, 8089)
    ");
    let own = "      - {name: proxy, args: [\"--listen=localhost:${A}\", \"--upstream=localhost:${B}\"]}\n";
    assert_snapshot!(worded(reported(&web(own))), @"warning: standard input:13:57: Deployment shop/web at spec.template.spec.containers[1].args[1]: `--upstream=localhost:${B}` is filled in later, and may mean a port that moves: http (8089 -> 20080). If so, fill in the new number, or write the port's name where the field takes one [port-placeholder]");
    assert_snapshot!(worded(infos(&ports("{http: 20080}"), &web(own), RULE)), @"info: Deployment shop/web at spec.template.spec.containers[1].args[0]: `localhost:${A}` is filled in later: if it is a port that no container declares, it is missing among the host ports. Declare it with the same placeholder [port-placeholder]");
    let services = [
        service("{port: 80, targetPort: \"${PORT}\"}"),
        service("{port: \"${PORT}\"}"),
        service("{port: 80, targetPort: http}"),
    ];
    assert_snapshot!(worded(services.map(|service| reported(&stream([web(""), service]))).join("\n")), @"
    warning: standard input:19:34: Deployment shop/web: Service shop/web at spec.ports[0].targetPort: `${PORT}` is filled in later, and may mean a port that moves: http (8089 -> 20080). If so, fill in the new number, or write the port's name where the field takes one [port-placeholder]
    warning: standard input:19:18: Deployment shop/web: Service shop/web at spec.ports[0].port: `${PORT}` is filled in later, and may mean a port that moves: http (8089 -> 20080). If so, fill in the new number, or write the port's name where the field takes one [port-placeholder]
    ");
    let annotation =
        "labels: {app: web}\n      annotations: {prometheus.io/port: \"${quote}${PORT}${quote}\", x: \"${PORT}\"}";
    assert_snapshot!(worded(reported(&web("").replace("labels: {app: web}", annotation))), @r#"warning: standard input:8:41: Deployment shop/web at spec.template.metadata.annotations["prometheus.io/port"]: `${quote}${PORT}${quote}` is filled in later, and may mean a port that moves: http (8089 -> 20080). If so, fill in the new number, or write the port's name where the field takes one [port-placeholder]"#);
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: \
                   {matchLabels: {app: web}}\n  podMetricsEndpoints: [{targetPort: \"${PORT}\"}, {port: \"${NAME}\"}]\n";
    assert_snapshot!(brief(reported(&stream([web(""), monitor.to_owned()]))), @"
    warning: port-placeholder PodMonitor shop/web spec.podMetricsEndpoints[0].targetPort (19:38, 20080, 8089, Deployment shop/web)
    warning: port-placeholder PodMonitor shop/web spec.podMetricsEndpoints[1].port (19:57, 20080, 8089, Deployment shop/web)
    ");
    assert_eq!(reported(&stream([web(""), monitor.replace("app: web", "app: other")])), "");
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: shop}\nspec:\n  podSelector: \
                  {matchLabels: {app: web}}\n  ingress: [{ports: [{port: 1}, {port: \"${PORT}\"}]}]\n";
    assert_snapshot!(brief(reported(&stream([web(""), policy.to_owned()]))), @"
    warning: port-placeholder NetworkPolicy shop/web spec.ingress[0].ports[1].port (19:40, 20080, 8089, Deployment shop/web)
    warning: network-policy NetworkPolicy shop/web (14:1, Deployment shop/web)
    ");
    assert!(!reported(&stream([web(""), policy.replace("app: web", "app: other")])).contains(RULE));
}

/// A reference with the placeholder of a declared port refers to this port.
#[test]
fn the_variable_of_a_declared_port_refers_to_it() {
    let same = "        readinessProbe: {httpGet: {port: \"${PORT:=6060}\"}}
        env: [{name: DEBUG_PORT, value: \"${quote}${PORT}${quote}\"}]
      - {name: debug, args: [\"--debug-addr=:${PORT}\"], ports: [{name: debug, containerPort: \"${PORT}\"}]}
";
    assert_eq!(reported(&stream([web(same), service("{port: 80, targetPort: \"${PORT}\"}")])), "");
}

/// A shell expands `${VAR}` by itself.
#[test]
fn a_script_has_variables_of_its_own() {
    let script = "      - {name: other, command: [sh, -c, \"server --port=${PORT} --upstream=localhost:${PORT}\"]}\n";
    assert_eq!(reported(&web(script)), "");
    assert_eq!(infos(&ports("{http: 20080}"), &web(script), RULE), "");
}

#[test]
fn without_a_move_a_placeholder_may_be_an_undeclared_port() {
    let probe = "        livenessProbe: {httpGet: {port: \"${PORT}\"}}\n";
    assert_eq!(run(&ports("keep"), &web(probe)).1, [""; 0]);
    assert_snapshot!(brief(infos(&ports("keep"), &web(probe), RULE)), @"info: port-placeholder Deployment shop/web spec.template.spec.containers[0].livenessProbe.httpGet.port");
    // A Service does not show a listener.
    assert_eq!(infos(&ports("keep"), &stream([web(""), service("{port: 80, targetPort: \"${PORT}\"}")]), RULE), "");
}

#[test]
fn two_ports_with_one_placeholder_collide() {
    let port = |name: &str, text: &str| {
        let container = format!("      - {{name: web, ports: [{{name: http, containerPort: '{text}'}}]}}\n");
        deployment(&container).replace("name: web, namespace", &format!("name: {name}, namespace"))
    };
    assert_snapshot!(worded(run(&ports_of_all(), &stream([port("a", "${PORT}"), port("b", "${PORT}")])).1.join("\n")), @"warning: standard input:21:57: Deployment shop/a, container web, port http and Deployment shop/b, container web, port http both use port `${PORT}` of their node: the second one could not start, unless the placeholder gets two values [port-placeholder]");
    assert_eq!(run(&ports_of_all(), &stream([port("a", "${A}"), port("b", "${B}")])).1, [""; 0]);
}

/// The result contains the present value, for tools.
#[test]
fn results_have_the_placeholder() {
    let probe = "        livenessProbe: {httpGet: {port: \"${PROBE}\"}}\n      - {name: b, args: [--listen=:8090], ports: [{containerPort: \"${PORT}\"}]}\n";
    assert_snapshot!(super::current(ALL, &web(probe)), @r#"
    port-placeholder Str("${PROBE}") spec.template.spec.containers[0].livenessProbe.httpGet.port
    port-placeholder Str("${PORT}") spec.template.spec.containers[1].ports[0].containerPort
    port-placeholder Int(8090) spec.template.spec.containers[1].args[0]
    "#);
}

fn ports_of_all() -> String {
    "{targets: [{select: {kind: Deployment}}]}".to_owned()
}

/// Fields of the pod spec: `hostnet` overwrites `hostNetwork`, and reports a `dnsPolicy` that it keeps.
#[test]
fn policies_can_be_filled_in_later() {
    let policy = web("").replace("    spec:\n", "    spec:\n      hostNetwork: ${HOST}\n      dnsPolicy: ${DNS}\n");
    assert_snapshot!(worded(changes(&ports("keep"), &policy)), @"
    -      hostNetwork: ${HOST}
    +      hostNetwork: true
    -        ports: [{name: http, containerPort: 8089}]
    +        ports: [{name: http, containerPort: 8089, hostPort: 8089}]
    warning: standard input:10:18: Deployment shop/web: dnsPolicy is `${DNS}`, which is filled in later: with ClusterFirst, names of the cluster would not resolve. Fill in ClusterFirstWithHostNet [dns-policy]
    ");
}

/// Names, namespaces, labels, images and whole parts of a manifest.
#[test]
fn other_fields_do_not_change() {
    let manifest = web("        image: ${REGISTRY:=registry.example}/web:${TAG}\n        resources: ${RESOURCES}\n")
        .replace("name: web, namespace: shop", "name: \"web-${CLUSTER}\", namespace: '${NAMESPACE:=shop}'")
        .replace("app: web", "app: \"${APP}\"");
    assert_snapshot!(changes("{targets: [{select: {name: web-.*, namespace: .*}, ports: {http: 20080}}]}", &manifest), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--listen=:8089]
    -        ports: [{name: http, containerPort: 8089}]
    +        args: [--listen=:20080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    ");
    // Equal placeholders in the Service and the workload match.
    let service = service("{port: 80, targetPort: 8089}")
        .replace("namespace: shop", "namespace: '${NAMESPACE:=shop}'")
        .replace("app: web", "app: \"${APP}\"");
    let config = config("{targets: [{select: {name: web-.*}, ports: {http: 20080}}]}").unwrap();
    let input = Input::read(Origin::stdin(), stream([manifest, service]).into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, true).unwrap();
    assert!(run.results.iter().any(|result| result.rule == "service-target"));
}

/// The number is declared, and its setting is a placeholder.
#[test]
fn a_listener_whose_setting_is_filled_in_later_cannot_move() {
    let later = web("").replace("[--listen=:8089]", "['--listen=:${PORT}']");
    assert_snapshot!(worded(run(ALL, &later).1.join("\n")), @"warning: standard input:12:17: Deployment shop/web, container web, port http (8089): keeps its number: `--listen` (`:${PORT}`) has a placeholder, and may set the number. Write the address out, or run hostnet on the rendered manifests, as in `flux build kustomization NAME --path DIR | hostnet apply -c FILE` [port-setting]");
    let two = web("").replace("[--listen=:8089]", "['--listen=:${PORT}', '--bind=:${OTHER}']");
    let log = reported(&two);
    assert!(log.contains("`--bind` (`:${OTHER}`) have placeholders, and one may set the number."), "{log}");
    assert_snapshot!(worded(reported(&later)), @"error: standard input:12:17: Deployment shop/web, container web, port http (8089): cannot move to 20080: `--listen` (`:${PORT}`) has a placeholder, and may set the number. Write the address out, or run hostnet on the rendered manifests, as in `flux build kustomization NAME --path DIR | hostnet apply -c FILE` [port-setting]");
}

/// Placeholders of other tools have the same remedy, with `bind` for the flag too.
#[test]
fn a_setting_with_a_placeholder_of_another_tool_is_filled_in_later() {
    let reported = |value: &str, bind: &str| {
        let later = web("").replace("[--listen=:8089]", &format!("['--listen={value}']"));
        run(&format!("{{targets: [{{select: {{name: web}}, ports: auto{bind}}}]}}"), &later).1.join("\n")
    };
    let bind = ", bind: [{container: web, port: http, number: 8089, arg: --listen, value: ':{port}'}]";
    for value in [":${PORT:=8089}", "$ADDRESS", ":$PORT", "{{ .Values.address }}", "0.0.0.0:#{PORT}#", "@PORT@"] {
        for bind in ["", bind] {
            let log = reported(value, bind);
            assert!(
                ["has a placeholder", "is filled in later"].iter().any(|words| log.contains(words))
                    && log.contains("Write the address out"),
                "{value} {bind}: {log}"
            );
        }
    }
    for value in [
        "${HOST:=0.0.0.0}:8089",
        "http://0.0.0.0:${PORT:=8089}",
        "<path:secret/data/x#port>",
        "<port>",
        "<% port %>",
        "(( grab meta.port ))",
        "#@ data.values.port",
        ":%%PORT%%",
        ":%PORT%",
        ":#{Port}",
        ":<< inputs.port >>",
        ":$(params.port)",
        "__PORT__",
        "ref+vault://secret/web#port",
        "[[ .Port ]]",
        "$[[ port ]]",
    ] {
        let log = reported(value, "");
        assert!(log.contains("has a placeholder") && log.contains("Write the address out"), "{value}: {log}");
    }
    for value in ["redis:$PORT", "$(PORT)", "$(server.port)", "a@b", "{}", "redis:8089", "<a b>", ":%d", "#8089"] {
        assert!(!reported(value, "").contains("filled in later"), "{value}: {}", reported(value, ""));
    }
}

/// The placeholder is in a variable of a ConfigMap, or in a variable that the flag expands.
#[test]
fn a_variable_with_a_placeholder_is_filled_in_later() {
    let map = |key: &str, text: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: cfg, namespace: shop}}\ndata: {{{key}: '{text}'}}\n"
        )
    };
    let of = |args: &str, more: &str, map: &str| {
        let manifest = web("").replace("[--listen=:8089]", &format!("[{args}]{more}"));
        run(ALL, &format!("{manifest}{map}")).1.join("\n")
    };
    let from = "\n        envFrom: [{configMapRef: {name: cfg}}]";
    let key = "\n        env: [{name: HTTP_PORT, valueFrom: {configMapKeyRef: {name: cfg, key: p}}}]";
    let own = "\n        env: [{name: P, value: '${X:=8089}'}]";
    for (args, more, map) in [
        ("", from, map("HTTP_PORT", "${WP:=8089}")),
        ("", key, map("p", "${WP:=8089}")),
        ("--listen=:$(P)", own, String::new()),
        ("--http-port=$(P)", own, String::new()),
    ] {
        let log = of(args, more, &map);
        assert!(log.contains("has a placeholder") && log.contains("Write the address out"), "{args} {more}: {log}");
    }
    for (args, more, map) in [("", from, map("HTTP_PORT", "8090")), ("", from, map("PLAN", "${WP:=8089}"))] {
        let log = of(args, more, &map);
        assert!(!log.contains("Write the address out"), "{args} {more}: {log}");
    }
}

/// The setting of a known program expands a variable with a placeholder, or its config file has one.
#[test]
fn a_known_setting_that_is_filled_in_later_is_the_reason() {
    let controller = |args: &str, env: &str| {
        deployment(&format!(
            "      - name: manager\n        image: registry.k8s.io/cluster-api/cluster-api-controller:v1.11.2\n        args: \
             [{args}]\n        env: [{env}]\n        ports: [{{name: metrics, containerPort: 8443}}]\n"
        ))
    };
    let reported = |args: &str, env: &str| {
        let log = run(ALL, &controller(args, env)).1.join("\n");
        log.lines().find(|line| line.contains("port metrics (8443)")).unwrap_or_default().to_owned()
    };
    let later = reported("'--diagnostics-address=$(DIAG)'", "{name: DIAG, value: '${DIAG:=:8443}'}");
    assert!(
        later.contains("`DIAG` is `${DIAG:=:8443}`, which is filled in later") && later.contains("Write the address"),
        "{later}"
    );
    // A bare number is no address: the program would not start.
    for (args, env) in [
        ("'--diagnostics-address=$(DIAG)'", "{name: DIAG, valueFrom: {secretKeyRef: {name: s, key: d}}}"),
        ("'--diagnostics-address=redis'", ""),
    ] {
        let log = reported(args, env);
        assert!(log.contains("Write an address such as `:8443` as the value of `--diagnostics-address`"), "{log}");
    }
}

/// The declared port of a known program keeps its placeholder, and its setting stays.
#[test]
fn a_port_of_the_catalogue_stays() {
    let core = |port: &str, env: &str| {
        deployment(&format!(
            "      - name: crossplane\n        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4\n        args: [core, start]\n        \
             ports:\n        - {{name: readyz, containerPort: 8081}}\n        - name: webhooks\n          containerPort: {port}\n{env}"
        ))
    };
    let webhook = "{targets: [{select: {name: web}, ports: {webhooks: 20443, readyz: 20081}}]}";
    assert_snapshot!(brief(changes(ALL, &core("${PORT:=9443}", ""))), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        env:
    +        - name: HEALTH_PROBE_PORT, value: "27606"
    +        - name: METRICS_PORT, value: "24562"
    -        - {name: readyz, containerPort: 8081}
    +        - {name: readyz, containerPort: 27606, hostPort: 27606}
    +          hostPort: ${PORT:=9443}
    +        - name: metrics, containerPort: 24562, hostPort: 24562
    warning: port-placeholder Deployment shop/web spec.template.spec.containers[0].ports[1].containerPort (16:26)
    "#);
    assert_snapshot!(brief(run(webhook, &core("${PORT:=9443}", "")).1.join("\n")), @"error: port-key (Deployment shop/web, hostnet.yaml:1:112)");
    let env = "        env: [{name: WEBHOOK_PORT, value: '9443'}]\n";
    assert_snapshot!(worded(changes(ALL, &core("${PORT:=9443}", env))), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        - {name: readyz, containerPort: 8081}
    +        - {name: readyz, containerPort: 27606, hostPort: 27606}
    -        env: [{name: WEBHOOK_PORT, value: '9443'}]
    +          hostPort: ${PORT:=9443}
    +        - name: metrics, containerPort: 24562, hostPort: 24562
    +        env: [{name: WEBHOOK_PORT, value: '9443'}, {name: HEALTH_PROBE_PORT, value: "27606"}, {name: METRICS_PORT, value: "24562"}]
    warning: standard input:16:26: Deployment shop/web, container crossplane, port webhooks: containerPort is `${PORT:=9443}`, which is filled in later: `auto` does not move it, and hostnet cannot check that its number is free on the node. Fill in a number that nothing else on the node uses, or write a number for `auto` to move [port-placeholder]
    warning: standard input:17:43: Deployment shop/web, container crossplane, port webhooks: its number is filled in later, and may be the 9443 at spec.template.spec.containers[0].env[0].value, which is therefore not changed. Write the number as containerPort [port-placeholder]
    "#);
}

/// A flag with a listen word may set the port with the placeholder; moving only the flag would be an incomplete change.
#[test]
fn an_ambiguous_number_may_be_the_port() {
    let port = |listen: &str| {
        deployment(&format!(
            "      - {{name: web, args: ['--listen=:{listen}'], ports: [{{name: http, containerPort: '${{PORT}}'}}]}}\n"
        ))
    };
    assert_snapshot!(brief(changes(ALL, &port("8089"))), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: ['--listen=:8089'], ports: [{name: http, containerPort: '${PORT}'}]}
    +      - {name: web, args: ['--listen=:8089'], ports: [{name: http, containerPort: '${PORT}', hostPort: "${PORT}"}]}
    warning: port-placeholder Deployment shop/web spec.template.spec.containers[0].ports[0].containerPort (10:83)
    warning: port-placeholder Deployment shop/web spec.template.spec.containers[0].args[0] (10:28, 8089)
    "#);
    let probed = deployment(
        "      - {name: web, ports: [{containerPort: '${PORT}'}], livenessProbe: {httpGet: {port: 8089}}}\n",
    )
    .replace("labels: {app: web}", "labels: {app: web}\n      annotations: {prometheus.io/port: '8090'}");
    assert_snapshot!(worded(changes(ALL, &probed)), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, ports: [{containerPort: '${PORT}'}], livenessProbe: {httpGet: {port: 8089}}}
    +      - {name: web, ports: [{containerPort: '${PORT}', hostPort: "${PORT}"}], livenessProbe: {httpGet: {port: 8089}}}
    warning: standard input:11:45: Deployment shop/web, container web, port ${PORT}: containerPort is `${PORT}`, which is filled in later: `auto` does not move it, and hostnet cannot check that its number is free on the node. Fill in a number that nothing else on the node uses, or write a number for `auto` to move [port-placeholder]
    warning: standard input:11:90: Deployment shop/web, container web, port ${PORT}: its number is filled in later, and may be the 8089 at spec.template.spec.containers[0].livenessProbe.httpGet.port, which is therefore not changed. Write the number as containerPort [port-placeholder]
    warning: standard input:8:41: Deployment shop/web, container web, port ${PORT}: its number is filled in later, and may be the 8090 at spec.template.metadata.annotations["prometheus.io/port"], which is therefore not changed. Write the number as containerPort [port-placeholder]
    "#);
    // A listener of a known program in the same container.
    let core = "      - name: crossplane\n        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4\n        args: [core, start]\n        \
                ports: [{containerPort: '${PORT}'}, {name: readyz, containerPort: 8081}, {name: webhooks, containerPort: 9443}]\n";
    assert_snapshot!(worded(run(ALL, &deployment(core)).1.join("\n")), @"
    warning: standard input:13:33: Deployment shop/web, container crossplane, port ${PORT}: containerPort is `${PORT}`, which is filled in later: `auto` does not move it, and hostnet cannot check that its number is free on the node. Fill in a number that nothing else on the node uses, or write a number for `auto` to move [port-placeholder]
    warning: standard input:13:33: Deployment shop/web, container crossplane, port metrics (8080): is declared as 24562, next to ${PORT} (`${PORT}`), which is filled in later: if both are the same port, it is declared twice. Write the number there, or fill in another number [port-placeholder]
    ");
    // Ports of other containers and other protocols do not count.
    let other = core.replace("{containerPort: '${PORT}'}, ", "{containerPort: '${PORT}', protocol: UDP}, ")
        + "      - {name: other, ports: [{containerPort: '${PORT}'}]}\n";
    assert!(!run(ALL, &deployment(&other)).1.join("\n").contains("declared twice"));
    // `bind` names the port, so the number belongs to the declared port.
    let bind = "{targets: [{select: {name: web}, bind: [{container: web, port: http, number: 8089, arg: --port}]}]}";
    assert_snapshot!(changes(bind, &port("${PORT}")), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: ['--listen=:${PORT}'], ports: [{name: http, containerPort: '${PORT}'}]}
    +      - {name: web, args: ['--listen=:${PORT}'], ports: [{name: http, containerPort: '${PORT}', hostPort: "${PORT}"}]}
    "#);
}

/// A setting with a placeholder: the message contains the placeholder and a remedy, and does not suggest `bind`, which
/// cannot help.
#[test]
fn a_setting_that_is_filled_in_later_is_the_reason() {
    let web = deployment(
        "      - {name: web, args: ['--metrics-bind-address=${METRICS:=:8080}'], ports: [{name: http, containerPort: 8080}]}\n",
    );
    let spec = ports("{http: 20080}")
        .replace("ports:", "bind: [{container: web, port: http, arg: --metrics-bind-address}], ports:");
    for spec in [ports("{http: 20080}"), spec] {
        let log = changes(&spec, &web);
        assert!(log.contains("has a placeholder") && log.contains("write the address without a placeholder"), "{log}");
        assert!(
            !log.contains("add to the target `bind: [{container: web, port: http, arg: --metrics-bind-address}]`"),
            "{log}"
        );
    }
}
