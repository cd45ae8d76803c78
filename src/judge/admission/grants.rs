//! Permissions of service accounts to use policies, from roles and their bindings.
//!
//! Source: kubernetes v1.24 pkg/security/podsecuritypolicy/admission.go (verb `use`).

use super::read::{items, text, texts};
use super::subject::Pods;
use crate::model::Model;
use crate::model::facts::{CLUSTER_ADMIN, group_includes_namespace_accounts};

/// Service account of pods.
pub(super) struct Account<'p> {
    pub(super) namespace: &'p str,
    pub(super) name: &'p str,
}

impl<'p> Account<'p> {
    /// Service account of pods; `None` if their namespace is unknown.
    pub(super) fn new(pods: &Pods<'p>) -> Option<Self> {
        Some(Self { namespace: pods.namespace()?, name: &pods.view.template.service_account })
    }

    /// User name of the account.
    pub(super) fn user(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.name)
    }

    /// True if the account is in a group.
    pub(super) fn is_in_group(&self, group: &str) -> bool {
        group_includes_namespace_accounts(group, Some(self.namespace))
    }

    /// Names of the policies of a resource that bindings in the input allow the account to use; `*` for all policies.
    /// `of_role` returns the policy that a built-in role allows; no manifest contains these roles.
    pub(super) fn usable_policy_names(
        &self,
        model: &Model,
        resource: (&str, &str),
        of_role: fn(&str) -> Option<&str>,
    ) -> Vec<String> {
        let mut names = Vec::new();
        for (_, meta, binding) in model.role_bindings() {
            let is_here = meta.gvk.kind == "ClusterRoleBinding" || meta.namespace.as_deref() == Some(self.namespace);
            let mut accounts = binding.accounts.iter();
            let is_own = accounts.any(|(namespace, name)| {
                name == self.name && namespace.as_deref().or(meta.namespace.as_deref()) == Some(self.namespace)
            });
            if !is_here || !(is_own || binding.groups.iter().any(|group| self.is_in_group(group))) {
                continue;
            }
            if !binding.is_of_namespace && binding.role == CLUSTER_ADMIN {
                names.push("*".to_owned());
            }
            names.extend(of_role(&binding.role).map(str::to_owned));
            for (_, role, object) in model.admission_objects() {
                let kind = if binding.is_of_namespace { "Role" } else { "ClusterRole" };
                let is_match = role.gvk.kind == kind && role.name == binding.role;
                if is_match && (!binding.is_of_namespace || role.namespace.as_deref() == Some(self.namespace)) {
                    names.extend(policy_names_of_role(object, resource));
                }
            }
        }
        names
    }
}

/// Names of the policies of an API group and resource that a role allows its subjects to use.
fn policy_names_of_role(role: &lossless_yaml::Value, (group, resource): (&str, &str)) -> Vec<String> {
    let has = |rule: &lossless_yaml::Value, key: &str, wanted: &str| {
        texts(rule, &[key]).iter().any(|has| *has == "*" || *has == wanted)
    };
    let rules = items(role, &["rules"]).iter();
    let of_use = rules
        .filter(|rule| has(rule, "apiGroups", group) && has(rule, "resources", resource) && has(rule, "verbs", "use"));
    let names = of_use.flat_map(|rule| match items(rule, &["resourceNames"]) {
        [] => vec!["*".to_owned()],
        names => names.iter().filter_map(|name| text(name, &[])).map(str::to_owned).collect(),
    });
    names.collect()
}
