//! Finds references `$(NAME)` that the kubelet leaves unexpanded: it expands only variables defined earlier in `env`.

use std::borrow::Cow;

use super::merge::ValueSource;
use super::variables::{Source, Variable, VariableValue, Variables, references};

/// True if the kubelet certainly leaves `$(name)` unexpanded: `env` defines the name, but not before `own`, and no
/// `envFrom` source may set it. False for names that may be Service variables, such as `X_SERVICE_HOST`.
///
/// Source: kubernetes/kubernetes@v1.34.2 `pkg/kubelet/kubelet_pods.go`, `makeEnvironmentVariables`.
fn stays_unexpanded(variables: &Variables, variable: &Variable, known: &dyn ValueSource, name: &str) -> bool {
    let names = variables.names.as_deref().unwrap_or_default();
    let is_service = name.contains("_SERVICE_") || name.contains("_PORT");
    let first = names.iter().position(|other| other == name);
    first.is_some_and(|first| first >= variable.index) && !is_service && !may_be_set(variables, known, name)
}

/// True if an `envFrom` source may set the variable.
pub(super) fn may_be_set(variables: &Variables, known: &dyn ValueSource, name: &str) -> bool {
    let may_give = |(source, key): (&Source, &str)| known.has(source.kind, &source.name, key) != Some(false);
    variables.from.iter().filter_map(|source| Some((source, name.strip_prefix(&source.prefix)?))).any(may_give)
}

/// The references in one entry that the kubelet leaves unexpanded.
pub(super) fn unexpanded_references<'e>(
    variables: &Variables,
    variable: &Variable,
    known: &dyn ValueSource,
    entry: &'e str,
) -> Vec<&'e str> {
    references(entry).map(|(_, name)| name).filter(|name| stays_unexpanded(variables, variable, known, name)).collect()
}

/// The text of a variable with each reference that stays unexpanded escaped as `$$(NAME)`.
pub(super) fn with_escaped_references<'v>(
    variables: &Variables,
    variable: &'v Variable,
    known: &dyn ValueSource,
) -> Cow<'v, str> {
    let VariableValue::Text(text) = &variable.held else { return Cow::Borrowed("") };
    let left: Vec<usize> = references(text)
        .filter(|(_, name)| stays_unexpanded(variables, variable, known, name))
        .map(|(at, _)| at)
        .collect();
    if left.is_empty() {
        return Cow::Borrowed(text);
    }
    let with = |(at, c): (usize, char)| if left.contains(&at) { vec!['$', c] } else { vec![c] };
    Cow::Owned(text.char_indices().flat_map(with).collect())
}
