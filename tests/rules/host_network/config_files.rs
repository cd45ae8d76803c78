//! References in config files of the catalogue: the field moves in the text of a `ConfigMap`.

use super::{changes, deployment, numbers};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const POD: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: kueue, namespace: jobs}
spec:
  template:
    metadata:
      labels: {app: kueue}
    spec:
      containers:
      - name: manager
        image: registry.k8s.io/kueue/kueue:v0.19.2
        args: [--config=/etc/kueue/config.yaml]
        ports: [{name: webhook-server, containerPort: 9443}]
        volumeMounts: [{name: config, mountPath: /etc/kueue}]
      volumes: [{name: config, configMap: {name: kueue-8h2m5}}]
";

const MAP: &str = "---
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-8h2m5, namespace: jobs}
data:
  config.yaml: |
    # the port of the webhook
    webhook:
      port: 9443   # 9443 by default
    health: {healthProbeBindAddress: \":8081\"}
    metrics:
      bindAddress: 0.0.0.0:8443
";

const PORTS: &str = "{webhook: 20443, health: 20081, metrics: 20080}";

fn spec(ports: &str) -> String {
    format!("{{targets: [{{select: {{name: kueue}}, ports: {ports}}}]}}")
}

fn moved(pod: &str, map: &str) -> String {
    changes(&spec(PORTS), &format!("{pod}{map}"))
}

fn webhook(pod: &str, map: &str) -> String {
    changes(&spec("{webhook: 20443}"), &format!("{pod}{map}"))
}

#[test]
fn fields_of_a_config_file_move() {
    assert_snapshot!(moved(POD, MAP), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: webhook-server, containerPort: 9443}]
    +        ports: [{name: webhook-server, containerPort: 20443, hostPort: 20443}, {name: metrics, containerPort: 20080, hostPort: 20080}, {name: health, containerPort: 20081, hostPort: 20081}, {name: visibility, containerPort: 8082, hostPort: 8082}]
    -      port: 9443   # 9443 by default
    -    health: {healthProbeBindAddress: ":8081"}
    +      port: 20443   # 9443 by default
    +    health: {healthProbeBindAddress: ":20081"}
    -      bindAddress: 0.0.0.0:8443
    +      bindAddress: 0.0.0.0:20080
    "#);
}

#[test]
fn the_file_is_found_through_its_mount() {
    let single = POD.replace("mountPath: /etc/kueue}", "mountPath: /etc/kueue/config.yaml, subPath: config.yaml}");
    let items = POD.replace("name: kueue-8h2m5}", "name: kueue-8h2m5, items: [{key: kueue, path: config.yaml}]}");
    let projected = POD.replace(
        "configMap: {name: kueue-8h2m5}",
        "projected: {sources: [{configMap: {name: other}}, {configMap: {name: kueue-8h2m5}}]}",
    );
    let deeper = POD
        .replace("mountPath: /etc/kueue}", "mountPath: /etc/}")
        .replace("name: kueue-8h2m5}", "name: kueue-8h2m5, items: [{key: kueue, path: kueue/config.yaml}]}");
    let separate = POD.replace("--config=/etc", "--config, /etc");
    for (pod, map) in [
        (single, MAP.to_owned()),
        (items, MAP.replace("  config.yaml: |", "  kueue: |")),
        (
            projected,
            format!(
                "{MAP}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: other, namespace: jobs}}\ndata: {{x: 'port: 1'}}\n"
            ),
        ),
        (deeper, MAP.replace("  config.yaml: |", "  kueue: |")),
        (separate, MAP.to_owned()),
    ] {
        let log = webhook(&pod, &map);
        assert!(log.contains("+      port: 20443   # 9443 by default") && !log.contains("error"), "{pod}{log}");
    }
}

#[test]
fn the_file_sets_undeclared_ports_and_disables_listeners() {
    let other = MAP.replace("0.0.0.0:8443", "\"0\"");
    assert_snapshot!(changes(&spec("{health: 20081}"), &format!("{POD}{other}")), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: webhook-server, containerPort: 9443}]
    +        ports: [{name: webhook-server, containerPort: 9443, hostPort: 9443}, {name: health, containerPort: 20081, hostPort: 20081}, {name: visibility, containerPort: 8082, hostPort: 8082}]
    -    health: {healthProbeBindAddress: ":8081"}
    +    health: {healthProbeBindAddress: ":20081"}
    "#);
    assert!(moved(POD, &other).contains("`metrics` matches no port"));
}

#[test]
fn a_file_that_cannot_be_changed_stops_the_move() {
    let reported = |pod: &str, map: &str| {
        let log = webhook(pod, map);
        let why = log.split("reads it from ").nth(1).unwrap_or(&log);
        why.split(". Write").next().unwrap_or_default().to_owned()
    };
    assert_snapshot!(reported(POD, ""), @"`webhook.port` of its config file, and ConfigMap `kueue-8h2m5`, which has it as `/etc/kueue/config.yaml`, is not in the input");
    assert_snapshot!(reported(&POD.replace("args: [--config=/etc/kueue/config.yaml]", "args: []"), MAP), @"`webhook.port` of its config file, and no flag names that file");
    assert_snapshot!(reported(&POD.replace("configMap: {name: kueue-8h2m5}", "secret: {secretName: kueue}"), MAP), @"`webhook.port` of its config file, and `/etc/kueue/config.yaml` is not mounted from a ConfigMap");
    assert_snapshot!(reported(POD, &MAP.replace("  webhook:\n      port", "  webhooks:\n      port")), @"`webhook.port` of its config file, and key `config.yaml` of ConfigMap `kueue-8h2m5` (`/etc/kueue/config.yaml`) has no such field; write it there first");
    assert_snapshot!(reported(POD, &MAP.replace("port: 9443 ", "port: ${PORT} ")), @"`webhook.port` of its config file, and it is `${PORT}` in key `config.yaml` of ConfigMap `kueue-8h2m5` (`/etc/kueue/config.yaml`), which is filled in later");
    assert!(webhook(POD, &MAP.replace("port: 9443 ", "port: ${PORT} ")).contains("Write the address out"));
    assert_snapshot!(reported(POD, &MAP.replace("port: 9443 ", "port: &p 9443 ")), @"`webhook.port` of its config file, and it is `9443` in key `config.yaml` of ConfigMap `kueue-8h2m5` (`/etc/kueue/config.yaml`), in a form that hostnet does not change: an anchor, or escapes");
    assert_snapshot!(reported(POD, &MAP.replace("health: {", "health: {{")), @"`webhook.port` of its config file, and key `config.yaml` of ConfigMap `kueue-8h2m5` (`/etc/kueue/config.yaml`) is not YAML, and no line of it begins with `webhook.port`");
    assert_snapshot!(reported(POD, &MAP.replace("  config.yaml: |", "  other.yaml: |")), @"`webhook.port` of its config file, and key `config.yaml` of ConfigMap `kueue-8h2m5` (`/etc/kueue/config.yaml`) has no such field; write it there first");
}

#[test]
fn a_file_of_several_workloads_moves_if_all_move_to_one_number() {
    let second = format!("---\n{}", POD.replace("{name: kueue, n", "{name: kueue-2, n"));
    let map = format!("{second}{MAP}");
    assert_snapshot!(worded(webhook(POD, &map)), @r#"
    error: standard input:37:16: Deployment jobs/kueue, container manager, port webhook-server (9443): cannot move to 20443: ConfigMap jobs/kueue-8h2m5 at data["config.yaml"] refers to 9443 and cannot be changed: Deployment jobs/kueue-2 also uses 9443 there and does not move to 20443; move all of them to one number, or use a separate object for each [port-reference]
    warning: standard input:10:9: Deployment jobs/kueue, container manager, port metrics (8443) keeps the port of ingress-nginx (webhook) on nodes that run it. If your nodes run it: write `auto` or another number for `metrics` in `ports` [node-port]
    "#);
    let both = "{targets: [{select: {name: kueue}, ports: {webhook: 20443}}, {select: {name: kueue-2}, ports: {webhook: 20443}}], shared: [{port: 20443, between: [jobs/Deployment/kueue, jobs/Deployment/kueue-2]}, {port: 8443, between: [jobs/Deployment/kueue, jobs/Deployment/kueue-2]}, {port: 8081, between: [jobs/Deployment/kueue, jobs/Deployment/kueue-2]}, {port: 8082, between: [jobs/Deployment/kueue, jobs/Deployment/kueue-2]}]}";
    let log = changes(both, &format!("{POD}{map}"));
    assert!(log.contains("+      port: 20443") && !log.contains("error"), "{log}");
}

/// Two workloads, each with its own file of one ConfigMap.
#[test]
fn a_mount_by_sub_path_shows_one_file() {
    let workload = |name: &str, port: u16, mount: &str| {
        let container = format!(
            "      - name: c\n        args: [--config=/etc/x/{name}.conf]\n        ports: [{{name: api, containerPort: {port}}}]\n        volumeMounts: \
             [{{name: cfg, mountPath: {mount}}}]\n      volumes: [{{name: cfg, configMap: {{name: cfg}}}}]\n"
        );
        super::deployment(&container).replace("web", name)
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg, namespace: shop}\ndata:\n  main.conf: |\n    apiPort: 10349\n  agent.conf: |\n    apiPort: 10350\n";
    let with = |agent: &str, file: &str| {
        let spec = format!(
            "{{targets: [{{select: {{name: main}}, ports: {{api: 20349}}, bind: [{{container: c, port: api, number: 10349, file: {file}, key: apiPort}}]}}]}}"
        );
        let main = workload("main", 10349, "/etc/x/main.conf, subPath: main.conf");
        changes(&spec, &super::stream([map.to_owned(), main, workload("agent", 10350, agent)]))
    };
    let moved = with("/etc/x/agent.conf, subPath: agent.conf", "/etc/x/main.conf");
    assert!(moved.contains("+    apiPort: 20349") && !moved.contains("error"), "{moved}");
    // A mount of the whole volume shows both files.
    assert_snapshot!(brief(with("/etc/x", "/etc/x/main.conf")), @r#"
    -    apiPort: 10349
    +    apiPort: 20349
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: api, containerPort: 10349}]
    +        ports: [{name: api, containerPort: 20349, hostPort: 20349}]
    warning: port-reference ConfigMap shop/cfg data["main.conf"] (5:14, 10349, 20349, Deployment shop/agent, Deployment shop/main)
    "#);
    // A file name instead of a path.
    assert_snapshot!(worded(with("/etc/x/agent.conf, subPath: agent.conf", "main.conf")), @"error: standard input:21:17: Deployment shop/main, container c, port api (10349): cannot move to 20349: `bind` names `apiPort` of `main.conf`, and `main.conf` is not mounted from a ConfigMap; write its path, `/etc/x/main.conf`. Write `api: keep`, or leave it out of `ports`. Write the number there, in a ConfigMap of the input, or another `file` and `key` in `bind` [port-setting]");
}

#[test]
fn a_file_in_quotes_keeps_them() {
    let quoted = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue-8h2m5, namespace: jobs}\ndata: {config.yaml: \"webhook:\\n  port: 9443\\n\"}\n";
    assert_snapshot!(brief(webhook(POD, quoted)), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: webhook-server, containerPort: 9443}]
    +        ports: [{name: webhook-server, containerPort: 20443, hostPort: 20443}, {name: metrics, containerPort: 8443, hostPort: 8443}, {name: health, containerPort: 8081, hostPort: 8081}, {name: visibility, containerPort: 8082, hostPort: 8082}]
    -data: {config.yaml: "webhook:\n  port: 9443\n"}
    +data: {config.yaml: "webhook:\n  port: 20443\n"}
    warning: node-port Deployment jobs/kueue spec.template.spec.containers[0] (10:9, 8443)
    "#);
    let json = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: kueue-8h2m5, namespace: jobs}\ndata:\n  config.yaml: |\n    {\"webhook\": {\"port\": 9443}}\n";
    assert_snapshot!(brief(webhook(POD, json)), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: webhook-server, containerPort: 9443}]
    +        ports: [{name: webhook-server, containerPort: 20443, hostPort: 20443}, {name: metrics, containerPort: 8443, hostPort: 8443}, {name: health, containerPort: 8081, hostPort: 8081}, {name: visibility, containerPort: 8082, hostPort: 8082}]
    -    {"webhook": {"port": 9443}}
    +    {"webhook": {"port": 20443}}
    warning: node-port Deployment jobs/kueue spec.template.spec.containers[0] (10:9, 8443)
    "#);
}

/// controller-runtime's field names in a config file of an unknown program.
#[test]
fn the_file_of_a_scaffold_sets_the_ports_of_any_operator() {
    let of = |flag: &str, mount: &str, file: &str| {
        let file = file.replace('\n', "\n    ");
        let manifest = format!(
            "{}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: shop}}\ndata:\n  manager.yaml: |\n    {file}\n",
            deployment(&format!(
                "      - {{name: web, image: acme, args: [{flag}], ports: [{{name: webhook-server, containerPort: 9443}}], volumeMounts: [{{name: v, {mount}}}]}}\n      volumes: [{{name: v, configMap: {{name: c}}}}]\n"
            ))
        );
        (
            numbers("{targets: [{select: {name: web}, ports: auto}]}", &manifest),
            changes("{targets: [{select: {name: web}, ports: auto}]}", &manifest),
        )
    };
    let file = "apiVersion: config.acme.example/v1\nkind: Configuration\nhealth: {healthProbeBindAddress: ':8081'}\nmetrics:\n  bindAddress: 127.0.0.1:8080\nwebhook:\n  port: 9443";
    assert_snapshot!(of("--config=/etc/acme/manager.yaml", "mountPath: /etc/acme", file).1, @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, image: acme, args: [--config=/etc/acme/manager.yaml], ports: [{name: webhook-server, containerPort: 9443}], volumeMounts: [{name: v, mountPath: /etc/acme}]}
    +      - {name: web, image: acme, args: [--config=/etc/acme/manager.yaml], ports: [{name: webhook-server, containerPort: 24034, hostPort: 24034}, {name: metrics, containerPort: 24562, hostPort: 24562}, {name: health, containerPort: 27875, hostPort: 27875}], volumeMounts: [{name: v, mountPath: /etc/acme}]}
    -    health: {healthProbeBindAddress: ':8081'}
    +    health: {healthProbeBindAddress: ':27875'}
    -      bindAddress: 127.0.0.1:8080
    +      bindAddress: 127.0.0.1:24562
    -      port: 9443
    +      port: 24034
    ");
    // A file name without a folder, mounted at the root.
    let root = of("--config=manager.yaml", "mountPath: /manager.yaml, subPath: manager.yaml", file).0;
    assert!(
        root.contains("health 8081 ->") && root.contains("metrics 8080 ->") && root.contains("webhook-server 9443 ->"),
        "{root}"
    );
    // Disabled and missing fields set no listener; files that the flag does not name are ignored.
    let off = of(
        "--config=/etc/acme/manager.yaml",
        "mountPath: /etc/acme",
        "metrics: {bindAddress: '0'}\nwebhook: {host: x}",
    )
    .0;
    assert!(!off.contains("metrics") && !off.contains("health"), "{off}");
    let other = of("--config=/etc/other.yaml", "mountPath: /etc/acme", file).0;
    assert!(!other.contains("health 8081") && !other.contains("8080"), "{other}");
}

/// The remedy for a number that only the file sets writes the field; no flag sets it.
#[test]
fn a_field_that_only_the_file_sets_is_the_remedy() {
    let log =
        |pod: &str, map: &str| changes("{targets: [{select: {name: kueue}, ports: auto}]}", &format!("{pod}{map}"));
    let unnamed = log(&POD.replace("args: [--config=/etc/kueue/config.yaml]", "args: []"), MAP);
    let mount =
        "Mount a file of a ConfigMap of the input with `webhook: {port: 9443}` in it, and name its path in `--config`";
    assert!(unnamed.contains(mount) && !unnamed.contains("--FLAG-9443"), "{unnamed}");
    let absent = log(POD, &MAP.replace("  webhook:\n      port", "  webhooks:\n      port"));
    assert!(
        absent.contains("Write `webhook: {port: 9443}` in that file") && !absent.contains("--FLAG-9443"),
        "{absent}"
    );
}

/// Another workload that mounts the file without evidence for the number is named, and does not block the move.
#[test]
fn a_workload_that_only_mounts_the_file_does_not_block_the_move() {
    let workload = |name: &str, container: &str| {
        let mount = "        args: [--config=/c.yaml]\n        volumeMounts: [{name: c, mountPath: /c.yaml, subPath: c.yaml}]\n      volumes: [{name: c, configMap: {name: c}}]\n";
        super::deployment(&format!("      - name: {container}\n{mount}")).replace("web", name)
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata:\n  c.yaml: |\n    health: :8081\n    webhookPort: 9443\n";
    let spec = "{targets: [{select: {name: hooks}, ports: {hook: 20443}, bind: [{container: c, port: hook, number: 9443, file: /c.yaml, key: webhookPort}]}]}";
    let with = |other: &str| changes(spec, &super::stream([map.to_owned(), workload("hooks", "c"), other.to_owned()]));
    let log = with(&workload("other", "manager"));
    assert!(log.contains("+    webhookPort: 20443"), "{log}");
    let messages: Vec<&str> = log.lines().filter(|line| line.contains("Deployment shop/other")).collect();
    assert_snapshot!(worded(messages.join("\n")), @"warning: standard input:5:11: Deployment shop/hooks, container c, port hook (9443): moves to 20443. Deployment shop/other mounts the same file, so it gets the new number too. If it has to keep the old number, give it a separate ConfigMap [port-reference]");
    // A workload that declares the port uses it.
    let declared =
        workload("other", "manager").replace("        args", "        ports: [{containerPort: 9443}]\n        args");
    assert!(with(&declared).contains("Deployment shop/other also uses 9443 there"), "{}", with(&declared));
}
