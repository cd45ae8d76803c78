//! Rule `subset-patch`.

use super::said;
use insta::assert_snapshot;

fn united(template: &str, patch: &str) -> String {
    format!(
        "apiVersion: apps.kruise.io/v1alpha1\nkind: UnitedDeployment\nmetadata: {{name: web, namespace: shop}}\nspec: {{template: {{deploymentTemplate: {{spec: {{template: {{spec: \
         {template}}}}}}}}}, topology: {{subsets: [{{name: a, patch: {patch}}}]}}}}\n"
    )
}

const HOST: &str = "{hostNetwork: true, containers: [{name: web, ports: [{containerPort: 80, hostPort: 80}]}]}";
const POD: &str = "{containers: [{name: web, ports: [{containerPort: 80}]}]}";
const PORTS: &str =
    "{spec: {containers: [{name: web, ports: [{containerPort: 81}], readinessProbe: {httpGet: {port: 81}}}]}}";

#[test]
fn a_patch_of_ports_of_pods_on_the_host_network() {
    assert_snapshot!(said("subset-patch", &united(HOST, PORTS)), @"
        warning: a.yaml:4:255: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.containers[0].ports[0].containerPort sets a field of some of its pods to `81`: the template shows other ports or another network than they have, and neither a check nor a HostNetwork follows it. Write it in the template, or make two workloads
        warning: a.yaml:4:277: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.containers[0].readinessProbe sets a field of some of its pods: the template shows other ports or another network than they have, and neither a check nor a HostNetwork follows it. Write it in the template, or make two workloads
    ");
    // In the pod network they are nobody's concern.
    assert_eq!(said("subset-patch", &united(POD, PORTS)), "");
}

#[test]
fn one_that_leads_pods_to_the_node() {
    assert_snapshot!(said("subset-patch", &united(POD, "{spec: {hostNetwork: true}}")), @"warning: a.yaml:4:186: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.hostNetwork sets a field of some of its pods to `true`: the template shows other ports or another network than they have, and neither a check nor a HostNetwork follows it. Write it in the template, or make two workloads");
    assert_ne!(
        said(
            "subset-patch",
            &united(POD, "{spec: {containers: [{name: web, ports: [{containerPort: 80, hostPort: 80}]}]}}")
        ),
        ""
    );
    assert_eq!(said("subset-patch", &united(POD, "{spec: {hostNetwork: false}}")), "");
    let spread = "apiVersion: apps.kruise.io/v1alpha1\nkind: WorkloadSpread\nmetadata: {name: web, namespace: shop}\nspec: {targetRef: {kind: \
                  Deployment, name: web}, subsets: [{name: a, patch: {spec: {hostNetwork: true}}}]}\n";
    assert_ne!(said("subset-patch", spread), "");
}

/// A command, an argument or a variable with the number of a port: the template does not show what these pods listen on.
#[test]
fn a_number_of_a_listener_in_a_patch() {
    let patch = |fields: &str| format!("{{spec: {{containers: [{{name: web, {fields}}}]}}}}");
    let args = patch("args: [--threads=81, '--port=80']");
    assert_snapshot!(said("subset-patch", &united(HOST, &args)), @"warning: a.yaml:4:252: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.containers[0].args[1] sets `--port=80` in some of its pods, with 80, a port of these: the template does not show what they listen on, and neither a check nor a HostNetwork follows it. Write it in the template, or make two workloads");
    for fields in ["command: [web, -p, '80']", "env: [{name: PORT, value: '80'}]"] {
        assert_eq!(said("subset-patch", &united(HOST, &patch(fields))).lines().count(), 1, "{fields}");
    }
    // In the pod network, and other numbers.
    assert_eq!(said("subset-patch", &united(POD, &args)), "");
    assert_eq!(said("subset-patch", &united(HOST, &patch("args: [--threads=81], image: 'web:80'"))), "");
}

#[test]
fn a_patch_of_labels_is_not_said() {
    assert_eq!(said("subset-patch", &united(HOST, "{metadata: {labels: {a: b}}}")), "");
}
