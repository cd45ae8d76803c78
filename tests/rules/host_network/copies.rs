//! Objects in a dump of a cluster that controllers made from other objects: Pods, `ReplicaSets` and `EndpointSlices`.

use super::{ALL, changes, deployment_named, numbers, ports, stream};
use crate::support::results::brief;

/// A copy of a Deployment's pods with this owner reference.
fn copy(head: &str, name: &str, owner: &str) -> String {
    let copy = deployment_named("web", 8080, true).replace("apiVersion: apps/v1\nkind: Deployment", head);
    let owner = format!("ownerReferences: [{{{owner}, controller: true, uid: x}}]");
    copy.replace("name: web, namespace: shop}", &format!("name: {name}, namespace: shop, {owner}}}"))
}

const REPLICA_SET: &str = "apiVersion: apps/v1\nkind: ReplicaSet";
const DEPLOYMENT: &str = "apiVersion: apps/v1, kind: Deployment, name: web";

#[test]
fn copies_follow_their_owner() {
    let old = copy(REPLICA_SET, "web-1", DEPLOYMENT);
    let new = copy(REPLICA_SET, "web-2", DEPLOYMENT);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web-2-a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-2, \
               controller: true}]}\nspec: {containers: [{name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}]}\n";
    let all = stream([deployment_named("web", 8080, true), old, new, pod.to_owned()]);
    assert_eq!(numbers(ALL, &all), numbers(ALL, &deployment_named("web", 8080, true)));
    // The owners of these objects are not in the input.
    let alone = stream([copy(REPLICA_SET, "web-1", DEPLOYMENT), deployment_named("other", 9090, true)]);
    assert_eq!(numbers(ALL, &alone).lines().count(), 2, "{}", numbers(ALL, &alone));
    let custom = copy("apiVersion: apps/v1\nkind: StatefulSet", "web-1", DEPLOYMENT);
    assert_eq!(numbers(ALL, &stream([deployment_named("web", 8080, true), custom])).lines().count(), 2);
}

#[test]
fn endpoints_of_controllers_follow_their_pods() {
    let slice = |labels: &str| {
        format!(
            "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {{name: web-1, namespace: shop{labels}}}\naddressType: IPv4\nports: [{{port: \
             8080}}]\n"
        )
    };
    let with = |object: String| {
        brief(changes(&ports("{http: 20080}"), &stream([deployment_named("web", 8080, true), object])))
    };
    for controller in ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"] {
        let controlled = slice(&format!(", labels: {{endpointslice.kubernetes.io/managed-by: {controller}}}"));
        assert!(!with(controlled).contains("port-reference"), "{controller}");
    }
    let endpoints = |more: &str| {
        format!(
            "apiVersion: v1\nkind: Endpoints\nmetadata: {{name: web, namespace: shop{more}}}\nsubsets: [{{ports: [{{port: 8080}}]}}]\n"
        )
    };
    for controlled in [
        ", labels: {endpoints.kubernetes.io/managed-by: endpoint-controller}",
        ", annotations: {endpoints.kubernetes.io/last-change-trigger-time: '2026-01-01T00:00:00Z'}",
    ] {
        assert!(!with(endpoints(controlled)).contains("port-reference"), "{controlled}");
    }
    for by_hand in [slice(""), slice(", labels: {endpointslice.kubernetes.io/managed-by: me}"), endpoints("")] {
        assert!(with(by_hand.clone()).contains("warning: port-reference"), "{by_hand}");
    }
}
