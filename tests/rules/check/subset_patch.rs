//! Rule `subset-patch`.

use super::reported;
use crate::support::results::{brief, worded};
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
    assert_snapshot!(worded(reported("subset-patch", &united(HOST, PORTS))), @"
    warning: a.yaml:4:255: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.containers[0].ports[0].containerPort changes a field of only some of its pods to `81`: their ports or network differ from the template, and neither `hostnet check` nor a HostNetwork follows that. Write it in the template, or make two workloads
    warning: a.yaml:4:277: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.containers[0].readinessProbe changes a field of only some of its pods: their ports or network differ from the template, and neither `hostnet check` nor a HostNetwork follows that. Write it in the template, or make two workloads
    ");
    // In the pod network ports never conflict.
    assert_eq!(reported("subset-patch", &united(POD, PORTS)), "");
}

#[test]
fn a_patch_that_puts_pods_on_the_host_network() {
    assert_snapshot!(brief(reported("subset-patch", &united(POD, "{spec: {hostNetwork: true}}"))), @"warning: subset-patch UnitedDeployment shop/web spec.topology.subsets[0].patch.spec.hostNetwork (a.yaml:4:186)");
    assert_ne!(
        reported(
            "subset-patch",
            &united(POD, "{spec: {containers: [{name: web, ports: [{containerPort: 80, hostPort: 80}]}]}}")
        ),
        ""
    );
    assert_eq!(reported("subset-patch", &united(POD, "{spec: {hostNetwork: false}}")), "");
    let spread = "apiVersion: apps.kruise.io/v1alpha1\nkind: WorkloadSpread\nmetadata: {name: web, namespace: shop}\nspec: {targetRef: {kind: \
                  Deployment, name: web}, subsets: [{name: a, patch: {spec: {hostNetwork: true}}}]}\n";
    assert_ne!(reported("subset-patch", spread), "");
}

/// A command, an argument or a variable with the number of a port: the template does not show the port of these pods.
#[test]
fn a_number_of_a_listener_in_a_patch() {
    let patch = |fields: &str| format!("{{spec: {{containers: [{{name: web, {fields}}}]}}}}");
    let args = patch("args: [--threads=81, '--port=80']");
    assert_snapshot!(worded(reported("subset-patch", &united(HOST, &args))), @"warning: a.yaml:4:252: UnitedDeployment shop/web: spec.topology.subsets[0].patch.spec.containers[0].args[1] sets `--port=80` in only some of its pods, and the text contains 80, a port of these pods: the template does not show that port, and neither `hostnet check` nor a HostNetwork follows it. Write it in the template, or make two workloads");
    for fields in ["command: [web, -p, '80']", "env: [{name: PORT, value: '80'}]"] {
        assert_eq!(reported("subset-patch", &united(HOST, &patch(fields))).lines().count(), 1, "{fields}");
    }
    // The pod network, and other numbers.
    assert_eq!(reported("subset-patch", &united(POD, &args)), "");
    assert_eq!(reported("subset-patch", &united(HOST, &patch("args: [--threads=81], image: 'web:80'"))), "");
}

#[test]
fn a_patch_of_labels_is_not_reported() {
    assert_eq!(reported("subset-patch", &united(HOST, "{metadata: {labels: {a: b}}}")), "");
}

/// The webhook of OpenKruise validates each patch together with the template of its target.
#[test]
fn every_patch_of_a_workload_spread_is_refused_in_some_versions() {
    let spread = |name: &str| {
        format!(
            "apiVersion: apps.kruise.io/v1alpha1\nkind: WorkloadSpread\nmetadata: {{name: spread, namespace: shop}}\nspec: {{targetRef: {{apiVersion: apps/v1, kind: Deployment, name: {name}}}, subsets: [{{name: a, patch: {{metadata: {{labels: {{a: b}}}}}}}}]}}\n---\n"
        )
    };
    let web = super::on_host("web", "ports: [{containerPort: 8080}]");
    let reported = |version: &str, manifest: &str| {
        let spec = format!("{{versions: {{openkruise: {version}}}}}");
        super::reported_with("subset-patch", &spec, manifest)
    };
    let all = [web.clone(), spread("web")].concat();
    assert_snapshot!(worded(reported("v1.8.4", &all)), @r#"error: a.yaml:12:98: WorkloadSpread shop/spread: spec.subsets[0].patch is validated with the template of Deployment shop/web, which has no hostPort for 8080; OpenKruise v1.8.4 refuses it: admission webhook "vworkloadspread.kb.io" denied the request: spec.subsets[0].patch.containers[0].ports[0].hostPort: Invalid value: 0: must match `containerPort` when `hostNetwork` is true. Write the hostPort there"#);
    assert!(super::reported("subset-patch", &all).starts_with("warning: "));
    assert_eq!((reported("v1.9.0", &all), reported("v1.6.4", &all)), (String::new(), String::new()));
    assert_eq!(reported("v1.8.4", &[web.clone(), spread("api")].concat()), "");
    assert_eq!(reported("v1.8.4", &[web.replace("8080}", "8080, hostPort: 8080}"), spread("web")].concat()), "");
    // Numbers and ports of the pods of another workload do not count.
    let port = spread("api").replace(
        "metadata: {labels: {a: b}}",
        "spec: {containers: [{name: web, ports: [{containerPort: 1}], args: ['--port=8080']}]}",
    );
    assert_eq!(reported("v1.9.0", &[web, port].concat()), "");
}
