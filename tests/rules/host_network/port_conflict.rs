//! Rule `port-conflict`: listeners of different workloads with one number on the host network.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::{ALL, changes, deployment, deployment_named, numbers, run, stream};

const KEEP: &str = "{targets: [{select: {name: .*}}]}";

const WEB: &str = "{targets: [{select: {name: web}}]}";

const NONE: &str = "{targets: [{select: {name: nobody}}], unmatched: Ignore}";

/// `DaemonSets`, whose pods no rule keeps on different nodes.
fn daemons(objects: impl IntoIterator<Item = String>) -> String {
    stream(objects).replace("kind: Deployment", "kind: DaemonSet")
}

/// `deployment_named` with this field in the pod spec.
fn with(name: &str, pod: &str) -> String {
    deployment_named(name, 8000, false)
        .replace("    spec:\n      containers", &format!("    spec:\n      {pod}\n      containers"))
}

fn on_host(name: &str) -> String {
    with(name, "hostNetwork: true")
}

fn conflict(spec: &str, one: &str, other: &str) -> bool {
    run(spec, &format!("{one}---\n{other}")).1.iter().any(|line| line.contains("[port-conflict]"))
}

#[test]
fn two_selected_workloads_on_one_port_are_an_error() {
    assert_snapshot!(worded(changes(KEEP, &daemons([deployment_named("web", 8000, false), deployment_named("api", 8000, false)]))), @"error: standard input:10:29: DaemonSet shop/web, container web, port http (8000) and DaemonSet shop/api, container web, port http (8000) both use port 8000/TCP of their node: the second one could not start. Give one of the two another number in `ports`. If they never share a node, write `shared: [{port: 8000, between: [shop/DaemonSet/web, shop/DaemonSet/api]}]` in the spec [port-conflict]");
}

#[test]
fn a_selected_workload_and_a_holder_of_the_port_are_an_error() {
    assert_snapshot!(brief(changes(WEB, &daemons([deployment_named("web", 8000, false), on_host("api")]))), @"error: port-conflict DaemonSet shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000, 8000/TCP, DaemonSet shop/api)");
    let host_port = deployment_named("api", 8080, false).replace("8080}", "8080, hostPort: 8000}");
    assert_snapshot!(brief(changes(WEB, &daemons([deployment_named("web", 8000, false), host_port]))), @"error: port-conflict DaemonSet shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000, 8000/TCP, DaemonSet shop/api)");
    assert!(
        !conflict(WEB, &deployment_named("web", 8000, false), &deployment_named("api", 8000, false)),
        "the pod network has ports of its own"
    );
}

#[test]
fn two_unselected_workloads_are_a_warning() {
    assert_snapshot!(worded(changes(NONE, &daemons([on_host("web"), on_host("api")]))), @"warning: standard input:23:29: DaemonSet shop/web, container web and DaemonSet shop/api, container web both use port 8000/TCP of their node; no target matches them. If they never share a node, write `shared: [{port: 8000, between: [shop/DaemonSet/web, shop/DaemonSet/api]}]` in the spec [port-conflict]");
}

#[test]
fn protocols_do_not_conflict() {
    let udp = on_host("api").replace("8000}", "8000, protocol: UDP}");
    assert!(!conflict(KEEP, &on_host("web"), &udp));
}

#[test]
fn two_workloads_without_a_setting_are_unchanged_under_auto() {
    let objects = [
        deployment_named("web", 8000, false),
        deployment_named("api", 8000, false),
        deployment_named("mail", 8000, true),
    ];
    assert_snapshot!(brief(changes(ALL, &daemons(objects))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=8000], ports: [{name: http, containerPort: 8000}]}
    +      - {name: web, args: [--port=29529], ports: [{name: http, containerPort: 29529, hostPort: 29529}]}
    warning: port-conflict DaemonSet shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000, 8000/TCP, DaemonSet shop/api)
    ");
}

/// All workloads with one port are a single cause; another port is another cause.
#[test]
fn workloads_that_cannot_move_from_one_port_are_reported_once() {
    let fixed = |name: &str, number: u16| deployment_named(name, number, false);
    let objects = [fixed("a", 8000), fixed("b", 8000), fixed("c", 8000), fixed("d", 9000), fixed("e", 9000)];
    assert_snapshot!(brief(changes(ALL, &daemons(objects))), @"
    warning: port-conflict DaemonSet shop/a spec.template.spec.containers[0].ports[0] (10:29, 8000, 8000/TCP, DaemonSet shop/b, DaemonSet shop/c)
    warning: port-conflict DaemonSet shop/d spec.template.spec.containers[0].ports[0] (43:29, 9000, 9000/TCP, DaemonSet shop/e)
    ");
    // Two workloads that never share a node still both block a third one.
    let on = |name: &str, pool: &str| {
        fixed(name, 8000).replace("containers:", &format!("nodeSelector: {{pool: {pool}}}\n      containers:"))
    };
    assert_snapshot!(worded(changes(ALL, &daemons([on("a", "x"), on("b", "y"), fixed("c", 8000)]))), @"warning: standard input:11:29: DaemonSet shop/a, DaemonSet shop/b and DaemonSet shop/c are all on 8000/TCP of their node, and none of them can get another number: all these workloads are not changed. Give their numbers with `bind`. Or put all but one of them under `exclude`. If they never share a node, write `shared: [{port: 8000, between: [shop/DaemonSet/a, shop/DaemonSet/b, shop/DaemonSet/c]}]` in the spec [port-conflict]");
    assert_snapshot!(brief(changes(ALL, &daemons([on("a", "x"), on("b", "y")]))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, ports: [{name: http, containerPort: 8000}]}
    +      - {name: web, ports: [{name: http, containerPort: 8000, hostPort: 8000}]}
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, ports: [{name: http, containerPort: 8000}]}
    +      - {name: web, ports: [{name: http, containerPort: 8000, hostPort: 8000}]}
    warning: port-setting DaemonSet shop/a spec.template.spec.containers[0].ports[0] (11:29, 8000)
    warning: port-setting DaemonSet shop/b spec.template.spec.containers[0].ports[0] (23:29, 8000)
    ");
}

#[test]
fn the_reason_of_two_unchanged_workloads_is_reported() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: both, namespace: shop}\nspec: {selector: {tier: front}, ports: [{port: 80, targetPort: 8000}]}\n";
    let front = |name: &str| deployment_named(name, 8000, true).replace("labels: {", "labels: {tier: front, ");
    let unnamed = |name: &str| front(name).replace("name: http, ", "");
    let both = |one: String, other: String| numbers(ALL, &daemons([one, other, service.to_owned()]));
    assert_snapshot!(worded(both(unnamed("web"), unnamed("api"))), @"warning: standard input:10:50: DaemonSet shop/web, container web, port 8000 and DaemonSet shop/api, container web, port 8000 are both on 8000/TCP of their node, and neither can move: both workloads are not changed. DaemonSet shop/web, container web, port 8000: cannot move to 23470: Service shop/both targets DaemonSet shop/web, DaemonSet shop/api by the number 8000, and not all of them move to 23470. Only a port name can resolve to different numbers: give the port the same name in each of them, as in `{name: http, containerPort: 8000}`. Or put one of them under `exclude`. If they never share a node, write `shared: [{port: 8000, between: [shop/DaemonSet/web, shop/DaemonSet/api]}]` in the spec [port-conflict]");
    // The remedy of the message is sufficient.
    assert_snapshot!(both(front("web"), front("api")), @"
    shop/DaemonSet/api/http 8000 -> 21458 Pool
    shop/DaemonSet/web/http 8000 -> 27100 Pool
    ");
    let untold =
        deployment_named("api", 8000, false).replace("name: http, ", "").replace("labels: {", "labels: {tier: front, ");
    assert_snapshot!(brief(both(unnamed("web"), untold)), @"warning: port-conflict DaemonSet shop/web spec.template.spec.containers[0].ports[0] (10:50, 23470, 8000, 8000/TCP, DaemonSet shop/api, Service shop/both)");
}

#[test]
fn unchanged_workloads_are_reported_once() {
    // The workloads already are on the host network.
    assert_snapshot!(brief(changes(ALL, &daemons([on_host("web"), on_host("api")]))), @"warning: port-conflict DaemonSet shop/web spec.template.spec.containers[0].ports[0] (11:29, 8000, 8000/TCP, DaemonSet shop/api)");
    // A conflict with the other port of an unchanged workload is not reported.
    let two =
        |name: &str| deployment_named(name, 8000, false).replace("8000}]", "8000}, {name: x, containerPort: 8001}]");
    let other = on_host("old").replace("8000", "8001");
    let spec = "{targets: [{select: {name: web|api}, ports: auto}]}";
    assert_snapshot!(brief(changes(spec, &daemons([two("web"), deployment_named("api", 8000, false), other]))), @"warning: port-conflict DaemonSet shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000, 8000/TCP, DaemonSet shop/api)");
}

#[test]
fn unchanged_workloads_conflict_with_others() {
    let spec = "{targets: [{select: {name: mail}}, {select: {name: .*}, ports: auto}]}";
    let all = [on_host("web"), on_host("api"), deployment_named("mail", 8000, false)];
    assert_snapshot!(worded(changes(spec, &daemons(all))), @r#"
    error: standard input:34:29: DaemonSet shop/mail, container web, port http (8000) and DaemonSet shop/web, container web both use port 8000/TCP of their node: the second one could not start. Give one of the two another number in `ports`. If they never share a node, write `shared: [{port: 8000, between: [shop/DaemonSet/mail, shop/DaemonSet/web]}]` in the spec [port-conflict]
    warning: standard input:23:29: DaemonSet shop/api, container web, port http (8000) and DaemonSet shop/mail, container web, port http (8000) both use port 8000/TCP of their node, and the first one cannot get another number: DaemonSet shop/api is not changed. The target of DaemonSet shop/api matches other workloads too: write before it a new target `- {select: {kind: DaemonSet, namespace: shop, name: api}, ports: auto}`. If you know the variable, add to the new target `bind: [{container: web, port: http, number: 8000, env: NAME_8000}]`, with `value: ":{port}"` for an address. Or put it under `exclude`. If they never share a node, write `shared: [{port: 8000, between: [shop/DaemonSet/api, shop/DaemonSet/mail]}]` in the spec [port-conflict]
    warning: standard input:11:29: DaemonSet shop/web, container web, port http (8000) and DaemonSet shop/api, container web, port http (8000) are both on 8000/TCP of their node, and neither can get another number: both workloads are not changed. The target of DaemonSet shop/web matches other workloads too: write before it a new target `- {select: {kind: DaemonSet, namespace: shop, name: web}, ports: auto}`. If you know the variable, add to the new target `bind: [{container: web, port: http, number: 8000, env: NAME_8000}]`, with `value: ":{port}"` for an address. Or put one of them under `exclude`. If they never share a node, write `shared: [{port: 8000, between: [shop/DaemonSet/web, shop/DaemonSet/api]}]` in the spec [port-conflict]
    "#);
}

#[test]
fn a_fixed_and_a_moved_workload_do_not_conflict() {
    assert_snapshot!(brief(numbers(ALL, &stream([deployment_named("web", 8000, false), deployment_named("api", 8000, true)]))), @r#"
    shop/Deployment/api/http 8000 -> 26587 Pool
    shop/Deployment/web/http 8000
    warning: port-setting Deployment shop/web spec.template.spec.containers[0].ports[0] (10:29, 8000)
    "#);
}

#[test]
fn pods_that_never_share_a_node_have_no_conflict() {
    let affinity = |operator: &str| {
        format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: \
             [{{matchExpressions: [{{key: pool, operator: {operator}, values: [edge]}}]}}]}}}}}}"
        )
    };
    let away = |more: &str| {
        format!(
            "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: \
             kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: api}}}}{more}}}]}}}}"
        )
    };
    for (one, other, apart) in [
        ("nodeName: a".to_owned(), "nodeName: b".to_owned(), true),
        ("nodeName: a".to_owned(), "nodeName: a".to_owned(), false),
        ("nodeSelector: {pool: a}".to_owned(), "nodeSelector: {pool: b}".to_owned(), true),
        ("nodeSelector: {pool: a}".to_owned(), "nodeSelector: {zone: b}".to_owned(), false),
        (affinity("In"), affinity("NotIn"), true),
        (affinity("In"), affinity("In"), false),
        (affinity("In"), "nodeSelector: {pool: web}".to_owned(), true),
        (away(""), "restartPolicy: Always".to_owned(), true),
        // Anti-affinity for pods of other namespaces, or for only some pods, does not keep them apart.
        (away(", namespaces: [elsewhere]"), "restartPolicy: Always".to_owned(), false),
        (away(", matchLabelKeys: [pod-template-hash]"), "restartPolicy: Always".to_owned(), false),
    ] {
        assert_eq!(conflict(KEEP, &with("web", &one), &with("api", &other)), !apart, "{one} {other}");
        // The result is the same for a workload that no target selects.
        let there = with("api", &format!("hostNetwork: true\n      {other}"));
        assert_eq!(conflict(WEB, &with("web", &one), &there), !apart, "{one} {other}");
    }
}

#[test]
fn shared_ports_have_no_conflict() {
    let shared = |between: &str| {
        format!("{{targets: [{{select: {{name: .*}}}}], shared: [{{port: 8000, between: [{between}]}}]}}")
    };
    let (web, api) = (deployment_named("web", 8000, false), deployment_named("api", 8000, false));
    assert!(!conflict(&shared("shop/Deployment/web, shop/Deployment/api"), &web, &api));
    assert!(conflict(&shared("shop/Deployment/web, shop/Deployment/mail"), &web, &api));
    assert!(conflict(&shared("shop/Deployment/web, shop/Deployment/api").replace("8000", "8001"), &web, &api));
}

/// A dump of a cluster contains a Deployment, its `ReplicaSet` and its Pods.
#[test]
fn pods_and_replica_sets_count_as_their_owner() {
    let owner = |api: &str, kind: &str, name: &str| {
        format!("ownerReferences: [{{apiVersion: {api}, kind: {kind}, name: {name}, controller: true, uid: x}}]")
    };
    let deployment = on_host("web");
    let set = on_host("web").replace(
        "kind: Deployment\nmetadata: {name: web, ",
        &format!("kind: ReplicaSet\nmetadata: {{name: web-6d4b75cb6d, {}, ", owner("apps/v1", "Deployment", "web")),
    );
    assert!(set.contains("ReplicaSet"));
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, labels: {{app: web, pod-template-hash: 6d4b75cb6d}}, {}}}\nspec: {{hostNetwork: true, containers: [{{name: web, ports: [{{containerPort: 8000}}]}}]}}\n",
            owner("apps/v1", "ReplicaSet", "web-6d4b75cb6d"),
        )
    };
    let select = "{targets: [{select: {kind: Deployment}}]}";
    assert_snapshot!(numbers(select, &stream([deployment.clone(), set.clone(), pod("web-1"), pod("web-2")])), @"shop/Deployment/web/http 8000");
    // `kubectl get deploy,pods` does not return the ReplicaSet.
    assert_snapshot!(numbers(select, &stream([deployment.clone(), pod("web-1"), pod("web-2")])), @"shop/Deployment/web/http 8000");
    // The owner of a ReplicaSet need not be a Deployment, and a similar name does not make an owner.
    let rollout = deployment.replace("apps/v1\nkind: Deployment", "argoproj.io/v1alpha1\nkind: Rollout");
    let of_rollout = set.replace("apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout");
    let select = "{templates: [{group: argoproj.io, kind: Rollout, path: spec.template}], targets: [{select: {kind: Rollout|Deployment}}]}";
    assert_snapshot!(numbers(select, &stream([rollout, of_rollout, pod("web-1")])), @"shop/argoproj.io/Rollout/web/http 8000");
    // A ReplicaSet without an owner is a workload, and its Pods belong to it.
    let alone = set.replace(&format!(", {}", owner("apps/v1", "Deployment", "web")), "");
    assert!(!alone.contains("ownerReferences"));
    let of_set = "{targets: [{select: {kind: ReplicaSet}}]}";
    assert_snapshot!(numbers(of_set, &stream([alone, pod("web-1")])), @"shop/ReplicaSet/web-6d4b75cb6d/http 8000");
    for (old, new) in [("kind: ReplicaSet", "kind: StatefulSet"), ("apiVersion: apps/v1", "apiVersion: example.org/v1")]
    {
        let log = numbers(select, &stream([deployment.clone(), pod("web-1").replace(old, new)]));
        assert!(log.contains("[port-conflict]"), "{new}: {log}");
    }
    // Pods of another workload conflict.
    let other = pod("api-1").replace("web-6d4b75cb6d", "api-6d4b75cb6d");
    assert_snapshot!(worded(numbers(select, &stream([deployment, other]))), @"
    shop/Deployment/web/http 8000
    warning: standard input:11:29: Pod shop/api-1 and Deployment shop/web hold 8000/TCP of their node. The scheduler keeps them on different nodes: 2 pods need at least 2 nodes; a rollout that starts new pods first needs one more, and 3 if all workloads roll out at the same time. To accept this, write `shared: [{port: 8000, between: [shop/Deployment/api, shop/Deployment/web]}]` in the spec [port-conflict]
    ");
}

/// A process on the host network holds its port with or without an entry in `ports`.
#[test]
fn an_undeclared_port_on_the_host_network_is_held() {
    let silent = |name: &str| {
        let args = "args: [--listen=0.0.0.0:20080]";
        on_host(name).replace("ports: [{name: http, containerPort: 8000}]", args)
    };
    let spec = "{targets: [{select: {name: web}, ports: {http: 20080}}]}";
    assert_snapshot!(brief(changes(spec, &daemons([deployment_named("web", 8080, true), silent("api")]))), @"error: port-conflict DaemonSet shop/web spec.template.spec.containers[0].ports[0] (10:50, 20080, 20080/TCP, 8080, DaemonSet shop/api)");
    let pod_network = silent("api").replace("hostNetwork: true", "hostNetwork: false");
    assert!(!conflict(spec, &deployment_named("web", 8080, true), &pod_network));
    let auto = "{targets: [{select: {name: web}, ports: auto}], portPool: 20080-20081}";
    assert_snapshot!(numbers(auto, &stream([deployment_named("web", 8080, true), silent("api")])), @"shop/Deployment/web/http 8080 -> 20081 Pool");
    assert_snapshot!(brief(changes(NONE, &daemons([silent("api"), silent("web")]))), @"warning: port-conflict DaemonSet shop/web spec.template.spec.containers[0] (23:9, 20080, 20080/TCP, DaemonSet shop/api)");
}

/// Two containers of a pod have one number, which cannot be changed: a broad select leaves the workload unchanged, and
/// the others move.
#[test]
fn a_pod_with_a_duplicate_port_is_left_by_a_broad_select() {
    let twice = deployment(
        "      - {name: a, image: a.example/a:1, ports: [{name: a, containerPort: 8125, protocol: UDP}]}\n      - {name: b, image: a.example/b:1, ports: [{name: b, containerPort: 8125, protocol: UDP}]}\n",
    );
    let both = stream([twice.clone(), deployment_named("api", 9090, true)]);
    assert_snapshot!(worded(changes(ALL, &both)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -      - {name: web, args: [--port=9090], ports: [{name: http, containerPort: 9090}]}
    +      - {name: web, args: [--port=26587], ports: [{name: http, containerPort: 26587, hostPort: 26587}]}
    warning: standard input:11:49: Deployment shop/web, container a, port a (8125) and Deployment shop/web, container b, port b (8125) both get port 8125/UDP; on the host network a port number can be used only once per node. Give one of them another number in `ports`. The workload is not changed [port-conflict]
    ");
    // As the only workload it is an error.
    assert!(changes(ALL, &twice).starts_with("error: "), "{}", changes(ALL, &twice));
}

/// Two runs of a `CronJob` are two pods with one port.
#[test]
fn runs_that_may_overlap_are_named() {
    let cron = |policy: &str| {
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: web, namespace: shop}}\nspec:\n  schedule: '* * * * *'\n{policy}  jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: Never\n          containers:\n          - {{name: web, args: [--port=8000], ports: [{{name: http, containerPort: 8000}}]}}\n"
        )
    };
    assert_snapshot!(worded(run(WEB, &cron("")).1.join("\n")), @"warning: standard input:12:54: CronJob shop/web: `concurrencyPolicy` allows two runs at the same time, and on one node both need port 8000/TCP: the second one stays Pending. Write `concurrencyPolicy: Forbid` [port-conflict]");
    assert_eq!(run(WEB, &cron("  concurrencyPolicy: Forbid\n")).1, Vec::<String>::new());
}

/// The API server refuses pods on the host network that declare a number twice, whether or not a target selects them.
#[test]
fn a_pod_on_the_host_network_with_a_port_twice_is_an_error() {
    let port = "{name: http, containerPort: 8000}";
    let twice =
        |more: &str| on_host("api").replace(port, &format!("{port}, {{name: again, containerPort: 8000{more}}}"));
    let reported = |spec: &str, more: &str| worded(run(spec, &twice(more)).1.join("\n"));
    assert_eq!(
        reported(NONE, ""),
        "error: standard input:11:64: Deployment shop/api is on the host network, and has 8000/TCP twice: in container web as http and in \
         container web as again. The API server refuses its pods: `spec.template.spec.containers[0].ports[1].hostPort: Duplicate value: \
         \"TCP//8000\"`. Declare the port once, or put the workload under `exclude` [port-conflict]"
    );
    // A broad select skips workloads that cannot move, but still reports this error.
    let broad = "{targets: [{select: {kind: Deployment}, ports: auto}]}";
    let both = stream([twice(""), deployment_named("web", 9000, true)]);
    assert!(run(broad, &both).1.iter().any(|line| line.starts_with("error") && line.contains("Duplicate value")));
    // Similar pods: another protocol, another address, the pod network, and an excluded workload.
    for more in [", protocol: UDP", ", hostIP: 10.0.0.1"] {
        assert_eq!(reported(NONE, more), "", "{more}");
    }
    assert!(run(NONE, &twice("").replace("hostNetwork: true", "hostNetwork: false")).1.is_empty());
    let excluded = "{targets: [{select: {name: nobody}}], unmatched: Ignore, exclude: [{name: api}]}";
    assert_eq!(reported(excluded, ""), "");
}
