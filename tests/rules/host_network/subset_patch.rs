//! Rule `subset-patch`: patches of subsets that change the ports of moved pods.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::sidecar_port::reported;

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
    let (warnings, changed) = reported("subset-patch", "name: web", 21000, &united(port));
    assert_snapshot!(worded(warnings), @"
    warning: standard input:13:89: UnitedDeployment web: spec.topology.subsets[0].patch.spec.containers[0].ports[0].containerPort changes a field of only some of its pods to `8080`: their ports or network differ from the template, and neither `hostnet check` nor a HostNetwork follows that. Write it in the template, or make two workloads. That port of the template becomes 21000 [subset-patch]
    warning: standard input:13:105: UnitedDeployment web: spec.topology.subsets[0].patch.spec.containers[0].ports[0].hostPort changes a field of only some of its pods to `9000`: their ports or network differ from the template, and neither `hostnet check` nor a HostNetwork follows that. Write it in the template, or make two workloads [subset-patch]
    ");
    assert!(changed);
    assert_eq!(
        reported("subset-patch", "name: web", 21000, &united("{metadata: {labels: {a: b}}}")),
        (String::new(), true)
    );
}

#[test]
fn a_number_of_a_port_in_a_patch_is_reported() {
    let patch =
        "{spec: {containers: [{name: web, args: ['--port=8080', --threads=8], env: [{name: PORT, value: '8080'}]}]}}";
    let (warnings, changed) = reported("subset-patch", "name: web", 21000, &united(patch));
    assert_snapshot!(worded(warnings), @"
    warning: standard input:13:72: UnitedDeployment web: spec.topology.subsets[0].patch.spec.containers[0].args[0] sets `--port=8080` in only some of its pods, and the text contains 8080, a port of these pods: the template does not show that port, and neither `hostnet check` nor a HostNetwork follows it. Write it in the template, or make two workloads. That port of the template becomes 21000 [subset-patch]
    warning: standard input:13:127: UnitedDeployment web: spec.topology.subsets[0].patch.spec.containers[0].env[0].value sets `8080` in only some of its pods, and the text contains 8080, a port of these pods: the template does not show that port, and neither `hostnet check` nor a HostNetwork follows it. Write it in the template, or make two workloads. That port of the template becomes 21000 [subset-patch]
    ");
    assert!(changed);
    let other = "{spec: {containers: [{name: web, args: ['--threads=8081']}]}}";
    assert_eq!(reported("subset-patch", "name: web", 21000, &united(other)), (String::new(), true));
}
