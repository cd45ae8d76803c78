//! Policies that delete what has host fields.

use super::Outcome::{self, Silent, Unsure};

fn cleanup(kind: &str, kinds: &str, key: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v2\nkind: {kind}\nmetadata: {{name: cleanup}}\nspec:\n  schedule: '*/5 * * * *'\n  match: {{any: [{{resources: \
         {{kinds: [{kinds}]}}}}]}}\n  conditions: {{any: [{{key: '{{{{ target.{key} || `false` }}}}', operator: Equals, value: true}}]}}\n"
    )
}

pub(super) fn deleting(resource: &str, expression: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1alpha1\nkind: DeletingPolicy\nmetadata: {{name: delete}}\nspec:\n  schedule: '*/5 * * * *'\n  \
         matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], resources: [{resource}]}}]}}\n  conditions: [{{name: host, \
         expression: \"{expression}\"}}]\n"
    )
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    let network = "has(object.spec.hostNetwork) && object.spec.hostNetwork == true";
    let template = "spec.template.spec.hostNetwork";
    vec![
        (Unsure, deleting("pods", network)),
        (Silent, deleting("pods", "has(object.spec.hostNetwork) && object.spec.hostNetwork == false")),
        (Silent, deleting("services", network)),
        (
            Silent,
            deleting("pods", network)
                .replace("kind: Deleting", "kind: NamespacedDeleting")
                .replace("delete}", "delete, namespace: other}"),
        ),
        (Unsure, cleanup("ClusterCleanupPolicy", "Deployment", template)),
        (Unsure, cleanup("ClusterCleanupPolicy", "Pod", "spec.hostNetwork")),
        (Silent, cleanup("ClusterCleanupPolicy", "DaemonSet", template)),
        (Silent, cleanup("ClusterCleanupPolicy", "Deployment", "spec.template.spec.hostPID")),
        (Silent, cleanup("CleanupPolicy", "Deployment", template).replace("cleanup}", "cleanup, namespace: other}")),
    ]
}
