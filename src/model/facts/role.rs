//! Roles and their bindings. A program that may write webhook configurations may register itself at run time, which no
//! manifest shows. Some policies apply to pods only if a role permits their use.

use lossless_yaml::NodeRef;

/// API group of roles and bindings.
pub(super) const GROUP: &str = "rbac.authorization.k8s.io";

/// Built-in role with all permissions, which no manifest contains.
pub const CLUSTER_ADMIN: &str = "cluster-admin";

const ADMISSION: &str = "admissionregistration.k8s.io";
/// Policies that a pod uses only if a role permits it.
pub(super) const USED: [&str; 2] = ["securitycontextconstraints", "podsecuritypolicies"];
const CONFIGURATIONS: [&str; 2] = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"];
const WRITING: [&str; 3] = ["create", "update", "patch"];

/// `RoleBinding` or `ClusterRoleBinding`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleBinding {
    /// True if `role` is a `Role` of the namespace of the binding; else it is a `ClusterRole`.
    pub is_of_namespace: bool,
    /// Name of the role.
    pub role: String,
    /// Service accounts with the role: namespace, if given, and name.
    pub accounts: Vec<(Option<String>, String)>,
    /// Groups in the subjects of the binding.
    pub groups: Vec<String>,
}

impl RoleBinding {
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let subjects = |kind: &'static str| {
            let all = object.get("subjects").into_iter().flat_map(NodeRef::items);
            all.filter(move |subject| text(*subject, "kind").as_deref() == Some(kind))
        };
        let role = object.get("roleRef")?;
        let accounts = subjects("ServiceAccount");
        Some(Self {
            is_of_namespace: text(role, "kind").as_deref() == Some("Role"),
            role: text(role, "name")?,
            accounts: accounts
                .filter_map(|subject| Some((text(subject, "namespace"), text(subject, "name")?)))
                .collect(),
            groups: subjects("Group").filter_map(|subject| text(subject, "name")).collect(),
        })
    }
}

/// True if a `ClusterRole` permits writing webhook configurations.
pub(super) fn writes_webhooks(role: NodeRef<'_, '_>) -> bool {
    let has = |rule: NodeRef<'_, '_>, key: &str, wanted: &[&str]| {
        let values = rule.get(key).into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
        values.into_iter().any(|value| value == "*" || wanted.contains(&value))
    };
    let mut rules = role.get("rules").into_iter().flat_map(NodeRef::items);
    rules.any(|rule| {
        has(rule, "apiGroups", &[ADMISSION]) && has(rule, "resources", &CONFIGURATIONS) && has(rule, "verbs", &WRITING)
    })
}
