//! Rule `rollout-surge`.

use super::{PORT, host_spec, reported, reported_with, workload};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn deployment(fields: &str) -> String {
    workload("Deployment", "web", &host_spec(PORT)).replace("spec:\n  template", &format!("spec:\n{fields}  template"))
}

fn with_nodes(nodes: u32, manifest: &str) -> String {
    reported_with("rollout-surge", &format!("{{nodes: {nodes}}}"), manifest)
}

#[test]
fn without_a_spare_node_the_update_never_ends() {
    assert_snapshot!(worded(with_nodes(1, &deployment(""))), @"error: a.yaml:5:3: Deployment shop/web: its update never finishes: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 1 of the nodes may run it, and its pod has port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1`, or add a node");
    assert!(with_nodes(3, &deployment("  replicas: 3\n")).starts_with("error: "));
}

#[test]
fn with_a_spare_node_or_one_unavailable_pod_the_update_ends() {
    assert_eq!(with_nodes(2, &deployment("")), "");
    assert_eq!(with_nodes(5, &deployment("  replicas: 4\n")), "");
    assert_snapshot!(worded(with_nodes(4, &deployment("  replicas: 4\n"))), @"info: a.yaml:5:3: Deployment shop/web: its update ends, and until old pods are gone 1 of the new ones is Pending: maxSurge starts 1 more than 4, each uses port 20080/TCP of its node, and at most 4 of the nodes may run it. `maxSurge: 0` avoids that");
    for fields in [
        "  strategy: {type: Recreate}\n",
        "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n",
        "  replicas: 0\n",
    ] {
        assert_eq!(with_nodes(1, &deployment(fields)), "", "{fields}");
    }
    let pod_network = workload("Deployment", "web", "{containers: [{name: a, ports: [{containerPort: 80}]}]}");
    assert_eq!(with_nodes(1, &pod_network), "");
}

#[test]
fn unknown_nodes_are_one_information_per_run() {
    let two = [deployment(""), deployment("").replace("name: web, namespace", "name: api, namespace")].concat();
    assert_snapshot!(worded(reported("rollout-surge", &two)), @"info: a.yaml:9:1: 2 workloads need a spare node to update (one more than replicas, because maxUnavailable is 0 or rounds down to 0): shop/Deployment/web, shop/Deployment/api. Give `nodes` in the config to have it checked, or write `maxSurge: 0, maxUnavailable: 1`");
    let written = deployment("  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n");
    assert_snapshot!(worded(reported("rollout-surge", &written)), @"warning: a.yaml:5:13: Deployment shop/web: its update finishes only where 2 nodes may run it: maxUnavailable is 0, so the new pod needs a node where port 20080/TCP is free. The number of nodes is not known: give `nodes` in the config, or write `maxSurge: 0, maxUnavailable: 1`");
}

#[test]
fn a_surge_on_the_same_node_never_ends() {
    let set = workload("DaemonSet", "web", &host_spec(PORT));
    assert_eq!(reported("rollout-surge", &set), "");
    let surge = set.replace(
        "spec:\n  template",
        "spec:\n  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n  template",
    );
    assert_snapshot!(worded(reported("rollout-surge", &surge)), @"error: a.yaml:5:19: DaemonSet shop/web: its update never finishes: maxSurge starts the new pod while the old one holds port 20080/TCP of the node: the new one stays Pending forever, and the old pod is never removed. Write `maxSurge: 0, maxUnavailable: 1`");
}

#[test]
fn a_clone_set_has_no_surge_of_its_own() {
    let set = workload("CloneSet", "web", &host_spec(PORT));
    assert_eq!(with_nodes(1, &set), "");
    let surge =
        set.replace("spec:\n  template", "spec:\n  updateStrategy: {maxSurge: 1, maxUnavailable: 0}\n  template");
    assert!(with_nodes(1, &surge).starts_with("error: "));
}

#[test]
fn nodes_of_the_input_count_if_the_pods_may_run_there() {
    let node = |name: &str, spec: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{pool: {name}}}}}\nspec: {{{spec}}}\n---\n"
        )
    };
    let two = |spec: &str| [node("a", ""), node("b", spec), deployment("")].concat();
    assert_eq!(reported("rollout-surge", &two("")), "");
    for closed in ["unschedulable: true", "taints: [{key: only, value: db, effect: NoSchedule}]"] {
        assert!(reported("rollout-surge", &two(closed)).starts_with("error: "), "{closed}");
    }
    // A taint of a temporary condition does not count.
    assert_eq!(
        reported("rollout-surge", &two("taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]")),
        ""
    );
    let asks = two("").replace("hostNetwork: true", "hostNetwork: true, nodeSelector: {pool: a}");
    assert!(reported("rollout-surge", &asks).starts_with("error: "));
    let tolerates = two("taints: [{key: only, value: db, effect: NoSchedule}]");
    let tolerates =
        tolerates.replace("hostNetwork: true", "hostNetwork: true, tolerations: [{key: only, operator: Exists}]");
    assert_eq!(reported("rollout-surge", &tolerates), "");
    // Pods with a matching toleration run on a cordoned node.
    for tolerated in
        ["{operator: Exists}", "{key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoSchedule}"]
    {
        let tolerates = two("unschedulable: true")
            .replace("hostNetwork: true", &format!("hostNetwork: true, tolerations: [{tolerated}]"));
        assert_eq!(reported("rollout-surge", &tolerates), "", "{tolerated}");
    }
}

fn rollout(strategy: &str) -> String {
    deployment(&format!("  replicas: 2\n  strategy: {strategy}\n"))
        .replace("apps/v1\nkind: Deployment", "argoproj.io/v1alpha1\nkind: Rollout")
}

#[test]
fn a_canary_needs_the_nodes_of_a_deployment() {
    assert!(with_nodes(2, &rollout("{canary: {}}")).starts_with("error: "));
    assert_eq!(with_nodes(3, &rollout("{canary: {}}")), "");
    assert_eq!(with_nodes(2, &rollout("{canary: {maxSurge: 0, maxUnavailable: 1}}")), "");
}

#[test]
fn blue_and_green_side_by_side_take_twice_the_nodes() {
    assert_snapshot!(brief(with_nodes(3, &rollout("{blueGreen: {activeService: web}}"))), @"error: rollout-surge Rollout shop/web spec.strategy (a.yaml:6:13, 20080/TCP, 3, 4)");
    assert_eq!(with_nodes(4, &rollout("{blueGreen: {activeService: web}}")), "");
    let routed = rollout("{canary: {maxSurge: 0, maxUnavailable: 1, trafficRouting: {nginx: {}}}}");
    assert_snapshot!(worded(with_nodes(3, &routed)), @"error: a.yaml:6:13: Rollout shop/web: its update never finishes: with traffic routing the stable pods stay until the canary has taken over, and each pod uses port 20080/TCP of its node, so it needs 4 nodes; at most 3 of them may run it, and the other new pods stay Pending. Add nodes, or use another strategy");
    assert_eq!(with_nodes(4, &routed), "");
    assert_snapshot!(worded(reported("rollout-surge", &routed)), @"warning: a.yaml:6:13: Rollout shop/web: its update finishes only where 4 nodes may run it: with traffic routing the stable pods stay until the canary has taken over, and each pod uses port 20080/TCP of its node. The number of nodes is not known: give `nodes` in the config, or use another strategy");
}

/// Each step of the canary removes as many stable pods as it adds.
#[test]
fn a_dynamic_stable_scale_needs_no_second_set_of_nodes() {
    let routed = |dynamic: &str| {
        rollout(&format!("{{canary: {{dynamicStableScale: {dynamic}, maxSurge: 1, trafficRouting: {{nginx: {{}}}}}}}}"))
    };
    assert_eq!(with_nodes(3, &routed("true")), "");
    assert!(with_nodes(3, &routed("false")).contains("it needs 4 nodes"));
}

/// The Deployment's own strategy is not used.
#[test]
fn a_rollout_that_refers_to_a_deployment_replaces_its_pods() {
    let rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 2, workloadRef: \
                   {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {blueGreen: {activeService: web}}}\n";
    let deployment = deployment("  replicas: 0\n");
    assert_eq!(with_nodes(3, &deployment), "");
    assert_snapshot!(brief(with_nodes(3, &[&deployment, rollout].concat())), @"error: rollout-surge Rollout shop/web spec.strategy (a.yaml:13:96, 20080/TCP, 3, 4)");
    assert_eq!(with_nodes(4, &[&deployment, rollout].concat()), "");
}

fn scaled(kind: &str, fewest: u32, most: u32) -> String {
    let (version, fewest_key, most_key) = match kind {
        "ScaledObject" => ("keda.sh/v1alpha1", "minReplicaCount", "maxReplicaCount"),
        _ => ("autoscaling/v2", "minReplicas", "maxReplicas"),
    };
    format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec: {{{fewest_key}: {fewest}, {most_key}: {most}, \
         scaleTargetRef: {{kind: Deployment, name: web}}}}\n---\n"
    )
}

#[test]
fn the_replicas_of_an_autoscaler_count() {
    for kind in ["HorizontalPodAutoscaler", "ScaledObject"] {
        // 25 % of four replicas is one pod, 25 % of three is no pod.
        assert_eq!(with_nodes(7, &[deployment(""), scaled(kind, 4, 5)].concat()), "");
        assert!(with_nodes(5, &[deployment(""), scaled(kind, 4, 5)].concat()).starts_with("info: "));
        assert!(with_nodes(3, &[deployment(""), scaled(kind, 3, 3)].concat()).starts_with("error: "));
        let grows = [deployment(""), scaled(kind, 1, 3)].concat();
        assert!(with_nodes(3, &grows).starts_with("warning: "), "{kind}");
        assert_eq!(with_nodes(4, &grows), "");
    }
    let grows = [deployment(""), scaled("HorizontalPodAutoscaler", 1, 3)].concat();
    assert_snapshot!(worded(with_nodes(3, &grows)), @"warning: a.yaml:5:3: Deployment shop/web: its update never finishes while its autoscaler keeps 3 of its pods: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 3 of the nodes may run it, and its 3 pods have port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1`, or add a node");
}

#[test]
fn workloads_that_share_a_port_share_the_nodes() {
    use super::report_of;
    use hostnet::kinds::check::Configs;
    use hostnet::render::check::text;

    let two = [
        deployment("  replicas: 2\n"),
        deployment("  replicas: 2\n").replace("name: web, namespace", "name: api, namespace"),
    ]
    .concat();
    let reported = |nodes: u32, manifest: &str| {
        let mut configs = Configs::default();
        configs
            .add(
                &format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {{nodes: {nodes}}}}}"),
                "a.yaml",
            )
            .unwrap();
        let shared = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}}], shared: [{port: 20080, between: \
                      [shop/Deployment/web, shop/Deployment/api]}]}}";
        configs.add(shared, "b.yaml").unwrap();
        text(&report_of(&configs, &[("a.yaml", manifest)]))
    };
    assert_eq!(reported(5, &two), "2 objects, 2 workloads: nothing found\n");
    assert_snapshot!(reported(4, &two), @r#"
        error: a.yaml:5:3: Deployment shop/web: its update never finishes: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 2 of the nodes may run it (2 more nodes have pods of Deployment shop/api with the same port), and its 2 pods have port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1`, or add a node [rollout-surge]
        error: a.yaml:14:3: Deployment shop/api: its update never finishes: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 2 of the nodes may run it (2 more nodes have pods of Deployment shop/web with the same port), and its 2 pods have port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1`, or add a node [rollout-surge]
        2 objects, 2 workloads: 2 errors, 0 warnings, 0 info (rollout-surge 2)
    "#);
    assert_snapshot!(reported(3, &two), @"
    error: a.yaml:5:13: Deployment shop/web: 2 replicas, and at most 3 of the nodes may run it; 2 of these nodes have pods of Deployment shop/api with the same port. On each node only one pod can use port 20080/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes [replicas-nodes]
    error: a.yaml:14:13: Deployment shop/api: 2 replicas, and at most 3 of the nodes may run it; 2 of these nodes have pods of Deployment shop/web with the same port. On each node only one pod can use port 20080/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes [replicas-nodes]
    2 objects, 2 workloads: 2 errors, 0 warnings, 0 info (replicas-nodes 2)
    ");
    // Each workload has its own nodes.
    let apart = two.replacen("hostNetwork: true", "hostNetwork: true, nodeSelector: {pool: a}", 1);
    let apart = apart
        .replace("spec: {hostNetwork: true, dnsPolicy", "spec: {hostNetwork: true, nodeSelector: {pool: b}, dnsPolicy");
    assert_eq!(reported(3, &apart), "2 objects, 2 workloads: nothing found\n");
}

fn united(subsets: &str) -> String {
    format!(
        "apiVersion: apps.kruise.io/v1alpha1\nkind: UnitedDeployment\nmetadata: {{name: web, namespace: shop}}\nspec:\n  replicas: 4\n  topology: \
         {{subsets: [{subsets}]}}\n  template:\n    deploymentTemplate:\n      spec:\n        template: {{metadata: {{labels: {{app: web}}}}, spec: \
         {}}}\n",
        host_spec(PORT)
    )
}

#[test]
fn each_subset_has_nodes_of_its_own() {
    let pool = |name: &str, replicas: &str| {
        format!(
            "{{name: {name}, {replicas}nodeSelectorTerm: {{matchExpressions: [{{key: pool, operator: In, values: [{name}]}}]}}}}"
        )
    };
    let on = |a: u32, b: u32, manifest: &str| {
        let nodes = format!("{{nodes: [{{labels: {{pool: a}}, count: {a}}}, {{labels: {{pool: b}}, count: {b}}}]}}");
        [reported_with("rollout-surge", &nodes, manifest), reported_with("replicas-nodes", &nodes, manifest)].concat()
    };
    let even = united(&[pool("a", ""), pool("b", "")].join(", "));
    assert_eq!(on(3, 3, &even), "");
    assert_snapshot!(worded(on(3, 2, &even)), @"error: a.yaml:10:9: UnitedDeployment shop/web, subset b: its update never finishes: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 2 of the nodes may run it, and its 2 pods have port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1`, or add a node");
    assert_snapshot!(brief(on(3, 1, &even)), @"error: replicas-nodes UnitedDeployment shop/web spec.replicas (a.yaml:5:13, 1, 2, 20080/TCP)");
    let uneven = united(&[pool("a", "replicas: 75%, "), pool("b", "")].join(", "));
    assert_eq!((on(4, 2, &uneven), on(3, 2, &uneven).lines().count()), (String::new(), 1));
    // CloneSets and StatefulSets have no surge.
    assert_eq!(on(2, 2, &even.replace("deploymentTemplate", "cloneSetTemplate")), "");
    assert_eq!(on(2, 2, &even.replace("deploymentTemplate", "statefulSetTemplate")), "");
}

#[test]
fn a_daemon_set_of_open_kruise_is_judged_like_one_of_kubernetes() {
    let set = workload("DaemonSet", "web", &host_spec(PORT)).replace("apps/v1", "apps.kruise.io/v1alpha1");
    let surge = set.replace(
        "spec:\n  template",
        "spec:\n  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n  template",
    );
    assert_eq!((reported("rollout-surge", &set).as_str(), reported("rollout-surge", &surge).lines().count()), ("", 1));
}

/// Argo Rollouts refuses to replace pods then, and reports it only in the status.
#[test]
fn a_rollout_with_a_template_and_a_reference() {
    let rollout = |template: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {{name: web, namespace: shop}}\nspec: {{replicas: 1, workloadRef: {{apiVersion: apps/v1, kind: \
             Deployment, name: web}}, strategy: {{canary: {{maxSurge: 0, maxUnavailable: 1}}}}{template}}}\n"
        )
    };
    let web =
        workload("Deployment", "web", &host_spec(PORT)).replace("spec:\n", "spec:\n  strategy: {type: Recreate}\n");
    let reported = |manifest: &str| reported("rollout-surge", manifest);
    let template = ", template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web}]}}";
    assert_snapshot!(worded(reported(&[web.as_str(), &rollout(template)].concat())), @"error: a.yaml:13:34: Rollout shop/web: it has a template and a `workloadRef` to Deployment web: Argo Rollouts does not replace the pods, which have port 20080/TCP of their nodes, and reports `template must be empty for workload reference rollout` only in its status. Remove `template` or `workloadRef`");
    let own = template
        .replace("containers", "hostNetwork: true, containers")
        .replace("name: web}]", "name: web, ports: [{containerPort: 80}]}]");
    assert_eq!(reported(&rollout(&own)).lines().count(), 1);
    // Argo Rollouts ignores a template without labels, and the pod network is outside of this rule.
    assert_eq!(reported(&[web.as_str(), &rollout("")].concat()), "");
    assert_eq!(reported(&[web.as_str(), &rollout(", template: {metadata: {}, spec: {containers: []}}")].concat()), "");
    assert_eq!(reported(&rollout(template)), "");
}

/// A Rollout with a template and a reference applies only to the workload of the same namespace, kind and name.
#[test]
fn a_rollout_with_two_templates_matches_one_workload() {
    let rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: other, namespace: shop}\nspec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, template: \
                   {metadata: {labels: {app: web}}, spec: {containers: []}}}\n";
    let web =
        workload("Deployment", "web", &host_spec(PORT)).replace("spec:\n", "spec:\n  strategy: {type: Recreate}\n");
    for (from, to, found) in [
        ("", "", 1),
        ("namespace: shop", "namespace: mail", 0),
        ("kind: Deployment", "kind: StatefulSet", 0),
        ("{name: web, namespace", "{name: api, namespace", 0),
    ] {
        let changed = if from.is_empty() { web.clone() } else { web.replace(from, to) };
        assert_eq!(reported("rollout-surge", &[changed.as_str(), rollout].concat()).lines().count(), found, "{to}");
    }
}

/// Large numbers of pods and nodes take no longer than small ones.
#[test]
fn very_many_replicas_of_an_autoscaler() {
    let scaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\nspec: {minReplicas: 1, maxReplicas: 4000000000, \
                  scaleTargetRef: {kind: Deployment, name: web}}\n";
    let manifest = format!("{}{scaler}", workload("Deployment", "web", &host_spec(PORT)));
    assert!(reported_with("rollout-surge", "{nodes: 4000000000}", &manifest).starts_with("info: "), "it ends");
    let rollout =
        manifest.replace("apps/v1\nkind: Deployment\nmetadata", "argoproj.io/v1alpha1\nkind: Rollout\nmetadata");
    let rollout = rollout
        .replace("kind: Deployment, name", "kind: Rollout, name")
        .replace("spec:\n  template", "spec:\n  strategy: {blueGreen: {}}\n  template");
    let log = reported_with("rollout-surge", "{nodes: 4000000000}", &rollout);
    assert!(log.starts_with("warning: ") && log.contains("keeps 2000000001 of its pods"), "{log}");
}

/// An object of another project that releases Deployment `shop/web` with three pods.
fn released(group: &str, kind: &str, spec: &str) -> String {
    let object =
        format!("---\napiVersion: {group}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec: {spec}\n");
    format!("{}{object}", deployment("  replicas: 3\n  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"))
}

/// A second copy of the pods needs as many nodes as the largest step has pods.
#[test]
fn a_second_copy_of_the_pods_needs_nodes_of_its_own() {
    let web = "apiVersion: apps/v1, kind: Deployment, name: web";
    let kruise = |strategy: &str| {
        let spec = format!("{{workloadRef: {{{web}}}, strategy: {{{strategy}}}}}");
        released("rollouts.kruise.io/v1beta1", "Rollout", &spec)
    };
    let flagger = released("flagger.app/v1beta1", "Canary", &format!("{{targetRef: {{{web}}}, analysis: {{}}}}"));
    let blue_green = kruise("blueGreen: {steps: [{replicas: 50%}, {replicas: 100%}]}");
    let extra = kruise("canary: {enableExtraWorkloadForCanary: true, steps: [{replicas: 1}]}");
    for (manifest, object, needed) in
        [(&blue_green, "Rollout shop/web", 6), (&flagger, "Canary shop/web", 6), (&extra, "Rollout shop/web", 4)]
    {
        let log = worded(with_nodes(needed - 1, manifest));
        let expected = format!("so it needs {needed} nodes; at most {} of them", needed - 1);
        let is_it = log.starts_with("error: a.yaml:") && log.contains("Deployment shop/web: its update never finishes");
        assert!(is_it && log.contains(object) && log.contains(&expected), "{log}");
        assert_eq!(with_nodes(needed, manifest), "");
    }
    // Old pods are removed first, the object releases another workload or no workload, or a placeholder fills in the
    // step later.
    for manifest in [
        kruise("canary: {steps: [{replicas: 50%}]}"),
        kruise("canary: {enableExtraWorkloadForCanary: false, steps: [{replicas: 50%}]}"),
        kruise("blueGreen: {steps: [{replicas: '${STEP}'}]}"),
        blue_green.replace("name: web}, strategy", "name: api}, strategy"),
        blue_green.replace(
            "kind: Rollout\nmetadata: {name: web, namespace: shop}",
            "kind: Rollout\nmetadata: {name: web, namespace: other}",
        ),
        blue_green.replace("strategy: {blueGreen", "disabled: true, strategy: {blueGreen"),
        flagger.replace("{targetRef", "{suspend: true, targetRef"),
    ] {
        assert_eq!(with_nodes(3, &manifest), "", "{manifest}");
    }
    assert!(reported("rollout-surge", &flagger).starts_with("warning: "));
}

/// The older version of Kruise's Rollout copies a Deployment, unless an annotation selects another style.
#[test]
fn an_older_rollout_copies_by_annotation() {
    let of = |kind: &str, style: &str, steps: &str| {
        let spec = format!(
            "{{objectRef: {{workloadRef: {{apiVersion: apps/v1, kind: {kind}, name: web}}}}, strategy: {{canary: {{steps: [{steps}]}}}}}}"
        );
        let manifest = released("rollouts.kruise.io/v1alpha1", "Rollout", &spec);
        let annotations =
            format!("annotations: {{rollouts.kruise.io/rolling-style: {style}}}, name: web, namespace: shop");
        manifest.replace(
            "kind: Rollout\nmetadata: {name: web, namespace: shop",
            &format!("kind: Rollout\nmetadata: {{{annotations}"),
        )
    };
    for (style, steps, needed) in [
        ("canary", "{replicas: 50%}, {replicas: 100%}", 6),
        ("''", "{replicas: 1}", 4),
        ("Canary", "{weight: 20}, {weight: 60}", 5),
    ] {
        let manifest = of("Deployment", style, steps);
        let log = worded(with_nodes(needed - 1, &manifest));
        assert!(log.contains(&format!("so it needs {needed} nodes")), "{style}: {log}");
        assert_eq!(with_nodes(needed, &manifest), "", "{style}");
    }
    for manifest in [of("Deployment", "Partition", "{replicas: 100%}"), of("CloneSet", "canary", "{replicas: 100%}")] {
        assert_eq!(with_nodes(3, &manifest), "", "{manifest}");
    }
}

/// An Experiment of a step runs pods of the Rollout next to its own.
#[test]
fn an_experiment_of_a_step_needs_nodes_of_its_own() {
    let of = |steps: &str| rollout(&format!("{{canary: {{maxSurge: 0, maxUnavailable: 1, steps: [{steps}]}}}}"));
    let experiment =
        of("{setWeight: 50}, {experiment: {templates: [{specRef: stable}, {specRef: canary, replicas: 1}]}}");
    assert_snapshot!(worded(with_nodes(3, &experiment)), @"error: a.yaml:6:13: Rollout shop/web: its update never finishes: with Rollout shop/web an Experiment runs pods of its own, and each pod uses port 20080/TCP of its node, so it needs 4 nodes; at most 3 of them may run it, and the other new pods stay Pending. Add nodes, or use another strategy");
    assert_eq!(with_nodes(4, &experiment), "");
    for other in ["{setWeight: 50}", "{experiment: {templates: []}}"] {
        assert_eq!(with_nodes(2, &of(other)), "", "{other}");
    }
    // Its own strategy counts too.
    let surge = rollout("{canary: {steps: [{experiment: {templates: [{specRef: canary, replicas: 0}]}}]}}");
    assert!(with_nodes(2, &surge).starts_with("error: "));
}

/// With `maxSurge: 0` no pod of the webhook answers when the API server checks its new pod.
#[test]
fn the_only_pod_of_a_webhook_for_its_own_pods() {
    let with_webhook = |fields: &str, webhook: &str| {
        format!(
            "{}apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 443, targetPort: \
             http}}]}}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: web}}\nwebhooks: [{{name: \
             a.example.com, {webhook}clientConfig: {{service: {{name: web, namespace: shop}}}}, rules: [{{apiGroups: [''], apiVersions: [v1], operations: \
             [CREATE], resources: [pods]}}]}}]\n",
            deployment(fields)
        )
    };
    assert_snapshot!(worded(with_nodes(1, &with_webhook("", ""))), @"error: a.yaml:5:3: Deployment shop/web: its update never finishes: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 1 of the nodes may run it, and its pod has port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1` and a `namespaceSelector` that leaves out namespace shop in ValidatingWebhookConfiguration web, which is called for pods with `failurePolicy: Fail`, or add a node");
    let old_first = "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n";
    assert_snapshot!(worded(with_nodes(1, &with_webhook(old_first, ""))), @"error: a.yaml:5:13: Deployment shop/web: its update never finishes: its only pod stops before the new one runs, and then the API server refuses the new pods too: ValidatingWebhookConfiguration web is called for pods with `failurePolicy: Fail`, and no pod answers, so no pod starts again. Leave out namespace shop with a `namespaceSelector`, or write `replicas: 2`, and a PodDisruptionBudget with `minAvailable: 1`");
    assert_snapshot!(brief(with_nodes(3, &with_webhook("  strategy: {type: Recreate}\n", ""))), @"error: rollout-surge Deployment shop/web spec.strategy (a.yaml:5:13, 1, 2)");
    let left_out = "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}, ";
    for (fields, webhook) in [(old_first, left_out), (old_first, "failurePolicy: Ignore, "), ("", "")] {
        assert_eq!(with_nodes(2, &with_webhook(fields, webhook)), "", "{fields}{webhook}");
    }
    assert_eq!(with_nodes(3, &with_webhook(&format!("  replicas: 2\n{old_first}"), "")), "");
}

/// The manifest itself allows one node, so that the number of nodes of the cluster does not count.
#[test]
fn pods_of_one_node_need_no_known_nodes() {
    let selected = |rest: &str| deployment("").replace("{hostNetwork: true,", &format!("{{{rest}, hostNetwork: true,"));
    assert_snapshot!(worded(reported("rollout-surge", &selected("nodeSelector: {kubernetes.io/hostname: n1}"))), @"error: a.yaml:5:3: Deployment shop/web: its update never finishes: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 1 of the nodes may run it, and its pod has port 20080/TCP there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, maxUnavailable: 1`");
    let affinity = |kind: &str, term: &str| {
        format!("affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: {term}}}}}")
    };
    let names = |names: &str| {
        let term = format!("{{key: metadata.name, operator: In, values: [{names}]}}");
        affinity("nodeAffinity", &format!("{{nodeSelectorTerms: [{{matchFields: [{term}]}}]}}"))
    };
    let own = |key: &str| {
        affinity("podAffinity", &format!("[{{labelSelector: {{matchLabels: {{app: web}}}}, topologyKey: {key}}}]"))
    };
    for pinned in ["nodeName: n1".to_owned(), names("n1"), own("kubernetes.io/hostname")] {
        assert!(reported("rollout-surge", &selected(&pinned)).starts_with("error: "), "{pinned}");
    }
    for free in [names("n1, n2"), own("topology.kubernetes.io/zone"), "nodeSelector: {pool: n1}".to_owned()] {
        assert!(!reported("rollout-surge", &selected(&free)).contains("error: "), "{free}");
    }
}
