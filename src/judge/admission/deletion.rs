//! Kyverno's policies that delete existing objects: `CleanupPolicy`, `ClusterCleanupPolicy` and `DeletingPolicy`.
//!
//! Source: kyverno/kyverno@111e07bbe `api/kyverno/v2/cleanup_policy_types.go` (`match`, `exclude`, `conditions`),
//! config/crds/policies.kyverno.io (`DeletingPolicy`: `matchConstraints` and `conditions` in CEL).

use super::answer::Answer;
use super::cel::Context;
use super::conditions;
use super::kyverno::matches_block;
use super::policy::{Certainty, Outcome, Policy, certainty, combined};
use super::read::{at, items};
use super::subject::{Pods, Subject};
use super::validating::matches_resources;
use crate::model::{Meta, Model};
use lossless_yaml::Value;

/// A policy that deletes objects.
pub(super) struct Deletion<'m> {
    model: &'m Model,
    meta: &'m Meta,
    /// The policy, rewritten like a policy for admission requests.
    object: Value,
}

impl<'m> Deletion<'m> {
    pub(super) fn new(model: &'m Model, meta: &'m Meta, object: &Value) -> Self {
        Self { model, meta, object: rewrite_deletion_policy(object) }
    }

    /// Returns two answers: the policy selects the object, and the conditions of the policy are true.
    fn answers(&self, subject: Subject<'_, '_>) -> (Answer, Answer) {
        if self.meta.gvk.group == "kyverno.io" {
            let wanted = matches_block(self.model, subject, at(&self.object, &["spec", "match"]));
            let left_out = matches_block(self.model, subject, at(&self.object, &["spec", "exclude"]));
            let holds = conditions::evaluate(subject, at(&self.object, &["spec", "conditions"]));
            return (Answer::all([wanted, left_out.not()]), holds);
        }
        let variables = items(&self.object, &["spec", "variables"]);
        let holds = Context::new(self.model, subject, variables).all(&self.object, &["spec", "conditions"]);
        (matches_resources(self.model, subject, at(&self.object, &["spec", "matchConstraints"]), true), holds)
    }
}

/// Returns a copy of a policy in which `target.` becomes `request.object.`, and rules match every operation.
fn rewrite_deletion_policy(value: &Value) -> Value {
    match value {
        Value::Str(text) => Value::Str(text.replace("target.", "request.object.")),
        Value::Seq(items) => Value::Seq(items.iter().map(rewrite_deletion_policy).collect()),
        Value::Map(entries) => {
            let entry = |(key, value): &(String, Value)| (key.clone(), rewrite_deletion_policy(value));
            let mut entries: Vec<(String, Value)> = entries.iter().map(entry).collect();
            if entries.iter().any(|(key, _)| key == "resources") && entries.iter().any(|(key, _)| key == "apiGroups") {
                entries.retain(|(key, _)| key != "operations");
                entries.push(("operations".to_owned(), Value::Seq(vec!["*".into()])));
            }
            Value::Map(entries)
        }
        other => other.clone(),
    }
}

impl Policy for Deletion<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        if self.meta.namespace.is_some() && self.meta.namespace.as_deref() != pods.namespace() {
            return None;
        }
        let outcomes = pods.subjects().into_iter().filter_map(|subject| {
            let (applies, holds) = self.answers(subject);
            let deletes = |certainty| if certainty == Certainty::Refuses { Certainty::Deletes } else { certainty };
            Some((String::new(), certainty(applies, holds.not()).map(deletes)?))
        });
        combined(outcomes.collect())
    }

    fn name(&self, _: &[String]) -> String {
        self.meta.to_string()
    }

    fn remedy(&self, _: &Pods<'_>, _: &[String]) -> String {
        format!("leave them out of {}", self.meta)
    }
}
