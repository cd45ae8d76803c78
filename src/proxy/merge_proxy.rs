//! Merges `HTTP_PROXY` or `HTTPS_PROXY` of a container, in both cases.

use super::list::is_open;
use super::merge::Merging;
use super::variables::{Key, VariableValue, without_password};
use crate::api::Existing;
use crate::rule::{self, Severity};
use go_no_proxy::same_proxy;

impl Merging<'_> {
    /// Merges `HTTP_PROXY` or `HTTPS_PROXY`, and its lower-case form.
    pub(super) fn proxy(&mut self, name: &str, wanted: &VariableValue) {
        let lower = name.to_ascii_lowercase();
        let there: Vec<(String, VariableValue)> = [name, lower.as_str()]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), self.current_value(name)?.held)))
            .filter(|(_, held)| !held.is_empty())
            .collect();
        let differs: Vec<&(String, VariableValue)> =
            there.iter().filter(|(_, held)| !self.is_same(held, wanted)).collect();
        // Keep the spelling of an equal existing value.
        let mut value = there.first().map_or(wanted, |(_, held)| held).clone();
        if let Some((first, held)) = differs.first().copied() {
            let is_opaque = |held: &VariableValue| !matches!(*self.resolve_config_map(held), VariableValue::Text(_));
            let opaque = differs.iter().find(|(_, held)| is_opaque(held));
            match self.wanted.existing {
                Existing::Replace => {
                    let message =
                        format!("{first} was {}, and becomes {}", self.display_proxy(held), wanted.display_value());
                    self.add_report(Severity::Info, rule::PROXY_EXISTING, message);
                    value = wanted.clone();
                }
                Existing::Keep => {
                    let is_uneven = |pair: &[(String, VariableValue)]| matches!(pair, [(_, one), (_, other)] if !self.is_same(one, other));
                    let uneven = there.windows(2).any(is_uneven);
                    let also = if uneven {
                        format!("; {name} and {lower} differ, so programs differ in the proxy that they use")
                    } else {
                        String::new()
                    };
                    let message = format!(
                        "{first} stays {}, where the config has {}{also}",
                        self.display_proxy(held),
                        wanted.display_value()
                    );
                    self.add_report(Severity::Warning, rule::PROXY_EXISTING, message);
                    if uneven {
                        return;
                    }
                    value = held.clone();
                }
                Existing::Merge => {
                    let agree = there.iter().all(|(_, existing)| self.is_same(existing, held));
                    if let Some((opaque, held)) = opaque.filter(|_| agree) {
                        let message = format!(
                            "{opaque} stays {}: the input does not show its value, which must be {}",
                            held.display_value(),
                            wanted.display_value()
                        );
                        self.add_report(Severity::Warning, rule::PROXY_OPAQUE, message);
                        value = held.clone();
                    } else {
                        let all: Vec<String> = there
                            .iter()
                            .map(|(name, held)| format!("{name} is {}", self.display_proxy(held)))
                            .collect();
                        let message = format!(
                            "{}, and the config has {}. Remove one of the two, or write `existing: Keep` or `existing: Replace` in the \
                             spec",
                            all.join(" and "),
                            wanted.display_value()
                        );
                        self.add_report(Severity::Error, rule::PROXY_EXISTING, message);
                        return;
                    }
                }
            }
        }
        for name in self.names(name) {
            // A copy, such as `$(HTTP_PROXY)`, is kept only if its original is unchanged; `put` decides.
            let is_copy =
                self.variables.last(&name).is_some_and(|variable| self.variables.original(variable).is_some());
            let is_there = there.iter().any(|(existing, held)| *existing == name && self.is_same(held, &value));
            if is_copy || !is_there {
                self.put(&name, &value);
            }
        }
    }

    /// True if two values are the same proxy, as far as the input shows them.
    fn is_same(&self, one: &VariableValue, other: &VariableValue) -> bool {
        let is_one_key = |one: &Key, other: &Key| one.name == other.name && one.key == other.key;
        match (one, other) {
            (VariableValue::Secret(one), VariableValue::Secret(other))
            | (VariableValue::ConfigMap(one), VariableValue::ConfigMap(other))
                if is_one_key(one, other) =>
            {
                true
            }
            _ => match (&*self.resolve_config_map(one), &*self.resolve_config_map(other)) {
                (VariableValue::Text(one), VariableValue::Text(other)) => {
                    one == other || !is_open(one) && !is_open(other) && same_proxy(one, other)
                }
                (one, other) => one == other,
            },
        }
    }

    /// Describes a proxy in messages, with the text of a ConfigMap's key if the input has it.
    fn display_proxy(&self, held: &VariableValue) -> String {
        match (held, &*self.resolve_config_map(held)) {
            (VariableValue::ConfigMap(_), VariableValue::Text(text)) => {
                format!("{}, which holds {}", held.display_value(), without_password(text))
            }
            _ => held.display_value(),
        }
    }
}
