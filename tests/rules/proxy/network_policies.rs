//! Network policies between Crossplane's core and its functions, DNS and the proxy.

use super::check::{FUNCTIONS, check, core};

const LABELLED: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: crossplane, namespace: crossplane-system}\nspec:\n  selector: {matchLabels: {app: crossplane}}\n  template:\n    metadata: {labels: {app: crossplane, release: x}}\n    spec:\n      HOSTcontainers:\n      - {name: crossplane, image: 'xpkg.crossplane.io/crossplane/crossplane:v2.3.4', args: [core, start], env: [{name: HTTPS_PROXY, value: 'http://10.9.9.9:3128'}, {name: NO_PROXY, value: '*'}]}\n";

fn policy(spec: &str) -> String {
    format!(
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: p, namespace: crossplane-system}}\nspec: {{{spec}}}\n"
    )
}

/// The reports about blocked connections and about the host network.
fn reported(policies: &[&str], host: bool) -> Vec<String> {
    let host = if host { "hostNetwork: true\n      " } else { "" };
    let policies: String = policies.iter().map(|spec| policy(spec)).collect();
    let (output, code) = check(&[], &(LABELLED.replace("HOST", host) + FUNCTIONS + &policies));
    let is_function_blocked = output.lines().any(|line| line.contains("blocked: ") && line.contains("-> function "));
    assert_eq!(code, Some(i32::from(is_function_blocked)), "only a blocked function is an error: {output}");
    let of_policies = output.lines().filter(|line| line.contains("blocked: ") || line.contains("host network"));
    of_policies.map(str::to_owned).collect()
}

const ALL_FUNCTIONS: &str = "podSelector: {matchExpressions: [{key: pkg.crossplane.io/function, operator: Exists}]}";

#[test]
fn a_policy_that_blocks_the_core_from_functions_is_an_error() {
    let log = reported(
        &[&format!("{ALL_FUNCTIONS}, ingress: [{{from: [{{podSelector: {{matchLabels: {{app: other}}}}}}]}}]")],
        false,
    );
    insta::assert_snapshot!(log.join("\n"), @"
    error: blocked: Deployment crossplane-system/crossplane -> function function-auto-ready TCP port 9443: NetworkPolicy crossplane-system/p selects its pods, and it does not allow this [proxy-reach]
    error: blocked: Deployment crossplane-system/crossplane -> function function-x TCP port 9443: NetworkPolicy crossplane-system/p selects its pods, and it does not allow this [proxy-reach]
    ");
}

#[test]
fn policies_that_allow_the_core_are_not_reported() {
    for ingress in [
        "[{}]",
        "[{ports: [{port: 9443}]}]",
        "[{ports: [{port: grpc}]}]",
        "[{ports: [{port: 9000, endPort: 9500}]}]",
        "[{from: [{podSelector: {}}]}]",
        "[{from: [{podSelector: {matchLabels: {app: crossplane}}}], ports: [{protocol: TCP, port: 9443}]}]",
        "[{from: [{namespaceSelector: {}}]}]",
        "[{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: crossplane-system}}, podSelector: {matchLabels: {app: crossplane}}}]}]",
        "[{from: [{podSelector: {matchLabels: {app: other}}}]}, {from: [{podSelector: {matchLabels: {release: x}}}]}]",
        // The addresses of pods are unknown without their range.
        "[{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]",
    ] {
        assert_eq!(reported(&[&format!("{ALL_FUNCTIONS}, ingress: {ingress}")], false), [""; 0], "{ingress}");
    }
    // Policies are additive.
    let (closed, open) =
        (format!("{ALL_FUNCTIONS}, policyTypes: [Ingress]"), format!("{ALL_FUNCTIONS}, ingress: [{{}}]"));
    assert_eq!(reported(&[&closed, &open], false), [""; 0]);
    // A policy for egress does not restrict ingress, and a policy for other pods has no effect.
    assert_eq!(reported(&[&format!("{ALL_FUNCTIONS}, policyTypes: [Egress]")], false), [""; 0]);
    assert_eq!(reported(&["podSelector: {matchLabels: {app: other}}, policyTypes: [Ingress]"], false), [""; 0]);
}

#[test]
fn policies_that_block_the_core_are_reported() {
    for ingress in [
        "[]",
        "[{ports: [{port: 8080}]}]",
        "[{ports: [{protocol: UDP, port: 9443}]}]",
        "[{ports: [{port: metrics}]}]",
        "[{from: [{podSelector: {matchLabels: {app: crossplane}}}], ports: [{port: 8080}]}]",
        "[{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]}]",
        "[{from: [{namespaceSelector: {}, podSelector: {matchLabels: {app: other}}}]}]",
    ] {
        let log = reported(&[&format!("{ALL_FUNCTIONS}, ingress: {ingress}")], false);
        assert_eq!(log.len(), 2, "one for each function: {ingress}: {log:#?}");
    }
    let of_one = reported(
        &["podSelector: {matchLabels: {pkg.crossplane.io/function: function-x}}, policyTypes: [Ingress]"],
        false,
    );
    assert!(of_one.len() == 1 && of_one[0].contains("function function-x"), "{of_one:#?}");
}

#[test]
fn egress_policies_of_the_core_are_checked() {
    let core = "podSelector: {matchLabels: {app: crossplane}}";
    insta::assert_snapshot!(reported(&[&format!("{core}, policyTypes: [Egress]")], false).join("\n"), @"
    error: blocked: Deployment crossplane-system/crossplane -> function function-auto-ready TCP port 9443: NetworkPolicy crossplane-system/p selects the core, and it does not allow this [proxy-reach]
    error: blocked: Deployment crossplane-system/crossplane -> function function-x TCP port 9443: NetworkPolicy crossplane-system/p selects the core, and it does not allow this [proxy-reach]
    warning: blocked: Deployment crossplane-system/crossplane -> DNS UDP port 53: NetworkPolicy crossplane-system/p selects the core, and it does not allow this [proxy-reach]
    warning: blocked: Deployment crossplane-system/crossplane -> the proxy 10.9.9.9:3128: NetworkPolicy crossplane-system/p selects the core, and it does not allow this [proxy-reach]
    ");
    let dns = "{ports: [{protocol: UDP, port: 53}]}";
    let functions = "{to: [{podSelector: {matchExpressions: [{key: pkg.crossplane.io/function, operator: Exists}]}}], ports: [{port: 9443}]}";
    let proxy = "{to: [{ipBlock: {cidr: 10.9.0.0/16, except: [10.9.8.0/24]}}], ports: [{port: 3128}]}";
    assert_eq!(reported(&[&format!("{core}, egress: [{dns}, {functions}, {proxy}]")], false), [""; 0]);
    for (rules, blocked) in [
        (format!("{functions}, {proxy}"), "DNS"),
        (format!("{dns}, {proxy}"), "function "),
        (format!("{dns}, {functions}"), "the proxy 10.9.9.9:3128"),
        (format!("{dns}, {functions}, {}", proxy.replace("10.9.8.0", "10.9.9.0")), "the proxy 10.9.9.9:3128"),
        (format!("{dns}, {functions}, {}", proxy.replace("3128", "3129")), "the proxy 10.9.9.9:3128"),
    ] {
        let log = reported(&[&format!("{core}, egress: [{rules}]")], false);
        assert!(!log.is_empty() && log.iter().all(|line| line.contains(blocked)), "{rules}: {log:#?}");
    }
}

/// The address of a proxy's host name is unknown: only a policy without a rule for its port blocks it. A name in the
/// cluster may be a Service with pods on another port.
#[test]
fn a_proxy_by_host_name_is_blocked_if_no_rule_has_its_port() {
    let core = "podSelector: {matchLabels: {app: crossplane}}";
    let open = "{ports: [{protocol: UDP, port: 53}]}, {ports: [{port: 9443}]}";
    for (proxy, rules, is_blocked) in [
        ("proxy.example.com:3128", open.to_owned(), true),
        ("proxy.example.com:3128", format!("{open}, {{ports: [{{port: 3128}}]}}"), false),
        ("proxy.example.com:3128", format!("{open}, {{to: [{{ipBlock: {{cidr: 10.0.0.0/8}}}}]}}"), false),
        ("squid.infra.svc:3128", open.to_owned(), false),
        ("squid.infra:3128", open.to_owned(), false),
        ("squid.infra.svc.cluster.local:3128", open.to_owned(), false),
    ] {
        let manifest = LABELLED.replace("HOST", "").replace("10.9.9.9:3128", proxy) + FUNCTIONS;
        let (log, _) = check(&[], &(manifest + &policy(&format!("{core}, egress: [{rules}]"))));
        assert_eq!(log.contains(&format!("-> the proxy {proxy}")), is_blocked, "{proxy} {rules}: {log}");
    }
}

/// Policies do not apply to pods on the host network, whose calls come from addresses of nodes.
#[test]
fn policies_for_a_core_on_the_host_network_are_reported_once() {
    let core = "podSelector: {matchLabels: {app: crossplane}}, policyTypes: [Egress]";
    insta::assert_snapshot!(reported(&[core, core], true).join("\n"), @"info: unknown: Deployment crossplane-system/crossplane -> everybody: it is on the host network, where most network plugins apply no policy [proxy-reach]");
    let by_labels =
        format!("{ALL_FUNCTIONS}, ingress: [{{from: [{{podSelector: {{matchLabels: {{app: crossplane}}}}}}]}}]");
    assert_eq!(reported(&[&by_labels], true).len(), 2, "the labels of a pod on the host network do not match");
    let by_address = format!("{ALL_FUNCTIONS}, ingress: [{{from: [{{ipBlock: {{cidr: 10.0.0.0/16}}}}]}}]");
    assert_eq!(reported(&[&by_address], true), [""; 0], "the addresses of nodes are unknown without their range");
}

#[test]
fn without_a_core_nothing_is_reported() {
    let manifest = FUNCTIONS.to_owned() + &policy("podSelector: {}, policyTypes: [Ingress, Egress]");
    assert_eq!(check(&[], &manifest).0, "no container has HTTPS_PROXY or HTTP_PROXY\n");
    // A core without proxies calls functions too.
    let (log, _) = check(&[], &(core("v2.3.4", "") + FUNCTIONS + &policy("podSelector: {}, policyTypes: [Ingress]")));
    assert!(log.contains("blocked: "), "{log}");
}

/// Crossplane labels the pods of a package with the name of the revision too: the name of the package, and a hash of
/// the image.
#[test]
fn a_policy_may_select_by_the_revision() {
    let selecting =
        |selector: &str| reported(&[&format!("podSelector: {{{selector}}}, policyTypes: [Ingress]")], false);
    for selector in [
        "matchLabels: {pkg.crossplane.io/revision: function-x-1a2b3c4d5e6f}",
        "matchLabels: {pkg.crossplane.io/function: function-x, pkg.crossplane.io/revision: function-x-0123456789ab}",
        "matchExpressions: [{key: pkg.crossplane.io/revision, operator: In, values: [function-x-1a2b3c, other-1a2b3c]}]",
    ] {
        let log = selecting(selector);
        assert!(log.len() == 1 && log[0].contains("function function-x "), "{selector}: {log:?}");
    }
    assert_eq!(selecting("matchExpressions: [{key: pkg.crossplane.io/revision, operator: Exists}]").len(), 2);
    for selector in [
        "matchLabels: {pkg.crossplane.io/revision: function-y-1a2b3c4d5e6f}",
        "matchLabels: {pkg.crossplane.io/revision: function-x}",
        "matchLabels: {pkg.crossplane.io/provider: function-x}",
        "matchExpressions: [{key: pkg.crossplane.io/revision, operator: DoesNotExist}]",
    ] {
        assert_eq!(selecting(selector), [""; 0], "{selector}");
    }
    // Peers of egress rules match in the same way.
    let out = |revision: &str| {
        let peer = format!("{{podSelector: {{matchLabels: {{pkg.crossplane.io/revision: {revision}}}}}}}");
        reported(
            &[&format!(
                "podSelector: {{matchLabels: {{app: crossplane}}}}, egress: [{{to: [{peer}]}}, {{ports: [{{port: 53, protocol: UDP}}]}}, {{to: [{{ipBlock: {{cidr: 0.0.0.0/0}}}}], ports: [{{port: 3128}}]}}]"
            )],
            false,
        )
    };
    let log = out("function-x-1a2b3c");
    assert!(log.len() == 1 && log[0].contains("function-auto-ready"), "{log:?}");
}

/// Pods of a function have the labels of its ControllerConfig, in releases that support it.
#[test]
fn a_policy_may_select_by_the_labels_of_a_controller_config() {
    let function = "---\napiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {name: f}\nspec: {package: 'example.com/f:v1', controllerConfigRef: {name: c}}\n---\napiVersion: pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata: {name: c}\nspec: {metadata: {labels: {team: a, level: \"1\"}}}\n";
    let blocked = |version: &str, selector: &str| {
        let policy = policy(&format!("podSelector: {{matchLabels: {{{selector}}}}}, policyTypes: [Ingress]"));
        let (log, _) = check(&[], &(LABELLED.replace("HOST", "").replace("v2.3.4", version) + function + &policy));
        log.contains("blocked: ")
    };
    assert!(
        blocked("v1.19.3", "team: a") && blocked("v1.20.0", "level: '1'") && blocked("v1.20.0", "team: a, level: '1'")
    );
    assert!(!blocked("v1.19.3", "team: b") && !blocked("v1.19.3", "team: a, other: x"));
    // Pods of v2 do not get labels from a ControllerConfig.
    assert!(!blocked("v2.3.4", "team: a"));
}

/// Addresses of functions are unknown without their range, so a block with exceptions may leave them out.
#[test]
fn a_block_that_may_leave_out_functions_is_unknown() {
    let undecided = |block: &str, config: Option<&str>| {
        let policy = policy(&format!("podSelector: {{}}, policyTypes: [Egress], egress: [{{to: [{block}]}}]"));
        let manifest = LABELLED.replace("HOST", "") + FUNCTIONS + &policy;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("proxy.yaml");
        let text = "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: p}\nspec: {httpsProxy: 'http://p:1', existing: Keep, targets: [{select: {name: crossplane}}]";
        std::fs::write(&file, format!("{text}, cluster: {{{}}}}}\n", config.unwrap_or_default())).unwrap();
        let args = ["-c", file.to_str().unwrap()];
        let (log, _) = check(if config.is_some() { &args } else { &[] }, &manifest);
        log.lines().filter(|line| line.contains("ipBlock")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let but = "{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}";
    insta::assert_snapshot!(undecided(but, None), @"info: unknown: Deployment crossplane-system/crossplane -> functions: NetworkPolicy crossplane-system/p selects the core, and its `ipBlock` may leave out the addresses of functions, whose range is not known. A config with the range decides: `hostnet proxy check -c CONFIG`, with `cluster: {pods: [10.244.0.0/16]}` in its spec [proxy-reach]");
    assert!(undecided("{ipBlock: {cidr: 192.168.0.0/16}}", None).starts_with("info: unknown: "));
    assert!(undecided(but, Some("")).contains("in the spec, with your range"));
    for (block, config) in [
        ("{ipBlock: {cidr: 0.0.0.0/0}}", None),
        ("{ipBlock: {cidr: '::/0'}}", None),
        ("{podSelector: {}}", None),
        ("{podSelector: {}}, {ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}", None),
        (but, Some("pods: [10.244.0.0/16]")),
        (but, Some("pods: [192.168.0.0/16]")),
    ] {
        assert_eq!(undecided(block, config), "", "{block} {config:?}");
    }
}
