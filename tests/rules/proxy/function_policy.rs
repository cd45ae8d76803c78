//! `networkPolicy: Functions`: the policy that lets the core, and nobody else, call functions.

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
fn the_core_is_let_in_by_the_labels_of_its_selector() {
    let (output, said) = settled(SPEC, &(CORE.to_owned() + FUNCTIONS));
    let policy = output.split("---\n").find(|text| text.contains("NetworkPolicy")).unwrap();
    insta::assert_snapshot!(format!("{policy}{said}"), @r"
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
fn nodes_are_let_in_where_the_core_is_on_the_host_network() {
    let on_host = CORE.replace("      containers:", "      hostNetwork: true\n      containers:");
    let (output, said) = run(SPEC, &on_host);
    assert!(output == on_host && said.contains("error") && said.contains("cluster: {nodes: [...]}"), "{said}");
    let spec = format!("{SPEC}, cluster: {{nodes: [10.0.0.0/16, 'fd00:1::/64']}}");
    let (output, _) = settled(&spec, &on_host);
    let from = &policies(&output)[0]["spec"]["ingress"][0]["from"];
    assert_eq!(*from, serde_json::json!([{"ipBlock": {"cidr": "10.0.0.0/16"}}, {"ipBlock": {"cidr": "fd00:1::/64"}}]));
    // A config of the input that moves the core says the same.
    let config = "---\napiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: h, annotations: {config.kubernetes.io/local-config: 'true'}}\nspec: {targets: [{select: {kind: Deployment, name: crossplane}}]}\n";
    let (output, _) = settled(&spec, &(CORE.to_owned() + config));
    assert_eq!(policies(&output)[0]["spec"]["ingress"][0]["from"], *from);
}

#[test]
fn an_own_policy_is_brought_up_to_date_and_a_foreign_one_is_an_error() {
    let (output, _) = settled(SPEC, CORE);
    let old = output.replace("port: 9443", "port: 9000");
    assert_eq!(settled(SPEC, &old).0.matches("9443").count(), 1);
    let foreign = output.replace("hostnet\n", "somebody\n");
    assert_ne!(foreign, output);
    let (after, said) = run(SPEC, &foreign);
    assert!(after == foreign && said.contains("error") && said.contains("is not made by hostnet"), "{said}");
}

#[test]
fn without_a_core_there_is_nobody_to_let_in() {
    let (_, said) = run(SPEC, FUNCTIONS);
    assert!(
        said.contains("error") && said.contains("the input has no workload with a namespace that runs it"),
        "{said}"
    );
}

/// The policy is judged with those that are there: it opens what another one closes.
#[test]
fn what_it_opens_is_not_blocked() {
    let closed = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: crossplane-system}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n";
    let manifest = CORE.to_owned() + FUNCTIONS + closed;
    let spec = SPEC.replace("name: none", "name: crossplane");
    assert!(!settled(&spec, &manifest).1.contains("blocked"), "{}", settled(&spec, &manifest).1);
    let without = spec.replace("networkPolicy: Functions, ", "");
    assert!(settled(&without, &manifest).1.contains("NetworkPolicy crossplane-system/closed selects its pods"));
}
