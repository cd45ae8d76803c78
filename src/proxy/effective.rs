//! What a program in a container sees of proxies.

use super::merge::Known;
use super::unexpanded::{is_given, settled};
use super::variables::{Key, SERVICE_HOST, VariableValue, Variables, escaped};
use go_no_proxy::Matcher;

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
    /// What its name in the list becomes.
    pub(super) named_host: NamedHost,
    /// Whose matcher reads them.
    pub(super) matcher: Matcher,
}

/// What `$(KUBERNETES_SERVICE_HOST)` in the list becomes, beside what the container dials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedHost {
    /// The same.
    Dialled,
    /// The address of the Service: the container's own variable does not stand before the list, and is what it dials.
    OfService,
    /// Something else that the input does not show.
    Another,
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
            named_host: named_host(variables, known, list_name),
            matcher,
        }
    }
}

/// What the kubelet puts for `$(KUBERNETES_SERVICE_HOST)` in a list of `env`: the last variable that stands before it, else what `envFrom` gives,
/// else the address of the Service. The program dials the last variable of all.
///
/// Source: kubernetes/kubernetes@v1.34.2 `pkg/kubelet/kubelet_pods.go`, `makeEnvironmentVariables`.
fn named_host(variables: &Variables, known: &dyn Known, list_name: &str) -> NamedHost {
    let (Some(list), Some(dialled)) = (variables.last(list_name), variables.last(SERVICE_HOST)) else {
        return NamedHost::Dialled;
    };
    let list = variables.origin(list);
    let before = variables.own.iter().rfind(|own| own.name == SERVICE_HOST && own.index < list.index);
    match before {
        Some(before) if before.held == dialled.held => NamedHost::Dialled,
        None if !is_given(variables, known, SERVICE_HOST) => NamedHost::OfService,
        _ => NamedHost::Another,
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
            let key = Key::new(&source.name, key);
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
