//! Rule `program-unknown`: containers of moved workloads whose programs are not in the catalogue.

use super::{deployment, infos, ports, results_of};
use crate::support::results::worded;
use insta::assert_snapshot;

fn container(image: &str) -> String {
    deployment(&format!("      - {{name: web, image: '{image}'}}\n"))
}

#[test]
fn a_moved_container_of_an_unknown_program_is_named() {
    let manifest = container("example/web:v1");
    assert_snapshot!(results_of("program-unknown", &ports("keep"), &manifest), @"warning: program-unknown Deployment shop/web spec.template.spec (9:7, example/web:v1)");
    let listens = manifest.replace("'example/web:v1'", "'example/web:v1', ports: [{containerPort: 8080}]");
    assert_snapshot!(worded(infos(&ports("keep"), &listens, "program-unknown")), @"info: Deployment shop/web: not in the catalogue: container web (example/web:v1); only listeners that the manifest shows are known. Add its other ports under `bind` of the target, or to `programs` [program-unknown]");
}

/// Jobs and commands that only wait need not listen.
#[test]
fn a_workload_that_need_not_listen_is_no_warning() {
    let is_warning = |image: &str, command: &str, kind: &str| {
        let web = deployment(&format!("      - {{name: web, image: '{image}', command: [{command}]}}\n"));
        let web = web.replace("kind: Deployment", &format!("kind: {kind}"));
        results_of("program-unknown", "{targets: [{select: {kind: Deployment|TFJob, name: web}}]}", &web)
            .contains("warning")
    };
    let web = "example/web:v1";
    for command in ["sleep, '3600'", "/bin/sleep, '1'", "sh, -c, 'while true; do echo $(date) > /a; sleep 5; done'"] {
        assert!(!is_warning(web, command, "Deployment"), "{command}");
    }
    assert!(!is_warning("example/pause:3.7", "", "Deployment") && is_warning(web, "", "Deployment"));
    for command in ["/manager, sleep", "sh, -c, 'sleep 5 && exec /manager'", "sh, -c, '/manager & wait'", "sleeper"] {
        assert!(is_warning(web, command, "Deployment"), "{command}");
    }
}

/// Programs of the catalogue and of the config are known, and workloads that do not move are not reported.
#[test]
fn known_programs_and_other_workloads_are_not_named() {
    let found = |spec: &str, image: &str| results_of("program-unknown", spec, &container(image));
    assert_eq!(found(&ports("keep"), "quay.io/jetstack/cert-manager-webhook:v1.21.1"), "");
    let known = "{targets: [{select: {name: web}}], programs: [{name: ours, images: [web], listeners: []}]}";
    assert_eq!(found(known, "example/web:v1"), "");
    let other = "{targets: [{select: {name: api}}], unmatched: Ignore}";
    assert_eq!(found(other, "example/web:v1"), "");
}

/// A variable of a library sets a port if the container shows the library. Otherwise its name is a guess.
#[test]
fn a_variable_of_a_library_that_a_container_shows_sets_a_port() {
    let shown = "{name: METRICS_DOMAIN, value: example.com}, {name: CONFIG_OBSERVABILITY_NAME, value: config}, ";
    for library in [shown, ""] {
        let env = format!("[{library}{{name: PROFILING_PORT, value: '8009'}}]");
        let manifest = deployment(&format!(
            "      - name: web\n        image: example/web:v1\n        env: {env}\n        ports: [{{name: profiling, containerPort: 8009}}]\n"
        ));
        let moved = super::changes(&ports("{profiling: 20009}"), &manifest);
        assert!(moved.contains("PROFILING_PORT, value: '20009'"), "{moved}");
        // The port is not declared.
        let hidden = manifest.replace("        ports: [{name: profiling, containerPort: 8009}]\n", "");
        let auto = super::changes(super::ALL, &hidden);
        assert_eq!(auto.contains("value: '8009'"), !library.is_empty(), "{auto}");
    }
}

/// Programs of old scaffolds and sidecars open ports that no manifest shows.
#[test]
fn ports_of_libraries_are_named() {
    let with = |env: &str, args: &str| {
        deployment(&format!(
            "      - name: web\n        image: example/web:v1\n        args: [{args}]\n        env: [{env}]\n"
        ))
    };
    let found = |env: &str, args: &str| results_of("program-unknown", &ports("keep"), &with(env, args));
    let sdk = "{name: WATCH_NAMESPACE, value: ''}, {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: OPERATOR_NAME, value: shop}";
    let words = "{name: LABEL, value: dash}, {name: FOLDER, value: /tmp/d}";
    let sidecar = &format!("{words}, {{name: RESOURCE, value: both}}");
    let warns =
        |env: &str, args: &str, port: &str| found(env, args).contains("warning") && found(env, args).contains(port);
    assert!(warns(sdk, "", "8383") && warns(sdk, "", "8081") && warns(sidecar, "", "8080"), "{}", found(sdk, ""));
    assert!(!warns(sdk, "--metrics-bind-address=:8080", "8383"));
    assert!(!warns(&sdk.replace("OPERATOR_NAME", "NAME"), "", "8383"));
    assert!(!warns(&format!("{sidecar}, {{name: HEALTH_PORT, value: '8081'}}"), "", "8080"));
    let exporter = "{name: OTEL_METRICS_EXPORTER, value: 'otlp, prometheus'}";
    assert!(warns(exporter, "", "9464"));
    assert!(!warns(&exporter.replace("prometheus", "console"), "", "9464"));
    assert!(!warns(&format!("{exporter}, {{name: OTEL_EXPORTER_PROMETHEUS_PORT, value: '9470'}}"), "", "9464"));
    let java = |options: &str| format!("{{name: JAVA_TOOL_OPTIONS, value: '-Xmx1g {options}'}}");
    assert!(warns(&java("-Dotel.metrics.exporter=prometheus"), "", "9464"));
    let other_port = "-Dotel.metrics.exporter=prometheus -Dotel.exporter.prometheus.port=9470";
    assert!(!warns(&java(other_port), "", "9464") && !warns(&java("-Dotel.metrics.exporter=otlp"), "", "9464"));
    // Any program may have these two variables.
    assert!(!warns(words, "", "8080"));
}

/// Programs with flags of controller-runtime's scaffolds, and programs of Quarkus, open ports without a flag of their own.
#[test]
fn ports_of_scaffolds_without_their_flags_are_named() {
    let found = |env: &str, args: &str, more: &str| {
        let web = format!(
            "      - name: web\n        image: example/web:v1\n        args: [{args}]\n        env: [{env}]\n        {more}\n"
        );
        results_of("program-unknown", &ports("keep"), &deployment(&web))
    };
    let warns = |env: &str, args: &str, more: &str, port: &str| {
        let found = found(env, args, more);
        found.contains("warning") && found.contains(port)
    };
    let manager = "--leader-elect, --webhook-port=9443";
    assert!(warns("", manager, "", "8081"), "{}", found("", manager, ""));
    // Programs of Kubernetes have --leader-elect too, and a probe or its flag shows the port of health.
    let probe = "livenessProbe: {httpGet: {port: 8090}}";
    assert!(!warns("", "--leader-elect", "", "8081") && !warns("", manager, probe, "8081"));
    assert!(!warns("", &format!("{manager}, --health-probe-bind-address=:8090"), "", "8081"));
    let gathering = "{name: ANSIBLE_GATHERING, value: explicit}";
    assert!(warns(gathering, "--leader-elect, --leader-election-id=web", "", "8888"));
    assert!(!warns(gathering, "--inventory=hosts", "", "8888"));
    assert!(!warns(gathering, "--leader-elect, --proxy-port=20888", "", "8888"));
    let https = "{name: QUARKUS_HTTP_SSL_PORT, value: '8443'}";
    let closed = format!("{https}, {{name: QUARKUS_HTTP_INSECURE_REQUESTS, value: disabled}}");
    assert!(warns(https, "", "", "8080") && !warns(&closed, "", "", "8080"));
    let webhook = "{name: SYSTEM_NAMESPACE, value: shop}, {name: WEBHOOK_SERVICE_NAME, value: web}";
    let logging = format!("{webhook}, {{name: CONFIG_LOGGING_NAME, value: config-logging}}");
    assert!(warns(&logging, "", "", "8008") && !warns(webhook, "", "", "8008"));
}
