//! A namespace that is not written: it may be any (`kubectl apply -n`), on either side.

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

/// What is changed and said of an object, without what becomes of the Deployment itself.
fn beside(deployment: &str, object: &str) -> String {
    let all = changes(&ports("{http: 20080}"), &format!("{deployment}---\n{object}"));
    let own = |line: &&str| {
        ["- {name: web, args", "hostNetwork", "dnsPolicy", "network-policy]"].iter().any(|own| line.contains(own))
    };
    all.lines().filter(|line| !own(line)).map(|line| format!("{line}\n")).collect()
}

fn without(text: &str) -> String {
    text.replace(", namespace: shop", "")
}

#[test]
fn in_one_namespace_all_moves() {
    let web = neighbour("web", "web");
    for object in [SERVICE, MONITOR, POLICY] {
        let both = beside(&web, object);
        assert!(both.contains("\n+") && !both.contains("warning"), "{both}");
        assert_eq!(beside(&without(&web), &without(object)), both);
        // An empty namespace is not a namespace.
        let empty = |text: &str| text.replace("namespace: shop", "namespace: \"\"");
        assert_eq!(beside(&empty(&web), &without(object)), both);
        assert_eq!(beside(&without(&web), &empty(object)), both.replace(", namespace: \"\"", ""));
        assert_eq!(beside(&web, &object.replace("shop", "cellar")), "");
    }
}

#[test]
fn what_one_of_the_two_leaves_open_is_reported() {
    let web = neighbour("web", "web");
    assert_snapshot!(brief(beside(&without(&web), SERVICE)), @"warning: port-reference Service shop/web spec.ports[0] (15:38, 20080, 8080)");
    assert_snapshot!(brief(beside(&web, &without(SERVICE))), @"warning: port-reference Service web spec.ports[0] (15:38, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(worded(beside(&without(&web), MONITOR)), @"warning: standard input:15:80: Deployment web, container web, port http (8080): moves to 20080, and 8080 is a port with these labels, and only one of the two has a namespace, in PodMonitor shop/web; if that means this port, change it too [port-reference]");
    assert_snapshot!(brief(beside(&web, &without(MONITOR))), @"warning: port-reference PodMonitor web spec.podMetricsEndpoints[0].portNumber (15:80, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(brief(beside(&without(&web), POLICY)), @"warning: port-reference NetworkPolicy shop/web spec.ingress[0].ports[0].port (15:74, 20080, 8080)");
    assert_snapshot!(brief(beside(&web, &without(POLICY))), @"warning: port-reference NetworkPolicy web spec.ingress[0].ports[0].port (15:74, 20080, 8080, Deployment shop/web)");
}

/// A Service or monitor that has pods of its own is theirs.
#[test]
fn what_has_pods_of_its_own_is_not_reported() {
    let other = neighbour("other", "web").replace("web, args", "x, args").replace(", namespace: shop", "");
    for object in [SERVICE, MONITOR] {
        let said = beside(&neighbour("web", "web"), &format!("{}---\n{other}", without(object)));
        assert_eq!(said, "", "{object}");
    }
}
