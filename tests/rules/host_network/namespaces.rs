//! Objects without a namespace: `kubectl apply -n` may put them into any namespace.

use super::{changes, neighbour, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

const SERVICE: &str = "apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
";
const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: web, namespace: shop}
spec: {selector: {matchLabels: {app: web}}, podMetricsEndpoints: [{portNumber: 8080}]}
";
const POLICY: &str = "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {matchLabels: {app: web}}, ingress: [{ports: [{port: 8080}]}]}
";

/// The changes of an object and the messages about it, without the changes of the Deployment.
fn changes_of_rest(deployment: &str, object: &str) -> String {
    let all = changes(&ports("{http: 20080}"), &format!("{deployment}---\n{object}"));
    let own = |line: &&str| {
        ["- {name: web, args", "hostNetwork", "dnsPolicy", "network-policy]"].iter().any(|part| line.contains(part))
    };
    all.lines().filter(|line| !own(line)).map(|line| format!("{line}\n")).collect()
}

fn without(text: &str) -> String {
    text.replace(", namespace: shop", "")
}

#[test]
fn references_in_the_namespace_of_the_workload_move() {
    let web = neighbour("web", "web");
    for object in [SERVICE, MONITOR, POLICY] {
        let both = changes_of_rest(&web, object);
        assert!(both.contains("\n+") && !both.contains("warning"), "{both}");
        assert_eq!(changes_of_rest(&without(&web), &without(object)), both);
        // An empty namespace is like a missing one.
        let empty = |text: &str| text.replace("namespace: shop", "namespace: \"\"");
        assert_eq!(changes_of_rest(&empty(&web), &without(object)), both);
        assert_eq!(changes_of_rest(&without(&web), &empty(object)), both.replace(", namespace: \"\"", ""));
        assert_eq!(changes_of_rest(&web, &object.replace("shop", "cellar")), "");
    }
}

#[test]
fn a_namespace_that_only_one_object_has_is_reported() {
    let web = neighbour("web", "web");
    assert_snapshot!(brief(changes_of_rest(&without(&web), SERVICE)), @"warning: port-reference Service shop/web spec.ports[0] (15:38, 20080, 8080)");
    assert_snapshot!(brief(changes_of_rest(&web, &without(SERVICE))), @"warning: port-reference Service web spec.ports[0] (15:38, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(worded(changes_of_rest(&without(&web), MONITOR)), @"warning: standard input:15:80: Deployment web, container web, port http (8080): moves to 20080, and 8080 is a port with these labels, and only one of the two has a namespace, in PodMonitor shop/web; if that refers to this port, change it too [port-reference]");
    assert_snapshot!(brief(changes_of_rest(&web, &without(MONITOR))), @"warning: port-reference PodMonitor web spec.podMetricsEndpoints[0].portNumber (15:80, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(brief(changes_of_rest(&without(&web), POLICY)), @"warning: port-reference NetworkPolicy shop/web spec.ingress[0].ports[0].port (15:74, 20080, 8080)");
    assert_snapshot!(brief(changes_of_rest(&web, &without(POLICY))), @"warning: port-reference NetworkPolicy web spec.ingress[0].ports[0].port (15:74, 20080, 8080, Deployment shop/web)");
}

/// A Service or monitor without a namespace that selects other pods without a namespace belongs to them.
#[test]
fn an_object_with_other_pods_is_not_reported() {
    let other = neighbour("other", "web").replace("web, args", "x, args").replace(", namespace: shop", "");
    for object in [SERVICE, MONITOR] {
        let log = changes_of_rest(&neighbour("web", "web"), &format!("{}---\n{other}", without(object)));
        assert_eq!(log, "", "{object}");
    }
}
