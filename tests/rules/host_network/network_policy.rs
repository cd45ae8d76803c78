//! References in network policies: opened ports move with the pods, and a policy for host-network pods is a warning.

use super::{moved_with, neighbour, ports};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn policy(spec: &str) -> String {
    format!(
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: web, namespace: shop}}\nspec:\n{spec}"
    )
}

fn moved(around: &str) -> String {
    moved_with(&ports("{http: 20080}"), around)
}

const BOTH: &str = "{targets: [{select: {kind: Deployment, name: web}, ports: {http: 20080}}, {select: {kind: Deployment, name: api}, ports: {http: 20080}}], shared: [{port: 20080, between: [shop/Deployment/web, shop/Deployment/api]}]}";

#[test]
fn ingress_numbers_follow_and_the_policy_is_named() {
    let ingress = "  podSelector: {matchLabels: {app: web}}\n  ingress:\n  - from: []\n    ports:\n    - {port: 8080} # app\n    - {port: http}\n    - {port: 8080, protocol: UDP}\n    - {port: 9000}\n  - ports: [{protocol: TCP}]\n";
    assert_snapshot!(worded(moved(&policy(ingress))), @"
    -    - {port: 8080} # app
    +    - {port: 20080} # app
    warning: standard input:12:1: NetworkPolicy shop/web selects pods on the host network (Deployment shop/web): the effect of a NetworkPolicy on them is undefined, and most network plugins ignore it; protect their ports with a firewall of the nodes or the plugin's host policies [network-policy]
    ");
    for other in [policy(ingress).replace("app: web", "app: api"), policy(ingress).replace("shop", "other")] {
        assert_eq!(moved(&other), "");
    }
}

/// Security groups of EKS belong to a network interface of the pod.
#[test]
fn a_security_group_policy_that_selects_the_pods_is_named() {
    let groups = |spec: &str| {
        let spec = format!("  securityGroups: {{groupIds: [sg-1]}}\n  {spec}\n");
        policy(&spec)
            .replace("networking.k8s.io/v1", "vpcresources.k8s.aws/v1beta1")
            .replace("NetworkPolicy", "SecurityGroupPolicy")
    };
    let own = groups("podSelector: {matchLabels: {app: web}}");
    assert_snapshot!(worded(moved(&own)), @"warning: standard input:12:1: SecurityGroupPolicy shop/web selects pods on the host network (Deployment shop/web): they have no network interface for its security groups, and the groups of the node apply. Allow their connections there [network-policy]");
    assert!(moved(&groups("podSelector: {}")).contains("SecurityGroupPolicy"), "all pods of the namespace");
    for other in [
        groups("podSelector: {matchLabels: {app: api}}"),
        groups("serviceAccountSelector: {matchNames: [web]}"),
        own.replace("namespace: shop", "namespace: other"),
    ] {
        assert_eq!(moved(&other), "", "{other}");
    }
}

#[test]
fn a_policy_is_a_warning_without_any_port_too() {
    assert_snapshot!(brief(moved(&policy("  podSelector: {}\n  policyTypes: [Ingress]\n"))), @"warning: network-policy NetworkPolicy shop/web (12:1, Deployment shop/web)");
}

#[test]
fn a_number_that_other_pods_keep_stays_and_the_new_number_is_added() {
    let all = policy("  podSelector: {}\n  ingress: [{ports: [{port: 8080}]}]\n");
    let around = format!("---\n{}{all}", neighbour("api", "api"));
    assert_snapshot!(brief(moved(&around)), @"
    -  ingress: [{ports: [{port: 8080}]}]
    +  ingress: [{ports: [{port: 8080}, {port: 20080}]}]
    warning: network-policy NetworkPolicy shop/web (23:1, Deployment shop/web)
    ");
    assert_snapshot!(brief(moved_with(BOTH, &around)), @"
    -  ingress: [{ports: [{port: 8080}]}]
    +  ingress: [{ports: [{port: 20080}]}]
    warning: network-policy NetworkPolicy shop/web (23:1, Deployment shop/api, Deployment shop/web)
    ");
    // With both numbers open the policy blocks no pod.
    let open = around.replace("[{port: 8080}]", "[{port: 8080}, {port: 20080}]");
    assert_snapshot!(brief(moved(&open)), @"warning: network-policy NetworkPolicy shop/web (23:1, Deployment shop/web)");
    // Pods without the number do not need it.
    let without = around.replacen("8080", "9000", 2);
    assert_snapshot!(brief(moved(&without)), @"
    -  ingress: [{ports: [{port: 8080}]}]
    +  ingress: [{ports: [{port: 20080}]}]
    warning: network-policy NetworkPolicy shop/web (23:1, Deployment shop/web)
    ");
    // A listener that only a flag shows needs the number too.
    let undeclared = around.replacen(", ports: [{name: http, containerPort: 8080}]", "", 1);
    let kept = BOTH.replace("{http: 20080}}]", "keep}]");
    assert_snapshot!(brief(moved_with(&kept, &undeclared)), @"
    -  ingress: [{ports: [{port: 8080}]}]
    +  ingress: [{ports: [{port: 8080}, {port: 20080}]}]
    warning: node-port Deployment shop/api spec.template.spec.containers[0] (21:9, 8080)
    warning: network-policy NetworkPolicy shop/web (23:1, Deployment shop/api, Deployment shop/web)
    ");
}

/// The new number is added once, and not if another entry moves to it or a range contains it.
#[test]
fn a_new_number_is_opened_once() {
    let of = |ports: &str| moved(&policy(&format!("  podSelector: {{}}\n  ingress: [{{ports: [{ports}]}}]\n")));
    for (before, after) in [
        ("{port: 8000, endPort: 9000}, {port: 8080}", "{port: 8000, endPort: 9000}, {port: 20080}"),
        ("{port: 8080, endPort: 9000}, {port: 8080}", "{port: 8080, endPort: 9000}, {port: 20080}"),
        (
            "{port: 8000, endPort: 8100}, {port: 8050, endPort: 9000}",
            "{port: 8000, endPort: 8100}, {port: 8050, endPort: 9000}, {port: 20080}",
        ),
    ] {
        let log = of(before);
        assert!(log.contains(&format!("+  ingress: [{{ports: [{after}]}}]")), "{before}: {log}");
    }
    for stays in ["{port: 8000, endPort: 9000}, {protocol: TCP}", "{port: 8080}, {}"] {
        assert!(!of(stays).contains("+  ingress"), "{stays}: {}", of(stays));
    }
}

#[test]
fn a_range_stays_and_a_new_number_outside_of_it_is_added() {
    let range = policy("  podSelector: {}\n  ingress: [{ports: [{port: 8000, endPort: 9000}]}]\n");
    assert_snapshot!(brief(moved(&range)), @"
    -  ingress: [{ports: [{port: 8000, endPort: 9000}]}]
    +  ingress: [{ports: [{port: 8000, endPort: 9000}, {port: 20080}]}]
    warning: network-policy NetworkPolicy shop/web (12:1, Deployment shop/web)
    ");
    assert_snapshot!(brief(moved(&range.replace("9000", "30000"))), @"warning: network-policy NetworkPolicy shop/web (12:1, Deployment shop/web)");
    assert_snapshot!(brief(moved(&range.replace("endPort: 9000", "endPort: 8079"))), @"warning: network-policy NetworkPolicy shop/web (12:1, Deployment shop/web)");
}

#[test]
fn egress_to_the_pods_follows_if_all_are_known() {
    let egress = |to: &str| {
        policy(&format!(
            "  podSelector: {{matchLabels: {{app: client}}}}\n  egress:\n  - to: {to}\n    ports: [{{port: 8080}}]\n"
        ))
    };
    assert_snapshot!(worded(moved(&egress("[{podSelector: {matchLabels: {app: web}}}]"))), @"
    -    ports: [{port: 8080}]
    +    ports: [{port: 20080}]
    warning: standard input:18:10: NetworkPolicy shop/web: spec.egress[0].to[0] selects pods on the host network by their labels (Deployment shop/web): their traffic has the address of the node, so most network plugins do not match these pods. Write an `ipBlock` with the addresses of the nodes [network-policy]
    ");
    assert_snapshot!(moved(&egress("[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}, podSelector: {}}]")), @"
    -    ports: [{port: 8080}]
    +    ports: [{port: 20080}]
    ");
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: shop}}\n";
    let labelled = egress("[{namespaceSelector: {matchLabels: {team: shop}}}]");
    assert_snapshot!(moved(&format!("{namespace}{labelled}")), @"
    -    ports: [{port: 8080}]
    +    ports: [{port: 20080}]
    ");
    assert_snapshot!(brief(moved(&labelled)), @"warning: port-reference NetworkPolicy shop/web spec.egress[0].ports[0].port (19:20, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(brief(moved(&egress("[]"))), @"warning: port-reference NetworkPolicy shop/web spec.egress[0].ports[0].port (19:20, 20080, 8080, Deployment shop/web)");
    assert_snapshot!(brief(moved(&egress("[{podSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8}}]"))), @"warning: port-reference NetworkPolicy shop/web spec.egress[0].ports[0].port (19:20, 20080, 8080, Deployment shop/web)");
    let open = egress("[]").replace("[{port: 8080}]", "[{port: 8080}, {port: 20080}]");
    assert_eq!(moved(&open), "");
    for elsewhere in [
        "[{podSelector: {matchLabels: {app: api}}}]",
        "[{ipBlock: {cidr: 10.0.0.0/8}}]",
        "[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}}]",
    ] {
        assert_eq!(moved(&egress(elsewhere)), "", "{elsewhere}");
    }
    let around = format!("---\n{}{}", neighbour("api", "api"), egress("[{podSelector: {}}]"));
    assert_snapshot!(moved(&around), @"
    -    ports: [{port: 8080}]
    +    ports: [{port: 8080}, {port: 20080}]
    ");
    assert_snapshot!(moved_with(BOTH, &around), @"
    -    ports: [{port: 8080}]
    +    ports: [{port: 20080}]
    ");
}

#[test]
fn pods_that_move_to_different_numbers_each_add_one() {
    let spec = |third: &str| {
        let target = |name: &str, port: &str| format!("{{select: {{name: {name}}}, ports: {{http: {port}}}}}");
        format!("{{targets: [{}, {}, {}]}}", target("web", "20080"), target("api", "20081"), target("third", third))
    };
    let others = format!("---\n{}---\n{}", neighbour("api", "api"), neighbour("third", "third"));
    let places = |spec: &str, rule: &str| {
        let manifest = format!(
            "{}{others}{}",
            neighbour("web", "web"),
            policy(&format!("  podSelector: {{}}\n  ingress: [{{ports: [{rule}]}}]\n"))
        );
        let (output, _) = super::run(spec, &manifest);
        let log = super::explained(spec, &manifest);
        let log = log.iter().filter(|line| line.contains("NetworkPolicy")).map(|line| format!("{line}\n"));
        format!("{}\n{}", output.lines().last().unwrap_or_default(), log.collect::<String>())
    };
    // The first new number replaces the old one, which no pod keeps.
    assert_snapshot!(places(&spec("20082"), "{port: 9000}, {port: 8080}"), @"
      ingress: [{ports: [{port: 9000}, {port: 20080}, {port: 20081}, {port: 20082}]}]
    shop/Deployment/api/http NetworkPolicy shop/web spec.ingress[0].ports[2] 8080 -> 20081 [port-reference]
    shop/Deployment/third/http NetworkPolicy shop/web spec.ingress[0].ports[3] 8080 -> 20082 [port-reference]
    shop/Deployment/web/http NetworkPolicy shop/web spec.ingress[0].ports[1].port 8080 -> 20080 [port-reference]
    ");
    // One of the pods keeps the old number.
    assert_snapshot!(places(&spec("keep"), "{port: 9000}, {port: 8080}"), @"
      ingress: [{ports: [{port: 9000}, {port: 8080}, {port: 20080}, {port: 20081}]}]
    shop/Deployment/api/http NetworkPolicy shop/web spec.ingress[0].ports[3] 8080 -> 20081 [port-reference]
    shop/Deployment/web/http NetworkPolicy shop/web spec.ingress[0].ports[2] 8080 -> 20080 [port-reference]
    ");
    assert_snapshot!(places(&spec("20082"), "{port: 8000, endPort: 9000}"), @"
      ingress: [{ports: [{port: 8000, endPort: 9000}, {port: 20080}, {port: 20081}, {port: 20082}]}]
    shop/Deployment/api/http NetworkPolicy shop/web spec.ingress[0].ports[2] 8080 -> 20081 [port-reference]
    shop/Deployment/third/http NetworkPolicy shop/web spec.ingress[0].ports[3] 8080 -> 20082 [port-reference]
    shop/Deployment/web/http NetworkPolicy shop/web spec.ingress[0].ports[1] 8080 -> 20080 [port-reference]
    ");
}

/// Results about the ports of the policy alone.
fn referred(around: &str) -> String {
    let moved = moved(around);
    let lines = moved.lines().filter(|line| !line.contains("[network-policy]") && !line.contains(": network-policy "));
    lines.map(|line| format!("{line}\n")).collect()
}

fn cilium(kind: &str, spec: &str) -> String {
    format!("---\napiVersion: cilium.io/v2\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec:\n{spec}")
}

#[test]
fn a_policy_of_cilium_that_selects_the_pods_is_named() {
    let opens = "  ingress:\n  - fromEntities: [kube-apiserver]\n    toPorts:\n    - ports:\n      - {port: \"8080\", protocol: TCP}\n";
    let to = |selector: &str| cilium("CiliumNetworkPolicy", &format!("  endpointSelector: {selector}\n{opens}"));
    assert_snapshot!(brief(referred(&to("{matchLabels: {k8s:app: web}}"))), @"warning: port-reference CiliumNetworkPolicy shop/web spec.ingress[0].toPorts[0].ports[0].port (21:16, 20080, 8080, Deployment shop/web)");
    let named = referred(&to("{matchLabels: {app: web}}"));
    for other in [
        "{}",
        "{matchLabels: {any:app: web}}",
        "{matchExpressions: [{key: k8s:app, operator: In, values: [web]}]}",
        "{matchLabels: {k8s:io.kubernetes.pod.namespace: shop}}",
        "{matchLabels: {app: web, io.cilium.k8s.policy.serviceaccount: web}}",
    ] {
        assert_eq!(referred(&to(other)), named, "{other}");
    }
    for other in ["{matchLabels: {app: api}}", "{matchExpressions: [{key: any:app, operator: DoesNotExist}]}"] {
        assert_eq!(referred(&to(other)), "", "{other}");
    }
    // With the new number open too, the policy blocks no pod. Entries for another protocol do not count, and `ANY`
    // does.
    let web = to("{matchLabels: {app: web}}");
    let open = "- {port: \"8080\", protocol: TCP}\n      - {port: \"20080\"}\n";
    assert_eq!(referred(&web.replace("- {port: \"8080\", protocol: TCP}\n", open)), "");
    assert_eq!(referred(&web.replace("TCP", "UDP")), "");
    assert_eq!(referred(&web.replace("TCP", "ANY")), named);
    assert_eq!(referred(&web.replace("\"8080\", protocol: TCP", "\"8000\", endPort: 9000")), named);
    let denied = referred(&web.replace("ingress:", "ingressDeny:"));
    assert_eq!(denied, named.replace("opens", "denies").replace("ingress[", "ingressDeny["));
    // For pods of another namespace, only a clusterwide policy applies.
    let elsewhere = web.replace("shop", "other");
    assert_eq!(referred(&elsewhere), "");
    let wide = web.replace("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy").replace(", namespace: shop", "");
    assert_snapshot!(brief(referred(&wide)), @"warning: port-reference CiliumClusterwideNetworkPolicy web spec.ingress[0].toPorts[0].ports[0].port (21:16, 20080, 8080, Deployment shop/web)");
    assert_eq!(referred(&wide.replace("{app: web}", "{k8s:io.kubernetes.pod.namespace: other}")), "");
    // A policy for nodes does not apply to the pod's ports.
    assert_eq!(referred(&wide.replace("endpointSelector", "nodeSelector")), "");
}

#[test]
fn rules_of_cilium_that_lead_to_the_pods_are_named() {
    let egress = |selector: &str| {
        let spec = format!(
            "  - endpointSelector: {{matchLabels: {{app: client}}}}\n    egress:\n    - toEndpoints: [{{matchLabels: {{{selector}}}}}]\n      toPorts: [{{ports: [{{port: \"8080\"}}]}}]\n"
        );
        cilium("CiliumNetworkPolicy", &spec).replace("\nspec:", "\nspecs:")
    };
    assert_snapshot!(worded(moved(&egress("app: web"))), @"
    warning: standard input:18:21: CiliumNetworkPolicy shop/web: specs[0].egress[0].toEndpoints[0] may select pods on the host network by their labels (Deployment shop/web): their traffic has the address of the node, so the rule does not match it. If the rule is for these pods, add a rule for the entities `host` and `remote-node` [network-policy]
    warning: standard input:19:33: Deployment shop/web, container web, port http (8080): moves to 20080, and a rule that may refer to it opens 8080 (specs[0].egress[0].toPorts[0].ports[0].port) in CiliumNetworkPolicy shop/web; if that refers to this port, change it too [port-reference]
    ");
    assert_eq!(moved(&egress("app: api")), "");
    let elsewhere =
        egress("app: web, k8s:io.kubernetes.pod.namespace: shop").replace("namespace: shop}\n", "namespace: other}\n");
    assert_snapshot!(brief(moved(&elsewhere)), @"
    warning: network-policy CiliumNetworkPolicy other/web specs[0].egress[0].toEndpoints[0] (18:21, Deployment shop/web)
    warning: port-reference CiliumNetworkPolicy other/web specs[0].egress[0].toPorts[0].ports[0].port (19:33, 20080, 8080, Deployment shop/web)
    ");
}

#[test]
fn a_policy_of_calico_that_may_select_the_pods_is_named() {
    let policy = |kind: &str| {
        format!(
            "---\napiVersion: projectcalico.org/v3\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec:\n  selector: app == 'web'\n  ingress:\n  - action: Allow\n    protocol: TCP\n    destination:\n      ports: [8080]\n"
        )
    };
    let own = policy("NetworkPolicy");
    assert_snapshot!(brief(referred(&own)), @"warning: port-reference NetworkPolicy shop/web spec.ingress[0].destination.ports[0] (21:15, 20080, 8080, Deployment shop/web)");
    assert_eq!(referred(&own.replace("projectcalico.org/v3", "crd.projectcalico.org/v1")), referred(&own));
    assert_eq!(referred(&own.replace("[8080]", "['8000:9000', http]")), referred(&own));
    assert_eq!(referred(&own.replace("TCP", "6")), referred(&own));
    assert_eq!(referred(&own.replace("Allow", "Deny")), referred(&own).replace("opens", "denies"));
    for other in [own.replace("shop", "other"), own.replace("8080", "9000"), own.replace("TCP", "UDP")] {
        assert_eq!(referred(&other), "", "{other}");
    }
    assert_snapshot!(brief(referred(&policy("GlobalNetworkPolicy").replace(", namespace: shop", ""))), @"warning: port-reference GlobalNetworkPolicy web spec.ingress[0].destination.ports[0] (21:15, 20080, 8080, Deployment shop/web)");
    assert_eq!(referred(&own.replace("[8080]", "[8080, 20080]")), "");
}

/// A peer that allows pods by labels does not match the address of the node.
#[test]
fn a_peer_that_moves_is_named() {
    let of_api = |peer: &str| {
        policy(&format!("  podSelector: {{matchLabels: {{app: api}}}}\n  ingress: [{{from: [{peer}]}}]\n"))
    };
    assert_snapshot!(brief(moved(&of_api("{podSelector: {matchLabels: {app: web}}}"))), @"warning: network-policy NetworkPolicy shop/web spec.ingress[0].from[0] (17:21, Deployment shop/web)");
    assert!(moved(&of_api("{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}, podSelector: {matchLabels: {app: web}}}")).contains("[network-policy]"));
    for other in [
        "{podSelector: {matchLabels: {app: mail}}}",
        "{podSelector: {}}",
        "{ipBlock: {cidr: 10.0.0.0/8}}",
        "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}, podSelector: {matchLabels: {app: web}}}",
    ] {
        assert_eq!(moved(&of_api(other)), "", "{other}");
    }
}

/// Policies that give pods an address for connections to the outside.
#[test]
fn egress_addresses_of_moved_pods_are_named() {
    let object = |gvk: &str, spec: &str| {
        let (version, kind) = gvk.rsplit_once('/').unwrap();
        format!("---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: out}}\nspec: {{{spec}}}\n")
    };
    let cilium = |pods: &str, more: &str| {
        object(
            "cilium.io/v2/CiliumEgressGatewayPolicy",
            &format!("selectors: [{{podSelector: {{matchLabels: {pods}}}{more}}}]"),
        )
    };
    let here = "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}";
    let there = here.replace("shop", "other");
    assert_snapshot!(worded(moved(&cilium("{app: web, io.kubernetes.pod.namespace: shop}", ""))), @"warning: standard input:12:1: CiliumEgressGatewayPolicy out may select pods on the host network (Deployment shop/web): their connections to the outside have the address of the node, and not the egress address. Let firewalls that expect that address accept the addresses of the nodes [network-policy]");
    for policy in [
        cilium("{app: web}", &format!(", {here}")),
        // Without a namespace, pods of all namespaces.
        cilium("{app: web}", ""),
        object(
            "k8s.ovn.org/v1/EgressIP",
            &format!("egressIPs: [10.1.1.1], {here}, podSelector: {{matchLabels: {{app: web}}}}"),
        ),
        object("k8s.ovn.org/v1/EgressIP", &format!("egressIPs: [10.1.1.1], {here}")),
        object(
            "crd.antrea.io/v1beta1/Egress",
            "appliedTo: {podSelector: {matchLabels: {app: web}}}, egressIP: 10.1.1.1",
        ),
    ] {
        assert!(moved(&policy).contains("not the egress address"), "{policy}");
    }
    for policy in [
        cilium("{app: db}", ""),
        cilium("{app: web, io.kubernetes.pod.namespace: other}", ""),
        cilium("{app: web}", &format!(", {there}")),
        object("k8s.ovn.org/v1/EgressIP", &format!("egressIPs: [10.1.1.1], {there}")),
        object("crd.antrea.io/v1beta1/Egress", "appliedTo: {podSelector: {matchLabels: {app: db}}}"),
        object("crd.antrea.io/v1beta1/Egress", "appliedTo: {groups: [a]}"),
    ] {
        assert_eq!(moved(&policy), "", "{policy}");
    }
}

/// Policies of network plugins are not judged further than the pods that they select or name.
#[test]
fn policies_of_network_plugins_that_select_or_name_moved_pods_are_named() {
    let cilium = |own: &str, peer: &str| {
        let spec = format!(
            "  endpointSelector: {{matchLabels: {{app: {own}}}}}\n  ingress:\n  - fromEndpoints: [{{matchLabels: {{app: {peer}}}}}]\n"
        );
        policy(&spec).replace("networking.k8s.io/v1", "cilium.io/v2").replace("NetworkPolicy", "CiliumNetworkPolicy")
    };
    assert_snapshot!(worded(moved(&[cilium("db", "web"), cilium("web", "api").replace("name: web", "name: own")].concat())), @"
    warning: standard input:20:1: CiliumNetworkPolicy shop/own may select pods on the host network (Deployment shop/web): network plugins know no endpoint of such pods and do not apply policies to them, in both directions. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts [network-policy]
    warning: standard input:18:21: CiliumNetworkPolicy shop/web: spec.ingress[0].fromEndpoints[0] may select pods on the host network by their labels (Deployment shop/web): their traffic has the address of the node, so the rule does not match it. If the rule is for these pods, add a rule for the entities `host` and `remote-node` [network-policy]
    ");
    assert_eq!(moved(&cilium("db", "api")), "");
}

/// No pod needs a way to a webhook: 6443 is the API server's port there.
#[test]
fn egress_is_not_to_a_port_that_only_the_api_server_dials() {
    let manager = |flag: &str| {
        super::deployment(&format!(
            "      - name: trust-manager\n        image: quay.io/jetstack/trust-manager:v0.12.0\n        args: [--{flag}=6443]\n"
        ))
    };
    let to_api_server = "  podSelector: {matchLabels: {app: client}}\n  egress:\n  - ports: [{port: 6443}]\n";
    let moved = |flag: &str, policy_spec: &str| {
        let log = brief(super::changes(&ports("auto"), &(manager(flag) + &policy(policy_spec))));
        log.lines().filter(|line| line.contains("NetworkPolicy")).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(moved("webhook-port", to_api_server), "");
    assert_snapshot!(moved("metrics-port", to_api_server), @"warning: port-reference NetworkPolicy shop/web spec.egress[0].ports[0].port (20:20, 28042, 6443, Deployment shop/web)");
    // Incoming connections of the webhook.
    let ingress = "  podSelector: {matchLabels: {app: web}}\n  ingress:\n  - ports: [{port: 6443}]\n";
    assert_snapshot!(moved("webhook-port", ingress), @"warning: network-policy NetworkPolicy shop/web (14:1, Deployment shop/web)");
}

/// Firewalls of the nodes decide about connections to pods on the host network.
#[test]
fn firewalls_of_nodes_that_close_a_new_port_are_named() {
    let object = |version: &str, kind: &str, spec: &str| {
        format!(
            "---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: nodes, labels: {{node: a}}}}\nspec: {{{spec}}}\n"
        )
    };
    let cilium =
        |spec: &str| object("cilium.io/v2", "CiliumClusterwideNetworkPolicy", &format!("nodeSelector: {{}}, {spec}"));
    let ports = |port: &str| format!("toPorts: [{{ports: [{{port: '{port}', protocol: TCP}}]}}]");
    let unopened = cilium(&format!("ingress: [{{fromEntities: [cluster]}}, {{{}}}]", ports("22")));
    assert_snapshot!(worded(moved(&unopened)), @"warning: standard input:15:22: CiliumClusterwideNetworkPolicy nodes is a firewall of the nodes that spec.nodeSelector selects, and does not open ports of pods on the host network (20080/TCP of Deployment shop/web): their clients, such as the API server of another node, may get no connection. Open these ports in its rules [network-policy]");
    let endpoint = object("projectcalico.org/v3", "HostEndpoint", "node: a, interfaceName: '*'");
    let calico = |rules: &str| {
        let policy = object(
            "projectcalico.org/v3",
            "GlobalNetworkPolicy",
            &format!("selector: has(node), types: [Ingress], ingress: [{rules}]"),
        );
        [policy, endpoint.clone()].concat()
    };
    let rule =
        |action: &str, port: &str| format!("{{action: {action}, protocol: TCP, destination: {{ports: [{port}]}}}}");
    let openshift = |ports: &str| {
        let rule = format!("{{order: 1, action: Deny, protocolConfig: {{protocol: TCP, tcp: {{ports: {ports}}}}}}}");
        object(
            "ingressnodefirewall.openshift.io/v1alpha1",
            "IngressNodeFirewall",
            &format!("nodeSelector: {{}}, ingress: [{{sourceCIDRs: [0.0.0.0/0], rules: [{rule}]}}]"),
        )
    };
    for closing in [
        cilium(&format!("ingressDeny: [{{{}}}]", ports("20080"))),
        calico(&rule("Allow", "22, 6443")),
        calico(&format!("{}, {}", rule("Deny", "'20000:20100'"), rule("Allow", "20080"))),
        openshift("20000-30000"),
    ] {
        assert!(moved(&closing).contains("[network-policy]"), "{closing}");
    }
    for open in [
        cilium(&format!("ingress: [{{{}}}]", ports("20080"))),
        cilium(&format!("ingress: [{{{}}}]", ports("0"))),
        cilium("ingress: [{fromEntities: [all]}]"),
        cilium("egress: [{toEntities: [cluster]}]"),
        calico(&rule("Allow", "'20000:20100'")),
        calico("{action: Allow}"),
        calico("{action: Allow, protocol: 6}"),
        calico(&rule("Allow", "22")).replace("has(node)", "has(other)"),
        openshift("22"),
    ] {
        assert_eq!(moved(&open), "", "{open}");
    }
}
