//! Policies that give Namespaces a Pod Security level, and rules of Kyverno that refuse the level `privileged`.
//!
//! Source: kyverno/policies `psa/add-psa-labels`, `psa/deny-privileged-profile`, `psa-cel/deny-privileged-profile`,
//! `psa-mpol/add-psa-labels`; kyverno/kyverno@111e07bbe pkg/engine/anchor/handlers.go (`+(key)`: only if absent).

use super::answer::Answer;
use super::kyverno::{KyvernoPolicy, evaluate_block, is_one};
use super::pattern::accepts;
use super::policy::{Certainty, Outcome, Policy, combined};
use super::read::{at, glob, has_key_or_text, items, text, texts};
use super::subject::{KnownLabels, Pods, selects};
use crate::catalog::is_namespace_exempt;
use crate::judge::pod_security::{ENFORCE, PRIVILEGED, has_level};
use crate::model::{Meta, Model};
use lossless_yaml::{NodeRef, Tree, Value};

/// Levels that forbid host networking.
const FORBIDDING: [&str; 2] = ["baseline", "restricted"];

/// Policy that may set the label `pod-security.kubernetes.io/enforce` of Namespaces.
pub(super) struct NamespaceLevels<'m> {
    model: &'m Model,
    meta: &'m Meta,
    object: &'m Value,
}

impl<'m> NamespaceLevels<'m> {
    /// Returns the policy if it may change the label of Namespaces.
    pub(super) fn new(model: &'m Model, meta: &'m Meta, object: &'m Value) -> Option<Self> {
        let is_known = matches!(
            (meta.gvk.group.as_str(), meta.gvk.kind.as_str()),
            ("kyverno.io", "ClusterPolicy")
                | ("policies.kyverno.io", "MutatingPolicy")
                | ("admissionregistration.k8s.io", "MutatingAdmissionPolicy")
                | ("mutations.gatekeeper.sh", "AssignMetadata")
        );
        (is_known && names_label(object)).then_some(Self { model, meta, object })
    }

    /// Rules of a Kyverno policy that set a level that forbids host networking, each with the answer
    /// to the question if the rule applies to the Namespace.
    fn rules_that_set_level(&self, name: &str) -> Vec<(String, Answer)> {
        let labels = KnownLabels::for_namespace(self.model, name);
        let has_label = has_level(self.model, name);
        let rules = items(self.object, &["spec", "rules"]).iter();
        let given = rules.filter_map(|rule| {
            let mutate = at(rule, &["mutate"])?;
            let is_kept = has_label && !replaces_level(mutate);
            let applies = match items(mutate, &["targets"]) {
                [] => applies(rule, name, &labels),
                // A rule with `targets` changes existing objects when another object is admitted.
                targets => {
                    Answer::all([Answer::any(targets.iter().map(|target| is_target(target, name))), Answer::OTHER])
                }
            };
            let applies = Answer::all([applies, meets_anchors(mutate, name)]);
            (!is_kept && sets_level(mutate)).then(|| (text(rule, &["name"]).unwrap_or_default().to_owned(), applies))
        });
        given.collect()
    }

    /// True if a policy other than a Kyverno `ClusterPolicy` applies to Namespaces, and has the label and a level that
    /// forbids host networking in its expressions or values.
    fn may_set_level(&self) -> bool {
        let spec = at(self.object, &["spec"]);
        let resources = items(self.object, &["spec", "matchConstraints", "resourceRules"]).iter();
        let is_for_namespaces =
            resources.flat_map(|rule| texts(rule, &["resources"])).any(|name| matches!(name, "namespaces" | "*"));
        let kinds = items(self.object, &["spec", "match", "kinds"]);
        let kinds: Vec<&str> = kinds.iter().flat_map(|row| texts(row, &["kinds"])).collect();
        let is_of_kind = self.meta.gvk.kind == "AssignMetadata"
            && (kinds.is_empty() || kinds.iter().any(|kind| matches!(*kind, "Namespace" | "*")));
        let gives = |text: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|word| FORBIDDING.contains(&word))
        };
        (is_for_namespaces || is_of_kind) && spec.is_some_and(|spec| has_key_or_text(spec, &gives))
    }
}

impl Policy for NamespaceLevels<'_> {
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome> {
        let name = pods.namespace()?;
        let is_labelled_to_refuse = self
            .model
            .namespaces(name)
            .any(|(_, meta)| meta.labels.get(ENFORCE).is_some_and(|level| level != PRIVILEGED));
        if !pods.has_host_fields() || is_labelled_to_refuse {
            return None;
        }
        if self.meta.gvk.kind != "ClusterPolicy" {
            let may_set_level = !has_level(self.model, name) && self.may_set_level();
            return may_set_level.then_some(Outcome { certainty: Certainty::May, parts: Vec::new() });
        }
        if is_namespace_exempt("kyverno", name) {
            return None;
        }
        // A Namespace of the input is changed when it is created.
        let is_known = self.model.namespaces(name).next().is_some();
        let certainty = |applies: Answer| match applies.value {
            Some(true) if is_known => Some(Certainty::Refuses),
            Some(false) => None,
            _ => Some(Certainty::May),
        };
        combined(
            self.rules_that_set_level(name)
                .into_iter()
                .filter_map(|(rule, applies)| Some((rule, certainty(applies)?)))
                .collect(),
        )
    }

    fn name(&self, parts: &[String]) -> String {
        let rules = if parts.is_empty() { String::new() } else { format!(", rule {}", parts.join(", ")) };
        format!("{}{rules}, which sets the Pod Security level of its Namespace,", self.meta)
    }

    fn remedy(&self, pods: &Pods<'_>, _: &[String]) -> String {
        let namespace = pods.namespace().unwrap_or("NAMESPACE");
        format!("label Namespace {namespace} `{ENFORCE}: {PRIVILEGED}`, and exclude that Namespace from the policy")
    }
}

/// Names of Kyverno's policies and rules that refuse a Namespace with the level `privileged`, or may refuse it for some
/// users.
pub fn rules_against_privileged(model: &Model, pods: &Pods<'_>) -> Vec<String> {
    let Some(name) = pods.namespace().filter(|name| !is_namespace_exempt("kyverno", name)) else { return Vec::new() };
    let mut labels = KnownLabels::for_namespace(model, name);
    labels.labels = labels.labels.with(ENFORCE, PRIVILEGED);
    let policies = model.admission_objects().filter(|(_, meta, object)| {
        (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) == ("kyverno.io", "ClusterPolicy") && names_label(object)
    });
    let mut found = Vec::new();
    for (_, meta, object) in policies {
        let policy = KyvernoPolicy { model, meta, object, exceptions: Vec::new() };
        for rule in items(object, &["spec", "rules"]).iter().filter(|rule| names_label(rule)) {
            let Some(validate) = at(rule, &["validate"]) else { continue };
            let refuses = Answer::all([
                applies(rule, name, &labels),
                policy.is_enforced(validate, pods),
                accepts_privileged(validate).not(),
            ]);
            if refuses.value != Some(false) {
                found.push(policy.name(&[text(rule, &["name"]).unwrap_or_default().to_owned()]));
            }
        }
    }
    found
}

/// True if a `validate` block accepts a Namespace with the level `privileged`.
fn accepts_privileged(validate: &Value) -> Answer {
    let deny = at(validate, &["deny"]).or_else(|| validate.get("deny").filter(|deny| **deny == Value::Null));
    let deny = deny.map(|deny| if at(deny, &["conditions"]).is_some() { Answer::OTHER } else { Answer::FALSE });
    let expressions = items(validate, &["cel", "expressions"]).iter();
    let cel = expressions.map(|row| match text(row, &["expression"]).map(str::trim) {
        Some("false") => Answer::FALSE,
        Some(expression) if expression.contains(ENFORCE) => Answer::OTHER,
        _ => Answer::TRUE,
    });
    let labels = |pattern: &Value| {
        let labels = at(pattern, &["metadata", "labels"]).or_else(|| at(pattern, &["metadata", "=(labels)"]));
        let own = labels.map(Value::entries).unwrap_or_default().iter();
        Answer::all(own.filter(|(key, _)| is_level(key)).map(|(key, value)| match key.as_str() {
            key if key.starts_with("X(") => Answer::FALSE,
            _ => accepts(value, PRIVILEGED).map_or(Answer::OTHER, Answer::plain),
        }))
    };
    let patterns = at(validate, &["pattern"]).map(labels);
    let any = items(validate, &["anyPattern"]);
    let any = (!any.is_empty()).then(|| Answer::any(any.iter().map(labels)));
    Answer::all(deny.into_iter().chain(cel).chain(patterns).chain(any))
}

/// True if a key or text names the label of the level, and not only the label of its version.
fn names_label(value: &Value) -> bool {
    let names = |text: &str| {
        let found =
            text.match_indices("pod-security.kubernetes.io").filter_map(|(at, host)| text.get(at + host.len()..));
        let mut ends =
            found.filter_map(|rest| rest.strip_prefix("/enforce").or_else(|| rest.strip_prefix("~1enforce")));
        ends.any(|rest| !rest.starts_with('-'))
    };
    has_key_or_text(value, &names)
}

/// True if a rule applies to a Namespace, by name and labels. Users and preconditions are unknown.
fn applies(rule: &Value, name: &str, labels: &KnownLabels) -> Answer {
    Answer::all([
        includes(at(rule, &["match"]), name, labels),
        includes(at(rule, &["exclude"]), name, labels).not(),
        if at(rule, &["preconditions"]).is_some() || at(rule, &["celPreconditions"]).is_some() {
            Answer::OTHER
        } else {
            Answer::TRUE
        },
    ])
}

/// True if a `match` or `exclude` block includes a Namespace.
fn includes(block: Option<&Value>, name: &str, labels: &KnownLabels) -> Answer {
    let is_kind = |kind: &str| kind.rsplit('/').next().is_some_and(|kind| glob(kind, "Namespace"));
    let of_resources = |resources: &Value| {
        vec![
            is_one(resources, "namespaces", &|pattern| glob(pattern, name)),
            selects(at(resources, &["selector"]), labels),
            selects(at(resources, &["namespaceSelector"]), labels),
            if at(resources, &["annotations"]).is_some() { Answer::OTHER } else { Answer::TRUE },
        ]
    };
    evaluate_block(block, name, &is_kind, &of_resources)
}

/// True if a target of a `mutate` block is this Namespace.
fn is_target(target: &Value, name: &str) -> Answer {
    let is_named = text(target, &["name"]).is_none_or(|pattern| glob(pattern, name));
    Answer::plain(text(target, &["kind"]) == Some("Namespace") && is_named)
}

/// Labels in the merge patch of a `mutate` block: the key with its anchor, and the value.
fn patched_labels(mutate: &Value) -> &[(String, Value)] {
    at(mutate, &["patchStrategicMerge", "metadata", "labels"]).map(Value::entries).unwrap_or_default()
}

/// True if a `mutate` block sets a level that forbids host networking.
fn sets_level(mutate: &Value) -> bool {
    let forbids = |value: &Value| value.as_text().is_some_and(|level| FORBIDDING.contains(&level));
    let by_merge = patched_labels(mutate).iter().any(|(key, value)| is_level(key) && forbids(value));
    by_merge || json_patches(mutate).iter().any(|patch| is_level_path(patch) && patch.get("value").is_some_and(forbids))
}

/// True for the label of the level, with or without an anchor such as `+(…)`.
fn is_level(key: &str) -> bool {
    key.split_once('(').map_or(key, |(_, rest)| rest.trim_end_matches(')')) == ENFORCE
}

/// True if a `mutate` block replaces an existing level.
fn replaces_level(mutate: &Value) -> bool {
    patched_labels(mutate).iter().any(|(key, _)| key == ENFORCE) || json_patches(mutate).iter().any(is_level_path)
}

/// JSON patches of a `mutate` block.
fn json_patches(mutate: &Value) -> Vec<Value> {
    let read = |text: &str| Tree::parse(text).ok()?.root(0).and_then(NodeRef::to_value);
    let list = text(mutate, &["patchesJson6902"]).and_then(read);
    list.map(|list| list.items().to_vec()).unwrap_or_default()
}

/// True for a JSON patch that sets the label of the level.
fn is_level_path(patch: &Value) -> bool {
    let sets = matches!(text(patch, &["op"]), Some("add" | "replace"));
    sets && text(patch, &["path"])
        .is_some_and(|path| path.rsplit('/').next().is_some_and(|key| key.replace("~1", "/") == ENFORCE))
}

/// True if the conditions of a merge patch on the name of the Namespace are met.
fn meets_anchors(mutate: &Value, name: &str) -> Answer {
    let metadata = at(mutate, &["patchStrategicMerge", "metadata"]).map(Value::entries).unwrap_or_default();
    let is_anchor = |key: &str| key.starts_with('(') || key.starts_with("<(");
    Answer::all(metadata.iter().filter(|(key, _)| is_anchor(key)).map(|(key, value)| match key.as_str() {
        "(name)" | "<(name)" => accepts(value, name).map_or(Answer::OTHER, Answer::plain),
        _ => Answer::OTHER,
    }))
}
