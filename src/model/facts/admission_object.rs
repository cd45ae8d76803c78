//! Objects that admission control reads: policies, bindings and exceptions of policies, and roles that let pods use a
//! policy.

use super::role::{self, USED};
use crate::catalog;
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Value};

/// Label of ConfigMaps whose Rego the Open Policy Agent enforces.
/// Source: open-policy-agent/kube-mgmt@97a237ea README.md.
const REGO_LABEL: (&str, &str) = ("openpolicyagent.org/policy", "rego");

/// Checks of Polaris about `hostNetwork` and about host ports.
/// Source: FairwindsOps/polaris pkg/config/checks/hostNetworkSet.yaml, hostPortSet.yaml.
pub const POLARIS_CHECKS: [&str; 2] = ["hostNetworkSet", "hostPortSet"];

/// True for a ConfigMap with Rego that the Open Policy Agent enforces.
pub fn is_rego(meta: &Meta) -> bool {
    meta.gvk.group.is_empty() && meta.gvk.kind == "ConfigMap" && meta.labels.get(REGO_LABEL.0) == Some(REGO_LABEL.1)
}

/// True for a ConfigMap with a config of Polaris that names these checks.
fn is_polaris(meta: &Meta, object: NodeRef<'_, '_>) -> bool {
    let is_map = meta.gvk.group.is_empty() && meta.gvk.kind == "ConfigMap";
    let data = object.get("data").filter(|_| is_map).into_iter().flat_map(NodeRef::entries);
    let mut texts = data.filter_map(|(_, value)| value.text());
    texts.any(|text| text.contains("checks:") && POLARIS_CHECKS.iter().any(|check| text.contains(check)))
}

/// Returns the whole object if admission control reads it.
pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Value> {
    let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
    let is_group = [role::GROUP, role::GROUP_OF_OPENSHIFT].contains(&group);
    let is_role = is_group && matches!(kind, "Role" | "ClusterRole") && may_grant_policy_use(object);
    (is_role || is_rego(meta) || is_polaris(meta, object) || catalog::is_admission_policy(group, kind))
        .then(|| object.to_value())
        .flatten()
}

/// True if a rule of a role may grant the use of a policy kind in `USED`, such as `SecurityContextConstraints`.
fn may_grant_policy_use(role: NodeRef<'_, '_>) -> bool {
    let rules = role.get("rules").into_iter().flat_map(NodeRef::items);
    let resources = rules.filter_map(|rule| rule.get("resources")).flat_map(NodeRef::items);
    resources.into_iter().any(|resource| resource.text().is_some_and(|text| text == "*" || USED.contains(&text)))
}
