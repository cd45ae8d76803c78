//! Kinds that no API server has in Kubernetes' own groups: `v1` with `Deployment`, `apps/v1` with `Deploymnet`.

use super::api_groups::parse_group_after_key;
use crate::api::closest_word;
use crate::catalog;
use memchr::memmem;

/// Kinds of Kubernetes without a pod template. They only save a second reading: an object without a template is never
/// reported.
///
/// Source: kubernetes/api v0.36.0, groups without a dot.
const WITHOUT_TEMPLATE: [&str; 22] = [
    "ConfigMap",
    "ControllerRevision",
    "Endpoints",
    "Event",
    "Group",
    "HorizontalPodAutoscaler",
    "LimitRange",
    "List",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "ResourceQuota",
    "Role",
    "ClusterRole",
    "Secret",
    "Service",
    "ServiceAccount",
    "ServiceList",
    "User",
    "Ingress",
];

/// True for a group that no `CustomResourceDefinition` can have.
pub(super) fn is_kubernetes_group(group: &str) -> bool {
    !group.contains('.')
}

/// True for a text that may hold an object of a kind that its group does not have. A `kind` belongs to the nearest
/// `apiVersion`.
pub(super) fn may_contain(text: &str) -> bool {
    let fields = |name: &str| memmem::find_iter(text.as_bytes(), name).collect::<Vec<usize>>();
    let versions = fields("apiVersion");
    let nearest = |at: usize| {
        let after = versions.partition_point(|version| *version < at);
        let before = after.checked_sub(1).and_then(|index| versions.get(index));
        let candidates = before.into_iter().chain(versions.get(after));
        candidates.min_by_key(|version| version.abs_diff(at)).copied()
    };
    fields("kind").into_iter().any(|at| {
        let Some(kind) = text.get(at + "kind".len()..).and_then(parse_kind_after_key) else { return false };
        let Some(version) = nearest(at) else { return false };
        let Some(group) = text.get(version + "apiVersion".len()..).map(parse_group_after_key) else { return false };
        let is_known = |group: &str| catalog::WORKLOAD_KINDS.iter().any(|row| row.group == group && row.kind == kind);
        is_kubernetes_group(group) && !WITHOUT_TEMPLATE.contains(&kind) && !is_known(group)
    })
}

/// Value of a field with a name of a kind, from the text after the name of the field.
fn parse_kind_after_key(text: &str) -> Option<&str> {
    let is_skipped = |c: char| matches!(c, '"' | '\'' | '\\' | ' ' | '\t');
    let value = text.trim_start_matches(is_skipped).strip_prefix(':')?.trim_start_matches(is_skipped);
    let end = value.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(value.len());
    value.get(..end).filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Fields to write in place of a group and kind that no API server has: the fields of the most similar workload kind.
pub(super) fn remedy(group: &str, kind: &str) -> String {
    let rows = || catalog::WORKLOAD_KINDS.iter().filter(|row| is_kubernetes_group(row.group));
    let kinds: Vec<&str> = rows().map(|row| row.kind).collect();
    let exact = kinds.iter().copied().find(|known| known.eq_ignore_ascii_case(kind));
    let near = exact.or_else(|| closest_word(kind, &kinds));
    let Some(row) = near.and_then(|near| rows().find(|row| row.kind == near)) else {
        return "the `apiVersion` and `kind` of a workload".to_owned();
    };
    let version = if row.group.is_empty() { "v1".to_owned() } else { format!("{}/v1", row.group) };
    match (row.group == group, row.kind == kind) {
        (true, _) => format!("`kind: {}`", row.kind),
        (false, true) => format!("`apiVersion: {version}`"),
        (false, false) => format!("`apiVersion: {version}` and `kind: {}`", row.kind),
    }
}

#[cfg(test)]
mod tests {
    use super::{may_contain, remedy};

    #[test]
    fn texts_without_a_wrong_kind_are_not_read_again() {
        for text in [
            "apiVersion: apps/v1\nkind: Deployment\n---\nkind: Service\napiVersion: v1\n",
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\"}]}",
            "apiVersion: example.com/v1\nkind: Widget\n",
            "mankind: x\n",
        ] {
            assert!(!may_contain(text), "{text}");
        }
        for text in [
            "apiVersion: v1\nkind: Deployment\n---\napiVersion: apps/v1\nkind: Deployment\n",
            "kind: Deploymnet\napiVersion: apps/v1\n",
            "{\"apiVersion\":\"Apps/v1\",\"kind\":\"Deployment\"}",
            "apiVersion: batch/v1\nkind: Cronjob\n",
        ] {
            assert!(may_contain(text), "{text}");
        }
    }

    #[test]
    fn the_remedy_names_only_wrong_fields() {
        for (group, kind, fields) in [
            ("", "Deployment", "`apiVersion: apps/v1`"),
            ("apps", "Deploymnet", "`kind: Deployment`"),
            ("apps", "CronJob", "`apiVersion: batch/v1`"),
            ("Apps", "deployments", "`apiVersion: apps/v1` and `kind: Deployment`"),
            ("core", "Pod", "`apiVersion: v1`"),
            ("", "Gadget", "the `apiVersion` and `kind` of a workload"),
        ] {
            assert_eq!(remedy(group, kind), fields, "{group} {kind}");
        }
    }
}
