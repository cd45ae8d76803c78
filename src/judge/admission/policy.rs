//! Interface that each engine implements: a policy applies to some objects, and accepts or rejects them.

use super::answer::Answer;
use super::subject::Pods;
use lossless_yaml::{Value, one_line};

/// Certainty that pods are rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The policy depends on host fields and cannot be evaluated.
    Unread,
    /// The policy forbids the host fields, if it applies to these pods.
    May,
    /// The policy sets `hostNetwork` of the pods to false, if it applies to these pods.
    Changes,
    /// The policy deletes the pods, or their controller, after they were accepted.
    Deletes,
    /// The pods are rejected.
    Refuses,
}

/// Result of a policy that rejects the pods or may reject them.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) certainty: Certainty,
    /// Rules or policies that reject the pods, if the engine names them.
    pub(super) parts: Vec<String>,
}

/// A policy of an engine.
pub(super) trait Policy {
    /// Evaluates the policy; `None` if it does not reject the pods because of their host fields.
    fn evaluate(&self, pods: &Pods<'_>) -> Option<Outcome>;

    /// Display name of the policy and of these parts.
    fn name(&self, parts: &[String]) -> String;

    /// Remedy for messages that exempts these pods: "write …".
    fn remedy(&self, pods: &Pods<'_>, parts: &[String]) -> String;
}

/// Certainty of a rejection, from two answers: the policy applies to the pods, and the pods satisfy its requirements.
/// `None` if host fields do not cause a rejection.
pub(super) fn certainty(applies: Answer, demand: Answer) -> Option<Certainty> {
    let both = Answer::any([applies.not(), demand]);
    if both.is_refused() {
        Some(Certainty::Refuses)
    } else if !both.is_unread() {
        None
    } else if demand.is_refused() {
        Some(Certainty::May)
    } else {
        Some(Certainty::Unread)
    }
}

/// Combines the results of all parts: the highest certainty, with the names of the parts that have it.
pub(super) fn combined(parts: Vec<(String, Certainty)>) -> Option<Outcome> {
    let certainty = parts.iter().map(|(_, certainty)| *certainty).max()?;
    let mut parts: Vec<String> = parts
        .into_iter()
        .filter(|(name, part_certainty)| *part_certainty == certainty && !name.is_empty())
        .map(|(name, _)| name)
        .collect();
    parts.sort_unstable();
    parts.dedup();
    Some(Outcome { certainty, parts })
}

/// Creates a list of strings.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> Value {
    Value::Seq(texts.into_iter().map(Value::from).collect())
}

/// Maximum length of an object name.
const MAX_NAME_LENGTH: usize = 253;

/// Formats a manifest on one line, to be pasted. Its name is the name of the workload followed by `suffix`.
pub(super) fn manifest<const N: usize>(
    (api_version, kind): (&str, &str),
    pods: &Pods<'_>,
    suffix: &str,
    rest: [(&str, Value); N],
) -> String {
    let name: String = format!("{}-{suffix}", pods.view.meta.name).chars().take(MAX_NAME_LENGTH).collect();
    let namespace = pods.namespace().map(|namespace| ("namespace", namespace.into()));
    let entries = [
        ("apiVersion", api_version.into()),
        ("kind", kind.into()),
        ("metadata", Value::map([("name", name.into())].into_iter().chain(namespace))),
    ];
    format!("`{}`", one_line(&Value::map(entries.into_iter().chain(rest))))
}
