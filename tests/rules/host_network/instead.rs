//! A select of a kind that runs no pods itself says what to select instead.

use super::run;
use insta::assert_snapshot;

fn said(kind: &str, manifest: &str) -> String {
    run(&format!("{{targets: [{{select: {{kind: {kind}}}}}]}}"), manifest).1.join("\n")
}

#[test]
fn a_kind_without_pods_says_what_to_select() {
    let object =
        |api: &str, kind: &str| format!("{{apiVersion: {api}, kind: {kind}, metadata: {{name: a}}, spec: {{}}}}\n");
    for (api, kind, instead) in [
        ("pkg.crossplane.io/v1alpha1", "ControllerConfig", "select: {group: pkg.crossplane.io, kind: Provider}"),
        ("pkg.crossplane.io/v1beta1", "DeploymentRuntimeConfig", "select: {group: pkg.crossplane.io, kind: Provider}"),
        ("v1", "Service", "select the workload that it leads to"),
        ("apiregistration.k8s.io/v1", "APIService", "select: {calledByApiServer: true}"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "select: {calledByApiServer: true}"),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease", "`helm template` prints"),
    ] {
        let said = said(kind, &object(api, kind));
        assert!(said.contains(instead), "{kind}: {said}");
    }
    assert_snapshot!(said("Service", &object("v1", "Service")), @"warning: hostnet.yaml:1:81: this target matches no object of the input. Service a runs no pods itself: select the workload that it leads to, such as `select: {kind: Deployment, name: web}`. Patterns match whole names, after prefixes and suffixes of kustomize were added; write `unmatched: Ignore` in the spec if that is meant [unmatched]");
    // Of a kind that nobody knows nothing more is said.
    assert!(!said("Gadget", &object("example.com/v1", "Gadget")).contains("instead"));
}
