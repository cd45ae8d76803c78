//! Rule `port-conflict`.

use super::{PORT, on_host, report_of, reported, reported_with, workload};
use crate::support::results::{brief, worded};
use hostnet::kinds::check::Configs;
use insta::assert_snapshot;

const HTTP: &str = "ports: [{containerPort: 20080, hostPort: 20080}]";

fn on_nodes(name: &str, placement: &str) -> String {
    workload("Deployment", name, &format!("{{hostNetwork: true, {placement}, containers: [{{name: web, {HTTP}}}]}}"))
}

#[test]
fn two_workloads_on_one_port() {
    let daemons = [on_host("a", HTTP), on_host("b", HTTP)].concat().replace("kind: Deployment", "kind: DaemonSet");
    assert!(reported("port-conflict", &daemons).starts_with("error: "));
    assert_snapshot!(worded(reported("port-conflict", &[on_host("a", HTTP), on_host("b", HTTP)].concat())), @"warning: a.yaml:15:125: Deployment shop/a and Deployment shop/b take 20080/TCP of their node. The scheduler keeps them on different nodes: 2 pods need at least 2 nodes; a rollout that starts new pods first needs one more, and 4 if all workloads roll out at the same time. To accept this, write `shared: [{port: 20080, between: [shop/Deployment/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`");
}

/// A second scheduler on the host network takes the port of that of the control plane, whose pod is the kubelet's.
#[test]
fn a_second_scheduler() {
    let image = "image: 'registry.k8s.io/kube-scheduler:v1.36.2'";
    let first = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: kube-scheduler, namespace: kube-system}}\nspec: {{hostNetwork: true, containers: \
         [{{name: kube-scheduler, {image}, command: [kube-scheduler], ports: [{{name: probe-port, containerPort: 10259}}]}}]}}\n---\n"
    );
    for rule in ["port-conflict", "port-declared", "node-port"] {
        assert_eq!(reported(rule, &first), "", "{rule}");
    }
    let daemons = |args: &str| {
        let container = format!("{{name: a, {image}, command: [kube-scheduler{args}]}}");
        workload("DaemonSet", "a", &format!("{{hostNetwork: true, containers: [{container}]}}"))
    };
    assert!(reported("port-conflict", &[&first, &*daemons("")].concat()).contains("10259"));
    assert_eq!(reported("port-conflict", &[&first, &*daemons(", --secure-port=20259")].concat()), "");
    assert_eq!(reported("port-conflict", &[&first, &*daemons(", --secure-port=0")].concat()), "");
}

#[test]
fn a_host_port_in_the_pod_network_takes_the_port_too() {
    let pod_network = workload("Deployment", "b", &format!("{{containers: [{{name: web, {HTTP}}}]}}"));
    assert!(reported("port-conflict", &[on_host("a", HTTP), pod_network].concat()).starts_with("warning: "));
    let other = |ip: &str| {
        workload(
            "Deployment",
            ip,
            &format!("{{containers: [{{name: web, ports: [{{containerPort: 1, hostPort: 80, hostIP: '{ip}'}}]}}]}}"),
        )
    };
    assert_eq!(reported("port-conflict", &[other("10.0.0.1"), other("10.0.0.2")].concat()), "");
    assert_ne!(reported("port-conflict", &[other("10.0.0.1"), other("0.0.0.0")].concat()), "");
}

#[test]
fn workloads_that_never_share_a_node_are_not_reported() {
    let both = |a: &str, b: &str| [on_nodes("a", a), on_nodes("b", b)].concat();
    assert_eq!(reported("port-conflict", &both("nodeSelector: {pool: x}", "nodeSelector: {pool: y}")), "");
    assert_eq!(reported("port-conflict", &both("nodeName: x", "nodeName: y")), "");
    assert_ne!(reported("port-conflict", &both("nodeName: x", "nodeName: x")), "");
    assert_ne!(reported("port-conflict", &both("nodeName: x", "nodeSelector: {pool: y}")), "");
}

#[test]
fn udp_and_tcp_do_not_conflict() {
    let dns = |protocol: &str| format!("ports: [{{containerPort: 20053, hostPort: 20053, protocol: {protocol}}}]");
    assert_eq!(reported("port-conflict", &[on_host("a", &dns("TCP")), on_host("b", &dns("UDP"))].concat()), "");
}

/// A number under a listen name, without other evidence, that another workload takes. A port of another program is not
/// reported, nor are two guesses.
#[test]
fn a_guess_with_the_number_of_another_workload() {
    let guess = |text: &str| on_host("a", text);
    let both = |text: &str| reported("port-conflict", &[guess(text), on_host("b", HTTP)].concat());
    assert_snapshot!(worded(both("env: [{name: METRICS, value: '0.0.0.0:20080'}]")), @"warning: a.yaml:7:146: Deployment shop/a, container web: `METRICS` 20080 may be a port of the process according to its name only, and Deployment shop/b, container web uses port 20080/TCP of their node: if the process listens there, the second one on a node fails with `bind: address already in use`. If it does, give one of the two another number; if not, write under `programs` of a HostNetwork that you give with `-c` `- {name: web, images: [web], notListen: [METRICS], listeners: []}`");
    for text in
        ["args: ['--metrics-port=20080']", "args: [--port, '20080']", "env: [{name: HTTP_SERVER_PORT, value: '20080'}]"]
    {
        assert!(both(text).starts_with("info: "), "{text}: {}", both(text));
    }
    for text in [
        "args: ['--metrics-port=20081']",
        "args: ['--timeout=20080']",
        "env: [{name: DB_HOST, value: db.other}, {name: DB_PORT, value: '20080'}]",
    ] {
        assert_eq!(both(text), "", "{text}");
    }
    let guesses = [guess("args: ['--port=20080']"), guess("args: ['--port=20080']").replace("name: a", "name: c")];
    assert_eq!(reported("port-conflict", &guesses.concat()), "");
}

/// A literal address under a listen name is an address of the process, also next to others of the same flag; the
/// protocol after a port is a part of the address.
#[test]
fn each_address_of_a_repeated_flag_counts() {
    let both = |args: &str| {
        let other = on_host("b", "ports: [{containerPort: 20080, hostPort: 20080}]");
        reported("port-conflict", &[on_host("a", &format!("args: [{args}]")), other].concat())
    };
    assert!(both("'--web.listen-address=:20080', '--web.listen-address=10.0.0.1:9104'").starts_with("error: "));
    assert!(both("'--entryPoints.web.address=:20080/tcp'").starts_with("error: "));
    assert_eq!(both("'--entryPoints.web.address=:20080/udp'"), "");
    assert_eq!(both("'--metrics-address=10.0.0.1:20080'"), "");
}

/// The address of the pod is the address of the node, which is no loopback address.
#[test]
fn the_address_of_the_pod_is_no_loopback_address() {
    let env = "env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]";
    let at =
        |name: &str, address: &str| on_host(name, &format!("args: ['--metrics-bind-address={address}:20443'], {env}"));
    let both = |one: &str, other: &str| reported("port-conflict", &[at("a", one), at("b", other)].concat());
    for address in ["$(IP)", "[$(IP)]"] {
        assert_eq!(both("127.0.0.1", address), "", "{address}");
        for same in ["$(IP)", "0.0.0.0", ""] {
            assert!(both(same, address).starts_with("error: "), "{same} {address}");
        }
    }
}

/// Declared ports with the loopback addresses of their processes do not meet, for the scheduler and on the node.
#[test]
fn declared_loopback_addresses_differ() {
    let at = |name: &str, address: &str, host_ip: &str| {
        let port = format!("{{name: metrics, containerPort: 20443, hostPort: 20443{host_ip}}}");
        on_host(name, &format!("args: ['--metrics-bind-address={address}:20443'], ports: [{port}]"))
    };
    let (one, two) = (", hostIP: 127.0.0.1", ", hostIP: 127.0.0.2");
    let both = |first: &str, second: &str| {
        reported("port-conflict", &[at("a", "127.0.0.1", first), at("b", "127.0.0.2", second)].concat())
    };
    assert_eq!(both(one, two), "");
    assert!(!both("", two).is_empty() && !both(one, one).is_empty());
}

/// Processes at different loopback addresses bind the same number; one at all addresses conflicts with both.
#[test]
fn loopback_addresses_differ() {
    let at = |name: &str, host: &str| on_host(name, &format!("args: ['--metrics-bind-address={host}:20080']"));
    let both = |one: &str, other: &str| reported("port-conflict", &[at("a", one), at("b", other)].concat());
    for (one, other) in [("127.0.0.1", "127.0.0.2"), ("localhost", "127.0.0.2"), ("127.0.0.1", "[::1]")] {
        assert_eq!(both(one, other), "", "{one} {other}");
    }
    for (one, other) in [("127.0.0.1", "localhost"), ("127.0.0.2", "0.0.0.0"), ("", "127.0.0.1")] {
        assert!(both(one, other).starts_with("error: "), "{one} {other}");
    }
}

#[test]
fn one_number_twice_in_a_pod() {
    let spec = format!("{{hostNetwork: true, containers: [{{name: a, {HTTP}}}, {{name: b, {HTTP}}}]}}");
    assert_snapshot!(worded(reported("port-conflict", &workload("Deployment", "web", &spec))), @r#"error: a.yaml:7:123: Deployment shop/web: 20080/TCP is declared twice, also in container b and in container a; on a node a number can be used once: the API server refuses its Pods: `spec.template.spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//20080"`. Give one of them another number"#);
    let sidecar = format!(
        "{{hostNetwork: true, containers: [{{name: a, {HTTP}}}], initContainers: [{{name: b, restartPolicy: Always, {HTTP}}}]}}"
    );
    assert_snapshot!(worded(reported("port-conflict", &workload("Deployment", "web", &sidecar))), @"error: a.yaml:7:164: Deployment \
         shop/web: 20080/TCP is declared twice, also in container b and in container a; on a node a number can be used once: the API server does \
         not check this, and the second one to start fails with `bind: address already in use`. Give one of them another number");
    // The API server compares the ports of one sidecar, and does not compare two addresses.
    let of_one = |ports: &str| {
        let spec =
            format!("{{hostNetwork: true, initContainers: [{{name: b, restartPolicy: Always, ports: [{ports}]}}]}}");
        reported("port-conflict", &workload("Deployment", "web", &spec))
    };
    let one = "{containerPort: 20080, hostPort: 20080}";
    assert!(of_one(&format!("{one}, {one}")).contains("Duplicate value: \"TCP//20080\""));
    for other in
        ["{containerPort: 20080, hostPort: 20080, hostIP: 127.0.0.1}", "{containerPort: 20080, hostPort: 20081}"]
    {
        assert!(of_one(&format!("{one}, {other}")).contains("the API server does not check this"), "{other}");
    }
    let init =
        format!("{{hostNetwork: true, containers: [{{name: a, {HTTP}}}], initContainers: [{{name: b, {HTTP}}}]}}");
    assert_eq!(reported("port-conflict", &workload("Deployment", "web", &init)), "");
}

#[test]
fn a_port_that_only_a_probe_shows_is_a_warning() {
    let probed = on_host("b", "readinessProbe: {httpGet: {port: 20080}}");
    let log = reported("port-conflict", &[on_host("a", HTTP), probed].concat());
    assert!(log.starts_with("warning: ") && log.contains("verify this number"), "{log}");
}

/// `node-local-dns` answers probes at one address of the node, which a flag has.
#[test]
fn a_probe_of_an_address_in_the_settings_shows_a_port() {
    let probed = |args: &str| {
        let probe = "livenessProbe: {httpGet: {port: 20080, host: 169.254.20.10}}";
        on_host("dns", &format!("args: [{args}], {probe}"))
    };
    let both = |args: &str| reported("port-conflict", &[on_host("a", HTTP), probed(args)].concat());
    assert!(both("-localip, '169.254.20.10,10.96.0.10'").contains("20080/TCP"));
    assert_eq!(both("-localip, '169.254.20.11'"), "");
}

/// On the host network the address of the node is the pod's own.
#[test]
fn an_exporter_at_the_address_of_its_node_holds_the_port() {
    let exporter = |flag: &str| {
        let env = "env: [{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]";
        on_host("b", &format!("args: ['{flag}=$(HOST_IP):20080'], {env}"))
    };
    let both = |flag: &str| reported("port-conflict", &[on_host("a", HTTP), exporter(flag)].concat());
    assert!(both("--web.listen-address").starts_with("error: "), "{}", both("--web.listen-address"));
    assert_eq!(both("--statsd-addr"), "");
}

#[test]
fn a_shared_port_is_not_reported() {
    let shared = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: x}}], shared: [{port: 20080, between: [shop/Deployment/a, shop/Deployment/b]}]}}";
    let mut configs = Configs::default();
    configs.add(shared, "hostnet.yaml").unwrap();
    let manifest = [on_host("a", HTTP), on_host("b", HTTP)].concat();
    let report = report_of(&configs, &[("a.yaml", &manifest)]);
    assert!(report.entries.iter().all(|entry| entry.rule.id != "port-conflict"));
}

/// A Deployment with an old and a new `ReplicaSet` and a Pod of each has the same findings as the Deployment alone.
#[test]
fn owned_objects_count_as_their_owner() {
    let owned = |kind: &str, name: &str, by: &str, of: &str, spec: &str| {
        format!(
            "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop, labels: {{app: a, pod-template-hash: 7f}}, ownerReferences: [{{apiVersion: apps/v1, kind: \
             {by}, name: {of}, controller: true}}]}}\n{spec}\n---\n",
            group = if kind == "Pod" { "v1" } else { "apps/v1" }
        )
    };
    let spec = format!("{{hostNetwork: true, containers: [{{name: web, {HTTP}}}]}}");
    let pod = |name: &str, set: &str| owned("Pod", name, "ReplicaSet", set, &format!("spec: {spec}"));
    let set = owned("ReplicaSet", "a-7f", "Deployment", "a", &format!("spec: {{template: {{spec: {spec}}}}}"));
    let deployment = on_host("a", HTTP);
    let alone = |rule: &str| reported(rule, &deployment);
    let all = [deployment.clone(), set, pod("a-7f-1", "a-7f"), pod("a-7f-2", "a-7f")].concat();
    // The ReplicaSet between Deployment and Pods may be missing.
    let without_set = [deployment.clone(), pod("a-7f-1", "a-7f")].concat();
    for rule in ["port-conflict", "host-port", "dns-policy", "node-port"] {
        assert_eq!(reported(rule, &all), alone(rule), "{rule}");
        assert_eq!(reported(rule, &without_set), alone(rule), "{rule}");
    }
    // Two Pods whose owner is not in the input are a single workload.
    assert_eq!(reported("port-conflict", &[pod("a-7f-1", "a-7f"), pod("a-7f-2", "a-7f")].concat()), "");
}

#[test]
fn runs_of_a_cron_job_may_overlap() {
    let job = |policy: &str| {
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: report}}\nspec: {{{policy} jobTemplate: {{spec: {{template: {{spec: {{hostNetwork: true, containers: [{{name: a, {HTTP}}}]}}}}}}}}}}\n"
        )
    };
    assert_snapshot!(brief(reported("port-conflict", &job(""))), @"warning: port-conflict CronJob report spec.jobTemplate.spec.template.spec.containers[0].ports[0] (a.yaml:4:98, 20080/TCP)");
    assert_eq!(reported("port-conflict", &job("concurrencyPolicy: Forbid,")), "");
    assert_eq!(reported("port-conflict", &job("suspend: true,")), "", "it starts no run");
    assert_ne!(reported("port-conflict", &job("suspend: false,")), "");
}

/// Files that hold one object with different content belong to two clusters, or are a base and its overlay; their
/// workloads never share a node.
#[test]
fn workloads_of_alternative_files_do_not_conflict() {
    let map = |value: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: all, namespace: shop}}\ndata: {{a: {value}}}\n---\n"
        )
    };
    let reported = |one: &str, other: &str| {
        let report = report_of(&Configs::default(), &[("a.yaml", one), ("b.yaml", other)]);
        report.entries.iter().filter(|entry| entry.rule.id == "port-conflict").count()
    };
    let (a, b) = (on_host("a", PORT), on_host("b", PORT));
    assert_eq!(reported(&a, &b), 1);
    assert_eq!(reported(&[map("x"), a.clone()].concat(), &[map("x"), b.clone()].concat()), 1);
    assert_eq!(reported(&[map("x"), a.clone()].concat(), &[map("y"), b].concat()), 0);
    // The manifests of a base often lack the namespace.
    assert_eq!(reported(&a, &a.replace(", namespace: shop", "")), 0);
}

/// In the pod network a host port is a forwarding rule; only the API server refuses a duplicate, and no process holds
/// the port.
#[test]
fn host_ports_of_one_pod_in_the_pod_network() {
    let two = |one: &str, other: &str| {
        let port = |address: &str, number: u8| format!("ports: [{{containerPort: {number}, hostPort: 9999{address}}}]");
        let spec = format!("{{containers: [{{name: a, {}}}, {{name: b, {}}}]}}", port(one, 1), port(other, 2));
        reported("port-conflict", &workload("Deployment", "web", &spec))
    };
    assert!(two("", "").starts_with("error: "), "the API server refuses it");
    assert_snapshot!(worded(two("", ", hostIP: 0.0.0.0")), @"warning: a.yaml:7:99: Deployment shop/web: 9999/TCP is declared twice, also in container b and in container a; on a node a number can be used once: the API server does not check this, and only one of the two gets connections. Give one of them another number");
    assert!(two("", ", hostIP: '::'").starts_with("warning: "));
    assert_eq!(two(", hostIP: 0.0.0.0", ", hostIP: '::'"), "");
    assert_eq!(two(", hostIP: 10.0.0.1", ", hostIP: 10.0.0.2"), "");
}

#[test]
fn anti_affinity_and_templates_of_one_object_do_not_conflict() {
    let apart = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: b}}}]}}";
    assert_eq!(reported("port-conflict", &[on_nodes("a", apart), on_nodes("b", "")].concat().replace(", ,", ",")), "");
    assert_ne!(
        reported("port-conflict", &[on_nodes("a", &apart.replace("app: b", "app: c")), on_host("b", HTTP)].concat()),
        ""
    );
    // Templates of one object do not conflict with each other.
    let template = |name: &str| {
        format!(
            "{name}: {{metadata: {{labels: {{app: a}}}}, spec: {{hostNetwork: true, containers: [{{name: web, {HTTP}}}]}}}}"
        )
    };
    let group = format!(
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {{name: a, namespace: shop}}\nspec: {{leaderWorkerTemplate: {{{}, {}}}}}\n---\n",
        template("leaderTemplate"),
        template("workerTemplate")
    );
    assert_eq!(reported("port-conflict", &group), "");
    // Three workloads on one port are a single finding if the scheduler keeps them apart, and otherwise two findings
    // that each name the first workload.
    let all = ["a", "b", "c"].map(|name| on_host(name, HTTP)).concat();
    let three = reported("port-conflict", &all);
    assert_eq!(three.lines().count(), 1, "{three}");
    assert!(three.contains("Deployment shop/a, Deployment shop/b and Deployment shop/c take 20080/TCP"), "{three}");
    let three = reported("port-conflict", &all.replace("kind: Deployment", "kind: DaemonSet"));
    assert_eq!(three.lines().count(), 2, "{three}");
    assert_eq!(three.matches("DaemonSet shop/a, ").count(), 2, "{three}");
}

/// Terms of pod affinity or anti-affinity about pods with the label `app: b`.
fn near_or_away(kind: &str, key: &str, more: &str) -> String {
    format!(
        "affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {key}, labelSelector: {{matchLabels: {{app: b}}}}{more}}}]}}}}"
    )
}

#[test]
fn anti_affinity_across_namespaces_and_zones_keeps_two_apart() {
    let both = |key: &str, more: &str| {
        let b = on_nodes("b", "dnsPolicy: Default").replace("namespace: shop", "namespace: other");
        reported("port-conflict", &[on_nodes("a", &near_or_away("podAntiAffinity", key, more)), b].concat())
    };
    assert_eq!(both("kubernetes.io/hostname", ", namespaces: [other]"), "");
    assert_eq!(both("kubernetes.io/hostname", ", namespaceSelector: {}"), "");
    assert_eq!(both("topology.kubernetes.io/zone", ", namespaces: [other]"), "");
    assert_ne!(both("kubernetes.io/hostname", ""), "", "the term is about its own namespace");
    assert_ne!(both("kubernetes.io/hostname", ", namespaceSelector: {matchLabels: {team: a}}"), "");
    assert_ne!(both("example.com/rack", ", namespaces: [other]"), "", "nodes may lack the label");
}

/// The scheduler has no second node for them, however many nodes there are.
#[test]
fn pods_that_have_to_share_a_node_are_an_error() {
    let both = |a: &str, more: &str| {
        let manifest = [on_nodes("a", a), on_nodes("b", "dnsPolicy: Default"), more.to_owned()].concat();
        reported_with("port-conflict", "{nodes: 6}", &manifest)
    };
    let drawn = near_or_away("podAffinity", "kubernetes.io/hostname", "");
    assert_snapshot!(worded(both(&drawn, "")), @"error: a.yaml:15:84: Deployment shop/b, container web and Deployment shop/a, container web both use port 20080/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one of the two another number: a required `podAffinity`, or a shared claim with `ReadWriteOnce`, puts both on one node");
    assert!(both(&near_or_away("podAffinity", "topology.kubernetes.io/zone", ""), "").starts_with("warning: "));
    assert!(both(&drawn.replace("required", "preferred"), "").starts_with("warning: "));
    let claim = |modes: &str| {
        let volumes = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
        let claim = format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data, namespace: shop}}\nspec: {{accessModes: [{modes}]}}\n"
        );
        let pods = [on_nodes("a", volumes), on_nodes("b", volumes), claim].concat();
        reported_with("port-conflict", "{nodes: 6}", &pods)
    };
    assert!(claim("ReadWriteOnce").starts_with("error: "), "{}", claim("ReadWriteOnce"));
    assert!(claim("ReadWriteMany").starts_with("warning: "));
    assert!(claim("ReadWriteOnce, ReadOnlyMany").starts_with("warning: "));
}

/// Jobs may run one after the other.
#[test]
fn two_jobs_are_a_warning() {
    let job = |name: &str| workload("Job", name, &super::host_spec(HTTP)).replace("apps/v1", "batch/v1");
    for both in [[job("a"), job("b")], [job("a"), on_host("b", HTTP)], [on_host("a", HTTP), job("b")]] {
        assert!(reported("port-conflict", &both.concat()).starts_with("warning: "), "{both:?}");
    }
}

/// Numbers known only from the catalogue or a probe are not certain, in either workload.
#[test]
fn a_number_that_is_not_certain_is_a_warning() {
    let probe = "readinessProbe: {httpGet: {port: 20080}}";
    for both in [[on_host("a", HTTP), on_host("b", probe)], [on_host("a", probe), on_host("b", HTTP)]] {
        assert!(reported("port-conflict", &both.concat()).starts_with("warning: "), "{both:?}");
    }
    // The API server defaults absent, null and 0 before it compares.
    for absent in ["", ", hostPort: null", ", hostPort: 0"] {
        let port = format!("ports: [{{containerPort: 20080{absent}}}]");
        let spec = format!("{{hostNetwork: true, containers: [{{name: a, {HTTP}}}, {{name: b, {port}}}]}}");
        let log = reported("port-conflict", &workload("Deployment", "web", &spec));
        assert!(log.starts_with("error: ") && log.contains("Duplicate value"), "{absent}: {log}");
        // In the pod network these ports have no host port.
        let pod = spec.replace("hostNetwork: true, ", "");
        assert_eq!(super::reported("port-conflict", &workload("Deployment", "web", &pod)), "", "{absent}");
    }
    // On the host network `hostIP` does not limit the address of the process.
    let loopback = HTTP.replace("20080}", "20080, hostIP: 127.0.0.1}");
    assert!(
        reported("port-conflict", &[on_host("a", HTTP), on_host("b", &loopback)].concat()).starts_with("warning: ")
    );
}

#[test]
fn jobs_come_before_and_after_others() {
    let job = workload("Job", "a", &super::host_spec(HTTP)).replace("apps/v1", "batch/v1");
    let set = workload("StatefulSet", "b", &super::host_spec(HTTP));
    assert!(reported("port-conflict", &[job, set].concat()).starts_with("warning: "));
}

/// Host ports on a common address conflict; ports in the pod network without a host port never do.
#[test]
fn addresses_and_the_pod_network() {
    let mapped = |name: &str, ip: &str| {
        let port = format!("ports: [{{containerPort: 1, hostPort: 20080, hostIP: '{ip}'}}]");
        workload("Deployment", name, &format!("{{containers: [{{name: web, {port}}}]}}"))
    };
    assert_ne!(reported("port-conflict", &[mapped("a", "10.0.0.1"), mapped("b", "10.0.0.1")].concat()), "");
    assert_eq!(reported("port-conflict", &[mapped("a", "10.0.0.1"), mapped("b", "10.0.0.2")].concat()), "");
    let listens = "{containers: [{name: web, args: ['--metrics-bind-address=:20080']}]}";
    assert_eq!(reported("port-conflict", &[on_host("a", HTTP), workload("Deployment", "b", listens)].concat()), "");
    // Two containers of a pod in the pod network.
    let two = |one: &str, other: &str| {
        let port =
            |ip: &str, number: u8| format!("ports: [{{containerPort: {number}, hostPort: 9999, hostIP: '{ip}'}}]");
        let spec = format!("{{containers: [{{name: a, {}}}, {{name: b, {}}}]}}", port(one, 1), port(other, 2));
        reported("port-conflict", &workload("Deployment", "web", &spec))
    };
    for (one, other) in [("10.0.0.1", ""), ("0.0.0.0", "10.0.0.1"), ("10.0.0.1", "0.0.0.0")] {
        assert!(two(one, other).starts_with("warning: "), "{one} {other}");
    }
    assert_eq!(two("::1", "0.0.0.0"), "");
}

/// An entry of `shared` applies only to its port and its workloads.
#[test]
fn workloads_outside_of_shared_conflict() {
    let shared = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: x}}], shared: [{port: 20080, between: [shop/Deployment/a, shop/Deployment/b]}]}}";
    let mut configs = Configs::default();
    configs.add(shared, "hostnet.yaml").unwrap();
    let count = |manifest: &str| {
        let report = report_of(&configs, &[("a.yaml", manifest)]);
        report.entries.iter().filter(|entry| entry.rule.id == "port-conflict").count()
    };
    assert_eq!(count(&["a", "b", "c"].map(|name| on_host(name, HTTP)).concat()), 1);
    let other = HTTP.replace("20080", "20081");
    assert_eq!(count(&["a", "b"].map(|name| on_host(name, &other)).concat()), 1);
}

fn affinity(term: &str) -> String {
    format!(
        "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{term}]}}}}}}"
    )
}

/// Node affinity by numbers and by node names.
#[test]
fn numbers_and_names_of_nodes_keep_two_apart() {
    let both = |a: &str, b: &str| reported("port-conflict", &[on_nodes("a", a), on_nodes("b", b)].concat());
    let than = |operator: &str, bound: u8| {
        affinity(&format!("{{matchExpressions: [{{key: n, operator: {operator}, values: ['{bound}']}}]}}"))
    };
    let named =
        |name: &str| affinity(&format!("{{matchFields: [{{key: metadata.name, operator: In, values: [{name}]}}]}}"));
    assert_eq!(both(&than("Gt", 5), &than("Lt", 6)), "");
    assert_ne!(both(&than("Gt", 5), &than("Lt", 7)), "");
    assert_eq!((both(&named("x"), &named("y")).as_str(), both(&named("x"), "nodeName: y").as_str()), ("", ""));
    assert_ne!(both(&named("x"), "nodeName: x"), "");
    let apart = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: app, operator: In, values: [b]}]}}]}}";
    assert_eq!(both(apart, "nodeSelector: {pool: x}"), "");
    assert_ne!(both(&apart.replace("[b]", "[c]"), "nodeSelector: {pool: x}"), "");
}

/// Workloads conflict only if some node may run both.
#[test]
fn nodes_that_are_known_keep_two_apart() {
    let node = |name: &str, labels: &str, spec: &str| {
        format!("apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{{labels}}}}}\nspec: {{{spec}}}\n---\n")
    };
    let pods = [on_nodes("a", "nodeSelector: {pool: x}"), on_nodes("b", "nodeSelector: {zone: y}")].concat();
    let with = |nodes: &[String]| reported("port-conflict", &[nodes.concat(), pods.clone()].concat());
    let apart = [node("n", "pool: x, zone: z", ""), node("m", "pool: w, zone: y", "")];
    assert_ne!(with(&[]), "");
    assert_eq!(with(&apart), "");
    assert_ne!(with(&[node("n", "pool: x, zone: y", "")]), "");
    // Taints keep pods away too; a cordoned node may be uncordoned soon.
    assert_eq!(with(&[node("n", "pool: x, zone: y", "taints: [{key: k, effect: NoSchedule}]")]), "");
    assert_ne!(with(&[node("n", "pool: x, zone: y", "unschedulable: true")]), "");
    // A pod with `nodeName` bypasses the scheduler.
    let bound = [on_nodes("a", "nodeName: n"), on_nodes("b", "tolerations: [{operator: Exists}]")].concat();
    let tainted = node("n", "", "taints: [{key: k, effect: NoSchedule}]");
    assert_ne!(reported("port-conflict", &[tainted, bound.clone()].concat()), "");
    // A pod with the name of another node shows that not all nodes are in the input.
    assert_ne!(reported("port-conflict", &[node("m", "", ""), bound].concat()), "");
    let groups = |other: &str| {
        format!(
            "{{nodes: [{{labels: {{pool: x, zone: {other}}}, count: 2}}, {{labels: {{pool: w, zone: y}}, count: 1}}]}}"
        )
    };
    assert_eq!(reported_with("port-conflict", &groups("z"), &pods), "");
    assert_ne!(reported_with("port-conflict", &groups("y"), &pods), "");
}

/// The scheduler treats two addresses as two ports; on the host network they do not limit the processes.
#[test]
fn two_addresses_are_a_warning_on_the_host_network() {
    let port = |ip: &str| format!("{{containerPort: 20080, hostPort: 20080, hostIP: '{ip}'}}");
    let on = |name: &str, ip: &str| on_host(name, &format!("ports: [{}]", port(ip)));
    assert_snapshot!(worded(reported("port-conflict", &[on("a", "127.0.0.1"), on("b", "10.0.0.1")].concat())), @"warning: a.yaml:15:125: Deployment shop/b, container web and Deployment shop/a, container web both use port 20080/TCP of their node: the scheduler may put both on one node, since their `hostIP` differ, but `hostIP` does not restrict a process on the host network: if one listens on all addresses, the second one fails with `bind: address already in use`. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 20080, between: [shop/Deployment/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`");
    let mapped =
        workload("Deployment", "b", &format!("{{containers: [{{name: web, ports: [{}]}}]}}", port("10.0.0.1")));
    assert_snapshot!(worded(reported("port-conflict", &[on("a", "127.0.0.1"), mapped].concat())), @"warning: a.yaml:15:45: Deployment shop/b, container web and Deployment shop/a, container web both use port 20080/TCP of their node: the scheduler may put both on one node, since their `hostIP` differ, but `hostIP` does not restrict a process on the host network: if that process listens on all addresses, only one of the two gets the connections. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 20080, between: [shop/Deployment/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`");
    for wide in ["", "0.0.0.0", "127.0.0.1"] {
        assert!(
            reported("port-conflict", &[on("a", "127.0.0.1"), on("b", wide)].concat())
                .contains("The scheduler keeps them"),
            "{wide}"
        );
    }
    // A workload on the same address is reported before a workload that only may use it.
    let three = [on("a", "10.0.0.1"), on("b", "127.0.0.1"), on("c", "127.0.0.1")].concat();
    assert!(
        reported("port-conflict", &three).contains("shop/b and Deployment shop/c take 20080/TCP"),
        "{}",
        reported("port-conflict", &three)
    );
    // A process may listen on two addresses; the process of another container may ignore its `hostIP`.
    let one = on_host("a", &format!("ports: [{}, {}]", port("::1"), port("127.0.0.1")));
    assert_eq!(reported("port-conflict", &one), "");
    let (first, second) = (port("::1"), port("127.0.0.1"));
    let two =
        format!("{{hostNetwork: true, containers: [{{name: a, ports: [{first}]}}, {{name: b, ports: [{second}]}}]}}");
    assert_snapshot!(worded(reported("port-conflict", &workload("Deployment", "web", &two))), @"warning: a.yaml:7:138: Deployment shop/web: 20080/TCP is declared twice, also in container b and in container a; on a node a number can be used once: their `hostIP` differ, which does not restrict a process: if one listens on all addresses, the second one to start fails with `bind: address already in use`. Give one of them another number");
}

/// A recorded number has the protocol of its workload, and TCP without the workload.
#[test]
fn a_recorded_number_of_another_protocol_is_free() {
    let recorded = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: x}}], portPool: 20000-20099, assigned: {shop/Deployment/a/http: 20001}}}";
    let mut configs = Configs::default();
    configs.add(recorded, "hostnet.yaml").unwrap();
    let count = |manifest: &str| {
        let report = report_of(&configs, &[("a.yaml", manifest)]);
        report.entries.iter().filter(|entry| entry.rule.id == "port-conflict").count()
    };
    let on = |name: &str, protocol: &str| {
        on_host(name, &format!("ports: [{{containerPort: 20001, hostPort: 20001, protocol: {protocol}}}]"))
    };
    assert_eq!((count(&on("b", "TCP")), count(&on("b", "UDP"))), (1, 0));
    // Two workloads with the same protocol also conflict with each other.
    assert_eq!(count(&[on("a", "UDP"), on("b", "UDP")].concat()), 2);
    assert_eq!(count(&[on("a", "UDP"), on("b", "TCP")].concat()), 0);
    assert_eq!(count(&on("b", "UDP").replace("20001", "20002")), 1);
}

/// A workload with 0 replicas may be scaled up.
#[test]
fn a_workload_without_replicas_is_a_warning() {
    let of = |kind: &str, name: &str, spec: &str| {
        on_host(name, HTTP)
            .replace("kind: Deployment", &format!("kind: {kind}"))
            .replace("spec:\n", &format!("spec:\n{spec}"))
    };
    let parked =
        |replicas: u8| [of("Deployment", "a", &format!("  replicas: {replicas}\n")), of("DaemonSet", "b", "")].concat();
    assert_snapshot!(worded(reported("port-conflict", &parked(0))), @"warning: a.yaml:8:125: Deployment shop/a, container web and DaemonSet shop/b, container web both use port 20080/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Deployment shop/a has no pods now (`replicas: 0`), but gets pods when it is scaled up. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 20080, between: [shop/DaemonSet/b, shop/Deployment/a]}]` in a HostNetwork that you give with `-c`");
    assert!(reported("port-conflict", &parked(1)).starts_with("error: "));
    // Known nodes do not hide the warning.
    assert!(reported_with("port-conflict", "{nodes: 3}", &parked(0)).starts_with("warning: "));
}

/// The scheduler keeps them apart, and one of them has no pods.
#[test]
fn a_workload_without_pods_needs_no_node() {
    let of = |name: &str, replicas: u8| {
        let manifest = on_host(name, super::PORT);
        manifest.replace("\nspec:", &format!("\nspec:\n  strategy: {{type: Recreate}}\n  replicas: {replicas}"))
    };
    let with = |config: &str, one: u8, other: u8| {
        reported_with("port-conflict", config, &[of("a", one), of("b", other)].concat())
    };
    for config in ["{}", "{nodes: 1}", "{nodes: 3}"] {
        assert_eq!((with(config, 0, 1), with(config, 1, 0), with(config, 0, 0)), Default::default(), "{config}");
        assert_ne!(with(config, 1, 1), "", "{config}");
    }
}

/// The API server allocates a node port once.
#[test]
fn services_with_one_node_port() {
    let service = |name: &str, kind: &str, rest: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{type: {kind}, selector: {{app: {name}}}, {rest}}}\n---\n"
        )
    };
    let port =
        |name: &str, rest: &str| service(name, "NodePort", &format!("ports: [{{port: 80, nodePort: 30001{rest}}}]"));
    assert_snapshot!(worded(reported("port-conflict", &[port("a", ""), port("b", "")].concat())), @"error: a.yaml:9:73: Service shop/a and Service shop/b both have the node port 30001: the API server refuses the second one with `provided port is already allocated`. Give one of the two another number, or remove it: the API server then chooses a free one");
    // The protocol does not matter, and health check ports count too.
    assert_ne!(reported("port-conflict", &[port("a", ""), port("b", ", protocol: UDP")].concat()), "");
    let local = "externalTrafficPolicy: Local, healthCheckNodePort: 30001, ports: [{port: 80, nodePort: 30002}]";
    assert_ne!(reported("port-conflict", &[port("a", ""), service("b", "LoadBalancer", local)].concat()), "");
    assert_eq!(reported("port-conflict", &[port("a", ""), port("b", ""), port("c", "")].concat()).lines().count(), 2);
    let twice = |first: &str, second: &str| {
        let ports = format!("ports: [{{name: x, nodePort: 30001, {first}}}, {{name: y, nodePort: 30001, {second}}}]");
        reported("port-conflict", &service("a", "NodePort", &ports))
    };
    assert!(twice("port: 80", "port: 81").contains("Duplicate value"));
    assert!(twice("port: 53", "port: 54, protocol: UDP").contains("already allocated"));
    assert_eq!(twice("port: 53", "port: 53, protocol: UDP"), "");
    let none = [
        [port("a", ""), service("b", "NodePort", "ports: [{port: 80, nodePort: 30002}]")],
        [port("a", ""), service("b", "NodePort", "ports: [{port: 80}]")],
        [port("a", ""), service("b", "ClusterIP", "ports: [{port: 80, nodePort: 30001}]")],
        [port("a", ""), port("a", "").replace(", namespace: shop", "")],
    ];
    for near in none {
        assert_eq!(reported("port-conflict", &near.concat()), "");
    }
}

#[test]
fn services_of_alternative_files_may_have_one_node_port() {
    let service = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{type: NodePort, ports: [{{port: 80, nodePort: 30001}}]}}\n---\n"
        )
    };
    let cluster = |name: &str, image: &str| {
        [service(name), workload("Deployment", "web", &format!("{{containers: [{{name: a, image: {image}}}]}}"))]
            .concat()
    };
    let (one, two) = (cluster("a", "x"), cluster("b", "y"));
    let report = report_of(&Configs::default(), &[("a.yaml", &one), ("b.yaml", &two)]);
    assert!(report.entries.iter().all(|entry| entry.rule.id != "port-conflict"));
}
