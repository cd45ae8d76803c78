//! Rule `proxy-reach`: `hostnet apply` checks the destinations of the containers that it changes.

use super::check::{FUNCTIONS, core, env};
use super::run;
use crate::support::results::worded;

const SPEC: &str = "httpsProxy: 'http://p:3128', case: Upper, cluster: {pods: [10.244.0.0/16], services: [10.96.0.0/12]}, targets: [{select: {namespace: crossplane-system}}]";

/// All reports of a run except infos.
fn reported(spec: &str, manifest: &str) -> String {
    let (_, log) = run(spec, manifest);
    log.lines().filter(|line| !line.starts_with("info")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_written_variables_are_correct() {
    assert_eq!(reported(SPEC, &(core("v2.3.4", "") + FUNCTIONS)), "");
    assert_eq!(reported(SPEC, &(core("v1.19.3", "") + FUNCTIONS)), "");
}

#[test]
fn a_destination_with_an_unwanted_route_is_an_error() {
    let spec =
        format!("{SPEC}, destinations: [{{host: git.corp, wanted: Direct}}, {{host: 10.100.0.1, wanted: Proxy}}]");
    let (output, _) = run(&spec, &core("v2.3.4", ""));
    assert_eq!(output, core("v2.3.4", ""), "nothing is written");
    insta::assert_snapshot!(worded(reported(&spec, &core("v2.3.4", ""))), @"
    error: standard input:1:1: direct: Deployment crossplane-system/crossplane, container crossplane -> a destination of the config 10.100.0.1: the entry `10.96.0.0/12` matches [proxy-reach]
    error: standard input:1:1: proxy: Deployment crossplane-system/crossplane, container crossplane -> a destination of the config git.corp: no entry matches. Add to NO_PROXY: git.corp [proxy-reach]
    ");
}

/// The RBAC manager gets no variables; its existing variables are checked.
#[test]
fn a_container_without_changes_is_checked() {
    let rbac = core("v2.3.4", &env("a.com")).replace("[core, start]", "[rbac, start]");
    insta::assert_snapshot!(worded(reported(SPEC, &rbac)), @"error: standard input:1:1: proxy: Deployment crossplane-system/crossplane, container crossplane -> the API server 10.96.0.1: no entry matches. Add to NO_PROXY: $(KUBERNETES_SERVICE_HOST) [proxy-reach]");
    let other = rbac.replace("namespace: crossplane-system", "namespace: other");
    assert!(
        !reported(SPEC, &other).contains("proxy-reach"),
        "the config does not select it: {}",
        reported(SPEC, &other)
    );
}

#[test]
fn a_registry_outside_that_is_direct_is_a_warning() {
    insta::assert_snapshot!(worded(reported(SPEC, &(core("v2.3.4", &env(".crossplane.io")) + FUNCTIONS))), @"warning: standard input:1:1: direct: Deployment crossplane-system/crossplane, container crossplane -> a registry of packages xpkg.crossplane.io: the entry `.crossplane.io` matches, and it is outside of the cluster [proxy-reach]");
}

/// A cause that the plan reports is not repeated for each function.
#[test]
fn one_cause_is_reported_once() {
    let spec = SPEC.replace("pods: [10.244.0.0/16], ", "");
    assert_eq!(
        reported(&spec, &(core("latest", "") + FUNCTIONS)).lines().count(),
        1,
        "{}",
        reported(&spec, &core("latest", ""))
    );
    assert_eq!(reported(&spec, &(core("v1.19.3", "") + FUNCTIONS)).lines().count(), 1);
}

/// A list in a ConfigMap, whose variables are not expanded.
#[test]
fn an_entry_that_is_not_expanded_does_not_match() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: crossplane-system}\ndata: {NO_PROXY: '$(KUBERNETES_SERVICE_HOST),.crossplane-system'}\n";
    let env = "{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: NO_PROXY, valueFrom: {configMapKeyRef: {name: m, key: NO_PROXY}}}";
    let (log, code) = super::check::check(&[], &(core("v2.3.4", env) + map));
    assert!(code == Some(1) && log.contains("Add to NO_PROXY: the address of the API server's Service"), "{log}");
}

/// With `*` the proxy is written and never used. Nothing is needed for functions, and no message claims an entry for
/// them.
#[test]
fn an_entry_for_every_host_is_a_warning() {
    let config = |all: &str, target: &str| {
        format!(
            "httpsProxy: 'http://p:3128', case: Upper, {all}targets: [{{select: {{namespace: crossplane-system}}{target}}}]"
        )
    };
    let reported = |spec: &str, manifest: &str| {
        let (output, log) = run(spec, manifest);
        let list = output.contains("{name: NO_PROXY, value: \"*\"}");
        format!("{list} {}", worded(log))
    };
    insta::assert_snapshot!([
        reported(&config("noProxy: ['*'], ", ""), &core("v2.3.4", "")),
        reported(&config("noProxy: ['*'], ", ""), &core("v1.19.3", "")),
        reported(&config("", ", noProxy: [' * ']"), &core("v2.3.4", "")),
        reported(&config("", ""), &core("v2.3.4", "{name: NO_PROXY, value: \"*\"}")),
    ].join("\n"), @"
    true warning: proxy.yaml:4:60: `*` in `noProxy` matches every host, so no program uses the proxy of this config. List only the hosts that are reached directly; or do not run this config, if no object needs a proxy [proxy-reach]
    true warning: proxy.yaml:4:60: `*` in `noProxy` matches every host, so no program uses the proxy of this config. List only the hosts that are reached directly; or do not run this config, if no object needs a proxy [proxy-reach]
    true warning: proxy.yaml:4:111: `*` in `noProxy` matches every host, so no program uses the proxy of this config. List only the hosts that are reached directly; or remove this target, or add its objects to `exclude`, if they need no proxy [proxy-reach]
    true info: Deployment crossplane-system/crossplane: container crossplane: its NO_PROXY is `*`: nothing goes through a proxy, and nothing is added [proxy-existing]
    ");
}
