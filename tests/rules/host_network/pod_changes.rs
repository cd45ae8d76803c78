//! Rules `sidecar-port` and `subset-patch`: what OpenKruise changes of moved pods when they are made.

use super::{named, run};
use insta::assert_snapshot;

fn set(app: &str, port: u16) -> String {
    format!(
        "---\napiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {{name: agent}}\nspec:\n  selector: {{matchLabels: {{app: {app}}}}}\n  \
         containers: [{{name: agent, ports: [{{containerPort: {port}}}]}}]\n"
    )
}

/// What a rule says, and whether the manifest changed.
fn said(rule: &str, select: &str, port: u16, manifest: &str) -> (String, bool) {
    let (output, said) = run(&format!("{{targets: [{{select: {{{select}}}, ports: {{http: {port}}}}}]}}"), manifest);
    let tag = format!("[{rule}]");
    (said.into_iter().filter(|line| line.ends_with(&tag)).collect::<Vec<_>>().join("\n"), output != manifest)
}

#[test]
fn an_injected_port_becomes_one_of_the_node() {
    let manifest = [named("web", 8080, true), set("web", 15000)].concat();
    let (warning, changed) = said("sidecar-port", "name: web", 21000, &manifest);
    assert_snapshot!(warning, @"warning: standard input:17:38: SidecarSet agent: 15000/TCP becomes a port of the node in each pod on the host network that it is put into (Deployment shop/web): no template shows it, and two of them cannot share a node. Take another selector [sidecar-port]");
    assert!(changed);
    let other = [named("web", 8080, true), set("api", 15000)].concat();
    assert_eq!(said("sidecar-port", "name: web", 21000, &other), (String::new(), true));
}

/// The number that the config gives is held against those of the set, not the one that the manifest has.
#[test]
fn a_workload_does_not_move_to_a_port_that_is_put_into_its_pods() {
    let manifest = [named("web", 8080, true), set("web", 21000)].concat();
    let (error, changed) = said("sidecar-port", "name: web", 21000, &manifest);
    assert_snapshot!(error, @"error: standard input:17:38: SidecarSet agent: 21000/TCP is put into pods on the host network that listen there themselves (Deployment shop/web): nobody validates that before the Pod, and the second one fails with `bind: address already in use`. Take another number or selector [sidecar-port]");
    assert!(!changed);
    let away = [named("web", 8080, true), set("web", 8080)].concat();
    assert!(said("sidecar-port", "name: web", 21000, &away).0.contains("becomes a port of the node"));
}

fn united(patch: &str) -> String {
    format!(
        "apiVersion: apps.kruise.io/v1alpha1\nkind: UnitedDeployment\nmetadata: {{name: web}}\nspec:\n  template:\n    deploymentTemplate:\n      spec:\n        \
         template:\n          metadata: {{labels: {{app: web}}}}\n          spec:\n            containers: [{{name: web, image: 'example/web:v1', args: [--port=8080], ports: \
         [{{name: http, containerPort: 8080}}]}}]\n  topology:\n    subsets: [{{name: a, patch: {patch}}}]\n"
    )
}

#[test]
fn a_patch_of_a_subset_is_not_followed() {
    let port = "{spec: {containers: [{name: web, ports: [{containerPort: 8080, hostPort: 9000}]}]}}";
    let (warnings, changed) = said("subset-patch", "name: web", 21000, &united(port));
    assert_snapshot!(warnings, @"
        warning: standard input:13:89: UnitedDeployment web: spec.topology.subsets[0].patch.spec.containers[0].ports[0].containerPort sets a field of some of its pods to `8080`: the template shows other ports or another network than they have, and neither a check nor a HostNetwork follows it. Write it in the template, or make two workloads. That port of the template becomes 21000 [subset-patch]
        warning: standard input:13:105: UnitedDeployment web: spec.topology.subsets[0].patch.spec.containers[0].ports[0].hostPort sets a field of some of its pods to `9000`: the template shows other ports or another network than they have, and neither a check nor a HostNetwork follows it. Write it in the template, or make two workloads [subset-patch]
    ");
    assert!(changed);
    assert_eq!(
        said("subset-patch", "name: web", 21000, &united("{metadata: {labels: {a: b}}}")),
        (String::new(), true)
    );
}
