//! Policies of network plugins and of cluster administrators: reported if they may select the core or functions, but
//! not evaluated.

use super::check::{FUNCTIONS, check};
use super::run;

const CORE: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: crossplane, namespace: crossplane-system}\nspec:\n  selector: {matchLabels: {app: crossplane}}\n  template:\n    metadata: {labels: {app: crossplane}}\n    spec:\n      containers:\n      - {name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, start], env: [{name: HTTPS_PROXY, value: 'http://10.9.9.9:3128'}, {name: NO_PROXY, value: '*'}]}\n";

/// A policy named `p`, in the namespace if `namespace` is not empty.
fn policy(kind: &str, namespace: &str, spec: &str) -> String {
    let version = match kind {
        "CiliumNetworkPolicy" | "CiliumClusterwideNetworkPolicy" => "cilium.io/v2",
        "NetworkPolicy" | "GlobalNetworkPolicy" => "projectcalico.org/v3",
        "EgressFirewall" => "k8s.ovn.org/v1",
        "EgressNetworkPolicy" => "network.openshift.io/v1",
        "ApplicationNetworkPolicy" => "networking.k8s.aws/v1alpha1",
        "FQDNNetworkPolicy" => "networking.gke.io/v1alpha1",
        "IsovalentNetworkPolicy" | "IsovalentClusterwideNetworkPolicy" => "isovalent.com/v1",
        "Subnet" => "kubeovn.io/v1",
        "AcmeNetworkPolicy" => "net.example.com/v1",
        "StagedNetworkPolicy" => "projectcalico.org/v3",
        "SecurityPolicy" => "crd.nsx.vmware.com/v1alpha1",
        "AuthorizationPolicy" | "PeerAuthentication" => "security.istio.io/v1",
        "Sidecar" => "networking.istio.io/v1",
        "NvSecurityRule" | "NvClusterSecurityRule" => "neuvector.com/v1",
        "Server" => "policy.linkerd.io/v1beta3",
        "MeshTrafficPermission" => "kuma.io/v1alpha1",
        "ServiceIntentions" => "consul.hashicorp.com/v1alpha1",
        _ => "policy.networking.k8s.io/v1alpha1",
    };
    let namespace = if namespace.is_empty() { String::new() } else { format!(", namespace: {namespace}") };
    format!("---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: p{namespace}}}\nspec: {{{spec}}}\n")
}

/// The line about policies that are not evaluated.
fn unevaluated_line(policies: &str) -> String {
    let (output, code) = check(&[], &(CORE.to_owned() + FUNCTIONS + policies));
    assert_eq!(code, Some(0), "{output}");
    output.lines().filter(|line| line.contains("only NetworkPolicies are evaluated")).map(str::to_owned).collect()
}

const OWN: &str = "crossplane-system";

#[test]
fn policies_that_may_block_calls_are_reported() {
    let all = [
        policy("CiliumNetworkPolicy", OWN, "endpointSelector: {}, egress: [{}]"),
        policy("GlobalNetworkPolicy", "", "selector: all()"),
        policy(
            "AdminNetworkPolicy",
            "",
            "subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]",
        ),
        policy("CiliumNetworkPolicy", "shop", "endpointSelector: {}, egress: [{}]"),
    ];
    insta::assert_snapshot!(unevaluated_line(&all.concat()), @"info: unknown: Deployment crossplane-system/crossplane -> functions, DNS and proxies: CiliumNetworkPolicy crossplane-system/p, GlobalNetworkPolicy p, AdminNetworkPolicy p may select its pods or pods of functions: only NetworkPolicies are evaluated [proxy-reach]");
}

/// Other programs make policies in each namespace.
#[test]
fn policies_that_other_programs_make_are_reported() {
    let kyverno = |made: &str| {
        let rule =
            format!("{{name: d, match: {{any: [{{resources: {{kinds: [Namespace]}}}}]}}, generate: {{{made}}}}}");
        format!(
            "---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec: {{rules: [{rule}]}}\n"
        )
    };
    let data = |spec: &str| kyverno(&format!("kind: NetworkPolicy, name: deny, data: {{spec: {{{spec}}}}}"));
    let tenant = "---\napiVersion: capsule.clastix.io/v1beta2\nkind: Tenant\nmetadata: {name: p}\nspec: {networkPolicies: {items: [{podSelector: {}, policyTypes: [Egress]}]}}\n";
    for (policy, kind) in [
        (data("podSelector: {}, policyTypes: [Ingress, Egress]"), "ClusterPolicy p"),
        (kyverno("kind: NetworkPolicy, name: deny, clone: {name: deny, namespace: default}"), "ClusterPolicy p"),
        (tenant.to_owned(), "Tenant p"),
    ] {
        assert!(unevaluated_line(&policy).contains(kind), "{policy}");
    }
    for other in [
        data("podSelector: {matchLabels: {app: other}}, policyTypes: [Ingress]"),
        kyverno("kind: ConfigMap, name: deny, data: {data: {a: b}}"),
    ] {
        assert_eq!(unevaluated_line(&other), "", "{other}");
    }
}

#[test]
fn each_kind_that_may_select_functions_or_the_core_is_reported() {
    let deny = "[{action: Deny, from: [{namespaces: {}}]}]";
    for (kind, namespace, spec) in [
        (
            "CiliumNetworkPolicy",
            OWN,
            "endpointSelector: {matchLabels: {'k8s:pkg.crossplane.io/function': function-x}}, ingress: [{}]",
        ),
        (
            "CiliumNetworkPolicy",
            OWN,
            "endpointSelector: {matchExpressions: [{key: pkg.crossplane.io/function, operator: Exists}]}, ingressDeny: [{}]",
        ),
        (
            "CiliumNetworkPolicy",
            OWN,
            "endpointSelector: {matchLabels: {app: crossplane, io.cilium.k8s.policy.serviceaccount: x}}, egress: [{}]",
        ),
        (
            "CiliumNetworkPolicy",
            OWN,
            "endpointSelector: {matchLabels: {'any:pkg.crossplane.io/revision': function-x-0123456789ab}}, ingress: [{}]",
        ),
        (
            "CiliumClusterwideNetworkPolicy",
            "",
            "endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': crossplane-system}}, ingress: [{}]",
        ),
        (
            "CiliumClusterwideNetworkPolicy",
            "",
            "endpointSelector: {matchLabels: {io.cilium.k8s.namespace.labels.team: a}}, ingress: [{}]",
        ),
        ("NetworkPolicy", OWN, "selector: \"has(pkg.crossplane.io/function)\", types: [Ingress]"),
        ("NetworkPolicy", OWN, "ingress: [{action: Allow}]"),
        ("NetworkPolicy", OWN, "selector: \"app == 'crossplane'\", egress: [{action: Allow}]"),
        ("NetworkPolicy", OWN, "selector: \"a selector of the future\""),
        (
            "GlobalNetworkPolicy",
            "",
            "namespaceSelector: \"projectcalico.org/name == 'crossplane-system'\", types: [Egress]",
        ),
        ("GlobalNetworkPolicy", "", "selector: \"projectcalico.org/namespace in {'crossplane-system'}\""),
        ("GlobalNetworkPolicy", "", "namespaceSelector: \"team == 'a'\""),
        ("AdminNetworkPolicy", "", &format!("subject: {{namespaces: {{matchLabels: {{team: a}}}}}}, ingress: {deny}")),
        (
            "BaselineAdminNetworkPolicy",
            "",
            &format!(
                "subject: {{pods: {{namespaceSelector: {{}}, podSelector: {{matchLabels: {{app: crossplane}}}}}}}}, egress: {deny}"
            ),
        ),
    ] {
        let log = unevaluated_line(&policy(kind, namespace, spec));
        let kind = if kind == "NetworkPolicy" { "NetworkPolicy.projectcalico.org" } else { kind };
        assert!(log.starts_with("info: unknown: ") && log.contains(&format!("{kind} ")), "{kind} {spec}: {log}");
    }
    let old = policy("NetworkPolicy", OWN, "").replace("projectcalico.org/v3", "crd.projectcalico.org/v1");
    assert!(unevaluated_line(&old).contains("NetworkPolicy.crd.projectcalico.org crossplane-system/p"));
}

#[test]
fn policies_that_cannot_block_calls_are_not_reported() {
    let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: crossplane-system, labels: {team: b}}\n";
    let deny = "[{action: Deny, from: [{namespaces: {}}]}]";
    for (kind, at, spec) in [
        // Another namespace, with any selector.
        ("CiliumNetworkPolicy", "shop", "endpointSelector: {}, ingress: [{}]"),
        (
            "CiliumNetworkPolicy",
            "shop",
            "endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': crossplane-system}}, ingress: [{}]",
        ),
        ("NetworkPolicy", "shop", "selector: all()"),
        (
            "CiliumClusterwideNetworkPolicy",
            "",
            "endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': shop}}, ingress: [{}]",
        ),
        (
            "CiliumClusterwideNetworkPolicy",
            "",
            "endpointSelector: {matchLabels: {'k8s:io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name': shop}}, ingress: [{}]",
        ),
        ("GlobalNetworkPolicy", "", "namespaceSelector: \"kubernetes.io/metadata.name == 'shop'\""),
        ("GlobalNetworkPolicy", "", "namespaceSelector: \"team == 'a'\""),
        ("AdminNetworkPolicy", "", &format!("subject: {{namespaces: {{matchLabels: {{team: a}}}}}}, ingress: {deny}")),
        (
            "AdminNetworkPolicy",
            "",
            &format!(
                "subject: {{namespaces: {{matchLabels: {{kubernetes.io/metadata.name: shop}}}}}}, ingress: {deny}"
            ),
        ),
        // Other pods.
        ("CiliumNetworkPolicy", OWN, "endpointSelector: {matchLabels: {app: web}}, ingress: [{}], egress: [{}]"),
        (
            "CiliumNetworkPolicy",
            OWN,
            "endpointSelector: {matchLabels: {'k8s:pkg.crossplane.io/function': function-y}}, ingress: [{}]",
        ),
        ("CiliumClusterwideNetworkPolicy", "", "nodeSelector: {}, ingress: [{}]"),
        ("NetworkPolicy", OWN, "selector: \"app == 'web' || has(pkg.crossplane.io/provider)\""),
        ("GlobalNetworkPolicy", "", "selector: \"projectcalico.org/namespace == 'shop'\""),
        ("GlobalNetworkPolicy", "", "preDNAT: true, applyOnForward: true, selector: all()"),
        (
            "BaselineAdminNetworkPolicy",
            "",
            &format!(
                "subject: {{pods: {{namespaceSelector: {{}}, podSelector: {{matchLabels: {{app: web}}}}}}}}, egress: {deny}"
            ),
        ),
        // The other direction, or rules that deny nothing.
        ("CiliumNetworkPolicy", OWN, "endpointSelector: {matchLabels: {app: crossplane}}, ingress: [{}]"),
        (
            "CiliumNetworkPolicy",
            OWN,
            "endpointSelector: {matchExpressions: [{key: pkg.crossplane.io/function, operator: Exists}]}, egress: [{}]",
        ),
        (
            "CiliumNetworkPolicy",
            OWN,
            "endpointSelector: {}, enableDefaultDeny: {egress: false, ingress: false}, ingress: [{}], egress: [{}]",
        ),
        ("CiliumNetworkPolicy", OWN, "endpointSelector: {}, ingress: []"),
        ("NetworkPolicy", OWN, "selector: \"app == 'crossplane'\", types: [Ingress]"),
        ("AdminNetworkPolicy", "", "subject: {namespaces: {}}, ingress: [{action: Allow, from: [{namespaces: {}}]}]"),
        ("AdminNetworkPolicy", "", "subject: {namespaces: {}}"),
    ] {
        assert_eq!(unevaluated_line(&(namespace.to_owned() + &policy(kind, at, spec))), "", "{kind} {spec}");
    }
    let staged = policy("GlobalNetworkPolicy", "", "selector: all()").replace("GlobalN", "StagedGlobalN");
    assert_eq!(unevaluated_line(&staged), "");
}

/// A policy that is not evaluated may allow calls that a `NetworkPolicy` blocks, so the result is uncertain.
#[test]
fn a_blocked_function_is_an_error_unless_another_policy_may_allow_the_call() {
    let closed = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: crossplane-system}\nspec: {podSelector: {matchLabels: {pkg.crossplane.io/function: function-x}}, policyTypes: [Ingress]}\n";
    let judged = |more: &str| {
        let (output, code) = check(&[], &(CORE.to_owned() + FUNCTIONS + closed + more));
        let lines = output.lines().filter(|line| line.contains("blocked: ") || line.contains("only NetworkPolicies"));
        (lines.map(str::to_owned).collect::<Vec<_>>(), code)
    };
    let (alone, code) = judged("");
    assert!(alone.len() == 1 && alone[0].starts_with("error: blocked: ") && code == Some(1), "{alone:?}");
    let allows = "subject: {namespaces: {}}, ingress: [{action: Allow, from: [{namespaces: {}}]}]";
    let (allowed, code) = judged(&policy("AdminNetworkPolicy", "", allows));
    assert!(allowed.len() == 2 && allowed[0].starts_with("warning: blocked: ") && code == Some(0), "{allowed:?}");
    assert!(allowed[1].contains("AdminNetworkPolicy p may select"), "{allowed:?}");
    let (denied, code) = judged(&policy("AdminNetworkPolicy", "", &allows.replace("Allow", "Deny")));
    assert!(denied.len() == 2 && denied[0].starts_with("error: blocked: ") && code == Some(1), "{denied:?}");
}

/// The variables are written anyway, since they do not block functions.
#[test]
fn apply_writes_variables_and_warns() {
    let closed = "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: closed, namespace: crossplane-system}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n";
    let spec = "httpsProxy: http://proxy.example.com:3128, existing: Replace, targets: [{select: {name: crossplane}}]";
    let (output, log) = run(spec, &(CORE.to_owned() + FUNCTIONS + closed));
    assert!(output.contains("proxy.example.com") && log.contains("warning: ") && log.contains("blocked: "), "{log}");
    assert!(!log.contains("error: "), "{log}");
    let cilium = policy("CiliumNetworkPolicy", OWN, "endpointSelector: {}, ingressDeny: [{}]");
    let with_policy = format!("{spec}, networkPolicy: Functions");
    let (_, log) = run(&with_policy, &(CORE.to_owned() + FUNCTIONS + &cilium));
    assert!(log.contains("CiliumNetworkPolicy crossplane-system/p may select"), "{log}");
    assert!(log.contains("The NetworkPolicy of `networkPolicy: Functions` does not override"), "{log}");
}

/// A policy of Antrea, which uses kind names of Kubernetes in its own API group.
fn antrea(kind: &str, namespace: &str, spec: &str) -> String {
    policy(kind, namespace, spec)
        .replace("projectcalico.org/v3", "crd.antrea.io/v1beta1")
        .replace("policy.networking.k8s.io/v1alpha1", "crd.antrea.io/v1beta1")
}

#[test]
fn policies_of_antrea_are_reported_if_they_may_select_the_pods() {
    let crossplane = "appliedTo: [{podSelector: {matchLabels: {app: crossplane}}}]";
    for (kind, namespace, spec, is_named) in [
        ("NetworkPolicy", OWN, &*format!("{crossplane}, egress: [{{action: Drop}}]"), true),
        ("NetworkPolicy", OWN, "egress: [{action: Drop, appliedTo: [{podSelector: {}}]}]", true),
        ("ClusterNetworkPolicy", "", "appliedTo: [{group: all}], egress: [{action: Reject}]", true),
        ("ClusterNetworkPolicy", "", "appliedTo: [{namespaceSelector: {}}], ingress: [{action: Drop}]", true),
        // A policy that only allows, another namespace, other pods, nodes, and rules without effect.
        ("NetworkPolicy", OWN, "egress: [{action: Allow, appliedTo: [{podSelector: {}}]}]", false),
        ("NetworkPolicy", "shop", "appliedTo: [{podSelector: {}}], egress: [{action: Drop}]", false),
        (
            "NetworkPolicy",
            OWN,
            "appliedTo: [{podSelector: {matchLabels: {app: web}}}], egress: [{action: Drop}]",
            false,
        ),
        ("ClusterNetworkPolicy", "", "appliedTo: [{nodeSelector: {}}], egress: [{action: Drop}]", false),
        ("NetworkPolicy", OWN, &*format!("{crossplane}, egress: [{{action: Pass}}]"), false),
        ("NetworkPolicy", OWN, crossplane, false),
    ] {
        let log = unevaluated_line(&antrea(kind, namespace, spec));
        assert_eq!(log.contains(kind), is_named, "{kind} {namespace} {spec}: {log}");
    }
}

#[test]
fn firewalls_of_namespaces_are_reported_if_they_deny() {
    for kind in ["EgressFirewall", "EgressNetworkPolicy"] {
        let deny = "egress: [{type: Allow, to: {dnsName: a.example}}, {type: Deny, to: {cidrSelector: 0.0.0.0/0}}]";
        assert!(unevaluated_line(&policy(kind, OWN, deny)).contains(kind), "{kind}");
        assert_eq!(unevaluated_line(&policy(kind, "shop", deny)), "", "{kind}");
        assert_eq!(
            unevaluated_line(&policy(kind, OWN, "egress: [{type: Allow, to: {cidrSelector: 0.0.0.0/0}}]")),
            "",
            "{kind}"
        );
    }
}

/// Policies of clouds and meshes, each with a similar policy that has no effect on the core or on functions.
#[test]
fn policies_of_clouds_and_meshes() {
    let drop = "rules: [{direction: Out, action: Drop}]";
    let cluster =
        |spec: &str| policy("ClusterNetworkPolicy", "", spec).replace("policy.networking.k8s.io", "networking.k8s.aws");
    let all = "tier: Admin, priority: 1, subject: {namespaces: {}}";
    for (is_reported, manifest) in [
        (true, policy("ApplicationNetworkPolicy", OWN, "podSelector: {}, policyTypes: [Egress], egress: []")),
        (
            true,
            policy("ApplicationNetworkPolicy", OWN, "podSelector: {}, egress: [{to: [{domainNames: [a.example]}]}]"),
        ),
        (false, policy("ApplicationNetworkPolicy", "shop", "podSelector: {}, policyTypes: [Egress]")),
        (
            false,
            policy("ApplicationNetworkPolicy", OWN, "podSelector: {matchLabels: {app: web}}, policyTypes: [Egress]"),
        ),
        (true, cluster(&format!("{all}, egress: [{{action: Deny, to: [{{namespaces: {{}}}}]}}]"))),
        (false, cluster(&format!("{all}, egress: [{{action: Accept, to: [{{namespaces: {{}}}}]}}]"))),
        (true, policy("FQDNNetworkPolicy", OWN, "podSelector: {}, egress: [{matches: [{name: a.example}]}]")),
        (false, policy("FQDNNetworkPolicy", "shop", "podSelector: {}, egress: [{matches: [{name: a.example}]}]")),
        (true, policy("IsovalentNetworkPolicy", OWN, "endpointSelector: {}, egress: [{toEntities: [kube-apiserver]}]")),
        (false, policy("IsovalentNetworkPolicy", "shop", "endpointSelector: {}, egress: [{}]")),
        (true, policy("IsovalentClusterwideNetworkPolicy", "", "endpointSelector: {}, egress: [{}]")),
        (true, policy("Subnet", "", &format!("namespaces: [{OWN}], private: true"))),
        (true, policy("Subnet", "", "acls: [{action: drop, direction: to-lport, match: ip}]")),
        (false, policy("Subnet", "", "namespaces: [shop], private: true")),
        (false, policy("Subnet", "", &format!("namespaces: [{OWN}], cidrBlock: 10.66.0.0/16"))),
        // The name of the kind shows a policy; its spec is not read.
        (true, policy("AcmeNetworkPolicy", OWN, "target: all")),
        (false, policy("AcmeNetworkPolicy", "shop", "target: all")),
        (false, policy("AcmeNetworkPolicy", "", "forProvider: {allowedIpList: [10.0.0.0/8]}")),
        (false, policy("StagedNetworkPolicy", OWN, "selector: all(), types: [Egress]")),
        (true, policy("SecurityPolicy", OWN, drop)),
        (true, policy("SecurityPolicy", OWN, &format!("appliedTo: [{{podSelector: {{}}}}], {drop}"))),
        (false, policy("SecurityPolicy", OWN, &format!("appliedTo: [{{vmSelector: {{}}}}], {drop}"))),
        (false, policy("SecurityPolicy", OWN, "rules: [{direction: Out, action: Allow}]")),
        (true, policy("AuthorizationPolicy", OWN, "")),
        (true, policy("AuthorizationPolicy", "istio-system", "action: DENY, rules: [{from: []}]")),
        (false, policy("AuthorizationPolicy", OWN, "rules: [{}]")),
        (false, policy("AuthorizationPolicy", OWN, "selector: {matchLabels: {app: web}}")),
        (false, policy("AuthorizationPolicy", OWN, "action: AUDIT, rules: [{from: []}]")),
        (false, policy("AuthorizationPolicy", "shop", "")),
        (true, policy("Server", OWN, "podSelector: {}, port: grpc")),
        (false, policy("Server", OWN, "podSelector: {}, port: grpc, accessPolicy: all-unauthenticated")),
        (false, policy("Server", OWN, "podSelector: {matchLabels: {app: web}}, port: grpc")),
        (
            true,
            policy(
                "MeshTrafficPermission",
                "kuma-system",
                "targetRef: {kind: Mesh}, from: [{default: {action: Deny}}]",
            ),
        ),
        (
            false,
            policy(
                "MeshTrafficPermission",
                "kuma-system",
                "targetRef: {kind: Mesh}, from: [{default: {action: Allow}}]",
            ),
        ),
        (
            false,
            policy(
                "MeshTrafficPermission",
                "kuma-system",
                "targetRef: {kind: MeshService, name: web_shop_svc_80}, from: [{default: {action: Deny}}]",
            ),
        ),
        (true, policy("ServiceIntentions", "shop", "destination: {name: '*'}, sources: [{name: '*', action: deny}]")),
        (false, policy("ServiceIntentions", "shop", "destination: {name: web}, sources: [{name: '*', action: deny}]")),
        (false, policy("ServiceIntentions", OWN, "destination: {name: '*'}, sources: [{name: api, action: allow}]")),
    ] {
        assert_eq!(!unevaluated_line(&manifest).is_empty(), is_reported, "{manifest}");
    }
}

/// Requirements of meshes and groups of `NeuVector`, each with a similar object that refuses nothing to the core.
#[test]
fn requirements_of_meshes_and_groups_of_neuvector() {
    let namespace = |default: &str| {
        format!(
            "---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: crossplane-system, annotations: {{config.linkerd.io/default-inbound-policy: {default}}}}}\n"
        )
    };
    let only = "outboundTrafficPolicy: {mode: REGISTRY_ONLY}";
    let group = |mode: &str, domain: &str| {
        let criteria = format!("[{{key: domain, op: '=', value: {domain}}}]");
        policy(
            "NvSecurityRule",
            "rules",
            &format!("target: {{policymode: {mode}, selector: {{name: x, criteria: {criteria}}}}}"),
        )
    };
    for (is_reported, manifest) in [
        (true, policy("PeerAuthentication", OWN, "mtls: {mode: STRICT}")),
        (true, policy("PeerAuthentication", "istio-system", "mtls: {mode: STRICT}")),
        (true, policy("PeerAuthentication", OWN, "portLevelMtls: {'9443': {mode: STRICT}}")),
        (false, policy("PeerAuthentication", OWN, "mtls: {mode: PERMISSIVE}")),
        (false, policy("PeerAuthentication", OWN, "selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}")),
        (false, policy("PeerAuthentication", "shop", "mtls: {mode: STRICT}")),
        (true, policy("Sidecar", OWN, only)),
        (true, policy("Sidecar", OWN, &format!("workloadSelector: {{labels: {{app: crossplane}}}}, {only}"))),
        (false, policy("Sidecar", OWN, &format!("workloadSelector: {{labels: {{app: web}}}}, {only}"))),
        (false, policy("Sidecar", OWN, "outboundTrafficPolicy: {mode: ALLOW_ANY}")),
        (false, policy("Sidecar", "shop", only)),
        (true, namespace("deny")),
        (true, namespace("cluster-authenticated")),
        (false, namespace("all-unauthenticated")),
        (false, namespace("deny").replace("name: crossplane-system", "name: shop")),
        (true, group("Protect", OWN)),
        (false, group("Monitor", OWN)),
        (false, group("Protect", "shop")),
    ] {
        assert_eq!(!unevaluated_line(&manifest).is_empty(), is_reported, "{manifest}");
    }
}
