//! Kubernetes' `ValidatingAdmissionPolicy` with its bindings, and Kyverno's `ValidatingPolicy`, which has the same
//! syntax.
//!
//! Source: kubernetes v1.37 staging/src/k8s.io/api/admissionregistration/v1/types.go (`MatchResources`,
//! `NamedRuleWithOperations`); kyverno/kyverno@111e07bbe config/crds/policies.kyverno.io (`validationActions` default
//! to `Deny`).

use super::answer::Answer;
use super::cel::Context;
use super::policy::{Certainty, Outcome, Policy, certainty, combined, list, manifest};
use super::read::{at, items, text, texts};
use super::subject::{Pods, Subject, in_namespaces};
use crate::catalog::is_exempt_from;
use crate::model::{Meta, Model};
use lossless_yaml::{Value, one_line};

/// A policy with CEL validations.
pub(super) struct ValidatingPolicy<'m> {
    pub(super) model: &'m Model,
    pub(super) meta: &'m Meta,
    pub(super) object: &'m Value,
    pub(super) by: ActivatedBy<'m>,
}

/// Objects that activate the policy, or exempt other objects from it.
pub(super) enum ActivatedBy<'m> {
    /// Bindings of the policy.
    Bindings(Vec<(&'m Meta, &'m Value)>),
    /// Exceptions of a policy that Kyverno enforces without bindings.
    Kyverno(Vec<&'m Value>),
}

impl Policy for ValidatingPolicy<'_> {
    fn judge(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let of_subject = |subject: Subject<'_, '_>| match &self.by {
            ActivatedBy::Bindings(bindings) => {
                let applies = |(meta, binding): &(&Meta, &Value)| {
                    let here = matched(self.model, subject, at(binding, &["spec", "matchResources"]), false);
                    (meta.name.clone(), self.judge_subject(subject, here))
                };
                bindings.iter().filter(|(_, binding)| denies(binding, false)).map(applies).collect::<Vec<_>>()
            }
            ActivatedBy::Kyverno(exceptions) => {
                let is_here = self.meta.namespace.is_none() || self.meta.namespace.as_deref() == pods.namespace();
                let is_exempt = pods.namespace().is_some_and(|namespace| is_exempt_from("kyverno", namespace));
                let is_off =
                    at(self.object, &["spec", "evaluation", "admission", "enabled"]) == Some(&Value::Bool(false));
                if !is_here || is_exempt || is_off || !denies(self.object, true) {
                    return Vec::new();
                }
                let covered = exceptions.iter().filter(|exception| self.is_exempted_by(exception));
                let covered = covered.map(|exception| {
                    Context::new(self.model, subject, &[]).all(exception, &["spec", "matchConditions"])
                });
                vec![(String::new(), self.judge_subject(subject, Answer::any(covered).not()))]
            }
        };
        let judged = pods.subjects().into_iter().flat_map(of_subject);
        combined(judged.filter_map(|(name, certainty)| Some((name, certainty?))).collect())
    }

    fn name(&self, parts: &[String]) -> String {
        match parts {
            [] => self.meta.to_string(),
            bindings => format!("{} with its ValidatingAdmissionPolicyBinding {}", self.meta, bindings.join(", ")),
        }
    }

    fn remedy(&self, pods: &Pods<'_>, parts: &[String]) -> String {
        match &self.by {
            ActivatedBy::Bindings(bindings) => {
                let own = pods.namespace().unwrap_or("NAMESPACE");
                let expression = Value::map([
                    ("key", "kubernetes.io/metadata.name".into()),
                    ("operator", "NotIn".into()),
                    ("values", list([own])),
                ]);
                let selector = Value::map([("matchExpressions", Value::Seq(vec![expression]))]);
                let names = parts.join(", ");
                let mut applied = bindings.iter().filter(|(meta, _)| parts.contains(&meta.name));
                let has_resources = applied.any(|(_, binding)| at(binding, &["spec", "matchResources"]).is_some());
                match has_resources {
                    true => format!(
                        "add `namespaceSelector: {}` to `matchResources`, next to its other fields, in the spec of the binding {names}",
                        one_line(&selector)
                    ),
                    false => {
                        let here = one_line(&Value::map([("namespaceSelector", selector)]));
                        format!("write `matchResources: {here}` into the spec of the binding {names}")
                    }
                }
            }
            ActivatedBy::Kyverno(_) => {
                let quoted = |text: &str| text.replace(['\\', '\''], "");
                let mut expression = format!("object.metadata.name.startsWith('{}')", quoted(&pods.view.meta.name));
                if let Some(namespace) = pods.namespace() {
                    expression = format!("object.metadata.namespace == '{}' && {expression}", quoted(namespace));
                }
                let policy = Value::map([
                    ("name", self.meta.name.as_str().into()),
                    ("kind", self.meta.gvk.kind.as_str().into()),
                ]);
                let condition = Value::map([("name", "workload".into()), ("expression", expression.into())]);
                let spec = Value::map([
                    ("policyRefs", Value::Seq(vec![policy])),
                    ("matchConditions", Value::Seq(vec![condition])),
                ]);
                let gvk = ("policies.kyverno.io/v1beta1", "PolicyException");
                let exception = manifest(gvk, pods, &self.meta.name, [("spec", spec)]);
                format!("write {exception}, which Kyverno reads where its feature policyExceptions is enabled")
            }
        }
    }
}

impl ValidatingPolicy<'_> {
    fn judge_subject(&self, subject: Subject<'_, '_>, here: Answer) -> Option<Certainty> {
        let matched = matched(self.model, subject, at(self.object, &["spec", "matchConstraints"]), true);
        if here.value == Some(false) || matched.value == Some(false) {
            return None;
        }
        let context = Context::new(self.model, subject, items(self.object, &["spec", "variables"]));
        let applies = Answer::all([here, matched, context.all(self.object, &["spec", "matchConditions"])]);
        certainty(applies, context.all(self.object, &["spec", "validations"]))
    }

    fn is_exempted_by(&self, exception: &Value) -> bool {
        items(exception, &["spec", "policyRefs"]).iter().any(|reference| {
            text(reference, &["name"]) == Some(&self.meta.name)
                && text(reference, &["kind"]) == Some(&self.meta.gvk.kind)
        })
    }
}

/// True if `validationActions` reject invalid objects.
fn denies(object: &Value, by_default: bool) -> bool {
    let actions = texts(object, &["spec", "validationActions"]);
    if actions.is_empty() { by_default } else { actions.contains(&"Deny") }
}

/// True if an object matches a `MatchResources`. A policy needs rules for resources; a binding may omit them.
fn matched(model: &Model, subject: Subject<'_, '_>, resources: Option<&Value>, needs_rules: bool) -> Answer {
    let Some(resources) = resources else { return Answer::plain(!needs_rules) };
    let rules = items(resources, &["resourceRules"]);
    let is_one = |rules: &[Value]| rules.iter().any(|rule| matches_rule(subject, rule));
    Answer::all([
        Answer::plain(if rules.is_empty() { !needs_rules } else { is_one(rules) }),
        Answer::plain(!is_one(items(resources, &["excludeResourceRules"]))),
        subject.is_selected(at(resources, &["objectSelector"])),
        in_namespaces(model, subject.pods, at(resources, &["namespaceSelector"])),
    ])
}

fn matches_rule(subject: Subject<'_, '_>, rule: &Value) -> bool {
    let has = |key: &str, actual: &str| texts(rule, &[key]).iter().any(|wanted| *wanted == "*" || *wanted == actual);
    let (group, version, _) = subject.gvk();
    let names = texts(rule, &["resourceNames"]);
    has("apiGroups", group)
        && has("apiVersions", version)
        && has("operations", "CREATE")
        && (has("resources", &subject.resource()) || has("resources", "*/*"))
        && text(rule, &["scope"]) != Some("Cluster")
        && (names.is_empty() || names.contains(&subject.name().as_str()))
}
