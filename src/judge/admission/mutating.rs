//! Policies that change `hostNetwork` of pods to false when they are created: Kyverno's `mutate`, Kubernetes'
//! `MutatingAdmissionPolicy`, Kyverno's `MutatingPolicy` and Gatekeeper's `Assign`.
//!
//! Source: kyverno/kyverno@111e07bbe `api/kyverno/v1/common_types.go` (`Mutation`); kubernetes v1.34
//! `staging/src/k8s.io/api/admissionregistration/v1beta1/types.go` (`Mutation`); open-policy-agent/gatekeeper
//! `apis/mutations/v1/assign_types.go` and website/docs/mutation.md (`pathTests`).

use super::answer::Answer;
use super::gatekeeper::Constraint;
use super::policy::{Certainty, Outcome, Policy, combined};
use super::read::{at, items, text, texts};
use super::subject::{Pods, Subject};
use super::validating::ValidatingPolicy;
use lossless_yaml::{NodeRef, Tree, Value};

/// Field of the pod spec that the policies change.
const FIELD: &str = "hostNetwork";

/// Converts the answer to "the policy applies" to the certainty of its change; `None` if it certainly does not apply.
pub(super) fn change_certainty(applies: Answer) -> Option<Certainty> {
    (applies.value != Some(false)).then_some(Certainty::Changes)
}

/// True if a `mutate` block of Kyverno changes the field of new objects.
pub(super) fn kyverno_changes_host_network(mutate: &Value) -> bool {
    // A block with `targets` changes existing objects, not the new object.
    at(mutate, &["targets"]).is_none()
        && (at(mutate, &["patchStrategicMerge"]).is_some_and(merge_patch_clears_field)
            || text(mutate, &["patchesJson6902"]).is_some_and(json_patches_clear_field))
}

/// True if a merge patch sets the field to false or removes it. Keys with an anchor are conditions, or add the field
/// where it is absent.
fn merge_patch_clears_field(patch: &Value) -> bool {
    patch.entries().iter().any(|(key, value)| match (key.as_str(), value) {
        (FIELD, value) => is_false_or_null(value),
        (_, value) => merge_patch_clears_field(value),
    })
}

/// True for the values false, `"false"` and null.
fn is_false_or_null(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Str(text) | Value::Raw(text) => text == "false",
        _ => false,
    }
}

/// True if a list of JSON patches, as text, sets the field to false or removes it.
fn json_patches_clear_field(text_of_patches: &str) -> bool {
    let Ok(tree) = Tree::parse(text_of_patches) else { return false };
    let list = tree.root(0).and_then(NodeRef::to_value);
    items(&list.unwrap_or(Value::Null), &[]).iter().any(|patch| {
        text(patch, &["path"]).is_some_and(|path| path.rsplit('/').next() == Some(FIELD))
            && match text(patch, &["op"]) {
                Some("remove") => true,
                Some("add" | "replace") => patch.get("value").is_some_and(is_false_or_null),
                _ => false,
            }
    })
}

/// True if an expression of CEL that makes a patch sets the field to false or removes it.
fn expression_changes_host_network(expression: &str) -> bool {
    let text: String = expression.chars().filter(|c| !c.is_whitespace() && !"'\"".contains(*c)).collect();
    let is_change = |patch: &str| {
        let patch = patch.split('}').next().unwrap_or(patch);
        patch.contains("/hostNetwork")
            && (patch.contains("op:remove") || patch.contains("value:false") && !patch.contains("op:test"))
    };
    text.contains("hostNetwork:false") || text.split("JSONPatch{").skip(1).any(is_change)
}

/// `MutatingAdmissionPolicy` of Kubernetes, or Kyverno's `MutatingPolicy`.
pub(super) struct MutatingPolicy<'m>(pub(super) ValidatingPolicy<'m>);

impl Policy for MutatingPolicy<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let mutations = items(self.0.object, &["spec", "mutations"]);
        let expressions = mutations.iter().flat_map(|mutation| {
            ["applyConfiguration", "jsonPatch"].into_iter().filter_map(|key| text(mutation, &[key, "expression"]))
        });
        if !pods.host_network || !expressions.into_iter().any(expression_changes_host_network) {
            return None;
        }
        let results = pods.subjects().into_iter().flat_map(|subject| self.0.applications(subject, |_| true));
        combined(results.filter_map(|(name, applies)| Some((name, change_certainty(applies)?))).collect())
    }

    fn name(&self, parts: &[String]) -> String {
        self.0.name(parts)
    }

    fn remedy(&self, pods: &Pods<'_>, parts: &[String]) -> String {
        self.0.remedy(pods, parts)
    }
}

/// Gatekeeper's `Assign`, which has the same `match` field as constraints.
pub(super) struct Assign<'m>(pub(super) Constraint<'m>);

impl Policy for Assign<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let object = self.0.object;
        let value = at(object, &["spec", "parameters", "assign"]).and_then(|assign| assign.get("value"));
        let is_absent_only = items(object, &["spec", "parameters", "pathTests"])
            .iter()
            .any(|test| text(test, &["condition"]) == Some("MustNotExist"));
        let location = text(object, &["spec", "location"]).and_then(|location| location.rsplit('.').next());
        if !pods.host_network || location != Some(FIELD) || !value.is_some_and(is_false_or_null) || is_absent_only {
            return None;
        }
        let is_of_kind = |subject: &Subject<'_, '_>| {
            let (group, version, kind) = subject.gvk();
            items(object, &["spec", "applyTo"]).iter().any(|row| {
                [("groups", group), ("versions", version), ("kinds", kind)]
                    .into_iter()
                    .all(|(key, own)| texts(row, &[key]).contains(&own))
            })
        };
        let subjects = pods.subjects().into_iter().filter(is_of_kind);
        let results = subjects.filter_map(|subject| change_certainty(self.0.applies(subject)));
        combined(results.map(|certainty| (String::new(), certainty)).collect())
    }

    fn name(&self, parts: &[String]) -> String {
        self.0.name(parts)
    }

    fn remedy(&self, pods: &Pods<'_>, parts: &[String]) -> String {
        self.0.remedy(pods, parts)
    }
}
