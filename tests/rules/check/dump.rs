//! Dumps of a cluster: Pods, their owners, and their nodes.

use crate::support::results::worded;
use std::fmt::Write as _;

use super::{PORT, host_spec, on_host, report, reported, reported_with, workload};
use insta::assert_snapshot;

/// A Pod of a Deployment as the cluster stores it, bound to a node.
fn pod(deployment: &str, name: &str, node: &str, containers: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {deployment}-5d4f-{name}\n  namespace: shop\n  labels: {{app: {deployment}, \
         pod-template-hash: 5d4f}}\n  ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: {deployment}-5d4f, controller: \
         true}}]\nspec: {{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, nodeName: {node}, containers: [{{name: web, image: \
         'example/web:v1', {PORT}}}{containers}]}}\nstatus: {{phase: Running}}\n---\n"
    )
}

/// The mirror Pod of a static Pod, as the kubelet of a node creates it.
fn static_pod(name: &str, node: &str, number: u16) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}-{node}\n  namespace: kube-system\n  annotations: {{kubernetes.io/config.mirror: \
         abc}}\n  ownerReferences: [{{apiVersion: v1, kind: Node, name: {node}, controller: true}}]\nspec: {{hostNetwork: true, nodeName: \
         {node}, containers: [{{name: {name}, image: 'example/{name}:v1', ports: [{{containerPort: {number}, hostPort: {number}}}]}}]}}\n---\n"
    )
}

fn node(name: &str, more: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}}}}}\n{more}---\n"
    )
}

const AGENT: &str = ", {name: agent, image: agent, ports: [{containerPort: 15000, hostPort: 15000}]}";

#[test]
fn a_port_of_a_pod_outside_of_its_template_was_injected() {
    let dump = [on_host("web", PORT), pod("web", "a", "n1", AGENT), pod("web", "b", "n2", AGENT)].concat();
    assert_snapshot!(worded(reported("sidecar-port", &dump)), @"warning: a.yaml:7:11: Pod shop/web-5d4f-a (and 1 more), container agent: 15000/TCP is a port of its node, and the template of Deployment shop/web does not declare it: a webhook or a SidecarSet injected it into the Pod, or the Pod belongs to an older revision. No manifest shows this port, and two such Pods cannot share a node. Find the injector, and remove its port or exclude these pods");
    // The template of the Deployment explains the port.
    assert_eq!(reported("sidecar-port", &[on_host("web", PORT), pod("web", "a", "n1", "")].concat()), "");
    let both = format!("{PORT}}}, {{name: agent, image: agent, ports: [{{containerPort: 15000}}]");
    assert_eq!(reported("sidecar-port", &[on_host("web", &both), pod("web", "a", "n1", AGENT)].concat()), "");
    // A port in the pod network is not a port of the node.
    let inside = AGENT.replace(", hostPort: 15000", "");
    let inside = pod("web", "a", "n1", &inside).replace("hostNetwork: true, ", "");
    assert_eq!(
        reported("sidecar-port", &[workload("Deployment", "web", "{containers: []}"), inside].concat()).lines().count(),
        1
    );
}

#[test]
fn an_injected_port_that_the_pod_listens_on_is_an_error() {
    let own = "args: [--metrics-bind-address=:15000], ports: [{name: http, containerPort: 20080, hostPort: 20080}]";
    assert_snapshot!(worded(reported("sidecar-port", &[on_host("web", own), pod("web", "a", "n1", AGENT)].concat())), @"error: a.yaml:7:11: Pod shop/web-5d4f-a, container agent: 15000/TCP is a port of its node, and the template of Deployment shop/web listens there itself without declaring it: the second one fails with `bind: address already in use`. Give one of them another number");
}

/// During an update the old revision has its own `ReplicaSet`.
#[test]
fn pods_of_an_older_revision_are_compared_with_it() {
    let old = workload("ReplicaSet", "web-5d4f", &host_spec("ports: [{containerPort: 20080}, {containerPort: 15000}]"))
        .replace(
            "namespace: shop}",
            "namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]}",
        );
    let one = pod("web", "a", "n1", AGENT);
    assert_eq!(reported("sidecar-port", &[on_host("web", PORT), old.clone(), one.clone()].concat()), "");
    assert_ne!(reported("sidecar-port", &[on_host("web", PORT), one].concat()), "");
}

#[test]
fn containers_of_a_sidecar_set_are_reported_once() {
    let set = "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {name: agent}\nspec: {selector: {matchLabels: {app: web}}, \
               containers: [{name: agent, ports: [{containerPort: 15000}]}]}\n---\n";
    let dump = [set, &on_host("web", PORT), &pod("web", "a", "n1", AGENT)].concat();
    assert_eq!(reported("sidecar-port", &dump).lines().count(), 1);
}

#[test]
fn a_node_that_runs_both_is_named() {
    let own = "args: [--metrics-bind-address=:20080]";
    let dump =
        [on_host("api", own), on_host("web", PORT), pod("api", "a", "n1", ""), pod("web", "a", "n1", "")].concat();
    assert_snapshot!(worded(reported("port-conflict", &dump)), @"error: a.yaml:15:125: Deployment shop/web, container web and Deployment shop/api, container web both use port 20080/TCP of their node: n1 runs both, and one of them fails with `bind: address already in use`. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 20080, between: [shop/Deployment/api, shop/Deployment/web]}]` in a HostNetwork that you give with `-c`");
    // Without a node that runs both, a possible shared node is still a finding.
    let apart = dump.replacen("nodeName: n1", "nodeName: n2", 1);
    assert_snapshot!(worded(reported("port-conflict", &apart)), @"error: a.yaml:15:125: Deployment shop/web, container web and Deployment shop/api, container web both use port 20080/TCP of their node: the scheduler does not see it, and the second one on a node fails with `bind: address already in use`. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 20080, between: [shop/Deployment/api, shop/Deployment/web]}]` in a HostNetwork that you give with `-c`");
}

#[test]
fn static_pods_hold_ports_of_their_nodes() {
    let dump = [on_host("web", PORT), static_pod("proxy", "cp-1", 20080), static_pod("proxy", "cp-2", 20080)].concat();
    assert_snapshot!(worded(reported("port-conflict", &dump)), @"warning: a.yaml:7:125: Deployment shop/web, container web and Pod kube-system/proxy-cp-1, container proxy both use port 20080/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. The input does not show the taints of cp-1: add the Nodes to it, or give Deployment shop/web another number");
    // With the Node in the input, its taints show if the pod can run there.
    let open = [dump.clone(), node("cp-1", "")].concat();
    assert_snapshot!(worded(reported("port-conflict", &open)), @"error: a.yaml:7:125: Deployment shop/web, container web and Pod kube-system/proxy-cp-1, container proxy both use port 20080/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give Deployment shop/web another number, or keep it away from cp-1 by a nodeSelector");
    let taint = "spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}\n";
    let tainted = [dump, node("cp-1", taint), node("cp-2", taint), node("n1", "")].concat();
    assert_eq!(reported("port-conflict", &tainted), "");
    // Other rules do not judge static Pods.
    let report = report("{}", &static_pod("proxy", "cp-1", 10250));
    assert_eq!(report.entries, []);
}

#[test]
fn two_static_pods_of_a_node_are_two_holders() {
    let dump = [static_pod("proxy", "cp-1", 6443), static_pod("kube-apiserver", "cp-1", 6443)].concat();
    assert_snapshot!(worded(reported("port-conflict", &dump)), @"error: a.yaml:17:123: Pod kube-system/kube-apiserver-cp-1, container kube-apiserver and Pod kube-system/proxy-cp-1, container proxy both use port 6443/TCP of their node: cp-1 runs both, and one of them fails with `bind: address already in use`. Give one of the two another number in its manifest on cp-1. Node cp-1 (not in the input) generates this Pod and overwrites changes: make changes there");
    assert!(reported("port-conflict", &dump.replace("name: kube-apiserver,", "name: proxy,")).starts_with("error: "));
    for near in [
        [static_pod("proxy", "cp-1", 6443), static_pod("proxy", "cp-1", 6443)],
        [static_pod("proxy", "cp-1", 6443), static_pod("kube-apiserver", "cp-2", 6443)],
        [static_pod("proxy", "cp-1", 6443), static_pod("kube-apiserver", "cp-1", 6444)],
    ] {
        assert_eq!(reported("port-conflict", &near.concat()), "");
    }
}

/// The owner of these Pods is not in the input.
#[test]
fn every_pod_of_an_owner_counts_with_its_node() {
    let dump = |agent: [&str; 2], other: [&str; 2]| {
        let pods = |name: &str, nodes: [&str; 2]| nodes.map(|node| pod(name, node, node, "")).concat();
        reported("port-conflict", &[pods("agent", agent), pods("other", other)].concat())
    };
    assert!(dump(["n1", "n2"], ["n3", "n2"]).starts_with("error: "));
    assert_eq!(dump(["n1", "n2"], ["n3", "n4"]), "");
    let nodes = ["n1", "n2"].map(|name| node(name, "")).concat();
    let pods = ["n1", "n2"].map(|node| pod("agent", node, node, "")).concat();
    let daemons = |selector: &str| {
        let spec = host_spec(PORT)
            .replace("hostNetwork", &format!("nodeSelector: {{kubernetes.io/hostname: {selector}}}, hostNetwork"));
        reported("port-conflict", &[nodes.clone(), pods.clone(), workload("DaemonSet", "new", &spec)].concat())
    };
    assert_eq!([daemons("n2").lines().count(), daemons("n3").lines().count()], [1, 0]);
}

/// The catalogue lists 6443 as a port of control planes; a static Pod with this port replaces that row by its node.
#[test]
fn ports_of_static_pods_need_no_row_of_the_catalogue() {
    let number = "ports: [{containerPort: 6443, hostPort: 6443}]";
    assert_eq!(reported("node-port", &on_host("web", number)).lines().count(), 1);
    let dump = [on_host("web", number), static_pod("kube-apiserver", "cp-1", 6443)].concat();
    assert_eq!((reported("node-port", &dump).as_str(), reported("port-conflict", &dump).lines().count()), ("", 1));
}

#[test]
fn a_node_whose_port_is_taken_is_not_free_for_a_replica() {
    let web = on_host("web", PORT).replace("spec:\n  template", "spec:\n  replicas: 2\n  template");
    let nodes = [node("n1", ""), node("n2", "")].concat();
    assert_eq!(reported("replicas-nodes", &[web.clone(), nodes.clone()].concat()), "");
    let dump = [web.clone(), nodes.clone(), static_pod("proxy", "n1", 20080)].concat();
    assert_snapshot!(worded(reported("replicas-nodes", &dump)), @"error: a.yaml:5:13: Deployment shop/web: 2 replicas, and at most 2 of the nodes may run it; on 1 of these nodes another Pod already uses one of its ports (Pod kube-system/proxy-n1 on n1). On each node only one pod can use port 20080/TCP, so 1 would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes");
    // The workload's own Pods do not take nodes from it, and neither do other ports.
    let own =
        [web, nodes, pod("web", "a", "n1", ""), pod("web", "b", "n2", ""), static_pod("proxy", "n1", 20081)].concat();
    assert_eq!(reported("replicas-nodes", &own), "");
}

#[test]
fn the_message_names_the_object_to_change() {
    let reported = |metadata: &str| {
        let web = on_host("web", PORT).replace("ClusterFirstWithHostNet", "ClusterFirst");
        let text = reported(
            "dns-policy",
            &web.replace("{name: web, namespace: shop}", &format!("{{name: web, namespace: shop, {metadata}}}")),
        );
        text.split_once("is intended. ").map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    };
    assert_eq!(reported("labels: {}"), "");
    let all = [
        "labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: flux}, annotations: {meta.helm.sh/release-name: web}",
        "labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: prod}",
        "labels: {app.kubernetes.io/managed-by: Helm, app.kubernetes.io/instance: shop}",
        "labels: {app.kubernetes.io/managed-by: kustomize, app.kubernetes.io/instance: shop}",
        "labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}",
        "annotations: {argocd.argoproj.io/tracking-id: 'shop:apps/Deployment:shop/web'}",
        "labels: {olm.owner: shop.v1, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: operators}",
        "ownerReferences: [{apiVersion: example.com/v1, kind: Shop, name: main, controller: true}]",
    ];
    assert_snapshot!(all.map(reported).concat(), @"
    Flux (HelmRelease flux/web) generates this Deployment and overwrites changes: make changes in `spec.values` of the HelmRelease, or its `postRenderers`
    Helm (release prod/shop) generates this Deployment and overwrites changes: make changes in the values of the release
    Helm (release shop) generates this Deployment and overwrites changes: make changes in the values of the release
    Flux (Kustomization flux-system/apps) generates this Deployment and overwrites changes: make changes in the source of the Kustomization, or its `patches`
    Argo CD (Application shop) generates this Deployment and overwrites changes: make changes in the source of the Application
    Operator Lifecycle Manager (ClusterServiceVersion operators/shop.v1) generates this Deployment and overwrites changes: make changes in the ClusterServiceVersion
    Shop main (not in the input) generates this Deployment and overwrites changes: make changes there
    ");
}

#[test]
fn a_provider_is_changed_in_its_runtime_config() {
    let owner = "{name: web, namespace: shop, ownerReferences: [{apiVersion: pkg.crossplane.io/v1, kind: ProviderRevision, name: aws-1f, \
                 controller: true}]}";
    let web = on_host("web", PORT)
        .replace("ClusterFirstWithHostNet", "ClusterFirst")
        .replace("{name: web, namespace: shop}", owner);
    let web = web.replace("labels: {app: web}", "labels: {pkg.crossplane.io/provider: aws}");
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: aws}\nspec: {package: example.com/aws, runtimeConfigRef: \
                    {name: host}}\n";
    let tail = |text: String| text.split_once("is intended. ").unwrap().1.to_owned();
    assert_snapshot!([tail(reported("dns-policy", &web)), tail(reported("dns-policy", &[&web, provider].concat()))].concat(), @r#"
        Crossplane (Provider aws) generates this Deployment and overwrites changes: make changes in the DeploymentRuntimeConfig that its `spec.runtimeConfigRef` names
        Crossplane (Provider aws) generates this Deployment and overwrites changes: make changes in its DeploymentRuntimeConfig host
    "#);
}

/// Pods of one owner are judged once.
#[test]
fn pods_whose_owner_is_not_in_the_input_are_judged_once() {
    let pods = [pod("web", "a", "n1", ""), pod("web", "b", "n2", "")]
        .concat()
        .replace("ClusterFirstWithHostNet", "ClusterFirst");
    assert_snapshot!(worded(reported("dns-policy", &pods)), @"warning: a.yaml:8:38: Pod shop/web-5d4f-a: dnsPolicy is ClusterFirst, and on the host network the kubelet then silently gives it the node's resolver: names of the cluster do not resolve. Write `dnsPolicy: ClusterFirstWithHostNet`, or `Default` if that is intended. Deployment web (not in the input) generates this Pod and overwrites changes: make changes there");
    assert_eq!(reported_with("port-conflict", "{}", &pods), "");
}

/// A dump of a cluster gives the same findings as its manifests.
#[test]
fn three_hundred_deployments_with_replica_sets_and_pods() {
    let (mut manifests, mut dump) = (String::new(), String::new());
    for index in 0..300 {
        let name = format!("web{index}");
        let number = 20_000 + index % 250;
        let own = host_spec(&format!("ports: [{{name: http, containerPort: {number}, hostPort: {number}}}]"));
        let own = if index % 3 == 0 { own.replace("ClusterFirstWithHostNet", "ClusterFirst") } else { own };
        let deployment = workload("Deployment", &name, &own);
        manifests += &deployment;
        dump += &deployment;
        let owned = |kind: &str, owner: &str| {
            format!(
                "namespace: shop, ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {owner}, controller: true}}]"
            )
        };
        for revision in 0..3 {
            let set = workload("ReplicaSet", &format!("{name}-{revision}"), &own);
            let replicas = if revision == 2 { 3 } else { 0 };
            let set = set.replace("spec:\n  template", &format!("spec:\n  replicas: {replicas}\n  template"));
            dump += &set.replace("namespace: shop", &owned("Deployment", &name));
        }
        for pod in 0..3 {
            write!(
                dump,
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}-2-{pod}, {}, labels: {{app: {name}}}}}\nspec: {}\n---\n",
                owned("ReplicaSet", &format!("{name}-2")),
                own.replacen('{', &format!("{{nodeName: n{}, ", (index * 3 + pod) % 900), 1)
            )
            .unwrap();
        }
    }
    let findings = |text: &str| {
        let report = report("{}", text);
        let found = report.entries.into_iter().map(|entry| (entry.rule.id, entry.message, entry.fingerprint));
        found.collect::<std::collections::BTreeSet<_>>()
    };
    let of_manifests = findings(&manifests);
    assert!(of_manifests.len() > 150, "{}", of_manifests.len());
    assert_eq!(of_manifests, findings(&dump));
}

/// Objects that own themselves or each other are judged as workloads of their own.
#[test]
fn circular_owners_hide_no_finding() {
    let set = |name: &str, owner: &str| {
        let owned = format!(
            "name: {name}, ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: {owner}, controller: true}}], namespace"
        );
        let set = workload("ReplicaSet", name, "{hostNetwork: true, containers: []}");
        set.replace(&format!("name: {name}, namespace"), &owned)
    };
    let reported = |manifest: &str| reported("dns-policy", manifest).lines().count();
    assert_eq!(reported(&set("a", "a")), 1);
    assert_eq!(reported(&[set("a", "b"), set("b", "a")].concat()), 2);
    let many: String = (0..9).map(|number| set(&format!("s{number}"), &format!("s{}", (number + 1) % 9))).collect();
    assert_eq!(reported(&many), 9);
    // Objects whose owner chain leads to another object of the input are not judged again.
    assert_eq!(
        reported(&[set("a", "b"), set("b", "c"), set("c", "away").replace(", controller: true", "")].concat()),
        1
    );
}

/// A static Pod with another number or protocol does not replace the port of the kubelet.
#[test]
fn a_static_pod_explains_its_own_numbers_alone() {
    let web = on_host("web", "ports: [{containerPort: 10250, hostPort: 10250}]");
    assert!(reported("node-port", &[static_pod("a", "n", 10_251), web.clone()].concat()).starts_with("error: "));
    let udp = static_pod("a", "n", 10_250).replace("hostPort: 10250", "hostPort: 10250, protocol: UDP");
    assert!(reported("node-port", &[udp, web.clone()].concat()).starts_with("error: "));
    assert_eq!(reported("node-port", &[static_pod("a", "n", 10_250), web].concat()), "");
}
