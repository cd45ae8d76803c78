//! Parses the proxy-related variables of a container.

use std::collections::BTreeSet;

use crate::crossplane::{PACKAGE_RUNTIME, REGISTRY};
use lossless_yaml::{NodeRef, Tree, Value};

/// The proxy variables, in the order in which new variables are written; `NO_PROXY` comes last.
pub(super) const NAMES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/// The variable that the kubelet sets to the address of the API server.
pub(super) const SERVICE_HOST: &str = "KUBERNETES_SERVICE_HOST";

/// The reference to [`SERVICE_HOST`], which the kubelet expands.
pub(super) const SERVICE: &str = "$(KUBERNETES_SERVICE_HOST)";

/// The proxy-related parts of a container's `env` and `envFrom`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    /// The names of all variables of `env`, in order; `None` without a list.
    pub names: Option<Vec<String>>,
    /// True for `env: null` and for an `env` key without value.
    pub is_null: bool,
    /// Variables of `env` for proxies, the API server and settings of the core, in order.
    pub own: Vec<Variable>,
    /// `envFrom`, in order.
    pub from: Vec<Source>,
}

/// A variable of `env`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The position in `env`.
    pub index: usize,
    /// The name of the variable.
    pub name: String,
    /// Value of the variable.
    pub held: VariableValue,
    /// True if the element has the key `value`.
    pub has_value: bool,
}

impl Variable {
    /// Creates a variable; `has_value` is true for a text.
    pub(super) fn new(index: usize, name: String, held: VariableValue) -> Self {
        let has_value = matches!(held, VariableValue::Text(_));
        Self { index, name, held, has_value }
    }
}

/// The value of a variable, or its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableValue {
    /// A literal text; references such as `$(NAME)` are not expanded.
    Text(String),
    /// A key of a `ConfigMap`.
    ConfigMap(Key),
    /// A key of a Secret.
    Secret(Key),
    /// A value known only at run time, such as a field of the pod.
    Elsewhere,
}

/// A key of an object in the pod's namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The name of the ConfigMap or Secret.
    pub name: String,
    /// The key.
    pub key: String,
    /// True if the pod starts without the variable when the object or key is missing.
    pub optional: bool,
}

impl Key {
    /// Creates a required key.
    pub fn new(name: &str, key: &str) -> Self {
        Self { name: name.to_owned(), key: key.to_owned(), optional: false }
    }
}

/// An `envFrom` source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// `ConfigMap` or `Secret`.
    pub kind: &'static str,
    /// The name of the ConfigMap or Secret.
    pub name: String,
    /// The prefix of the variable names.
    pub prefix: String,
}

impl VariableValue {
    /// True for an empty text, which Go treats like an unset variable.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// Builds the `env` element with this value.
    pub(super) fn item(&self, name: &str) -> Value {
        let from = |field: &'static str, key: &Key| {
            let reference = [("name", key.name.as_str().into()), ("key", key.key.as_str().into())];
            let optional = key.optional.then_some(("optional", Value::Bool(true)));
            ("valueFrom", Value::map([(field, Value::map(reference.into_iter().chain(optional)))]))
        };
        let field = match self {
            Self::Text(text) => ("value", text.as_str().into()),
            Self::ConfigMap(key) => from("configMapKeyRef", key),
            Self::Secret(key) => from("secretKeyRef", key),
            Self::Elsewhere => return Value::map([("name", name.into())]),
        };
        Value::map([("name", name.into()), field])
    }

    /// Describes the value in messages, without the password of a URL.
    pub(super) fn display_value(&self) -> String {
        match self {
            Self::Text(text) => without_password(text),
            Self::ConfigMap(key) => format!("key {} of ConfigMap {}", key.key, key.name),
            Self::Secret(key) => format!("key {} of Secret {}", key.key, key.name),
            Self::Elsewhere => "a value that is known only when the pod runs".to_owned(),
        }
    }
}

/// Replaces the password of a URL by `***`.
pub(super) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return if url.contains('@') { "***".to_owned() } else { url.to_owned() };
    };
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let name = user.split(':').next().unwrap_or_default();
            let password = if user.contains(':') { ":***" } else { "" };
            format!("{scheme}://{name}{password}@{host}")
        }
        None => url.to_owned(),
    }
}

impl Variables {
    /// Reads `env` and `envFrom` of a container.
    pub fn parse(env: Option<&Value>, env_from: Option<&Value>) -> Self {
        let mut found = Self { is_null: env == Some(&Value::Null), ..Self::default() };
        if let Some(Value::Seq(items)) = env {
            found.names = Some(items.iter().map(|item| text(item, "name").unwrap_or_default()).collect());
            found.own = items.iter().enumerate().filter_map(|(index, item)| variable(index, item)).collect();
        }
        found.from = env_from.into_iter().flat_map(Value::items).flat_map(sources).collect();
        found
    }

    /// The last variable of this name, which takes effect.
    pub(super) fn last(&self, name: &str) -> Option<&Variable> {
        self.own.iter().rfind(|variable| variable.name == name)
    }

    /// The original of a copy: the earlier variable `NAME` if the text of `copy` is exactly `$(NAME)`.
    pub(super) fn original(&self, copy: &Variable) -> Option<&Variable> {
        let VariableValue::Text(text) = &copy.held else { return None };
        let name = text.strip_prefix("$(")?.strip_suffix(')')?;
        self.own.iter().rfind(|variable| variable.name == name && variable.index < copy.index)
    }

    /// Follows a chain of copies to the variable that holds the value.
    pub(super) fn origin<'v>(&'v self, variable: &'v Variable) -> &'v Variable {
        // Terminates: each original is before its copy.
        std::iter::successors(Some(variable), |variable| self.original(variable)).last().unwrap_or(variable)
    }

    /// The position after which variables with these values are inserted: after the last proxy variable and after
    /// every variable that a value references. `None` appends them to `env`.
    pub(super) fn insert_position<'t>(&self, values: impl Iterator<Item = &'t VariableValue>) -> Option<usize> {
        let last = self.own.iter().rfind(|variable| is_proxy_name(&variable.name))?.index;
        let names = self.names.as_deref().unwrap_or_default();
        let texts =
            values.filter_map(|value| if let VariableValue::Text(text) = value { Some(text.as_str()) } else { None });
        let referred: BTreeSet<&str> = texts.flat_map(references).map(|(_, name)| name).collect();
        let last = names.iter().rposition(|name| referred.contains(name.as_str())).map_or(last, |at| at.max(last));
        (last + 1 < names.len()).then_some(last)
    }

    /// The positions of all variables of this name.
    pub(super) fn positions(&self, name: &str) -> Vec<usize> {
        self.own.iter().filter(|variable| variable.name == name).map(|variable| variable.index).collect()
    }
}

/// True for a proxy variable, in upper or lower case.
pub(super) fn is_proxy_name(name: &str) -> bool {
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name) && (name == *known || name == known.to_ascii_lowercase()))
}

fn text(value: &Value, key: &str) -> Option<String> {
    plain(value.get(key)?)
}

/// The text of a scalar, regardless of quoting.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.clone()),
        Value::Raw(raw) => Tree::parse(raw).ok()?.root(0).and_then(NodeRef::text).map(str::to_owned),
        Value::Null | Value::Seq(_) | Value::Map(_) => None,
        other => Some(other.to_string()),
    }
}

/// Reads an entry of `env`; `None` for variables that are not about proxies.
fn variable(index: usize, item: &Value) -> Option<Variable> {
    let name = text(item, "name")?;
    if !is_proxy_name(&name) && ![SERVICE_HOST, PACKAGE_RUNTIME.variable, REGISTRY.variable].contains(&name.as_str()) {
        return None;
    }
    let key = |from: &Value, field: &str| {
        let reference = from.get(field)?;
        let optional = text(reference, "optional").as_deref() == Some("true");
        Some(Key { optional, ..Key::new(&text(reference, "name")?, &text(reference, "key")?) })
    };
    let held = match item.get("valueFrom").filter(|from| **from != Value::Null) {
        Some(from) => (key(from, "configMapKeyRef").map(VariableValue::ConfigMap))
            .or_else(|| key(from, "secretKeyRef").map(VariableValue::Secret))
            .unwrap_or(VariableValue::Elsewhere),
        None => VariableValue::Text(text(item, "value").unwrap_or_default()),
    };
    Some(Variable { has_value: item.get("value").is_some(), ..Variable::new(index, name, held) })
}

/// Reads the sources of an entry of `envFrom`.
fn sources(item: &Value) -> Vec<Source> {
    let prefix = text(item, "prefix").unwrap_or_default();
    let kinds = [("configMapRef", "ConfigMap"), ("secretRef", "Secret")];
    let found = kinds.into_iter().filter_map(|(field, kind)| {
        let name = text(item.get(field)?, "name")?;
        Some(Source { kind, name, prefix: prefix.clone() })
    });
    found.collect()
}

/// References `$(NAME)` that the kubelet expands: position of `$(`, and name. `$$` is an escaped dollar sign.
pub(super) fn references(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let expands = |at: usize| text.bytes().take(at).rev().take_while(|byte| *byte == b'$').count() % 2 == 0;
    let all = text.match_indices("$(").filter(move |(at, _)| expands(*at));
    all.filter_map(|(at, _)| Some((at, text.get(at + 2..)?.split_once(')')?.0)))
}

/// Escapes a text so that the kubelet leaves it unchanged: doubles dollar signs before `(` and repeated dollar signs.
/// `${`, which Flux substitutes, is kept.
///
/// Source: kubernetes/kubernetes@v1.34.2 `third_party/forked/golang/expansion/expand.go`.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        let signs = from.bytes().take_while(|byte| *byte == b'$').count();
        let after = from.get(signs..).unwrap_or_default();
        let doubled = !after.starts_with('{') && (signs > 1 || after.starts_with('('));
        out.push_str(before);
        out.push_str(&"$".repeat(if doubled { 2 * signs } else { signs }));
        rest = after;
    }
    out + rest
}
