//! Policies that give Namespaces a level of Pod Security.

use super::Outcome::{self, Refused, Silent, Unsure};

/// A rule of Kyverno with this `match` and this patch of the labels of Namespaces.
fn adds(more: &str, labels: &str) -> String {
    rule(more, &format!("patchStrategicMerge: {{metadata: {{labels: {{{labels}}}}}}}"))
}

fn rule(more: &str, mutate: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: levels}}\nspec:\n  rules:\n  - name: add\n    match: {{any: \
         [{{resources: {{kinds: [Namespace]{more}}}}}]}}\n    mutate: {{{mutate}}}\n"
    )
}

/// A policy with an expression that changes Namespaces.
fn expression(resources: &str, level: &str) -> String {
    format!(
        "apiVersion: policies.kyverno.io/v1alpha1\nkind: MutatingPolicy\nmetadata: {{name: levels}}\nspec:\n  matchConstraints: \
         {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [{resources}]}}]}}\n  mutations: [{{patchType: \
         ApplyConfiguration, applyConfiguration: {{expression: 'Object{{metadata: Object.metadata{{labels: \
         {{\"pod-security.kubernetes.io/enforce\": \"{level}\"}}}}}}'}}}}]\n"
    )
}

/// Gatekeeper's mutation of a label.
fn assign(label: &str) -> String {
    format!(
        "apiVersion: mutations.gatekeeper.sh/v1\nkind: AssignMetadata\nmetadata: {{name: levels}}\nspec: {{match: {{scope: Cluster, kinds: \
         [{{apiGroups: [''], kinds: [Namespace]}}]}}, location: 'metadata.labels.\"{label}\"', parameters: {{assign: {{value: baseline}}}}}}\n"
    )
}

pub(super) fn cases() -> Vec<(Outcome, String)> {
    let absent = "+(pod-security.kubernetes.io/enforce): baseline";
    let json = |path: &str| {
        rule("", &format!("patchesJson6902: '[{{op: add, path: \"/metadata/labels/{path}\", value: restricted}}]'"))
    };
    vec![
        (Refused, adds("", absent)),
        (Refused, adds("", "pod-security.kubernetes.io/enforce: restricted")),
        (Refused, adds(", names: [sh*], selector: {matchLabels: {team: shop}}", absent)),
        (Refused, json("pod-security.kubernetes.io~1enforce")),
        (
            Unsure,
            rule(
                "",
                "targets: [{apiVersion: v1, kind: Namespace}], patchStrategicMerge: {metadata: {labels: {pod-security.kubernetes.io/enforce: baseline}}}",
            ),
        ),
        (Unsure, expression("namespaces", "baseline")),
        (Unsure, assign("pod-security.kubernetes.io/enforce")),
        (Silent, adds("", "+(pod-security.kubernetes.io/warn): baseline")),
        (Silent, adds("", "pod-security.kubernetes.io/enforce-version: baseline")),
        (Silent, adds("", "pod-security.kubernetes.io/enforce: privileged")),
        (Silent, adds(", names: [other]", absent)),
        (Silent, adds(", selector: {matchLabels: {team: other}}", absent)),
        (Silent, json("pod-security.kubernetes.io~1enforce-version")),
        (
            Silent,
            rule(
                "",
                "patchStrategicMerge: {metadata: {<(name): '!shop', labels: {+(pod-security.kubernetes.io/enforce): baseline}}}",
            ),
        ),
        (Silent, adds("", absent).replace("kinds: [Namespace]", "kinds: [ConfigMap]")),
        (Silent, expression("pods", "baseline")),
        (Silent, expression("namespaces", "privileged")),
        (Silent, assign("team")),
    ]
}
