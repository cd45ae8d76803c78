//! Constraints of Gatekeeper.

use super::Outcome::{self, Refused, Silent, Unsure};
use crate::host_network::stream;

/// A Gatekeeper constraint for pods.
pub(super) fn constraint(kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: constraints.gatekeeper.sh/v1beta1\nkind: {kind}\nmetadata: {{name: psp}}\nspec:\n  match: {{kinds: [{{apiGroups: [''], kinds: [Pod]}}]}}\n  {spec}\n"
    )
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    let ports = |spec: &str| constraint("K8sPSPHostNetworkingPorts", spec);
    let matching =
        |what: &str| ports("parameters: {hostNetwork: false}").replace("match: {", &format!("match: {{{what}, "));
    let template = |rego: &str| {
        let template = format!(
            "apiVersion: templates.gatekeeper.sh/v1\nkind: ConstraintTemplate\nmetadata: {{name: k8sown}}\nspec:\n  crd: {{spec: {{names: {{kind: \
             K8sOwn}}}}}}\n  targets: [{{target: admission.k8s.gatekeeper.sh, rego: \"{rego}\"}}]\n"
        );
        stream([template, constraint("K8sOwn", "enforcementAction: deny")])
    };
    let configured = |process: &str| {
        let config = format!(
            "apiVersion: config.gatekeeper.sh/v1alpha1\nkind: Config\nmetadata: {{name: config, namespace: gatekeeper-system}}\nspec: {{match: \
             [{{excludedNamespaces: ['sh*'], processes: [{process}]}}]}}\n"
        );
        stream([config, ports("parameters: {hostNetwork: false}")])
    };
    let assign = |location: &str, parameters: &str| {
        format!(
            "apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\nmetadata: {{name: nohost}}\nspec:\n  applyTo: [{{groups: [''], kinds: [Pod], versions: [v1]}}]\n  \
             match: {{scope: Namespaced, kinds: [{{apiGroups: ['*'], kinds: [Pod]}}]}}\n  location: {location}\n  parameters: {parameters}\n"
        )
    };
    let of_controllers = |constraint: String| {
        constraint.replace("apiGroups: [''], kinds: [Pod]", "apiGroups: [apps], kinds: [Deployment]")
    };
    let reads_template = "input.review.object.spec.template.spec.hostNetwork";
    vec![
        // A template may read the host fields of controllers; the library's reads those of Pods.
        (Unsure, of_controllers(template(reads_template))),
        (Silent, of_controllers(template(reads_template)).replace("kinds: [Deployment]", "kinds: [DaemonSet]")),
        (Silent, of_controllers(template("input.review.object.spec.template.spec.hostPID"))),
        (Silent, of_controllers(ports("parameters: {hostNetwork: false}"))),
        (Unsure, assign("spec.hostNetwork", "{assign: {value: false}}")),
        (Silent, assign("spec.hostNetwork", "{assign: {value: true}}")),
        (Silent, assign("spec.hostPID", "{assign: {value: false}}")),
        (
            Silent,
            assign(
                "spec.hostNetwork",
                "{assign: {value: false}, pathTests: [{subPath: spec.hostNetwork, condition: MustNotExist}]}",
            ),
        ),
        (Silent, assign("spec.hostNetwork", "{assign: {value: false}}").replace("kinds: [Pod], v", "kinds: [Job], v")),
        // A label in the parameters of an unknown template only has the name of a host field in it.
        (Silent, constraint("K8sRequiredLabels", "parameters: {labels: [{key: hostNetwork-allowed}]}")),
        (Unsure, constraint("K8sDenied", "parameters: {fields: [spec.hostNetwork]}")),
        (Unsure, constraint("K8sDenied", "parameters: {allowHostNetwork: false}")),
        (Refused, ports("parameters: {hostNetwork: false}")),
        (Refused, ports("enforcementAction: deny")),
        (Refused, ports("parameters: {hostNetwork: true, min: 80, max: 9000}")),
        (Silent, ports("parameters: {hostNetwork: true, min: 80, max: 65535}")),
        (Silent, ports("parameters: {hostNetwork: true}")),
        (Silent, ports("parameters: {hostNetwork: true, min: 80, max: 9000, exemptImages: ['example/*']}")),
        (Refused, ports("parameters: {hostNetwork: false, exemptImages: ['example/*']}")),
        (Silent, ports("enforcementAction: dryrun")),
        (Silent, ports("enforcementAction: warn")),
        (
            Refused,
            ports(
                "enforcementAction: scoped\n  scopedEnforcementActions: [{action: deny, enforcementPoints: [{name: validation.gatekeeper.sh}]}]",
            ),
        ),
        (
            Silent,
            ports(
                "enforcementAction: scoped\n  scopedEnforcementActions: [{action: deny, enforcementPoints: [{name: audit.gatekeeper.sh}]}]",
            ),
        ),
        (Silent, matching("excludedNamespaces: [kube-system, 'sh*']")),
        (Refused, matching("excludedNamespaces: [kube-system]")),
        (Silent, matching("namespaces: [other]")),
        (Silent, matching("labelSelector: {matchLabels: {app: api}}")),
        (Silent, matching("namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}")),
        (Silent, ports("parameters: {}").replace("kinds: [Pod]", "kinds: [Deployment]")),
        (Silent, constraint("K8sPSPHostNamespace", "enforcementAction: deny")),
        (
            Unsure,
            template(
                "package a\\nviolation[{\\\"msg\\\": m}] { input.review.object.spec.hostNetwork; m := \\\"no\\\" }",
            ),
        ),
        (
            Silent,
            template("package a\\nviolation[{\\\"msg\\\": m}] { input.review.object.spec.hostPID; m := \\\"no\\\" }"),
        ),
        (Silent, configured("webhook")),
        (Refused, configured("audit")),
    ]
}
