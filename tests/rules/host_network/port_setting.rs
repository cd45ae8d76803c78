//! Rule `port-setting`: arguments and variables that set the port of a process.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::listeners::{CORE, changes_with};
use super::{changes, deployment, ports, results_of};

#[test]
fn a_missing_setting_is_an_error_with_the_line_to_write() {
    assert_snapshot!(worded(changes_with("")), @r#"error: standard input:11:17: Deployment shop/web, container web, port http (8080): cannot move to 20080: neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: web, port: http, number: 8080, env: NAME_8080}]`, with `value: ":{port}"` for an address [port-setting]"#);
    assert_snapshot!(worded(changes_with("        args: [--workers=8080]\n")), @"error: standard input:12:17: Deployment shop/web, container web, port http (8080): cannot move to 20080: the number is in `--workers` (spec.template.spec.containers[0].args[0]), but nothing shows that this text sets the port. If that setting sets the port, add to the target `bind: [{container: web, port: http, number: 8080, arg: --workers}]` [port-setting]");
    assert_snapshot!(brief(changes_with("        env: [{name: HTTP_PORT, valueFrom: {configMapKeyRef: {name: c, key: k}}}]\n")), @r#"error: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (12:17, 20080, 8080)"#);
}

#[test]
fn bind_sets_ports_without_a_known_setting() {
    let spec =
        |bind: &str| format!("{{targets: [{{select: {{name: web}}, ports: {{health: 20081}}, bind: [{bind}]}}]}}");
    let web = deployment("      - name: web\n        args:\n        - serve\n");
    assert_snapshot!(changes(&spec("{container: web, port: health, number: 8081, arg: --health-addr, value: ':{port}'}"), &web), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        ports:
    +        - name: health, containerPort: 20081, hostPort: 20081
    +        - --health-addr=:20081
    ");
    assert_snapshot!(changes(&spec("{container: web, port: health, number: 8081, env: HEALTH}"), &web), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        ports:
    +        - name: health, containerPort: 20081, hostPort: 20081
    +        env:
    +        - name: HEALTH, value: "20081"
    "#);
    // Without command and args, new args would replace the args of the image.
    let bare = deployment("      - name: web\n");
    assert_snapshot!(worded(changes(&spec("{container: web, port: health, number: 8081, arg: --health-addr}"), &bare)), @"error: standard input:10:9: Deployment shop/web, container web, port health (8081): `--health-addr=20081` cannot be added: the container has neither command nor args, and args would replace the image's own [port-setting]");
}

#[test]
fn one_setting_of_two_listeners_moves_both_or_neither() {
    let dns = "      - name: web
        args: [--dns-port=5353]
        ports: [{name: dns, containerPort: 5353, protocol: UDP}, {name: dns-tcp, containerPort: 5353}]
";
    assert_snapshot!(worded(changes(&ports("{dns: 20053}"), &deployment(dns))), @"error: standard input:12:17: Deployment shop/web, container web, port dns (5353): `--dns-port` sets the number of Deployment shop/web, container web, port dns-tcp (5353) too; give both the same number [port-setting]");
    assert_snapshot!(changes(&ports("{dns: 20053, dns-tcp: 20053}"), &deployment(dns)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--dns-port=5353]
    -        ports: [{name: dns, containerPort: 5353, protocol: UDP}, {name: dns-tcp, containerPort: 5353}]
    +        args: [--dns-port=20053]
    +        ports: [{name: dns, containerPort: 20053, hostPort: 20053, protocol: UDP}, {name: dns-tcp, containerPort: 20053, hostPort: 20053}]
    ");
}

#[test]
fn an_older_version_is_an_error_and_an_unknown_one_a_warning() {
    let spec = ports("{webhook: 20443}");
    assert_snapshot!(worded(changes(&spec, &deployment(&CORE.replace("TAG", "v1.18.5")))), @r#"
    error: standard input:15:11: Deployment shop/web, container crossplane, port webhooks (9443): cannot move to 20443: `WEBHOOK_PORT` of crossplane does not exist before v1.19.0, and this is v1.18.5. Write `webhooks: keep`, or leave it out of `ports`. If you know the flag (or variable: `env`), add to the target `bind: [{container: crossplane, port: webhooks, number: 9443, arg: --FLAG-9443}]`, with `value: ":{port}"` for an address [port-setting]
    warning: standard input:10:9: Deployment shop/web, container crossplane, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: its number cannot be set: `METRICS_PORT` of crossplane does not exist before v1.19.0, and this is v1.18.5. If you know the flag (or variable: `env`), add to the target `bind: [{container: crossplane, port: metrics, number: 8080, arg: --FLAG-8080}]`, with `value: ":{port}"` for an address. Then write `metrics: auto` in `ports` [node-port]
    "#);
    assert_snapshot!(worded(changes(&spec, &deployment(&CORE.replace("TAG", "latest")))), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        env:
    +        - name: WEBHOOK_PORT, value: "20443"
    -        - {name: readyz, containerPort: 8081}
    -        - {name: webhooks, containerPort: 9443}
    +        - {name: readyz, containerPort: 8081, hostPort: 8081}
    +        - {name: webhooks, containerPort: 20443, hostPort: 20443}
    +        - {name: metrics, containerPort: 8080, hostPort: 8080}
    warning: standard input:10:9: Deployment shop/web, container crossplane, port metrics (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    warning: standard input:15:11: Deployment shop/web, container crossplane, port webhooks (9443): the version of crossplane is unknown; `WEBHOOK_PORT` was added in v1.19.0. Add to the target the version that runs: `program: crossplane@v1.19.0` for this release or a newer one [port-setting]
    "#);
    let program = "{targets: [{select: {name: web}, program: crossplane@v2.0.0, ports: {webhook: 20443}}]}";
    assert_snapshot!(brief(changes(program, &deployment(&CORE.replace("TAG", "latest")))), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        env:
    +        - name: WEBHOOK_PORT, value: "20443"
    -        - {name: readyz, containerPort: 8081}
    -        - {name: webhooks, containerPort: 9443}
    +        - {name: readyz, containerPort: 8081, hostPort: 8081}
    +        - {name: webhooks, containerPort: 20443, hostPort: 20443}
    +        - {name: metrics, containerPort: 8080, hostPort: 8080}
    warning: node-port Deployment shop/web spec.template.spec.containers[0] (10:9, 8080)
    "#);
}

#[test]
fn every_setting_of_the_number_moves_once() {
    let places = |rest: &str| {
        let pod =
            deployment(&format!("      - name: web\n{rest}        ports: [{{name: http, containerPort: 8080}}]\n"));
        super::explained(&ports("{http: 20080}"), &pod).join("\n")
    };
    assert_snapshot!(places("        args: [--listen=:8080, '--bind=0.0.0.0:8080']\n"), @"
    shop/Deployment/web/http containerPort 8080 -> 20080 [port-moved]
    shop/Deployment/web/http --listen 8080 -> 20080 [port-setting]
    shop/Deployment/web/http --bind 8080 -> 20080 [port-setting]
    ");
    assert_snapshot!(places("        args: ['--addr=127.0.0.1:8080']\n"), @"
    shop/Deployment/web/http containerPort 8080 -> 20080 [port-moved]
    shop/Deployment/web/http --addr 8080 -> 20080 [port-setting]
    ");
    assert_snapshot!(places("        args: ['--listen=:$(WEB_PORT)']\n        env: [{name: WEB_PORT, value: '8080'}]\n"), @"
    shop/Deployment/web/http containerPort 8080 -> 20080 [port-moved]
    shop/Deployment/web/http --listen 8080 -> 20080 [port-setting]
    ");
    assert_snapshot!(places("        command: [sh, -c, 'WEB_PORT=8080 exec web --workers=8080']\n"), @"
    shop/Deployment/web/http containerPort 8080 -> 20080 [port-moved]
    shop/Deployment/web/http WEB_PORT 8080 -> 20080 [port-setting]
    ");
}

/// A pre-release of the release that added a variable may have it.
#[test]
fn a_pre_release_may_have_the_variable_of_its_release() {
    let log = |tag: &str| changes(&ports("{webhook: 20443}"), &deployment(&CORE.replace("TAG", tag)));
    for tag in ["v1.19.0-rc.1", "v1.19.0-alpha.0.1"] {
        let log = log(tag);
        assert!(log.contains("name: WEBHOOK_PORT") && log.contains("`program: crossplane@v1.19.0`"), "{tag}: {log}");
        assert!(log.contains("warning") && !log.contains("error"), "{tag}: {log}");
    }
    assert!(log("v1.18.5-rc.1").contains("does not exist before v1.19.0"), "{}", log("v1.18.5-rc.1"));
    assert!(!log("v1.19.1-rc.1").contains("port-setting"), "{}", log("v1.19.1-rc.1"));
}

/// A removed flag is not added for a version that would not start with it.
#[test]
fn a_newer_version_than_the_last_that_has_a_flag_is_refused() {
    let listener =
        "{role: webhook, names: [webhook], default: 9443, settings: [{arg: --port, since: v1.2.0, until: v1.5.0}]}";
    let spec = format!(
        "{{targets: [{{select: {{name: web}}, ports: {{webhook: 20443}}}}], programs: [{{name: old, images: [old], listeners: [{listener}]}}]}}"
    );
    let with =
        |tag: &str| changes(&spec, &deployment(&format!("      - {{name: web, image: 'old:{tag}', args: [run]}}\n")));
    for tag in ["v1.2.0", "v1.4.9", "v1.4.9-rc.1"] {
        assert!(with(tag).contains("[run, --port=20443]"), "{tag}: {}", with(tag));
    }
    // A pre-release may lack what its release removed.
    let log = with("v1.5.0-rc.1");
    assert!(log.contains("it is not known if v1.5.0-rc.1 is older"), "{log}");
    assert_snapshot!(worded(["v1.5.0", "v2.0.0", "v1.5.0-12-gabcdef0", "latest"].map(with).concat()), @r#"
    error: standard input:10:9: Deployment shop/web, container web, port webhook (9443): cannot move to 20443: `--port` of old was removed in v1.5.0, and this is v1.5.0. Write `webhook: keep`, or leave it out of `ports`. If you know the flag (or variable: `env`), add to the target `bind: [{container: web, port: webhook, number: 9443, arg: --FLAG-9443}]`, with `value: ":{port}"` for an address [port-setting]
    error: standard input:10:9: Deployment shop/web, container web, port webhook (9443): cannot move to 20443: `--port` of old was removed in v1.5.0, and this is v2.0.0. Write `webhook: keep`, or leave it out of `ports`. If you know the flag (or variable: `env`), add to the target `bind: [{container: web, port: webhook, number: 9443, arg: --FLAG-9443}]`, with `value: ":{port}"` for an address [port-setting]
    error: standard input:10:9: Deployment shop/web, container web, port webhook (9443): cannot move to 20443: flag `--port` of old does not exist since v1.5.0, and it is not known if v1.5.0-12-gabcdef0 is older. Write `webhook: keep`, or leave it out of `ports`. Add to the target the version that runs: `program: old@v1.5.0` for this release or a newer one [port-setting]
    error: standard input:10:9: Deployment shop/web, container web, port webhook (9443): cannot move to 20443: the version of old is unknown, and flag `--port` was added in v1.2.0. Write `webhook: keep`, or leave it out of `ports`. Add to the target the version that runs: `program: old@v1.5.0` for this release or a newer one [port-setting]
    "#);
}

/// A listener that keeps its number needs no setting.
#[test]
fn a_kept_number_needs_no_setting() {
    let web = deployment("      - {name: web, ports: [{name: http, containerPort: 8080}]}\n");
    assert_snapshot!(results_of("port-setting", &ports("{http: 20080}"), &web), @"error: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (10:29, 20080, 8080)");
    assert_eq!(results_of("port-setting", &ports("keep"), &web), "");
}

/// A workload has a single warning, with all remedies in one list.
#[test]
fn kept_ports_of_a_workload_are_one_warning() {
    let web = "      - name: web
        image: example/web:v1
        args: [run]
        ports: [{name: http, containerPort: 8000}, {name: admin, containerPort: 8001}, {containerPort: 8002}]
";
    let proxy = "      - name: proxy
        image: example/proxy:v1
        command: [proxy, serve, --workers=9000]
        ports: [{name: tls, containerPort: 9000}]
";
    let (output, log) = super::run(super::ALL, &deployment(&format!("{web}{proxy}")));
    assert_eq!(output.matches("hostPort").count(), 4);
    assert_snapshot!(worded(log.join("\n")), @r#"warning: standard input:9:7: Deployment shop/web: 4 ports keep their numbers: container web, ports http (8000), admin (8001), 8002: neither the manifest nor the catalogue shows the setting of its number; container proxy, port tls (9000): the number is in `--workers` (spec.template.spec.containers[1].command[2]), but nothing shows that this text sets the port. If you know the flag (or variable: `env`), add to the target `bind: [{container: web, port: http, number: 8000, arg: --FLAG-8000}, {container: web, port: admin, number: 8001, arg: --FLAG-8001}, {container: web, port: other, number: 8002, arg: --FLAG-8002}, {container: proxy, port: tls, number: 9000, arg: --workers}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes. Or read it from the help of the program: `docker run --rm example/web:v1 run --help 2>&1 | hostnet learn -c hostnet.yaml shop/web/web MANIFESTS` [port-setting]"#);
    // A single port is named directly, and each workload has its own warning.
    let (_, log) = super::run(
        super::ALL,
        &super::stream([super::deployment_named("a", 8000, false), super::deployment_named("b", 8001, false)]),
    );
    assert!(log.len() == 2 && log[0].contains("port http (8000): keeps") && log[1].contains("port http (8001): keeps"));
    // Ports that can move are not named.
    let moves = web.replace("[run]", "['--admin-addr=:8001']");
    let (_, log) = super::run(super::ALL, &deployment(&moves));
    assert!(log.len() == 1 && !log[0].contains("8001"), "{log:?}");
}

/// The placeholders of the remedy fit the container: without arguments no flag can be added.
#[test]
fn the_line_to_write_has_the_form_that_the_manifest_shows() {
    let reported = |rest: &str| {
        let port = "        ports: [{name: http, containerPort: 8080}]\n";
        super::run(super::ALL, &deployment(&format!("      - name: web\n{rest}{port}"))).1.join("\n")
    };
    assert!(
        reported("        args: [run]\n").contains("{container: web, port: http, number: 8080, arg: --FLAG-8080}]")
    );
    assert!(reported("").contains("{container: web, port: http, number: 8080, env: NAME_8080}]"));
    assert!(reported("        command: [sh, -c, exec web]\n").contains("env: NAME_8080}]"));
    for (args, form) in [
        ("--workers=8080", "arg: --workers}]"),
        ("--workers=:8080", "arg: --workers, value: \":{port}\"}]"),
        ("--workers=0.0.0.0:8080", "arg: --workers, value: \"0.0.0.0:{port}\"}]"),
    ] {
        let log = reported(&format!("        args: ['{args}']\n"));
        assert!(log.contains(form), "{args}: {log}");
    }
    let variable = reported("        env: [{name: WORKERS, value: '8080'}]\n");
    assert!(variable.contains("env: WORKERS}]"), "{variable}");
}

/// The catalogue contains the program, and the tag shows no version: the remedies contain a version of the catalogue,
/// and versions in labels.
#[test]
fn an_unknown_version_is_reported_with_the_line_to_write() {
    let listener = "{role: webhook, names: [webhook], default: 9443, settings: [{arg: --port, since: v1.2.0}]}, \
                    {role: metrics, names: [metrics], default: 8080, settings: [{arg: --metrics, since: v1.10.0}]}";
    let spec = format!(
        "{{targets: [{{select: {{name: web}}, ports: auto}}], programs: [{{name: old, images: [old], listeners: [{listener}]}}]}}"
    );
    let with = |image: &str, labels: &str| {
        let web = deployment(&format!("      - {{name: web, image: '{image}', args: [run]}}\n"));
        let labelled = web.replace("name: web, namespace", &format!("labels: {{{labels}}}, name: web, namespace"));
        super::run(&spec, &labelled).1
    };
    let digest = format!("old@sha256:{}", "a".repeat(64));
    for image in ["old:main", "old:latest", "old:edge", "old", digest.as_str()] {
        let log = with(image, "");
        assert!(log.len() == 1 && log[0].contains("`program: old@v1.10.0`"), "{image}: {log:?}");
        assert!(!log[0].contains("bind: ["), "{image}: {log:?}");
    }
    let labelled = with("old:latest", "app.kubernetes.io/version: v3.1.0, helm.sh/chart: old-2.0.0");
    assert!(
        labelled[0].contains("`program: old@v3.1.0` if label `app.kubernetes.io/version` has the version that runs"),
        "{labelled:?}"
    );
    let chart = with("old:latest", "app.kubernetes.io/version: main, helm.sh/chart: old-chart-v2.0.0");
    assert!(chart[0].contains("`program: old@v2.0.0` if label `helm.sh/chart` has the version that runs"), "{chart:?}");
    // A label never decides the version, and a label that is not a version is not suggested.
    assert_eq!(with("old", "app.kubernetes.io/version: v3.1.0").len(), 1);
    assert!(!with("old", "app.kubernetes.io/version: '`x`'")[0].contains("label"));
    assert_eq!(with("old:v3.1.0", ""), Vec::<String>::new());
}

#[test]
fn a_suppression_names_all_kept_ports_of_a_workload() {
    let web = deployment(
        "      - {name: web, args: [run], ports: [{name: http, containerPort: 8000}, {name: x, containerPort: 8001}]}\n",
    );
    let left = |suppress: &str| {
        let all = super::all_and(&format!("suppress: [{suppress}]"));
        let log = super::run(&all, &web).1;
        log.iter().filter(|line| line.contains("[port-setting]")).count()
    };
    let of = |ports: &str| format!("{{rule: port-setting, select: {{name: web}}, reason: ours{ports}}}");
    assert_eq!(left(&of("")), 0);
    assert_eq!(left(&of(", ports: [8000, 8001]")), 0);
    assert_eq!(left(&[of(", ports: [8000]"), of(", ports: [8001]")].join(", ")), 0);
    assert_eq!(left(&of(", ports: [8000]")), 1);
}

/// Nginx and Kong write parameters behind an address, and several addresses into one variable.
#[test]
fn addresses_with_words_behind_them_move() {
    let kong = |more: &str| {
        deployment(&format!(
            "      - name: kong
        env:
        - {{name: KONG_ADMIN_LISTEN, value: '0.0.0.0:8444 http2 ssl'}}
        - {{name: KONG_PROXY_LISTEN, value: '0.0.0.0:8000, [::]:8000, 0.0.0.0:8443 http2 ssl, [::]:8443 http2 ssl'}}
{more}        ports: [{{name: proxy, containerPort: 8000}}, {{name: proxy-tls, containerPort: 8443}}]
"
        ))
    };
    let (output, log) = super::run(&ports("{8444: 20444, proxy: 20000, proxy-tls: 20443}"), &kong(""));
    assert_eq!(log, Vec::<String>::new());
    assert!(output.contains("value: '0.0.0.0:20444 http2 ssl'"), "{output}");
    assert!(output.contains("'0.0.0.0:20000, [::]:20000, 0.0.0.0:20443 http2 ssl, [::]:20443 http2 ssl'"), "{output}");
    // Another variable has the numbers: it stops the move, and is named.
    let map = "        - {name: KONG_PORT_MAPS, value: '80:8000, 443:8443'}\n";
    let found = results_of("port-reference", &ports("auto"), &kong(map));
    assert_eq!(found.matches("containers[0].env[2].value").count(), 2, "{found}");
    let (output, _) = super::run(&ports("auto"), &kong(map));
    assert!(output.contains("hostPort: 8000") && output.contains("hostPort: 8443"), "{output}");
}

/// A number in a form that is not read is named, with a line for `bind` that works.
#[test]
fn a_listen_setting_in_another_form_is_named() {
    let web = |value: &str| {
        deployment(&format!(
            "      - name: web\n        env: [{{name: LISTENERS, value: '{value}'}}]\n        ports: [{{name: http, containerPort: 8080}}]\n"
        ))
    };
    let log = |value: &str| changes(&ports("auto"), &web(value));
    let named = log("http|0.0.0.0:8080|on");
    assert!(named.contains("the number is in `LISTENERS` (spec.template.spec.containers[0].env[0].value)"), "{named}");
    let bind = r#"bind: [{container: web, port: http, number: 8080, env: LISTENERS, value: "http|0.0.0.0:{port}|on"}]"#;
    assert!(named.contains(bind), "{named}");
    let moved = changes(
        &format!("{{targets: [{{select: {{name: web}}, ports: {{http: 20080}}, {bind}}}]}}"),
        &web("http|0.0.0.0:8080|on"),
    );
    assert!(moved.contains("value: 'http|0.0.0.0:20080|on'"), "{moved}");
    // `bind` cannot change a number that is there twice.
    let twice = log("a|0.0.0.0:8080|b|[::]:8080");
    assert!(twice.contains("`LISTENERS`") && twice.contains("fixed: true"), "{twice}");
    let spec = "{targets: [{select: {name: web}, ports: auto, bind: [{container: web, port: http, env: LISTENERS}]}]}";
    let twice = changes(spec, &web("a|0.0.0.0:8080|b|[::]:8080"));
    assert!(twice.contains("Write `fixed: true`") && !twice.contains("Write 8080 there"), "{twice}");
    for other in ["a|redis:8080|b", "a|http://localhost:9090|b", "a|b"] {
        assert!(!log(other).contains("LISTENERS"), "{other}");
    }
}

/// Clients may dial an address of all interfaces too, so it sets no port; the message names it.
#[test]
fn an_address_with_the_number_of_a_probe_is_named() {
    let kopf = deployment(
        "      - {name: op, command: [kopf, '--liveness=http://0.0.0.0:8080/healthz'], livenessProbe: {httpGet: {port: 8080}}}\n",
    );
    let log = changes(&ports("auto"), &kopf);
    assert!(log.contains("the number is in `--liveness`") && log.contains("arg: --liveness"), "{log}");
    let other = kopf.replace("0.0.0.0:8080", "api.example.com:8080");
    assert!(!changes(&ports("auto"), &other).contains("`--liveness`"));
}

/// A target names one program: the settings of a second one are entries of `bind`.
#[test]
fn two_programs_with_unknown_versions_move_with_the_lines_of_the_message() {
    let container = |name: &str, number: u16| {
        format!(
            "      - {{name: {name}, image: 'cr.l5d.io/linkerd/controller:stable-2.14.10', args: [{name}], ports: [{{name: p{number}, containerPort: {number}}}]}}\n"
        )
    };
    let pod = deployment(&format!("{}{}", container("destination", 8086), container("sp-validator", 8443)));
    let target = |more: &str| format!("{{targets: [{{select: {{name: web}}, ports: auto{more}}}]}}");
    let (_, log) = super::run(&target(""), &pod);
    let log = log.join("\n");
    assert_eq!(log.matches("`program: ").count(), 1, "{log}");
    let line = |start: &str| {
        let (_, rest) = log.split_once(start).unwrap_or_else(|| panic!("{start}: {log}"));
        format!(", {}{}", start.trim_start_matches('`'), rest.split('`').next().unwrap())
    };
    let pasted = target(&format!("{}{}", line("`program: "), line("`bind: ")));
    let (output, log) = super::run(&pasted, &pod);
    assert!(!log.join("\n").contains("[port-setting]"), "{pasted}: {log:?}");
    assert!(!output.contains("containerPort: 8086") && !output.contains("containerPort: 8443"), "{output}");
}

/// The help of an interpreter shows no flags of the program that it runs.
#[test]
fn the_command_that_reads_the_help_names_the_script() {
    let command = |command: &str| {
        let web = format!(
            "      - {{name: web, image: example.com/web:v1, command: [{command}], ports: [{{name: web, containerPort: 9000}}]}}\n"
        );
        let (_, log) = super::run("{targets: [{select: {name: web}, ports: auto}]}", &deployment(&web));
        let log = log.join("\n");
        log.split_once("docker run --rm ").map(|(_, rest)| rest.split(" 2>&1").next().unwrap().to_owned())
    };
    for (words, shown) in [
        ("/manager, run", "--entrypoint /manager example.com/web:v1 run --help"),
        ("python3, -m, http.server, '9000'", "--entrypoint python3 example.com/web:v1 -m http.server --help"),
        ("python3.12, -u, /app/main.py", "--entrypoint python3.12 example.com/web:v1 -u /app/main.py --help"),
        ("java, -cp, /app/*, Main", "--entrypoint java example.com/web:v1 -cp '/app/*' Main --help"),
        ("/sbin/tini, --, /manager, run", "--entrypoint /manager example.com/web:v1 run --help"),
    ] {
        assert_eq!(command(words).as_deref(), Some(shown), "{words}");
    }
    assert_eq!(command("sh, -c, exec web"), None);
    assert_eq!(command("python3, -c, serve()"), None);
}
