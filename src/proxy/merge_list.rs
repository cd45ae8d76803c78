//! Merges `NO_PROXY` and `no_proxy` of a container.

use super::list::{entries, is_open, matches_every_host, never_matches, united};
use super::merge::Merging;
use super::unexpanded::unexpanded_references;
use super::variables::{SERVICE, SERVICE_HOST, Variable, VariableValue, references};
use crate::rule::{self, Severity};

impl Merging<'_> {
    /// The reason why a list cannot be changed: its value is not in the input, or it is shared with containers that no
    /// target selects.
    pub(super) fn unchangeable_list_reason(&mut self, name: &str) -> Option<String> {
        let lower = name.to_ascii_lowercase();
        let (name, held) = [name, lower.as_str()].into_iter().find_map(|name| {
            let held = self.current_value(name)?.held;
            (!matches!(held, VariableValue::Text(_))).then(|| (name.to_owned(), held))
        })?;
        let reason = match &held {
            VariableValue::ConfigMap(key) => match self.known.text(key) {
                Some(_) => self.known.why_not(key)?,
                None => "it is not in the input".to_owned(),
            },
            _ => "the input does not show its value".to_owned(),
        };
        let service = if self.lacks_service_replacement() {
            format!(
                "; and the address of the API server's Service, since `{SERVICE}` is not expanded there (or give `cluster: {{services: [...]}}` in \
                 the spec)"
            )
        } else {
            String::new()
        };
        let left = self.left_out();
        let left =
            if left.is_empty() { left.concat() } else { format!("; {} would not be expanded there", left.join(", ")) };
        Some(format!(
            "its proxy variables are not changed, because its {name} is {}, and {reason}. Add these entries to it first: {}{service}{left}",
            held.display_value(),
            united("", self.entries_without_references())
        ))
    }

    /// The entries for a list in a ConfigMap, without entries with `$(NAME)`: the kubelet does not
    /// expand values of ConfigMaps.
    fn entries_without_references(&self) -> impl Iterator<Item = &str> {
        let plain = self.wanted.entries.iter().filter(|entry| references(entry).next().is_none());
        plain.chain(&self.wanted.instead_of_service).map(String::as_str)
    }

    /// Entries of the config that a list in a ConfigMap cannot contain, except
    /// `$(KUBERNETES_SERVICE_HOST)`, which has a replacement.
    fn left_out(&self) -> Vec<String> {
        let is_left = |entry: &&String| *entry != SERVICE && references(entry).next().is_some();
        self.wanted.entries.iter().filter(is_left).map(|entry| format!("`{entry}`")).collect()
    }

    /// True if `$(KUBERNETES_SERVICE_HOST)` is wanted and has no replacement in a list of a
    /// ConfigMap.
    fn lacks_service_replacement(&self) -> bool {
        self.wanted.entries.iter().any(|entry| entry == SERVICE) && self.wanted.instead_of_service.is_empty()
    }

    /// Merges the entries of the config into both cases of a variable such as `NO_PROXY`.
    pub(super) fn list(&mut self, name: &str) {
        let lower = name.to_ascii_lowercase();
        let (upper, lower_found) = (self.current_value(name), self.current_value(&lower));
        let both = [&upper, &lower_found].into_iter().flatten();
        let map = both.clone().find_map(|found| match &found.held {
            VariableValue::ConfigMap(key) => Some(key.clone()),
            _ => None,
        });
        let texts: Vec<String> = both
            .filter_map(|found| match &found.held {
                VariableValue::Text(text) => Some(text.clone()),
                VariableValue::ConfigMap(key) => self.known.text(key).map(str::to_owned),
                _ => None,
            })
            .collect();
        let start = texts.first().map(String::as_str).filter(|text| !text.is_empty());
        let start = start.or_else(|| texts.get(1).map(String::as_str)).unwrap_or_default();
        self.entries(name, &texts);
        // Both cases are merged, so a reference from one to the other adds nothing.
        let of_the_other = [format!("$({name})"), format!("$({lower})")];
        let more = texts
            .iter()
            .flat_map(|text| entries(text))
            .filter(|entry| !of_the_other.iter().any(|reference| reference == entry));
        let old = united(start, more);
        if let Some(key) = map {
            let new =
                if matches_every_host(&old) { old.clone() } else { united(&old, self.entries_without_references()) };
            let left = self.left_out();
            if !left.is_empty() {
                let message = format!(
                    "{} would not be expanded in its {name}, a key of ConfigMap {}, and is left out: write its value",
                    left.join(", "),
                    key.name
                );
                self.add_report(Severity::Warning, rule::PROXY_OPAQUE, message);
            }
            if self.lacks_service_replacement() {
                let message = format!(
                    "its {name} is a key of ConfigMap {}, where `{SERVICE}` is not expanded: give `cluster: {{services: [...]}}`, or the \
                     API server may be called through the proxy",
                    key.name
                );
                self.add_report(Severity::Warning, rule::PROXY_OPAQUE, message);
            }
            if self.known.text(&key) != Some(new.as_str()) {
                self.merged.map = Some((key.clone(), new));
            }
            for name in self.names(name) {
                self.put(&name, &VariableValue::ConfigMap(key.clone()));
            }
            return;
        }
        let text = if matches_every_host(&old) {
            let message = format!("its {name} is `{old}`: nothing goes through a proxy, and nothing is added");
            self.add_report(Severity::Info, rule::PROXY_EXISTING, message);
            old
        } else {
            let entries = self.service_host(name, upper.as_ref().and_then(|found| found.own));
            united(&old, entries.iter().map(String::as_str))
        };
        for name in self.names(name) {
            self.put(&name, &VariableValue::Text(text.clone()));
        }
    }

    /// Reports entries that never match.
    fn entries(&mut self, name: &str, texts: &[String]) {
        let mut messages: Vec<String> = Vec::new();
        for entry in texts.iter().flat_map(|text| entries(text)) {
            messages.extend(
                never_matches(entry).map(|reason| format!("the entry `{entry}` of its {name} never matches: {reason}")),
            );
        }
        let lower = name.to_ascii_lowercase();
        for variable in [name, lower.as_str()].into_iter().filter_map(|name| self.variables.last(name)) {
            let VariableValue::Text(text) = &variable.held else { continue };
            for entry in entries(text) {
                let left = unexpanded_references(self.variables, variable, self.known, entry);
                messages.extend(left.into_iter().map(|other| {
                    format!(
                        "the entry `{entry}` of its {} never matches: the kubelet expands only variables that are defined before, and \
                         {other} is not. Put {other} before {}",
                        variable.name, variable.name
                    )
                }));
            }
        }
        for message in messages {
            if !self.merged.reports.iter().any(|(.., known)| *known == message) {
                self.add_report(Severity::Warning, rule::PROXY_ENTRY, message);
            }
        }
    }

    /// The wanted entries, with `$(KUBERNETES_SERVICE_HOST)` replaced by the container's own value of that variable if
    /// `env` sets the variable after the list, since the kubelet would then expand it differently.
    fn service_host(&mut self, name: &str, list: Option<&Variable>) -> Vec<String> {
        let mut entries = self.wanted.entries.clone();
        let Some(own) = self.variables.last(SERVICE_HOST) else { return entries };
        let lower = self.variables.last(&name.to_ascii_lowercase());
        let before = [list, lower].into_iter().flatten().any(|list| list.index < own.index);
        if !before {
            return entries;
        }
        match &own.held {
            VariableValue::Text(host) if !is_open(host) => {
                for entry in entries.iter_mut().filter(|entry| *entry == SERVICE) {
                    entry.clone_from(host);
                }
            }
            _ => {
                let message = format!(
                    "its {name} is defined before its own {SERVICE_HOST}, so `{SERVICE}` in it is the address of the \
                     Service and not the container's own value. Put {name} after it"
                );
                self.add_report(Severity::Warning, rule::PROXY_REACH, message);
            }
        }
        entries
    }
}
