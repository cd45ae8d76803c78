//! Rule `sidecar-port`: ports that a `SidecarSet` adds to moved pods.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{deployment_named, run};

fn set(app: &str, port: u16) -> String {
    format!(
        "---\napiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {{name: agent}}\nspec:\n  selector: {{matchLabels: {{app: {app}}}}}\n  \
         containers: [{{name: agent, ports: [{{containerPort: {port}}}]}}]\n"
    )
}

/// The messages of a rule, and true if the manifest changed.
pub(super) fn reported(rule: &str, select: &str, port: u16, manifest: &str) -> (String, bool) {
    let (output, log) = run(&format!("{{targets: [{{select: {{{select}}}, ports: {{http: {port}}}}}]}}"), manifest);
    let tag = format!("[{rule}]");
    (log.into_iter().filter(|line| line.ends_with(&tag)).collect::<Vec<_>>().join("\n"), output != manifest)
}

#[test]
fn an_injected_port_becomes_a_port_of_the_node() {
    let manifest = [deployment_named("web", 8080, true), set("web", 15000)].concat();
    let (warning, changed) = reported("sidecar-port", "name: web", 21000, &manifest);
    assert_snapshot!(worded(warning), @"warning: standard input:17:38: SidecarSet agent: injects 15000/TCP into pods on the host network (Deployment shop/web), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Use another selector [sidecar-port]");
    assert!(changed);
    let other = [deployment_named("web", 8080, true), set("api", 15000)].concat();
    assert_eq!(reported("sidecar-port", "name: web", 21000, &other), (String::new(), true));
}

/// On the host network the API server refuses a host port that differs from the port.
#[test]
fn a_workload_with_an_injected_different_host_port_does_not_move() {
    let mapped = |app: &str| set(app, 15000).replace("containerPort: 15000", "containerPort: 15000, hostPort: 15001");
    let manifest = [deployment_named("web", 8080, true), mapped("web")].concat();
    let (error, changed) = reported("sidecar-port", "name: web", 21000, &manifest);
    assert!(error.starts_with("error: ") && error.contains("containerPort 15000 with hostPort 15001"), "{error}");
    assert!(!changed);
    let other = [deployment_named("web", 8080, true), mapped("api")].concat();
    assert_eq!(reported("sidecar-port", "name: web", 21000, &other), (String::new(), true));
}

/// The new number is compared with the ports of the set, not the old one.
#[test]
fn a_workload_does_not_move_to_an_injected_port() {
    let manifest = [deployment_named("web", 8080, true), set("web", 21000)].concat();
    let (error, changed) = reported("sidecar-port", "name: web", 21000, &manifest);
    assert_snapshot!(worded(error), @"error: standard input:17:38: SidecarSet agent: injects 21000/TCP into pods on the host network that listen on it themselves (Deployment shop/web): the API server checks this only for the Pod, and the second one fails with `bind: address already in use`. Use another number or selector [sidecar-port]");
    assert!(!changed);
    let away = [deployment_named("web", 8080, true), set("web", 8080)].concat();
    assert!(reported("sidecar-port", "name: web", 21000, &away).0.contains("where it is a port of the node"));
}

/// `auto` does not assign a number that a `SidecarSet` makes a port of the node; ports of sets for other pods in the
/// pod network are free.
#[test]
fn an_automatic_number_is_not_an_injected_port() {
    let auto = |manifest: &str| {
        let (output, log) = run("{targets: [{select: {name: web}, ports: auto}], portPool: 21000-21001}", manifest);
        let given = output.lines().find_map(|line| line.split("hostPort: ").nth(1)).unwrap_or_default();
        (given.trim_end_matches(['}', ']']).parse::<u16>().unwrap(), log)
    };
    let web = deployment_named("web", 8080, true);
    let (free, _) = auto(&web);
    let (other, log) = auto(&[web.as_str(), &set("web", free)].concat());
    assert!(
        other != free && !log.iter().any(|line| line.starts_with("error") || line.contains("listen there themselves")),
        "{log:?}"
    );
    assert_eq!(auto(&[web.as_str(), &set("api", free)].concat()).0, free);
    let api = deployment_named("api", 8081, true).replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    assert_eq!(auto(&[web.as_str(), "---\n", &api, &set("api", free)].concat()).0, other);
}
