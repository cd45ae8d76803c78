//! `networkPolicy: Functions`: the policy that allows only the core to call functions.

use super::check::FUNCTIONS;
use super::{run, settled};

const CORE: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: crossplane, namespace: crossplane-system}\nspec:\n  selector: {matchLabels: {app: crossplane}}\n  template:\n    metadata: {labels: {app: crossplane, helm.sh/chart: crossplane-2.3.4}}\n    spec:\n      containers:\n      - {name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, start]}\n";
const SPEC: &str = "httpsProxy: 'http://p:3128', networkPolicy: Functions, targets: [{select: {kind: Deployment, name: none}}], unmatched: Ignore";

fn policies(output: &str) -> Vec<serde_json::Value> {
    let all = serde_yaml::Deserializer::from_str(output)
        .map(|document| <serde_json::Value as serde::Deserialize>::deserialize(document).unwrap());
    all.filter(|object| object["kind"] == "NetworkPolicy").collect()
}

#[test]
fn the_core_is_allowed_by_the_labels_of_its_selector() {
    let (output, log) = settled(SPEC, &(CORE.to_owned() + FUNCTIONS));
    let policy = output.split("---\n").find(|text| text.contains("NetworkPolicy")).unwrap();
    insta::assert_snapshot!(format!("{policy}{log}"), @r"
    apiVersion: networking.k8s.io/v1
    kind: NetworkPolicy
    metadata:
      name: hostnet-functions
      namespace: crossplane-system
      labels:
        app.kubernetes.io/managed-by: hostnet
    spec:
      podSelector:
        matchExpressions:
        - key: pkg.crossplane.io/function
          operator: Exists
      policyTypes:
      - Ingress
      ingress:
      - from:
        - podSelector:
            matchLabels:
              app: crossplane
        ports:
        - protocol: TCP
          port: 9443
    ");
    assert_eq!(policies(&output).len(), 1);
}

#[test]
fn nodes_are_allowed_if_the_core_is_on_the_host_network() {
    let on_host = CORE.replace("      containers:", "      hostNetwork: true\n      containers:");
    let (output, log) = run(SPEC, &on_host);
    assert!(output == on_host && log.contains("error") && log.contains("cluster: {nodes: [...]}"), "{log}");
    let spec = format!("{SPEC}, cluster: {{nodes: [10.0.0.0/16, 'fd00:1::/64']}}");
    let (output, _) = settled(&spec, &on_host);
    let from = &policies(&output)[0]["spec"]["ingress"][0]["from"];
    assert_eq!(*from, serde_json::json!([{"ipBlock": {"cidr": "10.0.0.0/16"}}, {"ipBlock": {"cidr": "fd00:1::/64"}}]));
    // A config in the input that moves the core has the same effect.
    let config = "---\napiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: h, annotations: {config.kubernetes.io/local-config: 'true'}}\nspec: {targets: [{select: {kind: Deployment, name: crossplane}}]}\n";
    let (output, _) = settled(&spec, &(CORE.to_owned() + config));
    assert_eq!(policies(&output)[0]["spec"]["ingress"][0]["from"], *from);
}

#[test]
fn an_own_policy_is_updated_and_a_foreign_policy_is_an_error() {
    let (output, _) = settled(SPEC, CORE);
    let old = output.replace("port: 9443", "port: 9000");
    assert_eq!(settled(SPEC, &old).0.matches("9443").count(), 1);
    let foreign = output.replace("hostnet\n", "somebody\n");
    assert_ne!(foreign, output);
    let (after, log) = run(SPEC, &foreign);
    assert!(after == foreign && log.contains("error") && log.contains("was not made by hostnet"), "{log}");
}

#[test]
fn a_missing_core_is_an_error() {
    let (_, log) = run(SPEC, FUNCTIONS);
    assert!(log.contains("error") && log.contains("the input has no workload with a namespace that runs it"), "{log}");
}

/// The new policy is combined with existing ones: it allows traffic that another policy denies.
#[test]
fn calls_allowed_by_the_new_policy_are_not_blocked() {
    let closed = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: crossplane-system}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n";
    let manifest = CORE.to_owned() + FUNCTIONS + closed;
    let spec = SPEC.replace("name: none", "name: crossplane");
    assert!(!settled(&spec, &manifest).1.contains("blocked"), "{}", settled(&spec, &manifest).1);
    let without = spec.replace("networkPolicy: Functions, ", "");
    assert!(settled(&without, &manifest).1.contains("NetworkPolicy crossplane-system/closed selects its pods"));
}

/// The source of a call.
enum Peer<'p> {
    Pod { namespace: &'p str, labels: serde_json::Value },
    Node(std::net::Ipv4Addr),
}

/// True if a network plugin would allow a call to the pod of a function.
fn takes(policy: &serde_json::Value, peer: &Peer<'_>, port: u16) -> bool {
    let selects = |selector: &serde_json::Value, labels: &serde_json::Value| {
        let equal = selector["matchLabels"].as_object().into_iter().flatten().all(|(key, value)| labels[key] == *value);
        let expressions = selector["matchExpressions"].as_array().into_iter().flatten();
        equal
            && expressions.into_iter().all(|one| {
                assert_eq!(one["operator"], "Exists");
                !labels[one["key"].as_str().unwrap()].is_null()
            })
    };
    let spec = &policy["spec"];
    let function = serde_json::json!({"pkg.crossplane.io/function": "f", "pkg.crossplane.io/revision": "f-123"});
    assert!(selects(&spec["podSelector"], &function) && !selects(&spec["podSelector"], &serde_json::json!({"a": "b"})));
    assert_eq!(spec["policyTypes"], serde_json::json!(["Ingress"]), "the policy does not restrict egress");
    spec["ingress"].as_array().unwrap().iter().any(|rule| {
        let ports = rule["ports"].as_array().unwrap();
        let peers = rule["from"].as_array().unwrap();
        ports.iter().any(|policy_port| policy_port["protocol"] == "TCP" && policy_port["port"] == port)
            && peers.iter().any(|policy_peer| match peer {
                Peer::Pod { namespace, labels } => {
                    *namespace == policy["metadata"]["namespace"]
                        && policy_peer["podSelector"].is_object()
                        && selects(&policy_peer["podSelector"], labels)
                }
                Peer::Node(address) => policy_peer["ipBlock"]["cidr"].as_str().is_some_and(|cidr| {
                    let (network, bits) = cidr.split_once('/').unwrap();
                    let (network, bits): (std::net::Ipv4Addr, u32) = (network.parse().unwrap(), bits.parse().unwrap());
                    (network.to_bits() ^ address.to_bits()).leading_zeros() >= bits
                }),
            })
    })
}

#[test]
fn a_core_in_the_pod_network_calls_functions_and_others_do_not() {
    let policy = &policies(&settled(SPEC, &(CORE.to_owned() + FUNCTIONS)).0)[0];
    let core = serde_json::json!({"app": "crossplane", "helm.sh/chart": "crossplane-9.9.9"});
    assert!(
        takes(policy, &Peer::Pod { namespace: "crossplane-system", labels: core.clone() }, 9443),
        "after an upgrade of the chart too"
    );
    assert!(!takes(policy, &Peer::Pod { namespace: "crossplane-system", labels: core.clone() }, 8080));
    assert!(!takes(policy, &Peer::Pod { namespace: "shop", labels: core }, 9443));
    let other = serde_json::json!({"app": "crossplane-rbac-manager"});
    assert!(!takes(policy, &Peer::Pod { namespace: "crossplane-system", labels: other }, 9443));
    assert!(!takes(policy, &Peer::Node("10.0.0.7".parse().unwrap()), 9443));
}

#[test]
fn a_core_on_the_host_network_calls_functions_from_its_node() {
    let on_host = CORE.replace("      containers:", "      hostNetwork: true\n      containers:");
    let policy =
        &policies(&settled(&format!("{SPEC}, cluster: {{nodes: [10.0.0.0/16]}}"), &(on_host + FUNCTIONS)).0)[0];
    assert!(takes(policy, &Peer::Node("10.0.0.7".parse().unwrap()), 9443));
    assert!(!takes(policy, &Peer::Node("10.1.0.7".parse().unwrap()), 9443));
    let core = serde_json::json!({"app": "crossplane"});
    assert!(!takes(policy, &Peer::Pod { namespace: "crossplane-system", labels: core }, 9443));
}
