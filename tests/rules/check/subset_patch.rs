//! Rule `subset-patch`.

use super::said;
use insta::assert_snapshot;

fn united(patch: &str) -> String {
    format!(
        "apiVersion: apps.kruise.io/v1alpha1\nkind: UnitedDeployment\nmetadata: {{name: web, namespace: shop}}\nspec: {{topology: {{subsets: [{{name: a, patch: {patch}}}]}}}}\n"
    )
}

#[test]
fn a_patch_of_the_host_network_or_of_ports() {
    assert_snapshot!(said("subset-patch", &united("{spec: {hostNetwork: true, containers: [{name: web, ports: [{containerPort: 80}]}]}}")), @"
    warning: a.yaml:4:67: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.hostNetwork sets a field of some of its pods to `true`: the template shows other ports or another network than they have, and neither this check nor a HostNetwork follows it. Write it in the template, or make two workloads
    warning: a.yaml:4:122: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.containers[0].ports[0].containerPort sets a field of some of its pods to `80`: the template shows other ports or another network than they have, and neither this check nor a HostNetwork follows it. Write it in the template, or make two workloads
    ");
    let spread = united("{spec: {hostNetwork: true}}")
        .replace("UnitedDeployment", "WorkloadSpread")
        .replace("topology: {subsets", "x: {}, subsets")
        .replace("]}}\n", "]}\n");
    assert_ne!(said("subset-patch", &spread), "", "{spread}");
}

#[test]
fn a_patch_of_labels_is_not_said() {
    assert_eq!(said("subset-patch", &united("{metadata: {labels: {a: b}}}")), "");
}
