//! Listeners of the catalogue that the manifest switches off.

use std::sync::Arc;

use super::evidence_kind::EvidenceKind;
use super::reader::Reader;
use super::role::Role;
use super::types::{Binding, Listener};
use crate::catalog::{self, KnownSetting, Program};
use crate::model::pod::{Container, ContainerPort};
use crate::model::setting::{Setting, settings, switch};
use crate::version::ProgramVersion;

/// State of a listener of the catalogue by the flags and variables of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowSwitch {
    /// The program listens.
    On,
    /// The program does not listen, by its default or because another listener replaces this listener.
    Off,
    /// A flag or variable of the manifest switches the listener off.
    SetOff,
}

/// Returns the state of a listener of the catalogue.
pub(super) fn row_switch(row: &catalog::Listener, settings: &[Setting], container: &Container) -> RowSwitch {
    let given = row.enabled_by.as_ref().map(|by| (switch(settings, &by.arg), by.default));
    let flag_value = |name: &str| {
        let mut flags = settings.iter().rev().filter(|setting| !setting.variable && setting.name == name);
        flags.next().and_then(|flag| flag.value.clone())
    };
    let value = |known: &KnownSetting| {
        let env = known.env.as_deref().and_then(|name| container.env_var(name)?.1.value.map(str::to_owned));
        known.arg.as_deref().and_then(flag_value).or(env)
    };
    if matches!(given, Some((Some(false), _)))
        || row.settings.iter().filter_map(value).any(|value| row.off.contains(&value))
    {
        return RowSwitch::SetOff;
    }
    let is_disabled = row.disabled_by.iter().any(|flag| switch(settings, flag) == Some(true));
    match given {
        Some((None, false)) => RowSwitch::Off,
        _ if is_disabled => RowSwitch::Off,
        _ => RowSwitch::On,
    }
}

/// Returns settings of catalogued listeners that are not among the `known` ones: name of the listener, flag or
/// variable, and its value.
pub fn settings_of_other_listeners<'p>(
    program: &'p Arc<Program>,
    version: &ProgramVersion,
    container: &Container,
    known: &[&Listener],
) -> Vec<(&'p str, KnownSetting, String)> {
    let settings = settings(container);
    let is_known = |row: &&catalog::Listener| {
        let sets = |name: &str| row.settings.iter().any(|known| known.name() == name);
        known.iter().any(|listener| {
            let added =
                listener.bindings().any(|binding| matches!(binding, Binding::Add { known, .. } if sets(known.name())));
            added
                || listener.places().any(|(.., name)| sets(name))
                || (listener.evidence_kinds.has(EvidenceKind::Catalogue) && row.names.contains(&listener.label))
        })
    };
    let is_there = |since: Option<&str>| since.is_none_or(|since| version.has(since) != Some(false));
    let rows =
        program.listeners.iter().filter(|row| !row.phantom && row.why.is_none() && is_there(row.since.as_deref()));
    let rows = rows.filter(|row| row_switch(row, &settings, container) == RowSwitch::On).filter(|row| !is_known(row));
    rows.flat_map(|row| {
        let name = row.names.first().map_or("", String::as_str);
        let is_usable =
            |known: &&KnownSetting| known.config.is_none() && known.until.is_none() && is_there(known.known_since());
        let usable: Vec<&KnownSetting> = row.settings.iter().filter(is_usable).collect();
        usable.into_iter().map(move |known| (name, known.clone(), known.value.as_ref().unwrap_or(&row.value).clone()))
    })
    .collect()
}

impl Reader<'_> {
    /// Returns the declared port of a listener that the manifest switches off: no process listens there. `None` if a
    /// setting or a probe of the pod has the number.
    pub(super) fn switched_off_declared_listener(&mut self, row: &catalog::Listener) -> Option<Listener> {
        let matches = |port: &ContainerPort| match row.default {
            Some(number) => port.number() == Some(number),
            None => port.name.as_ref().is_some_and(|name| row.names.contains(name)),
        };
        let mut ports = self.container.ports.iter().flatten().enumerate();
        let (position, number) = ports.find_map(|(position, port)| {
            let is_free = !self.declared.contains(&position) && port.protocol == row.protocol && matches(port);
            is_free.then(|| Some((position, port.number()?)))?
        })?;
        let has_text = self.by_number.contains_key(&number) || self.maps_by_number.contains_key(&number);
        let is_probed = self.seen.get(&number).is_some_and(|seen| seen.has(EvidenceKind::Probe));
        if has_text || is_probed {
            return None;
        }
        self.declared.insert(position);
        let mut listener = self.listener(number, Some(position), String::new(), Binding::Phantom);
        listener.role = Role::from_catalog(&row.role);
        Some(listener)
    }
}
