//! Merges the wanted proxy variables of a container with its existing ones.

use std::borrow::Cow;

use super::variables::{Key, NAMES, Variable, VariableValue, Variables, escaped, without_password};
use crate::api::{Case, Existing};
use crate::rule::{self, Rule, Severity};
use lossless_yaml::without_passwords;

/// The wanted proxy settings of a container.
#[derive(Debug, Clone)]
pub struct WantedProxies {
    /// The proxy for `http`; references are read in the namespace of the container.
    pub http: Option<VariableValue>,
    /// The proxy for `https`.
    pub https: Option<VariableValue>,
    /// The entries of `NO_PROXY`, in order.
    pub entries: Vec<String>,
    /// Replacement of `$(KUBERNETES_SERVICE_HOST)` in lists of ConfigMaps, where the kubelet does not expand it.
    pub instead_of_service: Vec<String>,
    /// Upper case only, or both cases.
    pub case: Case,
    /// The handling of existing proxies that differ.
    pub existing: Existing,
    /// True if duplicate names are an error, because server-side apply rejects them.
    pub unique: bool,
}

/// A change of one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Replaces the `value` of the variable at this position: old text, new text.
    Set(usize, String, String),
    /// Adds a `value` to the variable without value at this position.
    Give(usize, String),
    /// Replaces the whole variable at this position.
    Replace(usize, VariableValue),
    /// Adds a variable.
    New(VariableValue),
}

/// The result of a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// Changes with the names of their variables, additions last.
    pub changes: Vec<(String, Change)>,
    /// The position of the variable after which additions are inserted; `None` appends them to `env`.
    pub after: Option<usize>,
    /// A ConfigMap's key and its new text.
    pub map: Option<(Key, String)>,
    /// Findings to report: severity, rule, message.
    pub reports: Vec<(Severity, Rule, String)>,
}

/// Access to ConfigMaps and Secrets that variables refer to.
pub trait ValueSource {
    /// The text of a ConfigMap's key; `None` if it is not in the input.
    fn text(&self, key: &Key) -> Option<&str>;
    /// The reason why a ConfigMap's key may not be changed for this container; `None` if it may.
    fn why_not(&self, key: &Key) -> Option<String>;
    /// True if the object has the key; `None` if the object is not in the input.
    fn has(&self, kind: &str, name: &str, key: &str) -> Option<bool>;
}

/// Value of a variable, and its element in `env` if it is set there.
pub(super) struct CurrentValue<'v> {
    pub(super) held: VariableValue,
    pub(super) own: Option<&'v Variable>,
}

/// Merges the wanted proxy settings with the existing variables of a container.
pub fn merge(variables: &Variables, wanted: &WantedProxies, known: &dyn ValueSource) -> Merged {
    let mut merging = Merging { variables, wanted, known, merged: Merged::default(), appended: Vec::new() };
    merging.report_duplicates();
    let [http, https, no_proxy] = NAMES;
    let unseen = merging.report_missing_sources();
    if let Some(message) = merging.unchangeable_list_reason(no_proxy) {
        // A proxy without `NO_PROXY` would also capture traffic inside the cluster.
        merging.merged.reports.push((Severity::Warning, rule::PROXY_OPAQUE, message));
        return merging.merged;
    }
    merging.merged.reports.extend(unseen);
    for (name, proxy) in [(http, &wanted.http), (https, &wanted.https)] {
        if let Some(proxy) = proxy {
            merging.proxy(name, proxy);
        }
    }
    merging.list(no_proxy);
    let rank = |name: &str| {
        let lower = name.chars().any(|c| c.is_ascii_lowercase());
        (lower, NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)))
    };
    merging.appended.sort_by_key(|(name, _)| rank(name));
    let appended = std::mem::take(&mut merging.appended);
    merging.merged.after = variables.insert_position(appended.iter().map(|(_, held)| held));
    merging.merged.changes.extend(appended.into_iter().map(|(name, held)| (name, Change::New(held))));
    merging.merged
}

/// The state of one merge.
pub(super) struct Merging<'m> {
    pub(super) variables: &'m Variables,
    pub(super) wanted: &'m WantedProxies,
    pub(super) known: &'m dyn ValueSource,
    pub(super) merged: Merged,
    appended: Vec<(String, VariableValue)>,
}

impl<'m> Merging<'m> {
    pub(super) fn add_report(&mut self, severity: Severity, rule: Rule, message: String) {
        self.merged.reports.push((severity, rule, message));
    }

    /// Reports duplicate names in `env`.
    fn report_duplicates(&mut self) {
        for name in NAMES.into_iter().flat_map(|name| [name.to_owned(), name.to_ascii_lowercase()]) {
            let positions = self.variables.positions(&name);
            let [first, .., last] = positions.as_slice() else { continue };
            let severity = if self.wanted.unique { Severity::Error } else { Severity::Warning };
            let message =
                format!("{name} is set twice, in env[{first}] and env[{last}]: the last one wins. Remove the other");
            self.add_report(severity, rule::PROXY_EXISTING, message);
        }
    }

    /// Looks up a variable: the last one in `env`, else the last `envFrom` source that has the key.
    pub(super) fn current_value(&self, name: &str) -> Option<CurrentValue<'m>> {
        if let Some(own) = self.variables.last(name) {
            return Some(CurrentValue { held: self.variables.origin(own).held.clone(), own: Some(own) });
        }
        self.variables.from.iter().rev().find_map(|source| {
            let key = name.strip_prefix(&source.prefix)?;
            if self.known.has(source.kind, &source.name, key) != Some(true) {
                return None;
            }
            let key = Key::new(&source.name, key);
            let held = match source.kind {
                // The kubelet expands references in `env`, but not in values from `envFrom`.
                "ConfigMap" => VariableValue::Text(escaped(self.known.text(&key)?)),
                _ => VariableValue::Secret(key),
            };
            Some(CurrentValue { held, own: None })
        })
    }

    /// Replaces a ConfigMap reference by its text, if the input has it.
    pub(super) fn resolve_config_map<'v>(&self, held: &'v VariableValue) -> Cow<'v, VariableValue> {
        match held {
            VariableValue::ConfigMap(key) => match self.known.text(key) {
                Some(text) => Cow::Owned(VariableValue::Text(escaped(text))),
                None => Cow::Borrowed(held),
            },
            _ => Cow::Borrowed(held),
        }
    }

    /// Reports `envFrom` sources that are not in the input: new variables in `env` would hide their proxy variables.
    fn report_missing_sources(&self) -> Vec<(Severity, Rule, String)> {
        let mut reports = Vec::new();
        for source in &self.variables.from {
            let may_have = NAMES.iter().any(|name| {
                let lower = name.to_ascii_lowercase();
                name.starts_with(&source.prefix) || lower.starts_with(&source.prefix)
            });
            let hides = NAMES.iter().any(|name| self.variables.last(name).is_none());
            if may_have && hides && self.known.has(source.kind, &source.name, "").is_none() {
                let message = format!(
                    "its envFrom names {} {}, which is not in the input: proxy variables in it would be overridden by \
                     variables of `env`. Add it to the input",
                    source.kind, source.name
                );
                reports.push((Severity::Warning, rule::PROXY_OPAQUE, message));
            }
        }
        reports
    }

    /// The names to write. An existing lower-case variable is always written as well, so that both cases agree.
    pub(super) fn names(&self, name: &str) -> Vec<String> {
        let lower = name.to_ascii_lowercase();
        let both = match self.wanted.case {
            Case::Both => true,
            Case::Upper => self.current_value(&lower).is_some(),
        };
        if both { vec![name.to_owned(), lower] } else { vec![name.to_owned()] }
    }

    /// Sets a variable, whatever its current value.
    pub(super) fn put(&mut self, name: &str, held: &VariableValue) {
        let Some(variable) = self.variables.last(name) else {
            // `envFrom` already sets this value.
            if self.current_value(name).is_none_or(|found| found.held != *held) {
                self.appended.push((name.to_owned(), held.clone()));
            }
            return;
        };
        if let Some(original) = self.variables.original(variable) {
            let is_written = original.name.eq_ignore_ascii_case(name);
            let is_changed = || self.merged.changes.iter().any(|(name, _)| *name == original.name);
            // A copy of the other case, such as `$(NO_PROXY)`, changes together with its original.
            if is_written || self.variables.origin(variable).held == *held && !is_changed() {
                return;
            }
        }
        let change = match (&variable.held, held) {
            (old, new) if old == new => return,
            (VariableValue::Text(old), VariableValue::Text(new)) if variable.has_value => {
                Change::Set(variable.index, old.clone(), new.clone())
            }
            (VariableValue::Text(_), VariableValue::Text(new)) => Change::Give(variable.index, new.clone()),
            (_, new) => Change::Replace(variable.index, new.clone()),
        };
        self.merged.changes.push((name.to_owned(), change));
    }
}

impl Change {
    /// Describes the change in messages.
    pub(super) fn display_change(&self, name: &str) -> String {
        let plain = |text: &str| match name.eq_ignore_ascii_case("NO_PROXY") {
            true => without_passwords(text).into_owned(),
            false => without_password(text),
        };
        match self {
            Self::Set(_, old, new) => format!("{name} {} -> {}", plain(old), plain(new)),
            Self::Give(_, new) => format!("{name} is {}", plain(new)),
            Self::Replace(_, held) => format!("{name} is {}", held.display_value()),
            Self::New(VariableValue::Text(text)) => format!("{name} is new: {}", plain(text)),
            Self::New(held) => format!("{name} is new: {}", held.display_value()),
        }
    }
}
