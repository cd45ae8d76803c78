//! Rule `replicas-nodes`.

use super::{PORT, host_spec, reported, reported_with, workload};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn deployment(replicas: u32) -> String {
    workload("Deployment", "web", &host_spec(PORT))
        .replace("spec:\n  template", &format!("spec:\n  replicas: {replicas}\n  template"))
}

const NODES: &str = "{nodes: [{labels: {pool: web}, count: 2}, {labels: {pool: db}, count: 1}]}";

#[test]
fn more_replicas_than_nodes() {
    assert_snapshot!(brief(reported_with("replicas-nodes", "{nodes: 3}", &deployment(4))), @"error: replicas-nodes Deployment shop/web spec.replicas (a.yaml:5:13, 1, 20080/TCP, 3, 4)");
    let scaled = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\nspec: {maxReplicas: 5, \
                  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n";
    assert_snapshot!(worded(reported_with("replicas-nodes", "{nodes: 3}", &format!("{}{scaled}", deployment(1)))), @"warning: a.yaml:5:13: Deployment shop/web: 5 replicas (the autoscaler's maximum), and at most 3 of the nodes may run it. On each node only one pod can use port 20080/TCP, so 2 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
}

#[test]
fn replicas_in_other_forms_of_a_number() {
    for form in ["4.0", "0x4", "4e0", "!!int '4'"] {
        let manifest = deployment(4).replace("replicas: 4", &format!("replicas: {form}"));
        assert!(reported_with("replicas-nodes", "{nodes: 3}", &manifest).starts_with("error: "), "{form}");
        assert_eq!(reported_with("replicas-nodes", "{nodes: 4}", &manifest), "", "{form}");
    }
}

/// An autoscaler reaches `maxReplicas` only under load; `minReplicas` always run.
#[test]
fn more_than_an_autoscaler_ever_needs_is_an_error() {
    let scaled = |replicas: u32, fewest: u32, most: u32| {
        let scaler = format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web, namespace: shop}}\nspec: {{minReplicas: {fewest}, maxReplicas: {most}, \
             scaleTargetRef: {{kind: Deployment, name: web}}}}\n"
        );
        let log = reported_with("replicas-nodes", "{nodes: 3}", &format!("{}{scaler}", deployment(replicas)));
        log.split(':').next().unwrap_or_default().to_owned()
    };
    assert_eq!([scaled(1, 2, 3), scaled(3, 2, 3)], [""; 2]);
    assert_eq!([scaled(1, 2, 4), scaled(4, 3, 4), scaled(5, 1, 2)], ["warning"; 3]);
    // The autoscaler's minimum wins over `replicas` of the manifest.
    assert_eq!([scaled(4, 4, 5), scaled(1, 4, 5)], ["error"; 2]);
    let at_least_five = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: shop}\nspec: {minReplicas: 5, \
                  maxReplicas: 10, scaleTargetRef: {kind: Deployment, name: web}}\n";
    let log = reported_with("replicas-nodes", "{nodes: 3}", &format!("{}{at_least_five}", deployment(3)));
    assert_snapshot!(worded(log), @"error: a.yaml:5:13: Deployment shop/web: 5 replicas (the autoscaler's minimum), and at most 3 of the nodes may run it. On each node only one pod can use port 20080/TCP, so 2 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
}

/// Pods of a Job end and free their nodes for the next pods.
#[test]
fn more_pods_of_a_job_than_nodes_wait() {
    let job = workload("Job", "web", &host_spec(PORT)).replace("apps/v1", "batch/v1");
    let job = job.replace("spec:\n  template", "spec:\n  parallelism: 4\n  template");
    assert!(reported_with("replicas-nodes", "{nodes: 3}", &job).starts_with("warning: "));
    assert_eq!(reported_with("replicas-nodes", "{nodes: 4}", &job), "");
    // Never more pods run than `completions`.
    let few = job.replace("parallelism: 4", "parallelism: 4\n  completions: 3");
    assert_eq!(reported_with("replicas-nodes", "{nodes: 3}", &few), "");
    assert!(reported_with("replicas-nodes", "{nodes: 2}", &few).contains("3 pods at the same time (completions)"));
}

/// `CronJobs` and similar kinds contain the spec of their Jobs.
#[test]
fn parallelism_of_owners_of_jobs_counts() {
    let spec = format!("parallelism: 4, template: {{spec: {}}}", host_spec(PORT));
    let of = |group: &str, kind: &str, rest: &str| {
        let manifest =
            format!("apiVersion: {group}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec: {{{rest}}}\n");
        reported_with("replicas-nodes", "{nodes: 3}", &manifest)
    };
    assert_snapshot!(worded(of("batch/v1", "CronJob", &format!("concurrencyPolicy: Forbid, jobTemplate: {{spec: {{{spec}}}}}"))), @"warning: a.yaml:4:69: CronJob shop/web: 4 pods at the same time (parallelism), and at most 3 of the nodes may run it. On each node only one pod can use port 20080/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
    let scaled = |most: &str| of("keda.sh/v1alpha1", "ScaledJob", &format!("{most}jobTargetRef: {{{spec}}}"));
    assert!(scaled("maxReplicaCount: 2, ").contains(": 8 pods at the same time (maxReplicaCount)"), "{}", scaled(""));
    assert!(scaled("").contains(": 400 pods at the same time (maxReplicaCount)"), "{}", scaled(""));
    for few in ["maxReplicaCount: 0, ", "maxReplicaCount: '${MOST}', "] {
        assert_eq!(scaled(few), "", "{few}");
    }
    let set = |jobs: &str| {
        of(
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            &format!("replicatedJobs: [{{name: a, {jobs}template: {{spec: {{{spec}}}}}}}]"),
        )
    };
    assert!(set("").contains(": 4 pods") && set("replicas: 2, ").contains(": 8 pods"), "{}", set(""));
}

/// If no node takes the pods, their ports are not the reason.
#[test]
fn pods_that_no_node_takes_are_reported_like_the_scheduler_does() {
    let node = |rest: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n, labels: {{pool: web, cpus: '4'}}}}\nspec: {{{rest}}}\n---\n"
        )
    };
    let on = |asks: &str| deployment(1).replace("hostNetwork: true", &format!("hostNetwork: true, {asks}"));
    let with = |rest: &str, asks: &str| reported("replicas-nodes", &[node(rest), on(asks)].concat());
    assert_snapshot!(worded(with("", "nodeSelector: {pool: typo}")), @"error: a.yaml:10:13: Deployment shop/web: 1 replica, and none of the nodes may run it: no node matches `pool: typo`: `node(s) didn't match Pod's node affinity/selector`. It stays Pending. Correct that, or label a node");
    assert_snapshot!(worded(with("taints: [{key: k, effect: NoSchedule}]", "nodeSelector: {pool: web}")), @"error: a.yaml:10:13: Deployment shop/web: 1 replica, and none of the nodes may run it: the nodes with the required labels have taints: `node(s) had untolerated taint`. It stays Pending. Add tolerations, or nodes");
    assert_snapshot!(worded(with("unschedulable: true", "nodeSelector: {pool: web}")), @"error: a.yaml:10:13: Deployment shop/web: 1 replica, and none of the nodes may run it: the eligible nodes are cordoned: `node(s) were unschedulable`. It stays Pending. Run `kubectl uncordon` for one, or add nodes");
    assert_eq!(with("", "nodeSelector: {pool: web}"), "");
    assert_snapshot!(brief(reported_with("replicas-nodes", NODES, &on("nodeSelector: {pool: typo}"))), @"error: replicas-nodes Deployment shop/web spec.replicas (a.yaml:5:13, 1)");
    let more = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: cpus, operator: Gt, values: ['3']}]}]}}}";
    assert_eq!(with("", more), "");
    assert!(with("", &more.replace("'3'", "'4'")).contains("`cpus Gt 4`"));
}

#[test]
fn as_many_replicas_as_nodes_and_pods_without_host_ports_are_not_reported() {
    assert_eq!(reported_with("replicas-nodes", "{nodes: 3}", &deployment(3)), "");
    assert_eq!(reported("replicas-nodes", &deployment(400)), "");
    let free = deployment(4).replace(PORT, "ports: []");
    assert_eq!(reported_with("replicas-nodes", "{nodes: 3}", &free), "");
}

#[test]
fn only_node_groups_that_match_the_selector_count() {
    let on = |pool: &str| {
        deployment(2).replace("hostNetwork: true", &format!("hostNetwork: true, nodeSelector: {{{pool}}}"))
    };
    assert_eq!(reported_with("replicas-nodes", NODES, &on("pool: web")), "");
    assert_ne!(reported_with("replicas-nodes", NODES, &on("pool: db")), "");
    // A label that a group of nodes does not list may exist.
    assert_eq!(reported_with("replicas-nodes", NODES, &on("kubernetes.io/os: linux")), "");
}

#[test]
fn pods_without_a_node_take_none() {
    let pods = |name: &str, selector: &str| {
        let spec = host_spec(PORT).replace("hostNetwork", &format!("nodeSelector: {{{selector}}}, hostNetwork"));
        workload("Deployment", name, &spec)
    };
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {kubernetes.io/os: linux}}\n---\n";
    let named = |findings: String| findings.lines().map(|line| line.contains(" shop/web: ")).collect::<Vec<_>>();
    let both = |selector: &str| [deployment(1), pods("other", selector)].concat();
    let seen = |selector: &str| [node, &both(selector)].concat();
    assert_eq!(named(reported("replicas-nodes", &seen("kubernetes.io/os: windows"))), [false]);
    assert_eq!(named(reported("replicas-nodes", &seen("kubernetes.io/os: linux"))), [true, false]);
    // A node group that has no nodes now.
    let groups = "{nodes: [{labels: {pool: web}, count: 1}]}";
    assert_eq!(named(reported_with("replicas-nodes", groups, &both("pool: db"))), [false]);
    assert_eq!(named(reported_with("replicas-nodes", groups, &both("pool: web"))), [true, false]);
}

/// Each kind sets the replicas of the workload; KEDA's kinds have a default of 100.
#[test]
fn autoscalers_of_other_projects_count() {
    let log = |api: &str, kind: &str, spec: &str| {
        let scaler =
            format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec: {spec}\n");
        reported_with("replicas-nodes", "{nodes: 3}", &format!("{}{scaler}", deployment(1)))
    };
    let target = "scaleTargetRef: {kind: Deployment, name: web}";
    for (api, kind, spec, most) in [
        ("keda.sh/v1alpha1", "ScaledObject", "{scaleTargetRef: {name: web}}".to_owned(), 100),
        ("keda.sh/v1alpha1", "ScaledObject", "{scaleTargetRef: {name: web}, maxReplicaCount: 10}".to_owned(), 10),
        ("http.keda.sh/v1alpha1", "HTTPScaledObject", format!("{{{target}, replicas: {{min: 0, max: 10}}}}"), 10),
        ("datadoghq.com/v1alpha1", "WatermarkPodAutoscaler", format!("{{{target}, maxReplicas: 10}}"), 10),
        (
            "autoscaling.crane.io/v1alpha1",
            "EffectiveHorizontalPodAutoscaler",
            format!("{{{target}, maxReplicas: 10}}"),
            10,
        ),
        (
            "autoscaling.alibabacloud.com/v1beta1",
            "AdvancedHorizontalPodAutoscaler",
            format!("{{{target}, maxReplicas: 10}}"),
            10,
        ),
        (
            "autoscaling.alibabacloud.com/v1beta1",
            "CronHorizontalPodAutoscaler",
            format!("{{{target}, jobs: [{{targetSize: 10}}, {{targetSize: 1}}]}}"),
            10,
        ),
        (
            "autoscaling.cce.io/v2alpha1",
            "CronHorizontalPodAutoscaler",
            format!("{{{target}, rules: [{{targetReplicas: 10}}, {{targetReplicas: 1}}]}}"),
            10,
        ),
        ("cce.baidubce.com/v1", "CronHPA", format!("{{{target}, crons: [{{targetSize: 10}}]}}"), 10),
        (
            "autoscaling.gke.io/v1beta1",
            "MultidimPodAutoscaler",
            format!("{{{target}, constraints: {{global: {{maxReplicas: 10}}}}}}"),
            10,
        ),
        (
            "datadoghq.com/v1alpha2",
            "DatadogPodAutoscaler",
            "{targetRef: {kind: Deployment, name: web}, constraints: {maxReplicas: 10}}".to_owned(),
            10,
        ),
    ] {
        let found = log(api, kind, &spec);
        assert!(found.starts_with("warning: ") && found.contains(&format!("{most} replicas")), "{kind}: {found}");
    }
    for (kind, spec) in [
        ("ScaledObject", "{scaleTargetRef: {name: web}, maxReplicaCount: 3}"),
        ("ScaledObject", "{scaleTargetRef: {name: web}, maxReplicaCount: '${MOST}'}"),
        ("ScaledObject", "{scaleTargetRef: {name: api}}"),
    ] {
        assert_eq!(log("keda.sh/v1alpha1", kind, spec), "", "{spec}");
    }
}

/// A schedule leaves the workload's own number until it begins.
#[test]
fn schedules_do_not_lower_the_number_of_pods() {
    let log = |replicas: u32, target: &str, sizes: &str| {
        let scaler = format!(
            "apiVersion: autoscaling.alibabacloud.com/v1beta1\nkind: CronHorizontalPodAutoscaler\nmetadata: {{name: web, namespace: shop}}\nspec: \
             {{scaleTargetRef: {{kind: {target}, name: web}}, jobs: [{sizes}]}}\n"
        );
        let log = reported_with("replicas-nodes", "{nodes: 3}", &format!("{}{scaler}", deployment(replicas)));
        log.split(':').next().unwrap_or_default().to_owned()
    };
    assert_eq!(log(5, "Deployment", "{targetSize: 1}"), "error");
    assert_eq!(log(2, "Deployment", "{targetSize: 1}, {targetSize: 4}"), "warning");
    for (target, sizes) in
        [("Deployment", "{targetSize: 3}"), ("Deployment", ""), ("HorizontalPodAutoscaler", "{targetSize: 9}")]
    {
        assert_eq!(log(2, target, sizes), "", "{target} {sizes}");
    }
}

/// A replica of a `LeaderWorkerSet` is a group of `size` pods, one of them the leader.
#[test]
fn pods_of_groups_count() {
    let pod = format!("{{spec: {}}}", host_spec(PORT));
    let idle = "{spec: {containers: [{name: web, image: 'example/web:v1'}]}}";
    let log = |spec: &str, leader: &str, worker: &str| {
        let manifest = format!(
            "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {{name: web, namespace: shop}}\nspec: {{replicas: 2, \
             leaderWorkerTemplate: {{{spec}{leader}workerTemplate: {worker}}}}}\n"
        );
        reported_with("replicas-nodes", "{nodes: 5}", &manifest)
    };
    assert_snapshot!(worded(log("size: 3, ", "", &pod)), @"error: a.yaml:4:18: LeaderWorkerSet shop/web: 6 pods, and at most 5 of the nodes may run it. On each node only one pod can use port 20080/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
    let leader = |template: &str| format!("leaderTemplate: {template}, ");
    assert_eq!(log("size: 3, ", &leader(idle), &pod), "", "4 workers");
    assert!(log("size: 4, ", &leader(idle), &pod).contains(": 6 pods"));
    assert_eq!(log("size: 9, ", &leader(&pod), idle), "", "2 leaders");
    assert_eq!(log("size: '${SIZE}', ", "", &pod), "");
    assert_eq!(log("", "", &pod), "", "2 pods");
}

/// KEDA deletes its `HorizontalPodAutoscaler` and sets the number of the annotation.
#[test]
fn the_number_of_a_paused_autoscaler_replaces_its_range() {
    let log = |paused: &str| {
        let scaler = format!(
            "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: web, namespace: shop, annotations: \
             {{autoscaling.keda.sh/paused-replicas: '{paused}'}}}}\nspec: {{scaleTargetRef: {{name: web}}, minReplicaCount: 1, \
             maxReplicaCount: 10}}\n"
        );
        reported_with("replicas-nodes", "{nodes: 3}", &format!("{}{scaler}", deployment(1)))
    };
    assert_eq!((log("2"), log("0")), (String::new(), String::new()));
    assert!(log("9").starts_with("error: ") && log("9").contains("9 replicas"), "{}", log("9"));
    assert!(log("x").contains("10 replicas"), "{}", log("x"));
}

/// `scaleDown: never`, also the default, keeps the pods of the Deployment next to those of the Rollout.
#[test]
fn pods_that_a_rollout_keeps_count() {
    let log = |scale_down: &str| {
        let rollout = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {{name: web-ro, namespace: shop}}\nspec: {{replicas: 3, workloadRef: {{apiVersion: apps/v1, kind: Deployment, name: web{scale_down}}}, strategy: {{canary: {{maxSurge: 0, maxUnavailable: 1}}}}}}\n"
        );
        reported_with("replicas-nodes", "{nodes: 3}", &format!("{}{rollout}", deployment(3)))
    };
    assert_snapshot!(worded(log(", scaleDown: never")), @"error: a.yaml:13:18: Rollout shop/web-ro: 6 replicas (3 of these pods belong to Deployment shop/web, where `scaleDown: never` keeps them), and at most 3 of the nodes may run it. On each node only one pod can use port 20080/TCP, so 3 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
    assert_eq!(log(""), log(", scaleDown: never"));
    for other in ["onsuccess", "progressively"] {
        assert_eq!(log(&format!(", scaleDown: {other}")), "", "{other}");
    }
    let parked = deployment(3).replacen("replicas: 3", "replicas: 0", 1);
    assert_ne!(parked, deployment(3));
    let rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web-ro, namespace: shop}\nspec: {replicas: 3, workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {maxSurge: 0, maxUnavailable: 1}}}\n";
    assert_eq!(reported_with("replicas-nodes", "{nodes: 3}", &format!("{parked}{rollout}")), "");
}

/// Arguments of cluster-proportional-autoscaler set the replicas of the workload that they name.
#[test]
fn a_proportional_autoscaler_sets_the_replicas() {
    let found = |arguments: &str, image: &str| {
        let scaler = workload(
            "Deployment",
            "scaler",
            &format!("{{containers: [{{name: a, image: '{image}', args: [{arguments}]}}]}}"),
        );
        reported_with("replicas-nodes", "{nodes: 3}", &format!("{}---\n{scaler}", deployment(3)))
    };
    let cpa = "registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0";
    let six = "'--default-params={\"linear\":{\"min\":6}}'";
    assert!(found(&format!("--target=deployment/web, {six}"), cpa).contains("6 replicas"));
    assert!(found(&format!("--target, Deployment/web, --namespace=shop, {six}"), cpa).contains("6 replicas"));
    for (arguments, image) in [
        (format!("--target=deployment/api, {six}"), cpa),
        (format!("--target=statefulset/web, {six}"), cpa),
        (format!("--target=deployment/web, --namespace=api, {six}"), cpa),
        ("--target=deployment/web, '--default-params={\"linear\":{\"min\":3}}'".to_owned(), cpa),
        (format!("--target=deployment/web, {six}"), "example.com/web:v1"),
    ] {
        assert_eq!(found(&arguments, image), "", "{arguments} {image}");
    }
    // The parameters of a ConfigMap of the input win over those in the arguments.
    let with_map = |arguments: &str, name: &str, key: &str| {
        let map = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: shop}}\ndata: {{{key}: '{{\"min\": 7, \"coresPerReplica\": 2}}'}}\n"
        );
        let image =
            format!("{{containers: [{{name: a, image: '{cpa}', args: [--target=deployment/web, {arguments}]}}]}}");
        let scaler = workload("Deployment", "scaler", &image);
        reported_with("replicas-nodes", "{nodes: 3}", &format!("{}---\n{scaler}---\n{map}", deployment(3)))
    };
    let (seven, four) = ("--configmap=scaling", "'--default-params={\"linear\":{\"min\":4}}'");
    assert!(with_map(seven, "scaling", "linear").contains("7 replicas"));
    assert!(with_map(&format!("{seven}, {four}"), "scaling", "linear").contains("7 replicas"));
    assert!(with_map(&format!("{seven}, {four}"), "other", "linear").contains("4 replicas"));
    assert_eq!(with_map(seven, "other", "linear") + &with_map(seven, "scaling", "ladder"), "");
}

/// Node names and host names of the manifest limit the number of nodes of any cluster.
#[test]
fn more_replicas_than_nodes_that_the_manifest_names() {
    let web = |rest: &str| {
        let old_first = "  replicas: 2\n  strategy: {type: Recreate}\n";
        let spec = super::host_spec(super::PORT).replace("{hostNetwork", &format!("{{{rest}, hostNetwork"));
        super::workload("Deployment", "web", &spec)
            .replace("spec:\n  template", &format!("spec:\n{old_first}  template"))
    };
    let reported = |rest: &str| super::reported("replicas-nodes", &web(rest));
    assert_snapshot!(worded(reported("nodeSelector: {kubernetes.io/hostname: n1}")), @"error: a.yaml:5:13: Deployment shop/web: 2 replicas, and at most 1 of the nodes may run it. On each node only one pod can use port 20080/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or let other nodes run the pods");
    assert!(reported("nodeName: n1").starts_with("error: "));
    assert_eq!(reported("nodeSelector: {kubernetes.io/os: linux}"), "");
    assert_eq!(super::reported_with("replicas-nodes", "{nodes: 5}", &web("nodeSelector: {pool: n1}")), "");
    assert!(super::reported_with("replicas-nodes", "{nodes: 5}", &web("nodeName: n1")).starts_with("error: "));
}
