//! What a program in a container sees of proxies.

use super::merge::Known;
use super::unexpanded::settled;
use super::variables::{Key, SERVICE_HOST, VariableValue, Variables, escaped};
use crate::no_proxy::Matcher;

/// The variables as Go reads them: the upper case, and the lower case where that is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Effective {
    /// `HTTPS_PROXY`; none where it is not set.
    pub(super) https: Option<Seen>,
    /// `HTTP_PROXY`.
    pub(super) http: Option<Seen>,
    /// `NO_PROXY`.
    pub(super) list: Seen,
    /// Whether the kubelet expands variables in it: it stands in `env`.
    pub(super) list_expands: bool,
    /// `KUBERNETES_SERVICE_HOST`, where the container sets it itself.
    pub(super) service_host: Option<Seen>,
    /// Whose matcher reads them.
    pub(super) matcher: Matcher,
}

/// A value, as far as the input shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    /// The text as it would be written in `env`, where the kubelet expands `$(NAME)`.
    Text(String),
    /// It is set, and what it holds is not seen: why.
    Hidden(String),
}

impl Effective {
    pub(super) fn of(variables: &Variables, known: &dyn Known, matcher: Matcher) -> Self {
        let either = |name: &str| {
            let upper = seen(variables, known, name).filter(|seen| *seen != Seen::Text(String::new()));
            upper.or_else(|| seen(variables, known, &name.to_ascii_lowercase()))
        };
        let is_upper = seen(variables, known, "NO_PROXY").is_some_and(|seen| seen != Seen::Text(String::new()));
        let list_name = if is_upper { "NO_PROXY" } else { "no_proxy" };
        let in_env = variables.last(list_name).is_some_and(|own| matches!(own.held, VariableValue::Text(_)));
        let set = |name: &str| either(name).filter(|seen| *seen != Seen::Text(String::new()));
        Self {
            https: set("HTTPS_PROXY"),
            http: set("HTTP_PROXY"),
            list: either("NO_PROXY").unwrap_or(Seen::Text(String::new())),
            list_expands: in_env || seen(variables, known, list_name).is_none(),
            service_host: seen(variables, known, SERVICE_HOST),
            matcher,
        }
    }
}

/// What a variable holds, as far as it is seen; none where it is not set.
pub(super) fn seen(variables: &Variables, known: &dyn Known, name: &str) -> Option<Seen> {
    let held = match variables.last(name) {
        Some(own) => {
            let origin = variables.origin(own);
            match &origin.held {
                VariableValue::Text(_) => VariableValue::Text(settled(variables, origin, known).into_owned()),
                held => held.clone(),
            }
        }
        None => variables.from.iter().rev().find_map(|source| {
            let key = name.strip_prefix(&source.prefix)?;
            let key = Key { name: source.name.clone(), key: key.to_owned() };
            let is_there = known.has(source.kind, &key.name, &key.key) == Some(true);
            is_there.then(|| {
                if source.kind == "ConfigMap" { VariableValue::ConfigMap(key) } else { VariableValue::Secret(key) }
            })
        })?,
    };
    Some(match &held {
        VariableValue::Text(text) => Seen::Text(text.clone()),
        VariableValue::ConfigMap(key) => match known.text(key) {
            // Nobody expands anything there.
            Some(text) => Seen::Text(escaped(text)),
            None => Seen::Hidden(held.shown()),
        },
        VariableValue::Secret(_) | VariableValue::Elsewhere => Seen::Hidden(held.shown()),
    })
}
