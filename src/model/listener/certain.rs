//! Settings that certainly set a number: the same number alone in another text may then be the port of something else.
//!
//! An operator with `--metrics-addr=:8000` may pass `RUNNER_PORT=8000` on to the pods that it makes. Such a text is not a setting of the
//! operator's own port: it stays, and so it stops the move, unless it is shown to mean this process.

use std::collections::BTreeSet;

use super::objection::{Objection, Surroundings};
use super::types::{Binding, Listener};
use super::witness::Witness;
use crate::model::pod::Container;
use crate::model::setting::{PortSetting, Setting, Settings};
use crate::model::text::{Form, HostKind, Name, of_literal};
use oci::name::ImageRef;

/// The settings that certainly set the number of a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Certain {
    /// The flag or variable, or the catalogue.
    by: String,
    /// The purposes of all names of the port.
    purposes: BTreeSet<String>,
}

impl Certain {
    /// The settings that certainly set the number of a listener; `None` where only a number alone does.
    pub(in crate::model) fn of_listener(listener: &Listener) -> Option<Self> {
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

    /// A flag or variable of these names; `port_names` are those of the ports that it sets.
    pub(super) fn of_text<'n>(name: &'n str, port_names: impl Iterator<Item = &'n str>) -> Self {
        Self::new(format!("`{name}`"), std::iter::once(name).chain(port_names))
    }

    fn new<'n>(by: String, names: impl Iterator<Item = &'n str>) -> Self {
        let purposes = names.flat_map(|name| Name::of(name).purposes().map(str::to_owned).collect::<Vec<_>>());
        Self { by, purposes: purposes.collect() }
    }

    /// Adds the purposes of something else that sets the number for certain.
    pub(super) fn add(&mut self, other: Self) {
        self.purposes.extend(other.purposes);
    }

    /// The objection to the number alone in another text: a word of its name that tells another purpose. `None` where the text is shown
    /// to mean this process.
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
        let image = ImageRef::of(&container.image).last_segment();
        let command = container.command.iter().flatten().next().and_then(|word| word.rsplit('/').next());
        let own = [surroundings.meta.name.as_str(), container.name.as_str(), image, command.unwrap_or_default()];
        let own = own.map(Name::of);
        let full = Name::of(&port.name);
        let name = own.iter().fold(full.clone(), |name, own| name.without_start(own));
        let is_short = matches!(port.name.as_str(), "-p" | "-P");
        let word = name.purposes().find(|word| !is_short && !self.purposes.contains(*word))?.to_owned();
        let siblings = surroundings.siblings(container, settings);
        let is_loopback = |host: &str| of_literal(host) == Some(HostKind::Loopback);
        let has_own_host = || {
            let stems = full.port_stems();
            let stems = stems.iter().filter(|stem| !stem.is_empty());
            stems.flat_map(|stem| siblings.own_hosts(stem, setting)).any(is_loopback)
        };
        let is_own = settings.is_in_own_address(container, port) || has_own_host();
        (!is_own).then(|| Objection::Another { by: self.by.clone(), word })
    }
}

/// True for an address of all interfaces, which only a process that listens has, whatever its flag is called; not under a name that marks the
/// address of something else, unless the name tells who listens: `SMTP_SERVER_LISTEN`.
pub(in crate::model) fn is_by_form(place: &PortSetting) -> bool {
    let name = Name::of(&place.name);
    place.form == Form::AnyAddress && (!name.names_another() || name.says_listen())
}
