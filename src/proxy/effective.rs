//! The proxy settings that a program in a container uses.

use super::merge::ValueSource;
use super::unexpanded::{may_be_set, with_escaped_references};
use super::variables::{Key, SERVICE_HOST, VariableValue, Variables, escaped};
use go_no_proxy::Matcher;

/// Proxy variables as Go reads them: the upper-case variable, or the lower-case one if the upper-case one is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Effective {
    /// `HTTPS_PROXY`; `None` if unset or empty.
    pub(super) https: Option<KnownValue>,
    /// `HTTP_PROXY`; `None` if unset or empty.
    pub(super) http: Option<KnownValue>,
    /// `NO_PROXY`; empty text if unset.
    pub(super) list: KnownValue,
    /// True if `NO_PROXY` comes from `env` or is unset; the kubelet expands `$(NAME)` in `env` only.
    pub(super) list_expands: bool,
    /// `KUBERNETES_SERVICE_HOST`, if `env` or `envFrom` of the container sets it.
    pub(super) service_host: Option<KnownValue>,
    /// The expansion of `$(KUBERNETES_SERVICE_HOST)` in `NO_PROXY`.
    pub(super) named_host: NamedHost,
    /// The version of Go's matcher that reads the variables.
    pub(super) matcher: Matcher,
}

/// The expansion of `$(KUBERNETES_SERVICE_HOST)` in `NO_PROXY`, compared with the address that the container dials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedHost {
    /// The host is the address that the container dials.
    Dialled,
    /// The host is the address of the Service: the container sets the variable after `NO_PROXY`, and dials the later
    /// value.
    OfService,
    /// The host is a value that the input does not show.
    Another,
}

/// Value of a variable, or the reason why the input does not show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KnownValue {
    /// The text as written in `env`, where the kubelet expands `$(NAME)`.
    Text(String),
    /// The variable is set, but its value is not in the input; holds the reason.
    Hidden(String),
}

impl Effective {
    pub(super) fn new(variables: &Variables, known: &dyn ValueSource, matcher: Matcher) -> Self {
        let either = |name: &str| {
            let upper = resolve_value(variables, known, name).filter(|seen| *seen != KnownValue::Text(String::new()));
            upper.or_else(|| resolve_value(variables, known, &name.to_ascii_lowercase()))
        };
        let is_upper =
            resolve_value(variables, known, "NO_PROXY").is_some_and(|seen| seen != KnownValue::Text(String::new()));
        let list_name = if is_upper { "NO_PROXY" } else { "no_proxy" };
        let in_env = variables.last(list_name).is_some_and(|variable| matches!(variable.held, VariableValue::Text(_)));
        let set = |name: &str| either(name).filter(|seen| *seen != KnownValue::Text(String::new()));
        Self {
            https: set("HTTPS_PROXY"),
            http: set("HTTP_PROXY"),
            list: either("NO_PROXY").unwrap_or(KnownValue::Text(String::new())),
            list_expands: in_env || resolve_value(variables, known, list_name).is_none(),
            service_host: resolve_value(variables, known, SERVICE_HOST),
            named_host: named_host(variables, known, list_name),
            matcher,
        }
    }
}

/// Determines the expansion of `$(KUBERNETES_SERVICE_HOST)` in a list of `env`: the last variable of that name before
/// the list, else the value from `envFrom`, else the address of the Service. The program itself dials the last
/// variable of that name in `env`.
///
/// Source: kubernetes/kubernetes@v1.34.2 `pkg/kubelet/kubelet_pods.go`, `makeEnvironmentVariables`.
fn named_host(variables: &Variables, known: &dyn ValueSource, list_name: &str) -> NamedHost {
    let (Some(list), Some(dialled)) = (variables.last(list_name), variables.last(SERVICE_HOST)) else {
        return NamedHost::Dialled;
    };
    let list = variables.origin(list);
    let before = variables.own.iter().rfind(|variable| variable.name == SERVICE_HOST && variable.index < list.index);
    match before {
        Some(before) if before.held == dialled.held => NamedHost::Dialled,
        None if !may_be_set(variables, known, SERVICE_HOST) => NamedHost::OfService,
        _ => NamedHost::Another,
    }
}

/// Resolves the value of a variable from `env` and `envFrom`; `None` if it is unset.
pub(super) fn resolve_value(variables: &Variables, known: &dyn ValueSource, name: &str) -> Option<KnownValue> {
    let held = match variables.last(name) {
        Some(variable) => {
            let origin = variables.origin(variable);
            match &origin.held {
                VariableValue::Text(_) => {
                    VariableValue::Text(with_escaped_references(variables, origin, known).into_owned())
                }
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
        VariableValue::Text(text) => KnownValue::Text(text.clone()),
        VariableValue::ConfigMap(key) => match known.text(key) {
            // The kubelet does not expand values of ConfigMaps.
            Some(text) => KnownValue::Text(escaped(text)),
            None => KnownValue::Hidden(held.display_value()),
        },
        VariableValue::Secret(_) | VariableValue::Elsewhere => KnownValue::Hidden(held.display_value()),
    })
}
