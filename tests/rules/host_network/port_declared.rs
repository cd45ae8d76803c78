//! Rule `port-declared`: new entries in `ports` of a container.

use crate::support::results::{brief, worded};
use hostnet::kinds;
use insta::assert_snapshot;
use krm::{Input, Origin};

use super::odd::web;
use super::{changes, deployment, explained, ports, results_of};

#[test]
fn zero_is_not_a_port() {
    let port = |port: &str| changes(&ports("keep"), &web(&format!("        ports: [{{{port}}}]\n")));
    assert_snapshot!(brief(port("name: http, containerPort: 8080, hostPort: 0")), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: http, containerPort: 8080, hostPort: 0}]
    +        ports: [{name: http, containerPort: 8080, hostPort: 8080}]
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (12:17, 8080)
    ");
    assert_snapshot!(worded(port("name: http, containerPort: 0")), @"error: standard input:12:45: Deployment shop/web, container web: containerPort is `0`; expected a number from 1 to 65535 in decimal digits, without quotes. The workload is not changed [port-declared]");
}

#[test]
fn undeclared_ports_become_declared() {
    let web = "      - name: web
        args: [--metrics-bind-address=:9090, --pprof-addr=localhost:6060, --server-timeout=30]
        readinessProbe: {httpGet: {port: 8081}}
";
    assert_snapshot!(changes(&ports("keep"), &deployment(web)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +        ports:
    +        - name: metrics, containerPort: 9090, hostPort: 9090
    +        - name: health, containerPort: 8081, hostPort: 8081
    ");
}

#[test]
fn names_of_undeclared_ports_are_valid_and_unique() {
    let flags = [
        "--very-long-words-of-a-flag-addr=:7000",
        "--very-long-words-of-a-bind=:7001",
        "--very-long-words-of-port=:7002",
    ];
    let pod: Vec<String> = flags.iter().map(|flag| format!("      - {{name: web, args: ['{flag}']}}\n")).collect();
    assert_snapshot!(super::numbers(&ports("keep"), &deployment(&pod.concat())), @"
    shop/Deployment/web/very-long-2 7001
    shop/Deployment/web/very-long-3 7002
    shop/Deployment/web/very-long-words 7000
    ");
    let pod = "      - {name: web, env: [{name: LISTEN_9, value: ':7000'}, {name: LISTEN_Web_UI, value: ':7001'}]}\n";
    assert_snapshot!(super::numbers(&ports("keep"), &deployment(pod)), @"
    shop/Deployment/web/listen 7000
    shop/Deployment/web/web-ui 7001
    ");
    let three = "      - {name: a, args: ['--listen=:7000']}\n      - {name: b, args: ['--bind=:7001']}\n      - {name: c, args: ['--addr=:7002'], ports: [{name: listen-2, containerPort: 7003}]}\n      - {name: d, args: ['--server-port=:7004']}\n";
    assert_snapshot!(super::numbers(&ports("keep"), &deployment(three)), @"
    shop/Deployment/web/listen 7000
    shop/Deployment/web/listen-2 7003
    shop/Deployment/web/listen-3 7001
    shop/Deployment/web/listen-4 7002
    shop/Deployment/web/listen-5 7004
    ");
}

/// A new port name consists of whole words of the flag or of the role. The second run, in which the port is declared,
/// gives the same name and the same key of `assigned`.
#[test]
fn names_of_undeclared_ports_are_not_cut_in_a_word() {
    let names = |flags: &[&str]| {
        let args: Vec<String> = flags.iter().zip(7000..).map(|(flag, port)| format!("'{flag}=:{port}'")).collect();
        let web = deployment(&format!("      - {{name: web, args: [{}]}}\n", args.join(", ")));
        let keys = super::numbers_twice(super::ALL, &web);
        let keys: Vec<&str> = keys.lines().filter_map(|line| line.split(' ').next()?.rsplit('/').next()).collect();
        // Recorded keys match in both runs.
        let recorded: Vec<String> =
            keys.iter().zip(21000..).map(|(key, port)| format!("shop/Deployment/web/{key}: {port}")).collect();
        let recorded = super::all_and(&format!("assigned: {{{}}}", recorded.join(", ")));
        let assigned = super::numbers_twice(&recorded, &web);
        assert_eq!(assigned.matches(" Assigned\n").count(), keys.len(), "{assigned}");
        keys.join(" ")
    };
    assert_snapshot!(names(&["--operator-webhook-port"]), @"webhook");
    assert_snapshot!(names(&["--operatorWebhookBindAddress", "--operatorWebhooksAddr"]), @"webhook webhook-2");
    assert_snapshot!(names(&["--internal-loadbalancer-listen"]), @"internal");
    assert_snapshot!(names(&["--internal-gateway-port", "--internal-gateway-addr"]), @"internal internal-2");
    assert_snapshot!(names(&["--edge-gateway-ui-port", "--edge-gateway-ui-addr"]), @"edge-gateway-2 edge-gateway-ui");
    assert_snapshot!(names(&["--supercalifragilistic-port", "--supercalifragilistic-addr"]), @"listen listen-2");
    assert_snapshot!(names(&["--supercalifragilistic-metrics-addr"]), @"metrics");
    assert_snapshot!(names(&["--http2-port", "--2-port", "--20443-addr", "--listen-addr"]), @"http2 listen listen-2 listen-3");
    assert_snapshot!(names(&["--authentications-port", "--authentications-addr"]), @"authentications listen-2");
    let ten: Vec<String> = ["port", "addr", "listen", "bind", "address"]
        .iter()
        .flat_map(|dull| [format!("--northbound-edge-{dull}"), format!("--northbound-edge-server-{dull}")])
        .collect();
    assert_snapshot!(names(&ten.iter().map(String::as_str).collect::<Vec<_>>()), @"northbound-10 northbound-2 northbound-3 northbound-4 northbound-5 northbound-6 northbound-7 northbound-8 northbound-9 northbound-edge");
}

const CORE: &str = "      - name: crossplane
        image: crossplane/crossplane:v1.20.0
        args: [core, start]
        env: [{name: A, value: b}]
        ports: [{name: webhooks, containerPort: 9443}]
";

#[test]
fn added_fields_are_reported_with_their_places() {
    let spec = "{targets: [{select: {name: web}, ports: {webhook: 20443, metrics: 20080, health: 20081}, bind: [{container: crossplane, port: x, number: 7000, arg: --x}, {container: crossplane, port: y, number: 7001, arg: --y}]}]}".replace("20081}", "20081, x: 20070, y: 20071}");
    let manifest = deployment(CORE);
    assert_snapshot!(explained(&spec, &manifest).join("\n"), @"
    shop/Deployment/web/metrics listens on 20080 (metrics), which was not declared [port-declared]
    shop/Deployment/web/metrics variable METRICS_PORT 8080 -> 20080 [port-setting]
    shop/Deployment/web/readyz listens on 20081 (health), which was not declared [port-declared]
    shop/Deployment/web/readyz variable HEALTH_PROBE_PORT 8081 -> 20081 [port-setting]
    shop/Deployment/web/webhooks containerPort 9443 -> 20443 [port-moved]
    shop/Deployment/web/webhooks variable WEBHOOK_PORT 9443 -> 20443 [port-setting]
    shop/Deployment/web/x listens on 20070 (other), which was not declared [port-declared]
    shop/Deployment/web/x argument --x 7000 -> 20070 [port-setting]
    shop/Deployment/web/y listens on 20071 (other), which was not declared [port-declared]
    shop/Deployment/web/y argument --y 7001 -> 20071 [port-setting]
    ");
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &super::config(&spec).unwrap(), true).unwrap();
    let paths = run
        .results
        .iter()
        .filter(|result| result.is_change)
        .filter_map(|result| Some(format!("{}\n", result.path.as_ref()?)));
    assert_snapshot!(paths.collect::<String>(), @"
    spec.template.spec.containers[0].env[2]
    spec.template.spec.containers[0].env[3]
    spec.template.spec.containers[0].ports[0].containerPort
    spec.template.spec.containers[0].env[1]
    spec.template.spec.containers[0].args[2]
    spec.template.spec.containers[0].args[3]
    spec.template.spec.containers[0].ports[3]
    spec.template.spec.containers[0].ports[4]
    spec.template.spec.containers[0].ports[1]
    spec.template.spec.containers[0].ports[2]
    spec.template.spec.dnsPolicy
    spec.template.spec.hostNetwork
    spec.template.spec.containers[0].ports[0].hostPort
    ");
}

/// A declared port gets no second entry.
#[test]
fn a_declared_port_gets_no_entry() {
    let declared =
        deployment("      - {name: web, args: [--http-port=7000], ports: [{name: http, containerPort: 7000}]}\n");
    assert_eq!(results_of("port-declared", &ports("{http: 20080}"), &declared), "");
}

/// Nothing of a list in another form is read, so the pods do not move.
#[test]
fn a_workload_with_a_list_in_another_form_stays() {
    let all = "{targets: [{select: {name: web}, ports: auto}]}";
    let of = |container: &str| {
        let manifest = super::deployment(&format!("      - {{name: web, image: web, {container}}}\n"));
        let (output, log) = super::run(all, &manifest);
        (output.contains("hostNetwork: true"), log.join("\n"))
    };
    let (is_moved, log) = of("args: --port=8080, ports: [{containerPort: 8080}]");
    assert!(!is_moved);
    insta::assert_snapshot!(crate::support::results::worded(log), @"error: standard input:10:39: Deployment shop/web: spec.template.spec.containers[0].args is not a list, so hostnet cannot read it. The workload is not changed: write a list [port-declared]");
    for container in ["ports: 8080", "env: {PORT: '8080'}", "command: /web", "envFrom: {a: b}", "ports: {http: 80}"] {
        assert!(!of(container).0, "{container}");
    }
    for container in ["ports: ", "args: '${ARGS}'", "env: []", "args: {{ .args }}", "args: [a]"] {
        assert!(of(container).0, "{container}: {}", of(container).1);
    }
    let (output, _) = super::run(all, &super::deployment("").replace("containers:", "containers: {name: web}"));
    assert!(!output.contains("hostNetwork"), "{output}");
}

/// The API server reads an empty protocol as TCP, and an empty name as none.
#[test]
fn empty_texts_are_absent() {
    let moved = |port: &str, service: &str| {
        let pod = format!(
            "      - name: web\n        args: [--webhook-port=9443]\n        ports: [{port}]\n        readinessProbe: {{httpGet: {{port: 9443}}}}\n"
        );
        let service = format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{service}]}}\n"
        );
        changes(&ports("auto"), &format!("{}{service}", deployment(&pod)))
    };
    let plain = moved("{name: hook, containerPort: 9443}", "{port: 443, targetPort: 9443}");
    assert_snapshot!(brief(plain.clone()), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--webhook-port=9443]
    -        ports: [{name: hook, containerPort: 9443}]
    -        readinessProbe: {httpGet: {port: 9443}}
    +        args: [--webhook-port=23974]
    +        ports: [{name: hook, containerPort: 23974, hostPort: 23974}]
    +        readinessProbe: {httpGet: {port: 23974}}
    -spec: {selector: {app: web}, ports: [{port: 443, targetPort: 9443}]}
    +spec: {selector: {app: web}, ports: [{port: 443, targetPort: hook}]}
    ");
    let without = |text: &str| text.replace(", protocol: ''", "").replace("name: '', ", "");
    let empty = moved("{name: hook, containerPort: 9443, protocol: ''}", "{port: 443, targetPort: 9443, protocol: ''}");
    assert_eq!(without(&empty), plain);
    let unnamed = moved("{containerPort: 9443}", "{port: 443, targetPort: 9443}");
    let empty = moved("{name: '', containerPort: 9443}", "{name: '', port: 443, targetPort: 9443}");
    assert_snapshot!(brief(unnamed.clone()), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--webhook-port=9443]
    -        ports: [{containerPort: 9443}]
    -        readinessProbe: {httpGet: {port: 9443}}
    +        args: [--webhook-port=24625]
    +        ports: [{containerPort: 24625, hostPort: 24625}]
    +        readinessProbe: {httpGet: {port: 24625}}
    -spec: {selector: {app: web}, ports: [{port: 443, targetPort: 9443}]}
    +spec: {selector: {app: web}, ports: [{port: 443, targetPort: 24625}]}
    ");
    assert_eq!(without(&empty), unnamed);
}

/// The API server refuses these names and protocols, and a move would copy the name into other objects.
#[test]
fn refused_names_and_protocols_leave_the_workload() {
    let port =
        |port: &str| changes(&ports("keep"), &web(&format!("        ports: [{{containerPort: 8080, {port}}}]\n")));
    assert_snapshot!(worded(port("protocol: tcp")), @"error: standard input:12:49: Deployment shop/web: spec.template.spec.containers[0].ports[0].protocol is `tcp`, which the API server refuses: write SCTP, TCP or UDP. The workload is not changed [port-declared]");
    assert_snapshot!(worded(port("name: Hook")), @"error: standard input:12:45: Deployment shop/web: spec.template.spec.containers[0].ports[0].name is `Hook`, which the API server refuses: a port name must contain only alphanumeric characters (a-z, 0-9), and hyphens ('-'). The workload is not changed [port-declared]");
    assert_snapshot!(brief(port("name: \"8080\"")), @"error: port-declared Deployment shop/web spec.template.spec.containers[0].ports[0].name (12:45, 8080)");
    for fine in
        ["protocol: ''", "protocol: TCP", "name: http", "name: ''", "name: PORT_NAME", "protocol: '${PROTOCOL}'"]
    {
        assert!(port(fine).contains("hostPort"), "{fine}");
    }
}
