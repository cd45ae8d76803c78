//! Kyverno `ClusterPolicy` and `Policy` objects.
//!
//! Source: kyverno/kyverno@111e07bbe pkg/engine/utils/match.go (`match` and `exclude`), pkg/engine/utils/exceptions.go,
//! pkg/engine/api/engineresponse.go (precedence of actions), pkg/autogen/v1 (rules for Pods also apply to their
//! controllers).

use super::answer::Answer;
use super::autogen::generated;
use super::policy::{Certainty, Outcome, Policy, certainty, combined, list, manifest};
use super::read::{at, glob, items, names_host_fields, scalar, text, texts};
use super::subject::{Pods, Subject, in_namespaces, is_one_of};
use super::{cel, conditions, mutating, pattern, pod_security_rule};
use crate::catalog::is_namespace_exempt;
use crate::model::{Meta, Model};
use lossless_yaml::Value;

/// A `ClusterPolicy` or a `Policy`.
pub(super) struct KyvernoPolicy<'m> {
    pub(super) model: &'m Model,
    pub(super) meta: &'m Meta,
    pub(super) object: &'m Value,
    /// `PolicyException` objects of the input.
    pub(super) exceptions: Vec<&'m Value>,
}

impl Policy for KyvernoPolicy<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let namespace = pods.namespace();
        let is_elsewhere = self.meta.namespace.is_some() && self.meta.namespace.as_deref() != namespace;
        let is_off = at(self.object, &["spec", "admission"]) == Some(&Value::Bool(false));
        if is_elsewhere || is_off || namespace.is_some_and(|namespace| is_namespace_exempt("kyverno", namespace)) {
            return None;
        }
        let rules = items(self.object, &["spec", "rules"]).iter().filter(|rule| names_host(rule));
        let results = rules.flat_map(|rule| {
            let name = text(rule, &["name"]).unwrap_or_default();
            let own = pods.subjects().into_iter().map(|subject| (name.to_owned(), subject, subject));
            // Generated rules refuse the controllers of refused Pods, unless exceptions differ.
            let generated = if self.exceptions.is_empty() { Vec::new() } else { self.generated(rule, pods) };
            let generated =
                generated.into_iter().map(|(generated, controller)| (generated, pods.subject(), controller));
            own.chain(generated).filter_map(move |(rule_name, subject, excepted)| {
                Some((name.to_owned(), self.evaluate_rule(rule, &rule_name, subject, excepted)?))
            })
        });
        combined(results.collect())
    }

    fn name(&self, parts: &[String]) -> String {
        match parts {
            [] => self.meta.to_string(),
            [rule] => format!("{}, rule {rule}", self.meta),
            rules => format!("{}, rules {}", self.meta, rules.join(", ")),
        }
    }

    fn remedy(&self, pods: &Pods<'_>, parts: &[String]) -> String {
        let refusing = items(self.object, &["spec", "rules"])
            .iter()
            .filter(|rule| text(rule, &["name"]).is_some_and(|name| parts.iter().any(|part| part == name)));
        let generated = refusing.flat_map(|rule| self.generated(rule, pods)).map(|(name, _)| name);
        let mut rules = parts.to_vec();
        rules.extend(generated);
        let meta = pods.view.meta;
        let kinds = pods.subjects().into_iter().map(|subject| subject.gvk().2);
        let namespaces = pods.namespace().map(|namespace| ("namespaces", list([namespace])));
        let pod_names = format!("{}-*", meta.name);
        let names = ("names", list([meta.name.as_str(), pod_names.as_str()]));
        let resources = [("kinds", list(kinds.collect::<Vec<_>>()))].into_iter().chain(namespaces).chain([names]);
        let exception =
            Value::map([("policyName", self.key().into()), ("ruleNames", list(rules.iter().map(String::as_str)))]);
        let any = Value::Seq(vec![Value::map([("resources", Value::map(resources))])]);
        let spec = Value::map([("exceptions", Value::Seq(vec![exception])), ("match", Value::map([("any", any)]))]);
        let exception = manifest(("kyverno.io/v2", "PolicyException"), pods, &self.meta.name, [("spec", spec)]);
        format!("write {exception}, which Kyverno reads where its feature policyExceptions is enabled")
    }
}

/// True if a rule may depend on host fields: it names a host field, or has a Pod Security level, which checks host
/// fields implicitly.
fn names_host(rule: &Value) -> bool {
    names_host_fields(rule) || at(rule, &["validate", "podSecurity"]).is_some()
}

impl KyvernoPolicy<'_> {
    /// Name of the policy in exceptions.
    fn key(&self) -> String {
        match &self.meta.namespace {
            Some(namespace) => format!("{namespace}/{}", self.meta.name),
            None => self.meta.name.clone(),
        }
    }

    /// Rules that Kyverno generates from a rule for the controllers of the pods: the name, and the controller.
    fn generated<'p>(&self, rule: &Value, pods: &'p Pods<'_>) -> Vec<(String, Subject<'p, 'p>)> {
        let controllers = pods.controllers().into_iter();
        let one = |controller| Some((generated(self.meta, self.object, rule, controller)?, controller));
        controllers.filter_map(one).collect()
    }

    /// Evaluates a `validate` or `mutate` rule; `None` if it does not apply to the pods, or accepts them unchanged.
    /// Exceptions for the rule name `name` are matched with the object `excepted`.
    fn evaluate_rule(
        &self,
        rule: &Value,
        name: &str,
        subject: Subject<'_, '_>,
        excepted: Subject<'_, '_>,
    ) -> Option<Certainty> {
        if let Some(mutate) = at(rule, &["mutate"]) {
            // Check this first: it is cheaper than the conditions, and few rules change `hostNetwork`.
            if !subject.pods.host_network || !mutating::kyverno_changes_host_network(mutate) {
                return None;
            }
            let exceptions = self.exceptions.iter().filter(|exception| self.is_exempted_by(exception, name));
            let exempts =
                exceptions.map(|exception| matches_block(self.model, excepted, at(exception, &["spec", "match"])));
            let applies = [
                matches_block(self.model, subject, at(rule, &["match"])),
                matches_block(self.model, subject, at(rule, &["exclude"])).not(),
                conditions::evaluate(subject, at(rule, &["preconditions"])),
                Answer::any(exempts).not(),
            ];
            return mutating::change_certainty(Answer::all(applies));
        }
        let validate = at(rule, &["validate"])?;
        let mut applies = Answer::all([
            matches_block(self.model, subject, at(rule, &["match"])),
            matches_block(self.model, subject, at(rule, &["exclude"])).not(),
            self.is_enforced(validate, subject.pods),
        ]);
        if applies.value == Some(false) {
            return None;
        }
        let of_pods = cel::Context::new(self.model, subject, items(validate, &["cel", "variables"]));
        applies = Answer::all([
            applies,
            conditions::evaluate(subject, at(rule, &["preconditions"])),
            of_pods.all(rule, &["celPreconditions"]),
        ]);
        let mut excluded: Vec<&Value> = items(validate, &["podSecurity", "exclude"]).iter().collect();
        for exception in self.exceptions.iter().filter(|exception| self.is_exempted_by(exception, name)) {
            let spec = ["spec"];
            let covers = Answer::all([
                matches_block(self.model, excepted, at(exception, &["spec", "match"])),
                conditions::evaluate(excepted, at(exception, &["spec", "conditions"])),
            ]);
            let controls = at(exception, &spec).map(|spec| items(spec, &["podSecurity"])).unwrap_or_default();
            if controls.is_empty() || at(validate, &["podSecurity"]).is_none() {
                applies = Answer::all([applies, covers.not()]);
            } else if covers.value == Some(true) {
                excluded.extend(controls);
            }
        }
        let demand = Answer::all([
            at(validate, &["pattern"]).map_or(Answer::TRUE, |wanted| pattern::matches_object(subject, wanted)),
            match items(validate, &["anyPattern"]) {
                [] => Answer::TRUE,
                patterns => Answer::any(patterns.iter().map(|wanted| pattern::matches_object(subject, wanted))),
            },
            at(validate, &["deny"])
                .map_or(Answer::TRUE, |deny| conditions::evaluate(subject, at(deny, &["conditions"])).not()),
            of_pods.all(validate, &["cel", "expressions"]),
            at(validate, &["podSecurity"])
                .map_or(Answer::TRUE, |level| pod_security_rule::accepts(subject, level, &excluded)),
            Answer::all(["foreach", "assert"].into_iter().filter_map(|key| {
                let condition = at(validate, &[key])?;
                Some(Answer::unknown(names_host_fields(condition)))
            })),
        ]);
        certainty(applies, demand)
    }

    /// True if violations of a rule are rejected in the namespace of the pods, and not only reported.
    pub(super) fn is_enforced(&self, validate: &Value, pods: &Pods<'_>) -> Answer {
        let enforces =
            |action: &Value| Answer::plain(text(action, &[]).is_some_and(|a| a.eq_ignore_ascii_case("enforce")));
        let spec = at(self.object, &["spec"]).unwrap_or(validate);
        let places = [
            (items(validate, &["failureActionOverrides"]), at(validate, &["failureAction"])),
            (items(spec, &["validationFailureActionOverrides"]), at(spec, &["validationFailureAction"])),
        ];
        for (overrides, action) in places {
            for rule_override in overrides {
                let names = texts(rule_override, &["namespaces"]);
                let here = if names.is_empty() { Answer::TRUE } else { is_one_of(&names, pods) };
                let here =
                    Answer::all([here, in_namespaces(self.model, pods, at(rule_override, &["namespaceSelector"]))]);
                match here.value {
                    Some(true) => return at(rule_override, &["action"]).map_or(Answer::FALSE, enforces),
                    Some(false) => {}
                    None => return Answer::OTHER,
                }
            }
            if let Some(action) = action {
                return enforces(action);
            }
        }
        Answer::FALSE
    }

    /// True if an exception names a rule of the policy.
    fn is_exempted_by(&self, exception: &Value, rule: &str) -> bool {
        let key = self.key();
        items(exception, &["spec", "exceptions"]).iter().any(|entry| {
            let rules = texts(entry, &["ruleNames"]);
            text(entry, &["policyName"]) == Some(&key) && rules.iter().any(|pattern| glob(pattern, rule))
        })
    }
}

/// True if an object matches a `match` or `exclude` block of a rule, or the `match` block of an exception.
pub(super) fn matches_block(model: &Model, subject: Subject<'_, '_>, block: Option<&Value>) -> Answer {
    let of_resources = |resources: &Value| conditions_on_resources(model, subject, resources);
    evaluate_block(block, &subject.name(), &|kind| is_kind(subject, kind), &of_resources)
}

/// Evaluates the filters of a `match` or `exclude` block for an object with this name. `is_kind` is true for a kind of
/// the object in the notation of policies; `of_resources` evaluates the other conditions in `resources` of a filter.
pub(super) fn evaluate_block(
    block: Option<&Value>,
    name: &str,
    is_kind: &dyn Fn(&str) -> bool,
    of_resources: &dyn Fn(&Value) -> Vec<Answer>,
) -> Answer {
    let Some(block) = block else { return Answer::FALSE };
    let filter = |filter: &Value| {
        // Filters by user are undecided: the user that creates the object is unknown.
        let names_users = ["subjects", "roles", "clusterRoles"].iter().any(|key| !items(filter, &[key]).is_empty());
        let none = Value::Null;
        let resources = at(filter, &["resources"]).unwrap_or(&none);
        if resources.entries().is_empty() && !names_users {
            return Answer::FALSE;
        }
        let own = [
            is_one(resources, "kinds", is_kind),
            is_one(resources, "names", &|pattern| glob(pattern, name)),
            Answer::plain(text(resources, &["name"]).is_none_or(|pattern| glob(pattern, name))),
            if names_users { Answer::OTHER } else { Answer::TRUE },
        ];
        Answer::all(own.into_iter().chain(of_resources(resources)))
    };
    match (items(block, &["any"]), items(block, &["all"])) {
        ([], []) => filter(block),
        ([], all) => Answer::all(all.iter().map(filter)),
        (any, _) => Answer::any(any.iter().map(filter)),
    }
}

/// True if a list in `resources` of a filter is empty, or if `fits` accepts one of its texts.
pub(super) fn is_one(resources: &Value, key: &str, fits: &dyn Fn(&str) -> bool) -> Answer {
    let wanted = texts(resources, &[key]);
    Answer::plain(wanted.is_empty() || wanted.into_iter().any(fits))
}

/// Evaluates the conditions in `resources` of a filter that depend on more than the name and the kind of an object.
fn conditions_on_resources(model: &Model, subject: Subject<'_, '_>, resources: &Value) -> Vec<Answer> {
    let namespaces = texts(resources, &["namespaces"]);
    let annotations =
        at(resources, &["annotations"]).map(Value::entries).unwrap_or_default().iter().map(|(key, value)| {
            let value = scalar(value).unwrap_or_default();
            let known = subject.annotations();
            let mut written = known.labels.iter();
            match written.any(|(known_key, has)| glob(key, known_key) && glob(&value, has)) {
                false if !known.is_whole => Answer::OTHER,
                has => Answer::plain(has),
            }
        });
    let others = [
        is_one(resources, "operations", &|operation| operation == "CREATE"),
        if namespaces.is_empty() { Answer::TRUE } else { is_one_of(&namespaces, subject.pods) },
        subject.is_selected(at(resources, &["selector"])),
        in_namespaces(model, subject.pods, at(resources, &["namespaceSelector"])),
    ];
    others.into_iter().chain(annotations).collect()
}

/// True if an object has a kind in the notation of policies: `Pod`, `v1/Pod`, `apps/v1/Deployment`, `*`. Subresources
/// do not match.
/// Source: kyverno/kyverno@111e07bbe pkg/utils/kube/kind.go.
fn is_kind(subject: Subject<'_, '_>, written: &str) -> bool {
    let (group, version, kind) = subject.gvk();
    let parts: Vec<&str> = written.split('/').collect();
    let is_version = |text: &str| {
        text == "*" || text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    match parts.as_slice() {
        [own] => glob(own, kind),
        ["*", "*"] => true,
        [of, own] => is_version(of) && glob(of, version) && glob(own, kind),
        [of_group, of, own] => glob(of_group, group) && glob(of, version) && glob(own, kind),
        _ => false,
    }
}
