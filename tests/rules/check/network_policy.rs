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

#[test]
fn a_policy_about_egress_alone_restricts_no_port() {
    let found = |types: &str| {
        let spec = format!("{{{WEB}, policyTypes: [{types}], egress: [{{ports: [{{port: 53}}]}}]}}");
        reported("network-policy", &[policy(&spec), on_host("web", PORT)].concat())
    };
    assert_snapshot!(worded(found("Egress")), @"warning: a.yaml:4:21: NetworkPolicy shop/web selects pods on the host network (Deployment shop/web): the effect of a NetworkPolicy on them is undefined, and most network plugins ignore it: their outgoing connections are not restricted. Restrict them with a firewall of the nodes or the plugin's own policies for hosts");
    assert!(found("Ingress, Egress").contains("Protect their ports"));
    assert!(found("").contains("Protect their ports"));
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

/// The addresses of the nodes next to the labels allow the traffic.
#[test]
fn a_peer_next_to_the_addresses_of_the_nodes() {
    let rules = |rules: &str| policy(&format!("{{podSelector: {{matchLabels: {{app: db}}}}, ingress: [{rules}]}}"));
    let found = |policies: &str| reported("network-policy", &[policies, &on_host("web", PORT)].concat());
    let own = format!("{{from: [{{{WEB}}}], ports: [{{port: 5432}}]}}");
    let block = "ipBlock: {cidr: 10.0.0.0/16}";
    let next = |peer: &str| format!("{{from: [{{{WEB}}}, {{{peer}}}], ports: [{{port: 5432}}]}}");
    let ovn = "namespaceSelector: {matchLabels: {policy-group.network.openshift.io/host-network: ''}}";
    for allowed in [
        rules(&next(block)),
        rules(&next(ovn)),
        rules(&format!("{own}, {{}}")),
        rules(&format!("{own}, {{from: [{{{block}}}]}}")),
        rules(&format!("{own}, {{from: [{{{block}}}], ports: [{{port: 5432}}, {{port: 80}}]}}")),
        [rules(&own), rules(&format!("{{from: [{{{block}}}]}}")).replace("name: web,", "name: nodes,")].concat(),
    ] {
        assert_eq!(found(&allowed), "", "{allowed}");
    }
    for other in [
        rules(&own),
        rules(&next("ipBlock: {cidr: 10.0.0.1/32}")),
        rules(&format!("{own}, {{from: [{{{block}}}], ports: [{{port: 80}}]}}")),
        rules(&own).replace("}]}]}", &format!("}}]}}], egress: [{{to: [{{{block}}}]}}]}}")),
        [rules(&own), rules(&format!("{{from: [{{{block}}}]}}")).replace("app: db", "app: cache")].concat(),
    ] {
        assert_eq!(found(&other).lines().count(), 1, "{other}");
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

/// Policies of network plugins: kind, name of the pod label of their selectors, and spec. `PODS` stands for the labels.
const PLUGINS: [(&str, &str, &str); 6] = [
    (
        "cilium.io/v2",
        "CiliumNetworkPolicy",
        "{endpointSelector: {matchLabels: {app: SELECTED}}, ingress: [{fromEndpoints: [{matchLabels: {'k8s:app': PEER}}]}]}",
    ),
    (
        "cilium.io/v2",
        "CiliumClusterwideNetworkPolicy",
        "{endpointSelector: {matchLabels: {app: SELECTED, 'k8s:io.kubernetes.pod.namespace': shop}}, egressDeny: [{toEndpoints: [{matchLabels: {app: PEER}}]}]}",
    ),
    (
        "projectcalico.org/v3",
        "NetworkPolicy",
        "{selector: app == 'SELECTED', ingress: [{action: Allow, source: {selector: app == 'PEER'}}]}",
    ),
    (
        "crd.projectcalico.org/v1",
        "GlobalNetworkPolicy",
        "{selector: app == 'SELECTED', types: [Egress], egress: [{action: Allow, destination: {selector: app == 'PEER', namespaceSelector: projectcalico.org/name == 'shop'}}]}",
    ),
    (
        "policy.networking.k8s.io/v1alpha1",
        "AdminNetworkPolicy",
        "{priority: 5, subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: SELECTED}}}}, ingress: [{action: Allow, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: PEER}}}}]}]}",
    ),
    (
        "crd.antrea.io/v1beta1",
        "ClusterNetworkPolicy",
        "{appliedTo: [{podSelector: {matchLabels: {app: SELECTED}}}], ingress: [{action: Allow, from: [{podSelector: {matchLabels: {app: PEER}}}]}]}",
    ),
];

fn plugin((api, kind, spec): (&str, &str, &str), selected: &str, peer: &str) -> String {
    let spec = spec.replace("SELECTED", selected).replace("PEER", peer);
    format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: p, namespace: shop}}\nspec: {spec}\n---\n")
}

#[test]
fn a_policy_of_a_network_plugin_that_selects_the_pods_or_names_them_is_not_judged_further() {
    let mut selected = Vec::new();
    let mut named = Vec::new();
    for policy in PLUGINS {
        let check = |own: &str, peer: &str| {
            reported("network-policy", &[plugin(policy, own, peer), on_host("web", PORT)].concat())
        };
        selected.push(worded(check("web", "other")).lines().collect::<Vec<_>>().join("\n"));
        named.push(brief(check("db", "web")));
        assert_eq!(check("db", "other"), "", "{policy:?}");
    }
    assert_snapshot!(selected.join("\n"), @"
    warning: a.yaml:1:1: CiliumNetworkPolicy shop/p may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, in both directions. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts
    warning: a.yaml:1:1: CiliumClusterwideNetworkPolicy shop/p may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, so their outgoing connections are not restricted. Restrict them with a firewall of the nodes or the plugin's own policies for hosts
    warning: a.yaml:1:1: NetworkPolicy.projectcalico.org shop/p may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, in both directions. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts
    warning: a.yaml:1:1: GlobalNetworkPolicy shop/p may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, so their outgoing connections are not restricted. Restrict them with a firewall of the nodes or the plugin's own policies for hosts
    warning: a.yaml:1:1: AdminNetworkPolicy shop/p may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, in both directions. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts
    warning: a.yaml:1:1: ClusterNetworkPolicy shop/p may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, in both directions. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts
    ");
    assert_snapshot!(named.join("\n"), @"
    warning: network-policy CiliumNetworkPolicy shop/p spec.ingress[0].fromEndpoints[0] (a.yaml:4:79, Deployment shop/web)
    warning: network-policy CiliumClusterwideNetworkPolicy shop/p spec.egressDeny[0].toEndpoints[0] (a.yaml:4:121, Deployment shop/web)
    warning: network-policy NetworkPolicy shop/p spec.ingress[0].source (a.yaml:4:65, Deployment shop/web)
    warning: network-policy GlobalNetworkPolicy shop/p spec.egress[0].destination (a.yaml:4:86, Deployment shop/web)
    warning: network-policy AdminNetworkPolicy shop/p spec.ingress[0].from[0] (a.yaml:4:135, Deployment shop/web)
    warning: network-policy ClusterNetworkPolicy shop/p spec.ingress[0].from[0] (a.yaml:4:95, Deployment shop/web)
    ");
    let peer = [plugin(PLUGINS[0], "db", "web"), on_host("web", PORT)].concat();
    assert_snapshot!(worded(reported("network-policy", &peer)), @"warning: a.yaml:4:79: CiliumNetworkPolicy shop/p: spec.ingress[0].fromEndpoints[0] may select pods on the host network by their labels (Deployment shop/web): their traffic has the address of the node, so the rule does not match it. If the rule is for these pods, add a rule for the entities `host` and `remote-node`");
}

#[test]
fn rules_of_plugins_without_labels_of_the_pods_are_not_reported() {
    let [cilium, _, calico, ..] = PLUGINS;
    let spec = |spec: &'static str| (cilium.0, cilium.1, spec);
    for policy in [
        spec("{endpointSelector: {matchLabels: {app: db}}, ingress: [{fromEntities: [cluster, host, remote-node]}]}"),
        spec("{endpointSelector: {matchLabels: {app: db}}, ingress: [{fromEndpoints: [{}]}]}"),
        spec(
            "{endpointSelector: {matchLabels: {app: db}}, ingress: [{fromEndpoints: [{matchLabels: {'reserved:host': ''}}]}]}",
        ),
        spec("{nodeSelector: {matchLabels: {app: web}}, ingress: [{fromEntities: [world]}]}"),
        (calico.0, calico.1, "{selector: app == 'db', ingress: [{action: Allow, source: {selector: all()}}]}"),
        (calico.0, calico.1, "{selector: app == 'db', ingress: [{action: Allow, source: {nets: [10.0.0.0/8]}}]}"),
        (
            calico.0,
            calico.1,
            "{selector: app == 'db', ingress: [{action: Allow, source: {selector: app == 'web', namespaceSelector: projectcalico.org/name == 'other'}}]}",
        ),
    ] {
        let found = reported("network-policy", &[plugin(policy, "", ""), on_host("web", PORT)].concat());
        assert_eq!(found, "", "{policy:?}");
    }
    // Another namespace than that of the pods.
    let other = plugin(cilium, "web", "web").replace("namespace: shop", "namespace: other");
    assert_eq!(reported("network-policy", &[other, on_host("web", PORT)].concat()), "");
    let pod_network = workload("Deployment", "web", "{containers: []}");
    assert_eq!(reported("network-policy", &[plugin(cilium, "web", "web"), pod_network].concat()), "");
}

/// Groups, Services and labels that only the cluster has select unknown pods; service accounts are compared.
#[test]
fn policies_whose_pods_only_the_cluster_knows_are_not_reported() {
    let account = on_host("web", PORT).replace("hostNetwork: true", "hostNetwork: true, serviceAccountName: web");
    let found =
        |policy: (&str, &str, &str)| reported("network-policy", &[plugin(policy, "", ""), account.clone()].concat());
    let [.., calico, global, _, antrea] = PLUGINS;
    let rules = "ingress: [{action: Drop, from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]";
    for (applied, count) in [
        ("group: db", 0),
        ("service: {name: web, namespace: shop}", 0),
        ("externalEntitySelector: {}", 0),
        ("serviceAccount: {name: db, namespace: shop}", 0),
        ("serviceAccount: {name: web, namespace: data}", 0),
        ("serviceAccount: {name: web, namespace: shop}", 1),
        ("namespaceSelector: {matchLabels: {team: data}}", 0),
        ("namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}", 1),
        ("podSelector: {}", 1),
    ] {
        let spec = format!("{{appliedTo: [{{{applied}}}], {rules}}}");
        assert_eq!(found((antrea.0, antrea.1, &spec)).lines().count(), count, "{applied}");
    }
    for (selected, count) in [
        ("selector: projectcalico.org/serviceaccount == 'db'", 0),
        ("selector: projectcalico.org/serviceaccount == 'web'", 1),
        ("selector: pcsa.team == 'data'", 0),
        ("selector: pcns.team == 'data'", 0),
        ("serviceAccountSelector: projectcalico.org/name == 'db'", 0),
        ("serviceAccountSelector: projectcalico.org/name == 'web'", 1),
        ("serviceAccountSelector: team == 'data'", 0),
        ("selector: all()", 1),
    ] {
        for (api, kind, _) in [calico, global] {
            let spec = format!("{{{selected}, ingress: [{{action: Allow, source: {{nets: [10.0.0.0/8]}}}}]}}");
            assert_eq!(found((api, kind, &spec)).lines().count(), count, "{kind} {selected}");
        }
    }
}

/// Policies about outgoing connections restrict no port of the pods.
#[test]
fn a_policy_about_egress_has_a_remedy_about_egress() {
    let found = |policy: (&str, &str, &str)| {
        reported("network-policy", &[plugin(policy, "", ""), on_host("web", PORT)].concat())
    };
    let firewall = |rule: &str| {
        let spec = format!("{{egress: [{{type: {rule}, to: {{cidrSelector: 10.0.0.0/8}}}}]}}");
        found(("k8s.ovn.org/v1", "EgressFirewall", &spec))
    };
    assert_eq!(firewall("Allow"), "");
    assert_snapshot!(worded(firewall("Deny")), @"warning: a.yaml:1:1: EgressFirewall shop/p may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, so their outgoing connections are not restricted. Restrict them with a firewall of the nodes or the plugin's own policies for hosts");
    let names = "{podSelector: {}, egress: [{matches: [{name: example.com}]}]}";
    let cilium = "{endpointSelector: {}, egress: [{toEntities: [world]}]}";
    let calico = "{selector: all(), types: [Egress]}";
    for policy in [
        ("network.openshift.io/v1", "EgressNetworkPolicy", "{egress: [{type: Deny, to: {cidrSelector: 0.0.0.0/0}}]}"),
        ("networking.gke.io/v1alpha1", "FQDNNetworkPolicy", names),
        ("cilium.io/v2", "CiliumNetworkPolicy", cilium),
        ("projectcalico.org/v3", "NetworkPolicy", calico),
    ] {
        assert!(found(policy).contains("outgoing connections are not restricted"), "{policy:?}");
    }
    let both = "{selector: all(), types: [Ingress, Egress]}";
    assert!(found(("projectcalico.org/v3", "NetworkPolicy", both)).contains("Protect their ports"));
}

/// The remedy of the finding: another rule with the entities of nodes, for the same ports.
#[test]
fn a_rule_with_the_nodes_next_to_the_peer() {
    let count = |(api, kind): (&str, &str), rules: &str| {
        let own = match kind {
            "CiliumNetworkPolicy" => "endpointSelector: {matchLabels: {app: db}}",
            "AdminNetworkPolicy" => "subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: db}}}}",
            _ => "appliedTo: [{podSelector: {matchLabels: {app: db}}}]",
        };
        let spec = format!("{{{own}, {rules}}}");
        reported("network-policy", &[plugin((api, kind, &spec), "", ""), on_host("web", PORT)].concat()).lines().count()
    };
    let cilium = ("cilium.io/v2", "CiliumNetworkPolicy");
    let peer = "fromEndpoints: [{matchLabels: {app: web}}]";
    let ports = |number| format!("toPorts: [{{ports: [{{port: '{number}', protocol: TCP}}]}}]");
    let (one, two) = (ports(5432), ports(5433));
    for (rules, expected) in [
        (format!("{{{peer}}}, {{fromEntities: [host, remote-node]}}"), 0),
        (format!("{{{peer}}}, {{fromEntities: [host]}}, {{fromEntities: [remote-node]}}"), 0),
        (format!("{{{peer}}}, {{fromEntities: [cluster]}}"), 0),
        (format!("{{fromEntities: [all]}}, {{{peer}, {one}}}"), 0),
        (format!("{{fromEntities: [host, remote-node], {one}}}, {{{peer}, {one}}}"), 0),
        (format!("{{fromEntities: [host, remote-node], {two}}}, {{{peer}, {one}}}"), 1),
        (format!("{{fromEntities: [host, remote-node], {two}}}, {{{peer}}}"), 1),
        (format!("{{{peer}}}, {{fromEntities: [remote-node]}}"), 1),
        (format!("{{{peer}}}, {{fromEntities: [world]}}"), 1),
        (format!("{{{peer}}}], egress: [{{toEntities: [host, remote-node]}}"), 1),
    ] {
        assert_eq!(count(cilium, &format!("ingress: [{rules}]")), expected, "{rules}");
    }
    let admin = ("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy");
    let antrea = ("crd.antrea.io/v1beta1", "ClusterNetworkPolicy");
    let pods = "pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}";
    let web = "podSelector: {matchLabels: {app: web}}";
    for (kind, rules, expected) in [
        (admin, format!("{{action: Allow, to: [{{{pods}}}, {{nodes: {{}}}}]}}"), 0),
        (admin, format!("{{action: Allow, to: [{{{pods}}}]}}, {{action: Allow, to: [{{nodes: {{}}}}]}}"), 0),
        (admin, format!("{{action: Allow, to: [{{{pods}}}]}}, {{action: Deny, to: [{{nodes: {{}}}}]}}"), 1),
        (antrea, format!("{{action: Allow, to: [{{{web}}}, {{nodeSelector: {{}}}}]}}"), 0),
        (antrea, format!("{{action: Allow, to: [{{{web}}}]}}"), 1),
    ] {
        assert_eq!(count(kind, &format!("egress: [{rules}]")), expected, "{rules}");
    }
}

#[test]
fn policies_that_are_too_many_to_compare_are_named() {
    let pods: String = (0..1000).map(|number| on_host(&format!("web-{number}"), PORT)).collect();
    let peer = "{matchLabels: {app: PEER}}, ".repeat(1001);
    let large =
        format!("{{endpointSelector: {{matchLabels: {{app: web-1}}}}, ingress: [{{fromEndpoints: [{peer}]}}]}}");
    let large = plugin(("cilium.io/v2", "CiliumNetworkPolicy", &large), "", "web-1");
    let small = plugin(PLUGINS[0], "web-2", "other").replace("name: p,", "name: small,");
    assert_snapshot!(worded(reported("network-policy", &[large, small, pods].concat())), @"
    warning: a.yaml:1:1: The input has too many pods on the host network and policies of network plugins: CiliumNetworkPolicy shop/p was not compared with these pods. Give parts of the input alone
    warning: a.yaml:6:1: CiliumNetworkPolicy shop/small may select pods on the host network (Deployment shop/web-2): network plugins know no endpoint of such pods and do not apply policies to them, in both directions. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts
    ");
}

/// A firewall of the nodes that does not open a port of pods on the host network.
#[test]
fn a_firewall_of_the_nodes_is_reported() {
    let policy = |port: &str| {
        let rules = format!("[{{toPorts: [{{ports: [{{port: '{port}', protocol: TCP}}]}}]}}]");
        format!(
            "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {{name: nodes}}\nspec: {{nodeSelector: {{}}, ingress: {rules}}}\n---\n"
        )
    };
    let found = |port: &str| reported("network-policy", &[policy(port), on_host("web", PORT)].concat());
    assert!(found("22").contains("does not open") && found("22").contains("20080/TCP"), "{}", found("22"));
    assert_eq!(found("20080"), "");
}
