//! Kubernetes' `ValidatingAdmissionPolicy` with its bindings, and Kyverno's `ValidatingPolicy`, which has the same
//! syntax.
//!
//! Source: kubernetes v1.37 staging/src/k8s.io/api/admissionregistration/v1/types.go (`MatchResources`,
//! `NamedRuleWithOperations`); kyverno/kyverno@111e07bbe config/crds/policies.kyverno.io (`validationActions` default
//! to `Deny`).

use super::answer::Answer;
use super::cel::Context;
use super::policy::{Outcome, Policy, certainty, combined, list, manifest};
use super::read::{at, items, text, texts};
use super::subject::{Pods, Subject, in_namespaces};
use crate::catalog::is_namespace_exempt;
use crate::model::{Meta, Model};
use lossless_yaml::{Value, one_line};

/// A policy with CEL validations.
pub(super) struct ValidatingPolicy<'m> {
    pub(super) model: &'m Model,
    pub(super) meta: &'m Meta,
    pub(super) object: &'m Value,
    pub(super) by: ActivatedBy<'m>,
}

/// Words for the change of a binding that exempts a namespace, up to the name of the binding.
fn exemption(binding: &Value, namespace: &str) -> String {
    let expression = Value::map([
        ("key", "kubernetes.io/metadata.name".into()),
        ("operator", "NotIn".into()),
        ("values", list([namespace])),
    ]);
    let has = |path: &[&str]| at(binding, path).is_some();
    if has(&["spec", "matchResources", "namespaceSelector", "matchExpressions"]) {
        return format!(
            "add `{}` to `matchExpressions` of `matchResources.namespaceSelector` in",
            one_line(&expression)
        );
    }
    let expressions = Value::map([("matchExpressions", Value::Seq(vec![expression]))]);
    if has(&["spec", "matchResources", "namespaceSelector"]) {
        let line = one_line(&expressions);
        let line = line.trim_start_matches('{').trim_end_matches('}');
        return format!("add `{line}` to `matchResources.namespaceSelector`, next to its other fields, in");
    }
    match has(&["spec", "matchResources"]) {
        true => {
            let line = one_line(&expressions);
            format!("add `namespaceSelector: {line}` to `matchResources`, next to its other fields, in")
        }
        false => {
            let here = one_line(&Value::map([("namespaceSelector", expressions)]));
            format!("write `matchResources: {here}` into")
        }
    }
}

/// Objects that activate the policy, or exempt other objects from it.
pub(super) enum ActivatedBy<'m> {
    /// Bindings of the policy.
    Bindings(Vec<(&'m Meta, &'m Value)>),
    /// Exceptions of a policy that Kyverno enforces without bindings.
    Kyverno(Vec<&'m Value>),
}

impl Policy for ValidatingPolicy<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let is_by_default = matches!(self.by, ActivatedBy::Kyverno(_));
        let of_subject = |subject: Subject<'_, '_>| {
            let demand = self.context(subject).all(self.object, &["spec", "validations"]);
            let applications = self.applications(subject, |object| denies(object, is_by_default)).into_iter();
            applications.filter_map(|(name, applies)| Some((name, certainty(applies, demand)?))).collect::<Vec<_>>()
        };
        combined(pods.subjects().into_iter().flat_map(of_subject).collect())
    }

    fn name(&self, parts: &[String]) -> String {
        match parts {
            [] => self.meta.to_string(),
            bindings => format!("{} with its {}Binding {}", self.meta, self.meta.gvk.kind, bindings.join(", ")),
        }
    }

    fn remedy(&self, pods: &Pods<'_>, parts: &[String]) -> String {
        match &self.by {
            ActivatedBy::Bindings(bindings) => {
                let own = pods.namespace().unwrap_or("NAMESPACE");
                let applied = bindings.iter().filter(|(meta, _)| parts.contains(&meta.name));
                let mut remedies: Vec<(String, Vec<&str>)> = Vec::new();
                for (meta, binding) in applied {
                    let remedy = exemption(binding, own);
                    match remedies.iter_mut().find(|(known, _)| *known == remedy) {
                        Some((_, names)) => names.push(&meta.name),
                        None => remedies.push((remedy, vec![&meta.name])),
                    }
                }
                let remedies = remedies
                    .iter()
                    .map(|(remedy, names)| format!("{remedy} the spec of the binding {}", names.join(", ")));
                remedies.collect::<Vec<_>>().join("; ")
            }
            ActivatedBy::Kyverno(_) => {
                let quoted = |text: &str| text.replace(['\\', '\''], "");
                let name = quoted(&pods.view.meta.name);
                // Names of pods begin with the name of their workload and a hyphen.
                let mut expression =
                    format!("(object.metadata.name == '{name}' || object.metadata.name.startsWith('{name}-'))");
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
    /// Context for the CEL expressions of the policy.
    fn context<'s>(&'s self, subject: Subject<'s, 's>) -> Context<'s> {
        Context::new(self.model, subject, items(self.object, &["spec", "variables"]))
    }

    /// Returns the name of each binding that activates the policy, and the answer to "the policy applies to the
    /// subject" with this binding; one entry without a name for a policy that needs no bindings. Leaves out bindings,
    /// or the policy, if `counts` is false for them.
    pub(super) fn applications<'s>(
        &'s self,
        subject: Subject<'s, 's>,
        counts: impl Fn(&Value) -> bool,
    ) -> Vec<(String, Answer)> {
        let here: Vec<(String, Answer)> = match &self.by {
            ActivatedBy::Bindings(bindings) => {
                let applies = |(meta, binding): &(&Meta, &Value)| {
                    let here = matches_resources(self.model, subject, at(binding, &["spec", "matchResources"]), false);
                    (meta.name.clone(), here)
                };
                bindings.iter().filter(|(_, binding)| counts(binding)).map(applies).collect()
            }
            ActivatedBy::Kyverno(exceptions) => {
                let namespace = subject.pods.namespace();
                let is_here = self.meta.namespace.is_none() || self.meta.namespace.as_deref() == namespace;
                let is_exempt = namespace.is_some_and(|namespace| is_namespace_exempt("kyverno", namespace));
                let is_off =
                    at(self.object, &["spec", "evaluation", "admission", "enabled"]) == Some(&Value::Bool(false));
                if !is_here || is_exempt || is_off || !counts(self.object) {
                    return Vec::new();
                }
                let covered = exceptions.iter().filter(|exception| self.is_exempted_by(exception));
                let covered = covered.map(|exception| {
                    Context::new(self.model, subject, &[]).all(exception, &["spec", "matchConditions"])
                });
                vec![(String::new(), Answer::any(covered).not())]
            }
        };
        let matched = matches_resources(self.model, subject, at(self.object, &["spec", "matchConstraints"]), true);
        if matched.value == Some(false) {
            return Vec::new();
        }
        let conditions = self.context(subject).all(self.object, &["spec", "matchConditions"]);
        here.into_iter().map(|(name, here)| (name, Answer::all([here, matched, conditions]))).collect()
    }

    /// True if a `PolicyException` names the policy.
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
pub(super) fn matches_resources(
    model: &Model,
    subject: Subject<'_, '_>,
    resources: Option<&Value>,
    needs_rules: bool,
) -> Answer {
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

/// True if a rule matches the creation of an object.
pub(super) fn matches_rule(subject: Subject<'_, '_>, rule: &Value) -> bool {
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
