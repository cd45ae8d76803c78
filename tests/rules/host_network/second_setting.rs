//! A second text with a number that another text certainly sets: it moves too only if it belongs to the same process.

use crate::support::results::brief;
use insta::assert_snapshot;

use super::{deployment, ports, results_of, run};

/// An operator with metrics on port 8000, with these arguments and more lines of the container.
fn operator(args: &str, more: &str) -> String {
    deployment(&format!(
        "      - name: manager\n        image: ml/model-operator:1.15.0\n        args: [{args}]\n{more}        ports: [{{name: metrics, containerPort: 8000}}]\n"
    ))
}

fn variable(name: &str, value: &str) -> String {
    format!("        env: [{{name: {name}, value: '{value}'}}]\n")
}

/// The output if the port moves to 20080, or the errors.
fn moved(manifest: &str) -> Result<String, String> {
    let (output, log) = run(&ports("{metrics: 20080}"), manifest);
    let errors: Vec<String> = log.into_iter().filter(|line| line.starts_with("error")).collect();
    if errors.is_empty() { Ok(output) } else { Err(errors.join("\n")) }
}

/// True if the output no longer contains the old number.
fn moves_whole(manifest: &str) -> bool {
    moved(manifest).is_ok_and(|output| !output.contains("8000"))
}

/// True if the move is refused because of a variable with this name.
fn is_refused_for(manifest: &str, name: &str) -> bool {
    moved(manifest).is_err_and(|log| log.contains(name) && log.contains("[port-reference]"))
}

#[test]
fn a_variable_of_another_purpose_stops_the_move() {
    let manifest = operator("'--metrics-addr=:8000'", &variable("RUNNER_SERVER_PORT", "8000"));
    assert_snapshot!(brief(moved(&manifest).unwrap_err()), @"error: port-reference Deployment shop/web spec.template.spec.containers[0].env[0].value (13:49, 20080, 8000)");
    assert_snapshot!(results_of("port-reference", "{targets: [{select: {name: web}, ports: auto}]}", &manifest), @"warning: port-reference Deployment shop/web spec.template.spec.containers[0].env[0].value (13:49, 24562, 8000)");
}

#[test]
fn names_of_another_purpose() {
    for name in
        ["SIDECAR_PORT", "RUNNER_METRICS_PORT", "AGENT_HTTP_PORT", "INJECTED_LISTEN_PORT", "HEALTH_PORT", "GRPC_PORT"]
    {
        assert!(is_refused_for(&operator("'--metrics-addr=:8000'", &variable(name, "8000")), name), "{name}");
    }
    assert!(is_refused_for(&operator("'--metrics-addr=0.0.0.0:8000', --runner-port=8000", ""), "--runner-port"));
    // A flag of a scaffold.
    assert!(is_refused_for(
        &operator("'--metrics-bind-address=:8000'", &variable("RUNNER_PORT", "8000")),
        "RUNNER_PORT"
    ));
    // An undeclared port.
    let bare = operator("'--metrics-addr=:8000'", &variable("RUNNER_PORT", "8000"));
    let bare = bare.replace("        ports: [{name: metrics, containerPort: 8000}]\n", "");
    assert!(is_refused_for(&bare, "RUNNER_PORT"));
}

/// An operator may make applications, and pass them the port of `APP_PORT`.
#[test]
fn applications_beside_a_setting_with_a_role_stop_the_move() {
    for name in ["APP_PORT", "APPLICATION_PORT", "API_PORT", "API_SERVER_PORT"] {
        for arg in ["'--metrics-addr=:8000'", "'--metrics-bind-address=:8000'"] {
            assert!(is_refused_for(&operator(arg, &variable(name, "8000")), name), "{arg} {name}");
        }
    }
    let moves = |args: &str, name: &str| moves_whole(&operator(args, &variable(name, "8000")));
    // The workload's own name, a plain address, a flag of the application, and its metrics are of this process.
    assert!(moves("'--metrics-addr=:8000'", "WEB_PORT"));
    let plain = |args: &str, name: &str| {
        let manifest = operator(args, &variable(name, "8000")).replace("name: metrics", "name: http");
        !run(&ports("{http: 20080}"), &manifest).0.contains("8000")
    };
    assert!(plain("'--listen=:8000'", "APP_PORT") && plain("--port=8000", "API_PORT"));
    assert!(moves("'--app-metrics-addr=:8000'", "APP_PORT") && moves("'--metrics-addr=:8000'", "APP_METRICS_PORT"));
    let named = operator("'--metrics-addr=:8000'", &variable("APP_PORT", "8000")).replace("name: manager", "name: app");
    assert!(moves_whole(&named));
}

#[test]
fn names_of_this_process_move_along() {
    for name in [
        "PORT",
        "HTTP_PORT",
        "SERVER_PORT",
        "METRICS_PORT",
        "PROM_PORT",
        "LISTEN_PORT",
        "MODEL_OPERATOR_METRICS_PORT",
        "MANAGER_PORT",
        "METRICS_BIND_ADDRESS",
    ] {
        assert!(moves_whole(&operator("'--metrics-addr=:8000'", &variable(name, "8000"))), "{name}");
    }
    assert!(moves_whole(&operator("'--metrics-addr=:8000', -p, '8000'", "")));
    // The program's own name, from its command.
    let command = format!("        command: [/usr/bin/acme]\n{}", variable("ACME_PORT", "8000"));
    assert!(moves_whole(&operator("'--metrics-addr=:8000'", &command)));
    // An address of all interfaces belongs to this process, whatever the variable's name.
    assert!(moves_whole(&operator("'--metrics-addr=:8000'", &variable("HEALTH_ADDR", ":8000"))));
}

#[test]
fn clients_in_the_container_move_along() {
    for value in ["http://localhost:8000", "127.0.0.1:8000", "http://localhost:8000/healthz"] {
        for name in ["HEALTH_URL", "RUNNER_ADDR"] {
            assert!(moves_whole(&operator("'--metrics-addr=:8000'", &variable(name, value))), "{name} {value}");
        }
    }
    let env = |more: &str| format!("        env: [{{name: CHECK_PORT, value: '8000'}}, {more}]\n");
    for more in [
        "{name: CHECK_HOST, value: localhost}",
        "{name: CHECK_URL, value: 'http://localhost:$(CHECK_PORT)/healthz'}",
        "{name: CHECK_URL, value: 'http://localhost:$(CHECK_PORT)'}",
    ] {
        assert!(moves_whole(&operator("'--metrics-addr=:8000'", &env(more))), "{more}");
    }
    let probe = "        env: [{name: CHECK_PORT, value: '8000'}]\n        livenessProbe: {exec: {command: [sh, -c, 'curl http://localhost:$CHECK_PORT/']}}\n";
    assert!(moves_whole(&operator("'--metrics-addr=:8000'", probe)));
    // Another host, or an address of all interfaces.
    for more in ["{name: CHECK_HOST, value: 0.0.0.0}", "{name: OTHER_HOST, value: localhost}"] {
        assert!(is_refused_for(&operator("'--metrics-addr=:8000'", &env(more)), "CHECK_PORT"), "{more}");
    }
}

/// An operator may pass a URL of all interfaces to the pods that it creates, as well as the address alone.
#[test]
fn urls_of_all_interfaces_under_another_name_stop_the_move() {
    for url in [
        "http://0.0.0.0:8000",
        "http://0.0.0.0:8000/healthz",
        "grpc://0.0.0.0:8000",
        "http://[::]:8000",
        "serve http://0.0.0.0:8000",
    ] {
        let manifest = operator("'--metrics-addr=:8000'", &variable("RUNNER_URL", url));
        assert!(is_refused_for(&manifest, "RUNNER_URL"), "{url}");
    }
    for args in ["--runner-url=http://0.0.0.0:8000", "'--runner', 'http://0.0.0.0:8000'"] {
        assert!(is_refused_for(&operator(&format!("'--metrics-addr=:8000', {args}"), ""), "--runner"), "{args}");
    }
    for (name, url) in [
        ("RUNNER_URL", "http://127.0.0.1:8000"),
        ("HEALTH_URL", "http://0.0.0.0:8000/healthz"),
        ("MODEL_OPERATOR_URL", "http://0.0.0.0:8000"),
        ("PUBLIC_URL", "http://0.0.0.0:8000"),
    ] {
        assert!(moves_whole(&operator("'--metrics-addr=:8000'", &variable(name, url))), "{name} {url}");
    }
}

#[test]
fn a_variable_in_the_certain_address_moves() {
    assert!(moves_whole(&operator("'--metrics-addr=:$(RUNNER_PORT)'", &variable("RUNNER_PORT", "8000"))));
}

/// The name of the port, a role or no word at all belong to this process, so another word does not.
#[test]
fn numbers_alone_of_two_purposes_stop_the_move() {
    for (arg, name) in [
        ("--metrics-port=8000", "RUNNER_PORT"),
        ("--metrics-port=8000", "SIDECAR_METRICS_PORT"),
        ("--port=8000", "WORKER_PORT"),
        ("--webhook-port=8000", "INJECT_PORT"),
    ] {
        assert!(is_refused_for(&operator(arg, &variable(name, "8000")), name), "{arg} {name}");
    }
    for (arg, name) in [
        ("--metrics-port=8000", "HEALTH_PORT"),
        ("--metrics-port=8000", "METRICS_PORT"),
        ("--port=8000", "MANAGER_HTTP_PORT"),
        ("--port=8000", "CLUSTER_ANNOUNCE_PORT"),
    ] {
        assert!(moves_whole(&operator(arg, &variable(name, "8000"))), "{arg} {name}");
    }
}

/// A process cannot listen twice on one address: one of them is for the pods of another program.
#[test]
fn addresses_of_two_purposes_stop_the_move() {
    for (arg, name) in [
        ("--metrics-addr=:8000", "WORKER_METRICS_ADDRESS"),
        ("--metrics-addr=:8000", "EXECUTOR_LISTEN_ADDR"),
        ("--listen=:8000", "AGENT_ADDR"),
        ("--metrics-port=8000", "SIDECAR_BIND_ADDRESS"),
        // Both names begin with a word that is not the program's.
        ("--shop-metrics-addr=:8000", "SHOP_BUILDER_METRICS_ADDR"),
        ("--inject-listen=:8000", "INJECT_SIDECAR_LISTEN"),
    ] {
        for value in [":8000", "0.0.0.0:8000"] {
            assert!(is_refused_for(&operator(arg, &variable(name, value)), name), "{arg} {name} {value}");
        }
    }
    for flag in ["--listener-metrics-addr", "--agent-metrics-addr"] {
        assert!(is_refused_for(&operator(&format!("'{flag}=:8000', '--metrics-addr=:8000'"), ""), flag), "{flag}");
    }
    for (arg, name) in [
        ("--metrics-addr=:8000", "HEALTH_ADDR"),
        ("--metrics-addr=:8000", "METRICS_BIND_ADDRESS"),
        ("--metrics-addr=:8000", "MODEL_OPERATOR_METRICS_ADDR"),
        ("--foo-addr=:8000", "BAR_ADDR"),
        ("--agent-metrics-addr=:8000", "AGENT_METRICS_ADDR"),
        ("--shop-agent-metrics-addr=:8000", "SHOP_AGENT_METRICS_ADDRESS"),
        ("--listener-port=8000", "PORT"),
    ] {
        assert!(moves_whole(&operator(arg, &variable(name, ":8000"))), "{arg} {name}");
    }
}

#[test]
fn a_variable_of_a_config_map_stops_the_move_too() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata:\n";
    let from = "        envFrom: [{configMapRef: {name: settings}}]\n";
    let with = |args: &str, env: &str, data: &str| format!("{}{map}{data}", operator(args, &format!("{from}{env}")));
    let certain = "'--metrics-addr=:8000'";
    assert!(is_refused_for(&with(certain, "", "  RUNNER_PORT: '8000'\n"), "RUNNER_PORT"));
    assert!(moves_whole(&with(certain, "", "  METRICS_PORT: '8000'\n")));
    assert!(moves_whole(&with(certain, "", "  HEALTH_URL: http://localhost:8000\n")));
    // The address of all interfaces is in the ConfigMap.
    let address = "  METRICS_ADDR: ':8000'\n";
    assert!(is_refused_for(&with("", &variable("RUNNER_PORT", "8000"), address), "RUNNER_PORT"));
    assert!(is_refused_for(&with("", "", &format!("  RUNNER_PORT: '8000'\n{address}")), "RUNNER_PORT"));
    assert!(moves_whole(&with("", &variable("METRICS_PORT", "8000"), address)));
}

#[test]
fn a_setting_of_the_catalogue_is_certain() {
    let program = |listener: &str| {
        format!(
            "{{targets: [{{select: {{name: web}}, ports: {{metrics: 20080}}}}], programs: [{{name: ops, images: [model-operator], listeners: [{{role: metrics, names: [metrics], default: 8000, {listener}}}]}}]}}"
        )
    };
    let run_with = |listener: &str, args: &str, env: &str| run(&program(listener), &operator(args, env));
    let runner = variable("RUNNER_PORT", "8000");
    for (listener, args) in [
        ("settings: [{arg: --listen}]", "--listen=8000"),
        ("settings: [{arg: --listen}]", ""),
        ("settings: [{env: METRICS_URL}]", ""),
    ] {
        let (output, log) = run_with(listener, args, &runner);
        assert!(!output.contains("20080") && log.join("\n").contains("RUNNER_PORT"), "{listener}: {log:?}");
        let (output, _) = run_with(listener, args, &variable("METRICS_PORT", "8000"));
        assert!(output.contains("{name: METRICS_PORT, value: '20080'}"), "{listener}: {output}");
    }
    // A fixed number of a program is not set by a text of another purpose.
    let (output, log) = run_with("fixed: true", "", &runner);
    assert!(!output.contains("20080") && log.join("\n").contains("cannot move to 20080"), "{log:?}");
}

#[test]
fn the_lines_of_the_message_work() {
    let manifest = operator("'--metrics-addr=:8000'", &variable("RUNNER_PORT", "8000"));
    let log = moved(&manifest).unwrap_err();
    let pasted = |start: &str, end: &str| {
        let (_, rest) = log.split_once(start).unwrap();
        rest.split_once(end).unwrap().0.to_owned()
    };
    let bind = pasted("add to a target for this workload alone `", "`");
    let spec = format!("{{targets: [{{select: {{name: web}}, ports: {{metrics: 20080}}, {bind}}}]}}");
    let (output, _) = run(&spec, &manifest);
    assert!(!output.contains("8000") && output.contains("value: '20080'"), "{output}");
    let row = pasted("write under `programs` `- ", "`");
    let spec = format!("{{targets: [{{select: {{name: web}}, ports: {{metrics: 20080}}}}], programs: [{row}]}}");
    let (output, _) = run(&spec, &manifest);
    assert!(output.contains("--metrics-addr=:20080") && output.contains("value: '8000'"), "{output}");
}

/// Options in a variable or behind a flag: `RUNNER_ARGS="--metrics-port=8000"` of an operator is for the pods that it
/// makes.
#[test]
fn options_for_another_program_stop_the_move() {
    let of = |name: &str, value: &str| operator("'--metrics-addr=:8000'", &variable(name, value));
    let runner = of("RUNNER_ARGS", "--metrics-port=8000");
    assert_snapshot!(moved(&runner).unwrap_err(), @r#"error: port-reference Deployment shop/web spec.template.spec.containers[0].env[0].value (13:42, 20080, 8000) | error: standard input:13:42: Deployment shop/web, container manager, port metrics (8000): cannot move to 20080: Deployment shop/web at spec.template.spec.containers[0].env[0].value refers to 8000 and cannot be changed: `RUNNER_ARGS` may contain options for another program, and `--metrics-port=8000` also contains 8000: where it is this port, add to a target for this workload alone `bind: [{container: manager, port: metrics, env: RUNNER_ARGS, value: "--metrics-port={port}"}]`; where it is not this port, write under `programs` `- {name: model-operator, images: [model-operator], notListen: [RUNNER_ARGS], listeners: []}` [port-reference]"#);
    for (name, value) in [
        ("SIDECAR_ARGS", "--port=8000 --metrics-port=8000"),
        ("VLLM_EXTRA_ARGS", "--port 8000"),
        ("RUNNER_COMMAND", "serve --listen=0.0.0.0:8000"),
        ("RUNNER_OPTS", "-Dserver.port=8000"),
        ("RUNNER_ARGS", "--metrics-addr=:8000"),
        ("KUBE_RBAC_PROXY_ARGS", "--upstream=http://127.0.0.1:8000/ --secure-listen-address=0.0.0.0:8443"),
    ] {
        assert!(is_refused_for(&of(name, value), name), "{name}");
    }
    for args in ["--extra-arg, --metrics-port=8000", "--sidecar-args, --metrics-port=8000"] {
        let flag = args.split(',').next().unwrap();
        assert!(is_refused_for(&operator(&format!("'--metrics-addr=:8000', {args}"), ""), flag), "{args}");
    }
    // The line of the message works when it is pasted.
    let row = "programs: [{name: model-operator, images: [model-operator], notListen: [RUNNER_ARGS], listeners: []}]";
    let (output, log) = run(&format!("{}, {row}}}", ports("{metrics: 20080}").trim_end_matches('}')), &runner);
    assert!(output.contains("--metrics-addr=:20080") && output.contains("--metrics-port=8000"), "{output} {log:?}");
}

/// Options of the process itself move along.
#[test]
fn options_of_this_process_move_along() {
    let of = |name: &str, value: &str, more: &str| {
        moves_whole(&operator("'--metrics-addr=:8000'", &format!("{}{more}", variable(name, value))))
    };
    for (name, value) in [
        ("JAVA_OPTS", "-Dmetrics.port=8000"),
        ("JAVA_TOOL_OPTIONS", "-Dserver.port=8000 -Xmx1g"),
        ("GUNICORN_CMD_ARGS", "--bind=0.0.0.0:8000"),
        ("EXTRA_ARGS", "--metrics-port=8000"),
        ("ARGS", "--metrics-port=8000"),
        ("METRICS_OPTS", "--port=8000"),
        ("OPERATOR_SBT_OPTS", "-Dport=8000"),
        ("MODEL_OPERATOR_ARGS", "--metrics-port=8000"),
    ] {
        assert!(of(name, value, ""), "{name}");
    }
    // A command line expands the variable.
    let expanded = operator("'--metrics-addr=:8000', $(RUNNER_ARGS)", &variable("RUNNER_ARGS", "--metrics-port=8000"));
    assert!(moves_whole(&expanded));
    // The only text with a declared number.
    let alone = operator("--verbose", &variable("RUNNER_ARGS", "--metrics-port=8000"));
    assert!(moves_whole(&alone));
}

/// An undeclared port among options for another program is a guess.
#[test]
fn an_undeclared_port_among_options_for_another_program_stays() {
    let of = |name: &str| {
        let manifest = operator("'--metrics-addr=:8000'", &variable(name, "--secure-listen-address=0.0.0.0:8443"));
        moved(&manifest).unwrap()
    };
    assert!(!of("RBAC_PROXY_ARGS").contains("hostPort: 8443"), "{}", of("RBAC_PROXY_ARGS"));
    assert!(of("EXTRA_ARGS").contains("hostPort: 8443"), "{}", of("EXTRA_ARGS"));
}

/// True if the port stays because nothing shows that the variable sets it.
fn is_doubted(manifest: &str, name: &str) -> bool {
    let (output, log) = run("{targets: [{select: {name: web}, ports: auto}]}", manifest);
    let shown = format!("`{name}` (spec.template.spec.containers[0].env[0].value)");
    let is_kept =
        |line: &String| line.starts_with("warning: ") && line.contains(&shown) && line.ends_with("[port-setting]");
    output.contains("value: '8000'") && log.iter().any(is_kept)
}

/// An operator that listens on the default of its port `metrics` may pass the number of an operand's port.
#[test]
fn a_number_alone_of_another_purpose_than_its_port_sets_nothing() {
    for name in ["RUNNER_SERVER_PORT", "SIDECAR_PORT", "AGENT_HTTP_PORT", "JOB_METRICS_PORT", "ENVOY_ADMIN_PORT"] {
        assert!(is_doubted(&operator("run", &variable(name, "8000")), name), "{name}");
    }
    assert!(
        run("{targets: [{select: {name: web}, ports: auto}]}", &operator("--runner-port=8000", "")).0.contains("=8000")
    );
    // The key of a ConfigMap.
    let map =
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\ndata: {RUNNER_PORT: '8000'}\n";
    let from = "        envFrom: [{configMapRef: {name: web}}]\n";
    let (output, _) =
        run("{targets: [{select: {name: web}, ports: auto}]}", &format!("{}{map}", operator("run", from)));
    assert!(output.contains("RUNNER_PORT: '8000'") && output.contains("containerPort: 8000"), "{output}");
    for name in [
        "PORT",
        "SERVER_PORT",
        "METRICS_PORT",
        "PROMETHEUS_METRICS_PORT",
        "HEALTH_PORT",
        "MODEL_PORT",
        "OPERATOR_METRICS_PORT",
        "MANAGEMENT_PORT",
        "ADMIN_PORT",
    ] {
        assert!(moves_whole(&operator("run", &variable(name, "8000"))), "{name}");
    }
    // An address of all interfaces is one of this process, and a port without a role may have any name.
    assert!(moves_whole(&operator("run", &variable("RUNNER_LISTEN", ":8000"))));
    for port in ["http", "grpc", "web"] {
        let manifest =
            operator("run", &variable("RUNNER_PORT", "8000")).replace("name: metrics", &format!("name: {port}"));
        assert!(!run(&ports("auto"), &manifest).0.contains("8000"), "{port}");
    }
}

/// One listener has no two numbers: at least one of them is of another program, and nothing shows which.
#[test]
fn two_numbers_alone_of_different_purposes_set_nothing() {
    let two = |one: &str, other: &str| {
        let env = format!("        env: [{{name: {one}, value: '8000'}}, {{name: {other}, value: '8000'}}]\n");
        operator("run", &env).replace("name: metrics", "name: http")
    };
    for (one, other) in [("ENGINE_SERVER_PORT", "EXECUTOR_SERVER_PORT"), ("RUNNER_PORT", "WORKER_HTTP_PORT")] {
        assert!(is_doubted(&two(one, other), one), "{one} {other}");
    }
    for (one, other) in [
        ("PORT", "SERVER_PORT"),
        ("ENGINE_PORT", "ENGINE_HTTP_PORT"),
        ("METRICS_PORT", "HEALTH_PORT"),
        ("KC_PORT", "MODEL_OPERATOR_PORT"),
    ] {
        let (output, log) = run(&ports("auto"), &two(one, other));
        assert!(!output.contains("8000"), "{one} {other}: {log:?}");
    }
}
