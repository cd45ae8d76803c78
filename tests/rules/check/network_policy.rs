//! Rule `network-policy`.

use super::{PORT, on_host, report_of, reported, workload};
use crate::support::results::{brief, worded};
use hostnet::kinds::check::Configs;
use hostnet::render::check::text;
use insta::assert_snapshot;

fn policy(spec: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: web, namespace: shop}}\nspec: {spec}\n---\n"
    )
}

const WEB: &str = "podSelector: {matchLabels: {app: web}}";

#[test]
fn a_policy_that_selects_pods_on_the_host_network() {
    assert_snapshot!(worded(reported("network-policy", &[policy(&format!("{{{WEB}}}")), on_host("web", PORT)].concat())), @"warning: a.yaml:4:21: NetworkPolicy shop/web selects pods on the host network (Deployment shop/web): the effect of a NetworkPolicy on them is undefined, and most network plugins ignore it. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts");
}

/// A policy for other pods that allows traffic from these pods.
fn peer(pods: &str) -> String {
    policy(&format!("{{podSelector: {{matchLabels: {{app: db}}}}, ingress: [{{from: [{{{pods}}}]}}]}}"))
}

#[test]
fn a_peer_that_selects_pods_on_the_host_network() {
    let spec = format!("{{podSelector: {{matchLabels: {{app: db}}}}, ingress: [{{from: [{{{WEB}}}]}}]}}");
    assert_snapshot!(brief(reported("network-policy", &[policy(&spec), on_host("web", PORT)].concat())), @"warning: network-policy NetworkPolicy shop/web spec.ingress[0].from[0] (a.yaml:4:65, Deployment shop/web)");
    // A namespace selector is matched against the labels of the namespace.
    for (namespaces, count) in [("kubernetes.io/metadata.name: shop", 1), ("kubernetes.io/metadata.name: other", 0)] {
        let spec = format!(
            "{{podSelector: {{matchLabels: {{app: db}}}}, egress: [{{to: [{{{WEB}, namespaceSelector: {{matchLabels: {{{namespaces}}}}}}}]}}]}}"
        );
        let log = reported("network-policy", &[policy(&spec), on_host("web", PORT)].concat());
        assert_eq!(log.lines().count(), count, "{log}");
    }
}

#[test]
fn the_pod_network_addresses_and_entire_namespaces_are_not_reported() {
    let pod_network = workload("Deployment", "web", "{containers: []}");
    assert_eq!(reported("network-policy", &[policy(&format!("{{{WEB}}}")), pod_network].concat()), "");
    for peer in ["ipBlock: {cidr: 10.0.0.0/8}", "namespaceSelector: {}", "podSelector: {}"] {
        let spec = format!("{{podSelector: {{matchLabels: {{app: db}}}}, ingress: [{{from: [{{{peer}}}]}}]}}");
        assert_eq!(reported("network-policy", &[policy(&spec), on_host("web", PORT)].concat()), "", "{peer}");
    }
}

/// Files that hold one object with different content belong to two clusters, or are a base and its overlay.
#[test]
fn a_policy_of_one_cluster_is_not_about_the_pods_of_another() {
    let policy = policy(&format!("{{{WEB}}}"));
    let pod_network = workload("Deployment", "web", "{containers: []}");
    let (one, other) = ([policy.as_str(), &pod_network].concat(), on_host("web", PORT));
    let reported = |files: &[(&str, &str)]| text(&report_of(&Configs::default(), files)).contains("[network-policy]");
    assert!(!reported(&[("a.yaml", &one), ("b.yaml", &other)]));
    assert!(reported(&[("a.yaml", &policy), ("b.yaml", &other)]));
    let peer = peer(WEB);
    let one = [peer.as_str(), &pod_network].concat();
    assert!(!reported(&[("a.yaml", &one), ("b.yaml", &other)]));
    assert!(reported(&[("a.yaml", &peer), ("b.yaml", &other)]));
}

#[test]
fn every_label_of_a_selector_has_to_match() {
    let both = "{podSelector: {matchLabels: {app: web, tier: front}}}";
    assert_eq!(reported("network-policy", &[policy(both), on_host("web", PORT)].concat()), "");
    let front = on_host("web", PORT).replace("labels: {app: web}", "labels: {app: web, tier: front}");
    assert_ne!(reported("network-policy", &[policy(both), front].concat()), "");
    let not =
        "{podSelector: {matchLabels: {app: web}, matchExpressions: [{key: app, operator: NotIn, values: [web]}]}}";
    assert_eq!(reported("network-policy", &[policy(not), on_host("web", PORT)].concat()), "");
}
