//! Workloads that declare the same number: the scheduler keeps their pods apart, as long as there are nodes.

use super::{changes, deployment_named, run, stream};
use crate::support::results::worded;
use hostnet::kinds::check::Configs;

use crate::check::report_of;

/// An operator without a setting for its port.
fn operator(name: &str) -> String {
    deployment_named(name, 9443, false)
}

/// Names of the workloads that move, and the messages of `port-conflict` with severities.
fn moved(spec: &str, manifests: &[String]) -> (Vec<String>, Vec<String>) {
    let (output, log) = run(spec, &stream(manifests.to_vec()));
    let moved = output.split("\n---\n").filter(|object| object.contains("hostNetwork: true"));
    let name = |object: &str| {
        object.split_once("name: ").and_then(|(_, rest)| rest.split([',', '\n']).next()).map(str::to_owned)
    };
    let log = log.into_iter().filter(|line| line.contains("[port-conflict]")).collect();
    (moved.filter_map(name).collect(), log)
}

fn auto(more: &str) -> String {
    format!("{{targets: [{{select: {{name: .*}}, ports: auto}}]{more}}}")
}

fn operators(count: usize) -> Vec<String> {
    ["a", "b", "c", "d", "e"].iter().take(count).map(|name| operator(name)).collect()
}

#[test]
fn three_pods_of_one_number_move_if_nodes_are_unknown() {
    let (names, log) = moved(&auto(""), &operators(3));
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(
        log.iter().map(worded).collect::<Vec<_>>(),
        [
            "warning: standard input:10:29: Deployment shop/a, Deployment shop/b and Deployment shop/c hold 9443/TCP of their node. The \
             scheduler keeps them on different nodes: 3 pods need at least 3 nodes; a rollout that starts new pods first needs one more, and 6 \
             if all workloads roll out at the same time. To accept this, write `shared: [{port: 9443, between: [shop/Deployment/a, \
             shop/Deployment/b, shop/Deployment/c]}]` in the spec [port-conflict]"
        ]
    );
    let shared = "shared: [{port: 9443, between: [shop/Deployment/a, shop/Deployment/b, shop/Deployment/c]}]";
    let (names, log) = moved(&auto(&format!(", {shared}")), &operators(3));
    assert_eq!((names.len(), log.len()), (3, 0), "{log:?}");
    // `shared` adds no nodes.
    let (names, log) = moved(&auto(&format!(", nodes: 3, {shared}")), &operators(3));
    assert_eq!((names.len(), log.len()), (3, 0), "{log:?}");
    let (names, log) = moved(&auto(&format!(", nodes: 2, {shared}")), &operators(3));
    assert_eq!(names, ["a", "b"]);
    assert!(log.iter().any(|line| line.contains("Deployment shop/c is not changed")), "{log:?}");
    // Without a surge, one node per pod is enough.
    let (_, log) = moved(&auto(", rollout: FreePortFirst"), &operators(3));
    assert!(log[0].contains("3 pods need at least 3 nodes. "), "{log:?}");
    // A second run changes nothing.
    assert!(changes(&auto(""), &stream(operators(3))).contains("hostPort: 9443"));
}

#[test]
fn a_fourth_waits_for_the_number_of_nodes() {
    let (names, log) = moved(&auto(""), &operators(4));
    assert_eq!(names, ["a", "b", "c"]);
    let left: Vec<&String> = log.iter().filter(|line| line.contains("is not changed")).collect();
    assert_eq!(left.len(), 1, "{log:?}");
    assert!(left[0].starts_with("warning: ") && left[0].contains("Deployment shop/d is not changed"), "{left:?}");
    assert!(left[0].contains("4 workloads would use 9443/TCP") && left[0].contains("`nodes: 4`"), "{left:?}");
    // The line in the message is the only change needed.
    let (names, log) = moved(&auto(", nodes: 4"), &operators(4));
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!(log.len(), 1, "{log:?}");
}

/// `apply` counts the pods that `check` counts in its output: those of an autoscaler too.
#[test]
fn the_minimum_of_an_autoscaler_needs_as_many_nodes() {
    let scaler =
        |object: &str| [operators(2), vec![format!("{object}\nmetadata: {{name: a, namespace: shop}}\n")]].concat();
    let resource = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nspec: {minReplicas: 3, maxReplicas: 8, scaleTargetRef: {kind: Deployment, name: a}}";
    let keda =
        "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nspec: {minReplicaCount: 3, scaleTargetRef: {name: a}}";
    for object in [resource, keda] {
        let manifests = scaler(object);
        let (names, log) = moved(&auto(", nodes: 3, rollout: FreePortFirst"), &manifests);
        assert_eq!(names.len(), 1, "{log:?}");
        assert!(log[0].contains("4 pods need at least 4 nodes"), "{log:?}");
        let (names, log) = moved(&auto(", nodes: 4, rollout: FreePortFirst"), &manifests);
        assert_eq!(names, ["a", "b"], "{log:?}");
        assert!(log[0].contains("4 pods need at least 4 nodes"), "{log:?}");
        let (output, _) = run(&auto(", nodes: 3, rollout: FreePortFirst"), &stream(manifests));
        let spec = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nmetadata: {name: c}\nspec: {nodes: 3}\n";
        let mut configs = Configs::default();
        configs.add(spec, "c.yaml").unwrap();
        let report = report_of(&configs, &[("a.yaml", &output)]);
        assert_eq!(report.count(hostnet::rule::Severity::Error), 0, "{object}");
    }
}

/// Copies of a workload in several renders have a single attempt and a single message.
#[test]
fn copies_of_a_waiting_workload_are_left_too() {
    let mut copies = operators(3);
    copies.extend([operator("d"), operator("d"), operator("d")]);
    let (names, log) = moved(&auto(""), &copies);
    assert_eq!(names, [""; 0], "copies are an error");
    let left: Vec<&String> = log.iter().filter(|line| line.contains("not changed")).collect();
    assert_eq!(left.len(), 1, "{log:?}");
    assert!(left[0].contains("Deployment shop/d is not changed"), "{left:?}");
    // A workload with another name waits too, and the message names both.
    copies.push(operator("e"));
    let (_, log) = moved(&auto(""), &copies);
    let left: Vec<&String> = log.iter().filter(|line| line.contains("not changed")).collect();
    assert_eq!(left.len(), 1, "{log:?}");
    assert!(left[0].contains("Deployment shop/d and Deployment shop/e are not changed"), "{left:?}");
}

#[test]
fn as_many_as_there_are_nodes_move_by_key() {
    let (names, log) = moved(&auto(", nodes: 2"), &operators(3));
    assert_eq!(names, ["a", "b"]);
    let left = log.iter().find(|line| line.contains("not changed")).unwrap();
    assert!(
        left.contains("Deployment shop/c is not changed") && left.contains("the cluster has 2 eligible nodes"),
        "{left}"
    );
    // On one node only one pod fits.
    assert_eq!(moved(&auto(", nodes: 1"), &operators(2)).0, ["a"]);
    // Replicas count.
    let two = operator("b").replacen("spec:\n  ", "spec:\n  replicas: 2\n  ", 1);
    assert_eq!(moved(&auto(", nodes: 2"), &[operator("a"), two.clone()]).0, ["a"]);
    assert_eq!(moved(&auto(", nodes: 3"), &[operator("a"), two]).0, ["a", "b"]);
    // Workloads that already have the number come first, whatever their names.
    let (output, _) = run(&auto(", nodes: 2"), &stream([operator("c"), operator("d")]));
    let (names, log) = moved(&auto(", nodes: 2"), &[operator("a"), output]);
    assert_eq!(names, ["c", "d"]);
    assert!(log.iter().any(|line| line.contains("Deployment shop/a is not changed")), "{log:?}");
}

#[test]
fn nodes_of_the_input_count_by_their_labels() {
    let node = |name: &str, pool: &str| {
        format!("apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{pool: {pool}}}}}\n")
    };
    let on = |name: &str| operator(name).replace("containers:", "nodeSelector: {pool: x}\n      containers:");
    let nodes = [node("one", "x"), node("two", "y"), node("three", "y")];
    let all = |workloads: Vec<String>| [workloads, nodes.to_vec()].concat();
    assert_eq!(moved(&auto(""), &all(vec![on("a"), operator("b"), operator("c")])).0, ["a", "b", "c"]);
    assert_eq!(moved(&auto(""), &all(vec![on("a"), on("b"), operator("c")])).0, ["a", "c"]);
    assert_eq!(moved(&auto(""), &all(operators(4))).0, ["a", "b", "c"]);
}

#[test]
fn a_workload_that_the_config_names_is_an_error() {
    let named = "{targets: [{select: {name: c}, ports: auto}, {select: {name: .*}, ports: auto}], nodes: 2}";
    // The named workload gets a node, and another one waits.
    assert_eq!(moved(named, &operators(3)).0, ["a", "c"]);
    let both = "{targets: [{select: {name: a}, ports: auto}, {select: {name: b}, ports: auto}], nodes: 1}";
    let (moving, log) = moved(both, &operators(2));
    assert_eq!(moving, [""; 0]);
    assert!(
        log.iter().any(|line| line.starts_with("error: ") && line.contains("no node is left for Deployment shop/b")),
        "{log:?}"
    );
    let numbers = "{targets: [{select: {name: a}, ports: {http: 20443}}], nodes: 1}";
    let web = super::deployment_named("a", 9443, true);
    let holder = super::deployment_named("b", 20443, false)
        .replace("      containers:", "      hostNetwork: true\n      containers:");
    let (_, log) = moved(numbers, &[web.clone(), holder.clone()]);
    assert!(log[0].starts_with("error: ") && log[0].contains("no node is left for Deployment shop/a"), "{log:?}");
    let (moving, log) = moved(&numbers.replace("nodes: 1", "nodes: 2"), &[web, holder]);
    assert_eq!(moving, ["a", "b"]);
    assert!(log.len() == 1 && log[0].starts_with("warning: "), "{log:?}");
}

/// A workload under `auto` that cannot move does not stop the others.
#[test]
fn an_error_of_one_workload_leaves_the_others_alone() {
    // The port has no setting, and 10250 is the port of the kubelet.
    let odd = super::deployment_named("odd", 10250, false);
    let (output, log) = run(&auto(""), &stream([odd.clone(), super::deployment_named("web", 8000, true)]));
    assert_eq!(output.matches("hostNetwork: true").count(), 1, "{output}");
    let own: Vec<&String> = log.iter().filter(|line| line.contains("shop/odd")).collect();
    let is_left = |line: &String| line.starts_with("warning: ") && line.contains("The workload is not changed");
    assert!(own.len() == 1 && is_left(own[0]), "{log:?}");
    // A workload that a select names is an error, and so is a single workload.
    let named = "{targets: [{select: {name: odd}, ports: auto}, {select: {name: .*}, ports: auto}]}";
    let (_, log) = run(named, &stream([odd.clone(), super::deployment_named("web", 8000, true)]));
    assert!(log.iter().any(|line| line.starts_with("error: ")), "{log:?}");
    assert!(run(&auto(""), &odd).1.iter().any(|line| line.starts_with("error: ")));
}

#[test]
fn daemon_set_pods_block_the_number() {
    let agent = operator("agent").replace("kind: Deployment", "kind: DaemonSet");
    let (names, log) = moved(&auto(""), &[operators(3), vec![agent.clone()]].concat());
    assert_eq!(names, [""; 0]);
    assert!(log[0].contains("all these workloads are not changed"), "{log:?}");
    // A workload outside of the targets keeps the others from moving, and does not stop the run.
    let on_host = agent.replace("      containers:", "      hostNetwork: true\n      containers:");
    let select = "{targets: [{select: {kind: Deployment}, ports: auto}]}";
    let web = super::deployment_named("web", 8000, true);
    let (names, log) = moved(select, &[operator("a"), on_host, web]);
    assert_eq!(names, ["agent", "web"]);
    assert!(log[0].starts_with("warning: ") && log[0].contains("Deployment shop/a is not changed"), "{log:?}");
    // Workloads on other nodes do not conflict.
    let pool = agent.replace("containers:", "nodeSelector: {pool: x}\n      containers:");
    let groups = ", nodes: [{count: 2, labels: {pool: x}}, {count: 2, labels: {pool: y}}]";
    let (names, _) = moved(&auto(groups), &[operators(2), vec![pool.clone()]].concat());
    assert_eq!(names, ["a", "b", "agent"]);
    assert_eq!(moved(&auto(", nodes: 4"), &[operators(2), vec![pool]].concat()).0, [""; 0]);
}

/// Crossplane runs one pod of a Provider, so three Providers fit on three nodes.
#[test]
fn providers_with_a_fixed_number_move_to_different_nodes() {
    let provider = |name: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\n\
             spec: {{package: 'xpkg.crossplane.io/crossplane-contrib/provider-http:v1.0.13'}}\n"
        )
    };
    let providers = ["a", "b", "c", "d"].map(provider).to_vec();
    let spec =
        "{targets: [{select: {namespace: shop}, ports: auto}, {select: {group: pkg.crossplane.io}, ports: auto}]}";
    let all = [vec![deployment_named("old", 8080, false)], providers.clone()].concat();
    let (names, log) = moved(spec, &all);
    assert_eq!(names, ["hostnet-a", "hostnet-b", "hostnet-c"]);
    let left = |line: &String| line.contains("Provider d") && line.contains("are not changed");
    assert!(log.iter().any(|line| left(line) && line.contains("`nodes: 5`")), "{log:?}");
    let (first, _) = run(spec, &stream(all));
    assert_eq!(run(spec, &first).0, first);
    // A DaemonSet needs the number on all nodes, whatever the order of the input.
    let agent = vec![deployment_named("agent", 8080, false).replace("kind: Deployment", "kind: DaemonSet")];
    assert_eq!(moved(spec, &[agent.clone(), providers.clone()].concat()).0, [""; 0]);
    assert_eq!(moved(spec, &[providers, agent.clone()].concat()).0, [""; 0]);
    // Providers that have the number already keep it.
    let (names, _) = moved(spec, &[agent, vec![first]].concat());
    assert_eq!(names, ["hostnet-a", "hostnet-b", "hostnet-c"]);
}

/// `replicas: 0` needs no node.
#[test]
fn a_workload_without_replicas_takes_no_node() {
    let daemon = |name: &str| operator(name).replace("Deployment", "DaemonSet");
    let none = |name: &str| operator(name).replacen("spec:\n  ", "spec:\n  replicas: 0\n  ", 1);
    for spec in [auto(""), auto(", nodes: 1")] {
        let (names, log) = moved(&spec, &[none("a"), operator("b")]);
        assert_eq!((names.len(), log.len()), (2, 0), "{spec} {log:?}");
        let (names, log) = moved(&spec, &[none("a"), daemon("b")]);
        assert_eq!((names.len(), log.len()), (2, 0), "{spec} {log:?}");
    }
    let (names, log) = moved(&auto(""), &[operators(4), vec![none("e")]].concat());
    assert_eq!(names, ["a", "b", "c", "e"]);
    assert!(log.iter().any(|line| line.contains("4 workloads would use 9443/TCP")), "{log:?}");
}

/// The other ports of the pod still move.
#[test]
fn the_rest_of_the_pod_moves() {
    let two = |name: &str| {
        super::deployment_named(name, 8000, true).replace("8000}]", "8000}, {name: webhook, containerPort: 9443}]")
    };
    let (output, _) = run(&auto(""), &stream([two("a"), two("b")]));
    assert_eq!(output.matches("hostPort: 9443").count(), 2, "{output}");
    assert!(!output.contains("hostPort: 8000"), "{output}");
}

#[test]
fn a_check_warns_of_two_and_is_an_error_without_enough_nodes() {
    let check = |nodes: &str, manifests: &[String]| {
        let mut configs = Configs::default();
        let spec = format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {{{nodes}}}}}");
        configs.add(&spec, "check.yaml").unwrap();
        let report = report_of(&configs, &[("a.yaml", &stream(manifests.to_vec()))]);
        let own = report.entries.iter().filter(|entry| entry.rule.id == "port-conflict");
        own.map(|entry| format!("{:?}: {}", entry.severity, entry.message).to_lowercase()).collect::<Vec<_>>()
    };
    let (output, _) = run(&auto(""), &stream(operators(3)));
    let three: Vec<String> = output.split("---\n").map(str::to_owned).collect();
    let log = check("", &three);
    assert_eq!(log.len(), 1, "{log:?}");
    assert!(log[0].starts_with("warning: ") && log[0].contains("3 pods need at least 3 nodes"), "{log:?}");
    assert!(check("nodes: 3", &three)[0].starts_with("warning: "));
    let short = check("nodes: 2", &three);
    assert!(
        short.len() == 1 && short[0].starts_with("error: ") && short[0].contains("at most 2 may run them"),
        "{short:?}"
    );
    let agent = three[0].replace("kind: Deployment", "kind: DaemonSet");
    assert!(check("", &[agent, three[1].clone()])[0].starts_with("error: "));
}

/// Pods that require the same node cannot run on different nodes, whatever the number of nodes.
#[test]
fn pods_for_one_node_are_not_kept_apart() {
    let on =
        |name: &str, field: &str| operator(name).replacen("    spec:\n", &format!("    spec:\n      {field}\n"), 1);
    let host = |node: &str| format!("nodeSelector: {{kubernetes.io/hostname: {node}}}");
    let terms = |node: &str| {
        format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: \
             [{{key: kubernetes.io/hostname, operator: In, values: [{node}]}}]}}]}}}}}}"
        )
    };
    for (one, other, count) in [
        (host("n1"), host("n1"), 0),
        (terms("n1"), host("n1"), 0),
        (host("n1"), host("n2"), 2),
        (host("n1"), "nodeSelector: {pool: a}".to_owned(), 2),
        ("nodeSelector: {pool: a}".to_owned(), "nodeSelector: {pool: a}".to_owned(), 2),
    ] {
        let (names, log) = moved(&auto(", nodes: 6"), &[on("a", &one), on("b", &other)]);
        assert_eq!(names.len(), count, "{one} {other}: {log:?}");
    }
}

/// A pod that needs the node of another one never gets the same port.
#[test]
fn pods_that_have_to_share_a_node_do_not_move_together() {
    let with =
        |name: &str, field: &str| operator(name).replacen("    spec:\n", &format!("    spec:\n      {field}\n"), 1);
    let near = |key: &str| {
        format!(
            "affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {key}, labelSelector: {{matchLabels: \
             {{app: a}}}}}}]}}}}"
        )
    };
    let (names, log) = moved(&auto(", nodes: 6"), &[operator("a"), with("b", &near("kubernetes.io/hostname"))]);
    assert_eq!(names, [""; 0]);
    assert!(log.len() == 1 && log[0].contains("neither can get another number"), "{log:?}");
    let zone = moved(&auto(", nodes: 6"), &[operator("a"), with("b", &near("topology.kubernetes.io/zone"))]);
    assert_eq!(zone.0, ["a", "b"]);
    let volume = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
    let claim = |mode: &str| {
        let claim = format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data, namespace: shop}}\nspec: {{accessModes: [{mode}]}}\n"
        );
        moved(&auto(", nodes: 6"), &[with("a", volume), with("b", volume), claim]).0
    };
    assert_eq!((claim("ReadWriteOnce"), claim("ReadWriteMany")), (vec![], vec!["a".to_owned(), "b".to_owned()]));
}

/// Pods that may also run elsewhere do not count, nor do nodes that cannot run these pods.
#[test]
fn the_message_counts_the_nodes_that_are_too_few() {
    let node = |name: &str, labels: &str| {
        format!("apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{{labels}}}}}\n")
    };
    let on = |name: &str| operator(name).replace("containers:", "nodeSelector: {pool: infra}\n      containers:");
    let nodes = [node("one", "pool: infra"), node("two", ""), node("three", ""), node("four", "")];
    let (names, log) = moved(&auto(""), &[[on("a"), on("b"), operator("c")].as_slice(), &nodes].concat());
    assert_eq!(names, ["a", "c"]);
    let left: Vec<&String> = log.iter().filter(|line| line.contains("not changed")).collect();
    assert_eq!(left.len(), 1, "{log:?}");
    insta::assert_snapshot!(worded(left[0]), @"warning: standard input:23:29: 2 workloads would use 9443/TCP of their node. 2 pods need at least 2 nodes, and the cluster has 1 eligible node with `pool: infra`: Deployment shop/b is not changed. Add nodes with `pool: infra`, or give another number with `bind` [port-conflict]");
}
