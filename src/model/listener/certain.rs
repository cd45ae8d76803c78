//! Settings that certainly set a number. The same number without host in another text may then be the port of another
//! program.
//!
//! An operator with `--metrics-addr=:8000` may pass `RUNNER_PORT=8000` to the pods that it creates. Such a text is not
//! a setting of the operator's own port: it is not changed, which blocks the move, unless other texts show that it
//! refers to this process.

use std::collections::BTreeSet;

use super::objection::{Objection, Surroundings};
use super::types::{Binding, Listener};
use super::witness::Witness;
use crate::model::pod::Container;
use crate::model::setting::{PortSetting, Setting, Settings};
use crate::model::text::{Form, HostKind, Name, literal_host_kind};
use oci::name::ImageRef;

/// Settings that certainly set the number of a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Certain {
    /// Flag or variable, or the catalogue, for messages.
    by: String,
    /// Purposes in all names of the port.
    purposes: BTreeSet<String>,
}

impl Certain {
    /// Returns the certain settings of a listener; `None` if only a number without host sets it.
    pub(in crate::model) fn from_listener(listener: &Listener) -> Option<Self> {
        let known = [Witness::Catalogue, Witness::ConfigFile, Witness::AnyAddress, Witness::Scaffold];
        let by_address = |place: &PortSetting| is_by_form(place);
        let is_certain = match &listener.binding {
            Binding::Visible(places) => places.iter().any(by_address),
            Binding::ConfigMap(place) => by_address(&place.as_setting()),
            _ => false,
        };
        if !is_certain && !known.into_iter().any(|witness| listener.witnesses.has(witness)) {
            return None;
        }
        let added = match &listener.binding {
            Binding::Add { known, .. } => Some(known.name()),
            _ => None,
        };
        let set_by: Vec<&str> = listener.binding.places().map(|(.., name)| name).chain(added).collect();
        let by = set_by.first().map_or_else(|| "the catalogue".to_owned(), |name| format!("`{name}`"));
        let names = set_by.into_iter().chain([listener.label.as_str(), listener.role.as_str()]);
        Some(Self::new(by, names))
    }

    /// Creates the certain setting for a flag or variable; `port_names` are the names of the ports that it sets.
    pub(super) fn from_text<'n>(name: &'n str, port_names: impl Iterator<Item = &'n str>) -> Self {
        Self::new(format!("`{name}`"), std::iter::once(name).chain(port_names))
    }

    fn new<'n>(by: String, names: impl Iterator<Item = &'n str>) -> Self {
        let purposes = names.flat_map(|name| Name::new(name).purposes().map(str::to_owned).collect::<Vec<_>>());
        Self { by, purposes: purposes.collect() }
    }

    /// Adds the purposes of another certain setting of the number.
    pub(super) fn add(&mut self, other: Self) {
        self.purposes.extend(other.purposes);
    }

    /// Returns the objection to the same number without host in another text: a word of its name with another purpose.
    /// `None` if other texts show that it refers to this process.
    pub(in crate::model) fn against(
        &self,
        surroundings: &Surroundings<'_>,
        container: &Container,
        settings: &Settings,
        (setting, port): (&Setting, &PortSetting),
    ) -> Option<Objection> {
        if port.form != Form::Bare {
            return None;
        }
        let image = ImageRef::split(&container.image).last_segment();
        let command = container.command.iter().flatten().next().and_then(|word| word.rsplit('/').next());
        let own_names = [surroundings.meta.name.as_str(), container.name.as_str(), image, command.unwrap_or_default()];
        let own_names = own_names.map(Name::new);
        let full = Name::new(&port.name);
        let name = own_names.iter().fold(full.clone(), |name, start| name.without_start(start));
        let is_short = matches!(port.name.as_str(), "-p" | "-P");
        let word = name.purposes().find(|word| !is_short && !self.purposes.contains(*word))?.to_owned();
        let siblings = surroundings.siblings(container, settings);
        let is_loopback = |host: &str| literal_host_kind(host) == Some(HostKind::Loopback);
        let has_own_host = || {
            let stems = full.port_stems();
            let stems = stems.iter().filter(|stem| !stem.is_empty());
            stems.flat_map(|stem| siblings.own_hosts(stem, setting)).any(is_loopback)
        };
        let is_own = settings.is_in_own_address(container, port) || has_own_host();
        (!is_own).then(|| Objection::Another { by: self.by.clone(), word })
    }
}

/// True for an address of all interfaces: only a process that listens has one, whatever the name of the flag. False if
/// the name has a word for another program, unless it contains `listen` or `bind`: `SMTP_SERVER_LISTEN`.
pub(in crate::model) fn is_by_form(place: &PortSetting) -> bool {
    let name = Name::new(&place.name);
    place.form == Form::AnyAddress && (!name.names_another() || name.contains_listen())
}
