//! The part that all engines have: a policy applies to objects or not, and demands something of them.

use super::answer::Answer;
use super::subject::Pods;
use lossless_yaml::{Value, one_line};

/// Certainty that pods are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The policy is about host fields and cannot be read.
    Unread,
    /// The policy forbids the host fields, if it applies to these pods.
    May,
    /// The pods are refused.
    Refuses,
}

/// The outcome of a policy that does not simply accept the pods.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) certainty: Certainty,
    /// The rules or policies that refuse them, if the engine names them.
    pub(super) parts: Vec<String>,
}

/// A policy of an engine.
pub(super) trait Policy {
    /// The outcome for pods; `None` if they are accepted as far as their host fields decide.
    fn judge(&self, pods: &Pods<'_>) -> Option<Outcome>;

    /// The name of the policy, and of these parts of it.
    fn name(&self, parts: &[String]) -> String;

    /// The change that exempts these pods, as a message says it: "write …".
    fn remedy(&self, pods: &Pods<'_>, parts: &[String]) -> String;
}

/// The certainty that follows from whether a policy applies and whether its demand is met.
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

/// The outcome of all parts: the surest one, with the names of those that are as sure.
pub(super) fn together(parts: Vec<(String, Certainty)>) -> Option<Outcome> {
    let certainty = parts.iter().map(|(_, certainty)| *certainty).max()?;
    let mut parts: Vec<String> =
        parts.into_iter().filter(|(name, own)| *own == certainty && !name.is_empty()).map(|(name, _)| name).collect();
    parts.sort_unstable();
    parts.dedup();
    Some(Outcome { certainty, parts })
}

/// A mapping of values.
pub(super) fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A list of strings.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> Value {
    Value::Seq(texts.into_iter().map(Value::from).collect())
}

/// The longest name of an object.
const LONGEST_NAME: usize = 253;

/// A manifest on one line, to paste. Its name is that of the workload and of what it is for.
pub(super) fn manifest(gvk: (&str, &str), pods: &Pods<'_>, what: &str, rest: Vec<(String, Value)>) -> String {
    let (api_version, kind) = gvk;
    let name: String = format!("{}-{what}", pods.view.meta.name).chars().take(LONGEST_NAME).collect();
    let mut metadata = vec![("name".to_owned(), Value::from(name))];
    metadata.extend(pods.namespace().map(|namespace| ("namespace".to_owned(), Value::from(namespace))));
    let mut entries = vec![
        ("apiVersion".to_owned(), Value::from(api_version)),
        ("kind".to_owned(), Value::from(kind)),
        ("metadata".to_owned(), Value::Map(metadata)),
    ];
    entries.extend(rest);
    format!("`{}`", one_line(&Value::Map(entries)))
}
