//! Matches settings from the help of a program with listeners of its container whose setting is unknown.

use std::collections::{BTreeMap, BTreeSet};

use super::bind_entry::{BindEntry, SetBy};
use super::workload::Workload;
use crate::help::HelpSetting;
use crate::model::listener::{Binding, HelpName, Listener};
use crate::model::pod::{Container, TCP};
use crate::model::text::{Form, addresses};

/// Entries proven by a help text for a container, and reasons for missing entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    /// Proven entries, by number.
    pub binds: Vec<BindEntry>,
    /// Reasons why other settings and listeners get no entry.
    pub notes: Vec<String>,
    /// Numbers of the listeners that got an entry or a note.
    numbers: BTreeSet<u16>,
}

/// Setting with a port number as default, not set in the manifest.
struct Candidate<'h> {
    setting: &'h HelpSetting,
    use_of: HelpName,
    form: Form,
    value: String,
}

impl Candidate<'_> {
    fn name(&self) -> &str {
        self.setting.name()
    }
}

/// Joins a help text with the listeners of a container; `position` is the index of the container in the template.
pub(super) fn learn(workload: &Workload<'_>, position: usize, help: &[HelpSetting]) -> Learned {
    let mut learned = Learned::default();
    let Some(container) = workload.template.containers.get(position) else { return learned };
    let mut by_number: BTreeMap<u16, Vec<Candidate<'_>>> = BTreeMap::new();
    let mut defaults: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for setting in help {
        defaults.entry(setting.name()).or_default().extend(setting.default.as_deref());
    }
    // If a setting has two defaults, as in the help of several commands, the help does not show
    // which number applies.
    let is_twice = |setting: &HelpSetting| defaults.get(setting.name()).is_some_and(|all| all.len() > 1);
    for (name, all) in defaults.iter().filter(|(name, all)| all.len() > 1 && HelpName::new(name) == HelpName::Listen) {
        let all: Vec<String> = all.iter().map(|default| format!("`{default}`")).collect();
        learned
            .notes
            .push(format!("`{name}` has the defaults {}: give the help text of the command that runs", all.join(", ")));
    }
    for setting in help.iter().filter(|setting| !is_set(container, setting) && !is_twice(setting)) {
        let use_of = HelpName::new(setting.name());
        let Some(default) = setting.default.as_deref() else { continue };
        if use_of == HelpName::Listen && matches!(default.rsplit(':').next(), Some("0" | "off" | "disabled")) {
            learned.notes.push(format!("`{}` has the default `{default}`: it is off until it is set", setting.name()));
        }
        let mut found = addresses(default, |_| None);
        let (Some((form, number)), None) = (found.next(), found.next()) else { continue };
        let (Some(before), Some(after)) = (default.get(..number.range.start), default.get(number.range.end..)) else {
            continue;
        };
        let value = format!("{before}{{port}}{after}");
        by_number.entry(number.port).or_default().push(Candidate { setting, use_of, form, value });
    }
    for (number, candidates) in by_number {
        let listener = workload.listeners.iter().find(|listener| listener.number == number);
        learned.add_candidates(workload, container, position, number, listener, &candidates);
    }
    for listener in workload.listeners.iter().filter(|listener| listener.container == position && is_open(listener)) {
        if learned.numbers.insert(listener.number) {
            let key = Workload::key(listener);
            learned.notes.push(format!(
                "no flag in the help text has the default {}, the number of port {key}",
                listener.number
            ));
        }
    }
    let is_unstarted = container.command.is_none() && container.args.is_none();
    if is_unstarted && learned.binds.iter().any(BindEntry::is_flag) {
        learned.notes.push(format!(
            "container {} has neither `command` nor `args`, so no flag can be added: write the arguments of its image into `args` first",
            container.name
        ));
    }
    learned
}

impl Learned {
    /// Adds a `bind` entry or a note for settings of a help text whose default is `number`.
    fn add_candidates(
        &mut self,
        workload: &Workload<'_>,
        container: &Container,
        position: usize,
        number: u16,
        listener: Option<&Listener>,
        candidates: &[Candidate<'_>],
    ) {
        let wanted = listener.filter(|listener| listener.container == position && is_open(listener));
        // Skip listeners with a known setting, and listeners of another container.
        if listener.is_some() && wanted.is_none() {
            return;
        }
        if wanted.is_some() {
            self.numbers.insert(number);
        }
        let own: Vec<&Candidate<'_>> =
            candidates.iter().filter(|candidate| candidate.use_of != HelpName::Another).collect();
        let listens =
            own.iter().any(|candidate| candidate.use_of == HelpName::Listen && candidate.form == Form::AnyAddress);
        match (own.as_slice(), wanted) {
            ([], None) => {}
            ([], Some(_)) => {
                let names: Vec<String> = candidates.iter().map(|candidate| format!("`{}`", candidate.name())).collect();
                self.notes.push(format!(
                    "{} has the default {number}, and its name does not suggest a listening port",
                    names.join(", ")
                ));
            }
            ([one], wanted) if one.use_of == HelpName::Listen && (wanted.is_some() || listens) => {
                if !container.env_from.is_empty() && !one.setting.variables.is_empty() {
                    self.notes.push(format!(
                        "`{}` has the default {number}, and `envFrom` may set its variable {}",
                        one.name(),
                        one.setting.variables.join(", ")
                    ));
                    return;
                }
                let is_unstarted = container.command.is_none() && container.args.is_none();
                let variable = one.setting.variables.first().filter(|_| is_unstarted);
                self.binds.push(BindEntry {
                    container: container.name.clone(),
                    port: wanted.map_or_else(
                        || unused_port_name(workload, &self.binds, one.name(), number),
                        |wanted| wanted.label.clone(),
                    ),
                    number,
                    set_by: SetBy::Setting {
                        name: variable.map_or_else(|| one.name().to_owned(), Clone::clone),
                        is_variable: variable.is_some(),
                        value: one.value.clone(),
                    },
                });
            }
            ([one], wanted) => {
                let reason = match (wanted.is_some(), one.form) {
                    (true, _) => "its name does not suggest a listening port",
                    (false, Form::Bare) if one.use_of == HelpName::Listen => {
                        "nothing in the manifests shows a listener there: if there is one, declare the port"
                    }
                    (false, _) => return,
                };
                self.notes.push(format!("`{}` has the default {number}, and {reason}", one.name()));
            }
            (several, wanted) => {
                if wanted.is_some() || listens {
                    let names: Vec<String> =
                        several.iter().map(|candidate| format!("`{}`", candidate.name())).collect();
                    self.notes.push(format!(
                        "{} have the default {number}, and the help does not show which of them sets the listener's number",
                        names.join(" and ")
                    ));
                }
            }
        }
    }
}

/// True for a TCP listener without a known setting.
fn is_open(listener: &Listener) -> bool {
    listener.protocol == TCP && matches!(&listener.binding, Binding::Unknown(places) if places.is_empty())
}

/// Port name that no listener of the workload and no entry uses.
fn unused_port_name(workload: &Workload<'_>, entries: &[BindEntry], flag: &str, number: u16) -> String {
    let label = HelpName::label(flag);
    let is_taken =
        workload.listeners.iter().any(|listener| listener.label == label || listener.name.as_ref() == Some(&label))
            || entries.iter().any(|entry| entry.port == label);
    if is_taken { format!("{label}-{number}") } else { label }
}

/// True if the container's command, arguments or variables set a setting.
fn is_set(container: &Container, setting: &HelpSetting) -> bool {
    let is_written = |flag: &String| {
        let bare = flag.trim_start_matches('-');
        container.words().any(|(_, _, word)| has_flag(word, bare))
    };
    setting.flags.iter().any(is_written) || setting.variables.iter().any(|name| container.env_var(name).is_some())
}

/// True if a word or script contains a flag of this name, with one dash or two.
fn has_flag(word: &str, name: &str) -> bool {
    word.match_indices(name).any(|(at, _)| {
        let before = word.get(..at).unwrap_or_default();
        let after = word.get(at + name.len()..).and_then(|rest| rest.chars().next());
        let dashes = before.len() - before.trim_end_matches('-').len();
        matches!(dashes, 1 | 2)
            && before.trim_end_matches('-').chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric())
            && after.is_none_or(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
    })
}
