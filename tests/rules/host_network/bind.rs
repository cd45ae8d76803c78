//! `bind` of a target: the setting of a port that neither the manifest nor the catalogue shows.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{changes, config, deployment, deployment_named, infos, numbers, run};

fn spec(ports: &str, bind: &str) -> String {
    format!("{{targets: [{{select: {{kind: Deployment, name: web}}, ports: {ports}, bind: [{bind}]}}]}}")
}

fn web(rest: &str) -> String {
    deployment(&format!("      - name: web\n        args: [run]\n{rest}"))
}

const HTTP: &str = "        ports: [{name: http, containerPort: 7080}]\n";

/// The new lines and the results.
fn new(spec: &str, manifest: &str) -> String {
    let all = changes(spec, manifest);
    let is_shown =
        |line: &&str| !line.starts_with('-') && !line.contains("hostNetwork:") && !line.contains("dnsPolicy:");
    let lines = all.lines().filter(is_shown);
    lines.collect::<Vec<_>>().join("\n")
}

/// A process with two flags for one listener: if only one of them moved, the other would keep the old number.
#[test]
fn two_entries_for_one_number_both_count() {
    let two = "{container: web, port: http, arg: --http-port}, {container: web, port: health, number: 7080, arg: --health-port}";
    for ports in ["auto", "{http: 20070}"] {
        let (output, log) = run(&spec(ports, two), &web(HTTP));
        assert_eq!(log, Vec::<String>::new());
        let number = output.split("hostPort: ").nth(1).unwrap().split('}').next().unwrap().to_owned();
        assert!(output.contains(&format!("[run, --http-port={number}, --health-port={number}]")), "{output}");
        assert_eq!(output.matches("hostPort").count(), 1, "{output}");
        assert_eq!(run(&spec(ports, two), &output).0, output, "a second run changes something");
    }
    // One of the two already exists.
    let there = web(HTTP).replace("[run]", "[run, --health-port=7080]");
    assert_snapshot!(new(&spec("{http: 20070}", two), &there), @"
    +        args: [run, --health-port=20070, --http-port=20070]
    +        ports: [{name: http, containerPort: 20070, hostPort: 20070}]
    ");
    // One of the two flags has another value: the port keeps its number and neither flag is changed.
    let other = web(HTTP).replace("[run]", "[run, --health-port=9]");
    let (output, log) = run(&spec("auto", two), &other);
    assert!(!output.contains("--http-port") && output.contains("hostPort: 7080"), "{output}");
    assert!(log.len() == 1 && log[0].contains("--health-port") && log[0].ends_with("[port-setting]"), "{log:?}");
}

#[test]
fn a_fixed_number_is_kept_without_a_message() {
    let fixed = "{container: web, port: http, fixed: true}";
    let (output, log) = run(&spec("auto", fixed), &web(HTTP));
    assert!(output.contains("containerPort: 7080, hostPort: 7080") && log.is_empty(), "{log:?}");
    assert_eq!(infos(&spec("{http: keep}", fixed), &web(HTTP), "port-setting"), "");
    // `fixed` wins over a setting in the manifest, and declares a port that nothing else shows.
    assert_snapshot!(numbers(&spec("auto", fixed), &web(HTTP).replace("[run]", "['--listen=:7080']")), @"shop/Deployment/web/http 7080");
    assert_snapshot!(numbers(&spec("auto", "{container: web, port: admin, number: 9801, fixed: true}"), &web("")), @"shop/Deployment/web/admin 9801");
    for ports in ["{http: 20070}", "{http: auto}"] {
        let (_, log) = run(&spec(ports, fixed), &web(HTTP));
        assert!(log.len() == 1 && log[0].starts_with("error") && log[0].ends_with("[port-setting]"), "{log:?}");
        assert!(log[0].contains("port http (7080)") && !log[0].contains("bind: ["), "{log:?}");
    }
    assert!(!run(&spec("auto", "{container: web, port: http, arg: --x}"), &web(HTTP)).0.contains("hostPort: 7080"));
}

#[test]
fn a_port_may_be_declared_in_another_container_than_its_process() {
    let pod = "      - name: app\n        ports: [{name: health, containerPort: 9808}]\n        livenessProbe: {httpGet: {port: health}}\n      - name: probe\n        args: [ARGS]\n";
    for bind in ["port: health, number: 9808", "port: health"] {
        let bind = format!("{{container: probe, {bind}, arg: --health-port}}");
        for (before, after) in [("run", "[run, --health-port=20808]"), ("--health-port=9808", "[--health-port=20808]")]
        {
            let log = changes(&spec("{health: 20808}", &bind), &deployment(&pod.replace("ARGS", before)));
            assert!(log.contains("containerPort: 20808, hostPort: 20808") && log.contains(after), "{log}");
            assert!(!log.contains("error") && !log.contains("warning"), "{log}");
        }
    }
    // A port without a name matches by its number, and in a second run by the flag.
    let nameless = pod.replace("name: health, ", "").replace("port: health", "port: 9808");
    let bind = "{container: probe, port: health, number: 9808, arg: --health-port}";
    let log = changes(&spec("{9808: 20808}", bind), &deployment(&nameless.replace("ARGS", "--health-port=9808")));
    assert!(log.contains("[--health-port=20808]") && !log.contains("error"), "{log}");
    // Without an entry the flag of another container is uncertain; the message contains the entry.
    let address = deployment(&pod.replace("ARGS", "'--health-addr=:9808'"));
    let (_, log) = run(&spec("auto", ""), &address);
    let entry = "{container: probe, port: health, number: 9808, arg: --health-addr, value: \":{port}\"}";
    assert!(log.len() == 1 && log[0].contains(&format!("`bind: [{entry}]`")), "{log:?}");
    assert_eq!(run(&spec("auto", entry), &address).1, Vec::<String>::new());
    // A port with the same name and another number is a different port.
    let other = pod.replace("ARGS", "run");
    let log =
        changes(&spec("auto", "{container: probe, port: health, number: 7000, fixed: true}"), &deployment(&other));
    assert!(log.contains("containerPort: 7000") && log.contains("containerPort: 9808, hostPort: 9808"), "{log}");
}

#[test]
fn an_annotation_changes_with_the_port() {
    let annotated = web(HTTP).replace(
        "      labels: {app: web}\n",
        "      labels: {app: web}\n      annotations: {example.com/web-port: '7080'}\n",
    );
    assert_ne!(annotated, web(HTTP));
    let bind = "{container: web, port: http, annotation: example.com/web-port}";
    assert_snapshot!(new(&spec("{http: 20070}", bind), &annotated), @"
    +      annotations: {example.com/web-port: '20070'}
    +        ports: [{name: http, containerPort: 20070, hostPort: 20070}]
    ");
    let both = format!("{bind}, {{container: web, port: http, arg: --port}}");
    assert_snapshot!(new(&spec("{http: 20070}", &both), &annotated), @"
    +      annotations: {example.com/web-port: '20070'}
    +        args: [run, --port=20070]
    +        ports: [{name: http, containerPort: 20070, hostPort: 20070}]
    ");
    let addressed = annotated.replace("'7080'", "':7080'");
    let value = bind.replace("web-port}", "web-port, value: ':{port}'}");
    assert_snapshot!(new(&spec("{http: 20070}", &value), &addressed), @"
    +      annotations: {example.com/web-port: ':20070'}
    +        ports: [{name: http, containerPort: 20070, hostPort: 20070}]
    ");
    // The annotation has to exist with the old value.
    for (bind, manifest) in [(bind, &addressed), (bind, &web(HTTP))] {
        let log = changes(&spec("{http: 20070}", bind), manifest);
        assert!(log.starts_with("error") && log.contains("example.com/web-port"), "{log}");
    }
}

fn mounted(file: &str, text: &str) -> String {
    let data: String = text.lines().map(|line| format!("    {line}\n")).collect();
    let pod = format!(
        "{HTTP}        volumeMounts: [{{name: config, mountPath: /etc/web}}]\n      volumes: [{{name: config, configMap: {{name: web}}}}]\n"
    );
    format!(
        "{}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata:\n  {file}: |\n{data}",
        web(&pod)
    )
}

#[test]
fn a_key_of_a_mounted_file_changes_with_the_port() {
    let line = |key: &str, text: &str| {
        let bind = format!("{{container: web, port: http, file: /etc/web/web.conf, key: {key}}}");
        let log = new(&spec("{http: 20070}", &bind), &mounted("web.conf", text));
        let lines: Vec<&str> = log.lines().filter(|line| !line.contains("hostPort")).collect();
        lines.join("\n")
    };
    assert_snapshot!(line("http.port", "name=web\nhttp.port=7080"), @"+    http.port=20070");
    assert_snapshot!(line("http.port", "http.port: 7080\nname: web"), @"+    http.port: 20070");
    assert_snapshot!(line("http.port", "http:\n  port: 7080\n  host: 0.0.0.0"), @"+      port: 20070");
    assert_snapshot!(line("http.port", "http.port = 7080   # of the pod"), @"+    http.port = 20070   # of the pod");
    assert_snapshot!(line("listen", "listen: 0.0.0.0:7080"), @"+    listen: 0.0.0.0:20070");
    assert_snapshot!(line("listen", "server {\n  listen 7080;\n}"), @"+      listen 20070;");
    assert_snapshot!(line("listen", "listen = \":7080\""), @r#"+    listen = ":20070""#);
    // Another number, another key, a duplicate key, and a value without a number.
    for (key, text) in [
        ("http.port", "http.port=7081"),
        ("http.port", "admin.http.port=7080"),
        ("http.port", "http.ports=7080"),
        ("listen", "listen 7080;\nlisten 7081;"),
        ("listen", "listen web;"),
    ] {
        let log = line(key, text);
        assert!(log.starts_with("error: ") && log.contains("/etc/web/web.conf"), "{key} in {text}: {log}");
    }
    let elsewhere = "{container: web, port: http, file: /etc/other/web.conf, key: port}";
    let log = changes(&spec("{http: 20070}", elsewhere), &mounted("web.conf", "port=7080"));
    assert!(log.starts_with("error: ") && log.contains("/etc/other/web.conf"), "{log}");
}

#[test]
fn names_and_numbers_have_to_exist_in_the_manifest() {
    let two = web("        ports: [{name: http, containerPort: 7080}, {name: admin, containerPort: 9801}]\n");
    let reported =
        |bind: &str| run(&spec("auto", bind), &two).1.iter().find(|line| line.contains("[port-key]")).cloned();
    assert_snapshot!(worded(reported("{container: web, port: htp, arg: --x}").unwrap()), @"error: hostnet.yaml:1:155: unknown port `htp`: did you mean `http`? Known are `admin`, `http`. For a port that no container declares, or that has no name, also write `number` [port-key]");
    assert_snapshot!(worded(reported("{container: web, port: http, number: 9801, arg: --x}").unwrap()), @"error: hostnet.yaml:1:169: container `web` declares port `http` as 7080, and not 9801: write `number: 7080`, or `port: admin` [port-key]");
    assert_snapshot!(brief(reported("{container: web, port: http, number: 7000, arg: --x}").unwrap()), @"error: port-key (7000, 7080, hostnet.yaml:1:169)");
    for right in ["port: http, number: 7080", "port: http", "port: web, number: 7080", "port: more, number: 7000"] {
        assert_eq!(reported(&format!("{{container: web, {right}, arg: --x}}")), None, "{right}");
    }
    // A moved port has another number than its entry.
    let moved = "{container: web, port: http, number: 7080, arg: --x}";
    let (output, _) = run(&spec("{http: 20070}", moved), &two);
    assert!(!run(&spec("{http: 20070}", moved), &output).1.iter().any(|line| line.contains("[port-key]")));
    // If a target selects several workloads, the entry may match only one.
    let all = spec("auto", moved).replace("name: web}", "name: .*}");
    let both =
        [two, deployment_named("api", 7070, false).replace("- {name: web", "- {name: web, args: [run]")].join("---\n");
    assert!(!run(&all, &both).1.iter().any(|line| line.contains("[port-key]")));
}

#[test]
fn an_entry_has_exactly_one_setting() {
    for bind in [
        "{container: web, port: http}",
        "{container: web, port: http, arg: --x, env: X}",
        "{container: web, port: http, arg: --x, fixed: true}",
        "{container: web, port: http, file: /etc/web.yaml}",
        "{container: web, port: http, key: port, arg: --x}",
        "{container: web, port: http, fixed: true, value: ':{port}'}",
        "{container: web, port: http, annotation: a, value: '7080'}",
    ] {
        let refused = config(&spec("auto", bind)).unwrap_err();
        assert!(refused.contains("hostnet.yaml:1:") && refused.contains('`'), "{bind}: {refused}");
    }
    assert!(config(&spec("auto", "{container: web, port: http, arg: --x, fixed: false}")).is_ok());
    for name in ["arg: port", "arg: --port=8080", "arg: ''", "arg: '--a b'", "env: PORT=80", "env: ''", "env: 'A B'"] {
        let refused = config(&spec("auto", &format!("{{container: web, port: http, {name}}}"))).unwrap_err();
        assert!(refused.contains("without a value"), "{name}: {refused}");
    }
    for name in ["arg: -p", "arg: --a.b-c", "env: PORT", "env: app.port"] {
        assert!(config(&spec("auto", &format!("{{container: web, port: http, {name}}}"))).is_ok(), "{name}");
    }
}

/// The entry means the occurrence with its value.
#[test]
fn a_flag_may_be_given_several_times() {
    let bind = "{container: web, port: http, number: 7080, arg: -b, value: 'ssl://0.0.0.0:{port}?key=a&cert=b'}";
    let manifest = |args: &str| web(HTTP).replace("[run]", args);
    for args in [
        "[-b, 'ssl://0.0.0.0:7080?key=a&cert=b', -b, 'tcp://0.0.0.0:8080']",
        "[-b, 'tcp://0.0.0.0:8080', -b, 'ssl://0.0.0.0:7080?key=a&cert=b']",
    ] {
        let (output, log) = run(&spec("{http: 20070}", bind), &manifest(args));
        assert!(output.contains(&args.replace("7080", "20070")), "{output} {log:?}");
        assert_eq!(run(&spec("{http: 20070}", bind), &output).0, output);
    }
    let (_, log) = run(&spec("{http: 20070}", bind), &manifest("[-b, 'tcp://0.0.0.0:7080', -b, 'tcp://0.0.0.0:8080']"));
    assert!(log.join("\n").contains("has another value than"), "{log:?}");
}
