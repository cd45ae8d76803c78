//! Settings of declared ports that the catalogue does not know.

use std::collections::hash_map::Entry;

use super::client_address::is_client_address;
use super::evidence_kind::EvidenceKind;
use super::forwarded_options::forwarding_option;
use super::hints::{BindHint, HintedBy};
use super::number_settings::{NumberSettings, SettingEvidence, shows_listener_by_address};
use super::reader::{Reader, is_listener_address_name};
use super::rejection::{OtherEvidence, RejectionReason};
use super::role::Role;
use super::types::{Binding, Listener};
use crate::catalog::{self, Library};
use crate::model::facts::ConfigPlace;
use crate::model::pod::ContainerPort;
use crate::model::setting::{PortSetting, Setting};
use crate::model::text::{Form, Name};

impl Reader<'_> {
    /// Returns the settings of a declared port that the catalogue does not know.
    pub(super) fn binding_of(&mut self, number: u16) -> Binding {
        let sets = |position: &usize| self.is_set_by(*position, EvidenceKind::Declared);
        let listen: Vec<usize> = self.places_of(number).into_iter().filter(sets).collect();
        let has_setting = |positions: &[usize]| positions.iter().any(|position| !self.only_follows(*position));
        if has_setting(&listen) {
            return Binding::Visible(self.mark_places_used(&listen));
        }
        if let Some(place) = self.variable_of_config_map(number) {
            return Binding::from_config_map(place);
        }
        // Another listener with the same number (TCP and UDP) may have the same setting.
        let same = self.by_number.get(&number).into_iter().flatten();
        let shared: Vec<usize> = same.copied().filter(sets).collect();
        if has_setting(&shared) {
            return Binding::Visible(self.mark_places_used(&shared));
        }
        let elsewhere = self.places_of(number);
        let may_set = elsewhere.iter().filter(|position| !self.only_follows(**position));
        let places = may_set.filter_map(|&position| self.visible.get(position));
        Binding::Unknown(places.map(|(_, place)| place.clone()).collect())
    }

    /// Returns a variable with a listen name whose value comes from a ConfigMap and has this port number, or a flag
    /// that expands one.
    fn variable_of_config_map(&self, number: u16) -> Option<ConfigPlace> {
        let variables = self.maps_by_number.get(&number).into_iter().flatten();
        let sets = |place: &&ConfigPlace| {
            let port = place.to_port_setting();
            self.is_listen(&place.name)
                && !self.is_client_only_variable(&port)
                && self.rejection_of_variable(&port, Some(EvidenceKind::Declared)).is_none()
        };
        variables.filter_map(|&position| self.from_maps.get(position)).find(sets).cloned()
    }

    /// Returns the reason to reject a variable whose value comes from a ConfigMap, or a flag that expands such a
    /// variable.
    pub(super) fn rejection_of_variable(
        &self,
        port: &PortSetting,
        shown: Option<EvidenceKind>,
    ) -> Option<RejectionReason> {
        let rejection_reason = |port: &PortSetting| {
            let other = Setting::named(&port.name);
            self.rejection_reason(self.find_setting_by_name(&port.name).unwrap_or(&other), port, shown)
        };
        // The number of a flag is the value of a variable, which may be the port of another program.
        let mut same =
            self.maps_by_number.get(&port.port).into_iter().flatten().filter_map(|&at| self.from_maps.get(at));
        let is_source = |other: &&ConfigPlace| other.name != port.name && other.place == port.place;
        let source = same.find(is_source).filter(|_| self.settings.variable(&port.name).is_none());
        rejection_reason(port)
            .or_else(|| rejection_reason(&source?.to_port_setting()).filter(RejectionReason::explains))
    }

    /// First variable, or last flag, with this name.
    fn find_setting_by_name(&self, name: &str) -> Option<&Setting> {
        self.settings.variable(name).or_else(|| self.flag(name))
    }

    /// True if a text of this container sets the port number of a listener; `shown` is further evidence for the
    /// listener.
    pub(super) fn is_set_by(&self, position: usize, shown: EvidenceKind) -> bool {
        let Some((setting, place)) = self.visible.get(position) else { return false };
        let Some(setting) = self.settings.get(*setting) else { return false };
        (self.is_listen(&place.name) || shows_listener_by_address(place))
            && self.rejection_reason(setting, place, Some(shown)).is_none()
    }

    /// True for a loopback address of a flag or variable that also has an address of all interfaces, and so holds a list
    /// of listen addresses: `--addr=0.0.0.0:8181 --addr=127.0.0.1:8282`.
    pub(super) fn is_in_listen_list(&self, place: &PortSetting) -> bool {
        if place.form != Form::Loopback || place.is_url() || !is_listener_address_name(&Name::new(&place.name)) {
            return false;
        }
        let flag =
            |(setting, place): &(usize, PortSetting)| Some((place.name.clone(), self.settings.get(*setting)?.command));
        let lists = self.listen_lists.get_or_init(|| {
            let open = self.visible.iter().filter(|(_, place)| place.form == Form::AnyAddress);
            open.filter_map(flag).collect()
        });
        let mut same = self.by_number.get(&place.port).into_iter().flatten().filter_map(|&at| self.visible.get(at));
        let own = same.find(|(_, other)| other == place);
        own.and_then(flag).is_some_and(|flag| lists.contains(&flag))
    }

    /// True if a text of this container is among options for another program.
    pub(super) fn is_passed_on(&self, position: usize) -> bool {
        let setting = self.visible.get(position).and_then(|(setting, _)| self.settings.get(*setting));
        setting
            .is_some_and(|setting| forwarding_option(self.pod_names, self.container, &self.settings, setting).is_some())
    }

    /// True if a text of this container never sets a port, but changes together with its setting: an address that
    /// clients dial, or a variable that only such addresses expand. False for names of scaffolds.
    pub(super) fn only_follows(&self, position: usize) -> bool {
        let Some((setting, place)) = self.visible.get(position) else { return false };
        if self.scaffold_role(&place.name).is_some() {
            return false;
        }
        let is_dialled = |(setting, place): &(usize, PortSetting)| {
            is_client_address(self.container, self.settings.get(*setting), place)
        };
        let same = self.by_number.get(&place.port).into_iter().flatten().filter_map(|&same| self.visible.get(same));
        let mut users = same.filter(|(user, other)| user != setting && other.place == place.place).peekable();
        let is_expanded = place.variable && !self.is_listen(&place.name) && users.peek().is_some();
        is_dialled(&(*setting, place.clone())) || (is_expanded && users.all(is_dialled))
    }

    /// True if a variable whose value comes from a ConfigMap never sets a port, but changes together with its setting.
    pub(super) fn is_client_only_variable(&self, port: &PortSetting) -> bool {
        self.scaffold_role(&port.name).is_none()
            && is_client_address(self.container, self.find_setting_by_name(&port.name), port)
    }

    /// Collects the settings of each number: the catalogue, addresses of all interfaces, scaffold flags, `bind` entries
    /// with a port number that one of these sets, and listen names.
    pub(super) fn collect_number_settings(&mut self, found: &[Listener]) {
        let of_catalogue =
            found.iter().filter_map(|listener| Some((listener.number, NumberSettings::from_listener(listener)?)));
        let mut all: Vec<(u16, NumberSettings)> = of_catalogue.collect();
        let container = self.container;
        let of_text = |port: &PortSetting, shown_by: SettingEvidence| {
            let ports = container.ports.iter().flatten().filter(|declared| declared.number() == Some(port.port));
            let names = ports.filter_map(|port| port.name.as_deref());
            (port.port, NumberSettings::from_text(&port.name, names, shown_by))
        };
        let mut by_name = Vec::new();
        for (position, (_, port)) in self.visible.iter().enumerate() {
            let shown_by = match self.scaffold_role(&port.name) {
                Some(_) => SettingEvidence::Known,
                None if shows_listener_by_address(port) => SettingEvidence::Form,
                None => SettingEvidence::Name,
            };
            let is_certain = shown_by != SettingEvidence::Name;
            // A single text with the number cannot conflict with another text.
            let has_others = || self.by_number.get(&port.port).is_some_and(|same| same.len() > 1);
            let shown = if is_certain { EvidenceKind::AnyAddress } else { EvidenceKind::Declared };
            if (is_certain || has_others())
                && !self.is_passed_on(position)
                && !self.only_follows(position)
                && self.is_set_by(position, shown)
            {
                let to = if is_certain { &mut all } else { &mut by_name };
                to.push(of_text(port, shown_by));
            }
        }
        for port in self.from_maps.iter().map(ConfigPlace::to_port_setting) {
            let is_certain =
                shows_listener_by_address(&port) && self.is_listen(&port.name) && !self.is_client_only_variable(&port);
            if is_certain && self.rejection_of_variable(&port, None).is_none() {
                all.push(of_text(&port, SettingEvidence::Form));
            }
        }
        let is_own = |hint: &&BindHint| hint.container == container.name;
        let bound: Vec<(u16, NumberSettings)> = self
            .hints
            .bind
            .iter()
            .filter(is_own)
            .filter_map(|hint| {
                let name = match &hint.set_by {
                    HintedBy::Setting(setting, _) => setting.name(),
                    HintedBy::Annotation(key, _) | HintedBy::File { key, .. } => key,
                    HintedBy::Nothing => return None,
                };
                let mut ports = container.ports.iter().flatten();
                let declared = ports.find(|port| port.name.as_deref() == Some(hint.port.as_str()));
                let written = || self.visible.iter().find(|(_, port)| port.name == name).map(|(_, port)| port.port);
                let number = declared.and_then(ContainerPort::number).or(hint.number).or_else(written)?;
                let is_known = all.iter().any(|(known, _)| *known == number);
                is_known.then(|| {
                    (
                        number,
                        NumberSettings::from_text(name, std::iter::once(hint.port.as_str()), SettingEvidence::Known),
                    )
                })
            })
            .collect();
        let declared = container.ports.iter().flatten().filter_map(|port| {
            // Skip numbers that occur in no text: a port name is only compared with texts.
            let number = port
                .number()
                .filter(|number| self.by_number.contains_key(number) || self.maps_by_number.contains_key(number))?;
            Some((number, NumberSettings::from_port_name(port.name.as_deref()?)?))
        });
        let declared: Vec<(u16, NumberSettings)> = declared.collect();
        for (number, certain) in all.into_iter().chain(bound).chain(by_name).chain(declared) {
            match self.certain.entry(number) {
                Entry::Occupied(mut known) => known.get_mut().add(certain),
                Entry::Vacant(new) => _ = new.insert(certain),
            }
        }
    }

    /// Returns the reason to reject a text, or to reject the variable from which the text takes its number. For names
    /// of scaffolds and libraries, only reasons about the owner of the number count.
    pub(super) fn rejection_reason(
        &self,
        setting: &Setting,
        place: &PortSetting,
        shown: Option<EvidenceKind>,
    ) -> Option<RejectionReason> {
        let known = self.scaffold_role(&place.name).is_some();
        let own = self
            .rejection_of_own_text(setting, place, shown)
            .filter(|rejection_reason| !known || rejection_reason.may_belong_to_other_program());
        // The number of `-p $DB_PORT` is the value of DB_PORT, which may be the port of another program.
        own.or_else(|| {
            let (source, seen) = self.settings.source(setting, &place.place)?;
            self.rejection_of_own_text(source, &seen, shown).filter(RejectionReason::explains)
        })
    }

    /// Returns the reason to reject a text itself; `shown` is further evidence of its port number.
    fn rejection_of_own_text(
        &self,
        setting: &Setting,
        place: &PortSetting,
        shown: Option<EvidenceKind>,
    ) -> Option<RejectionReason> {
        let passed_on = forwarding_option(self.pod_names, self.container, &self.settings, setting);
        let mut names = passed_on.iter().map(|(name, _)| *name).chain([place.name.as_str()]);
        if let Some(rejection_reason) = names.find_map(|name| self.not_listen_reason(name)) {
            return Some(rejection_reason);
        }
        let mut others = self.seen.get(&place.port).copied().unwrap_or_default();
        if let Some(evidence_kind) = shown {
            others.add(evidence_kind);
        }
        let firm = [
            EvidenceKind::Declared,
            EvidenceKind::Catalogue,
            EvidenceKind::Bind,
            EvidenceKind::Probe,
            EvidenceKind::Service,
        ];
        let others = OtherEvidence {
            count: others.len(),
            firm: firm.into_iter().any(|evidence_kind| others.has(evidence_kind)),
        };
        let rejection_reason = self.pod_names.rejection_of_text(self.container, &self.settings, setting, place, others);
        rejection_reason.or_else(|| {
            let certain = self.certain.get(&place.port)?;
            certain.rejection_by_other_setting(self.pod_names, self.container, &self.settings, (setting, place))
        })
    }

    /// Reason to reject a setting that the program's `notListen` lists.
    fn not_listen_reason(&self, name: &str) -> Option<RejectionReason> {
        let lists =
            self.program.as_ref().is_some_and(|(program, _)| program.not_listen.iter().any(|known| known == name));
        lists.then_some(RejectionReason::NotListen)
    }

    /// True if a flag or variable with this name may set a listening port.
    pub(super) fn is_listen(&self, name: &str) -> bool {
        self.not_listen_reason(name).is_none()
            && (Name::new(name).is_listen() || name == "-p" || self.scaffold_role(name).is_some())
    }

    /// Returns the role of the listener whose number this flag or variable of a scaffold sets. The name means the same
    /// in every program that was generated from the scaffold.
    pub(super) fn scaffold_role(&self, name: &str) -> Option<Role> {
        let of_runtime = || catalog::runtime_option(name).map(|option| option.role);
        let known = self.hints.scaffold_role(name).or_else(of_runtime);
        known.map(Role::from_catalog).or_else(|| self.library_role(name))
    }

    /// Returns the role of the listener whose number this variable sets, if the variables of the container show the
    /// library.
    fn library_role(&self, name: &str) -> Option<Role> {
        let is_shown = |library: &Library| library.is_shown(|name, value| self.container.has_setting(name, value));
        let port_of =
            |library: &'static Library| library.opens.iter().find(|port| [port.env, port.arg].contains(&Some(name)));
        let mut named = catalog::LIBRARIES.iter().filter_map(|library| Some((library, port_of(library)?)));
        let (_, port) = named.find(|(library, _)| is_shown(library))?;
        Some(Role::from_name(port.name).unwrap_or(Role::Other))
    }
}
