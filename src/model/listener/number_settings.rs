//! Settings that certainly set a port number. If such a setting exists, the same bare number in another text may be the
//! port of another program.
//!
//! An operator with `--metrics-addr=:8000` may pass `RUNNER_PORT=8000` to the pods that it creates. Such a text is not
//! a setting of the operator's own port: it is not changed, which blocks the move, unless other texts show that it
//! refers to this process.

use std::collections::BTreeSet;

use super::client_address::is_client_address;
use super::evidence_kind::EvidenceKind;
use super::forwarded_options::forwarding_option;
use super::rejection::{PodNames, RejectionReason};
use super::types::{Binding, Listener};
use crate::catalog;
use crate::model::pod::Container;
use crate::model::setting::{PortSetting, Setting, Settings};
use crate::model::text::{Form, HostKind, Name, host_before, literal_host_kind};

/// Known settings of the port number of a listener, with the evidence for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct NumberSettings(Vec<NumberSetting>);

/// A setting of the port number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NumberSetting {
    /// Flag, variable or port, or the catalogue, for messages.
    by: String,
    /// True for the name of a declared port.
    is_port_name: bool,
    /// Purposes of the port according to its names, such as `metrics`.
    purposes: BTreeSet<String>,
    /// Words of its names for programs that an operator may make, such as `app`.
    products: BTreeSet<String>,
    /// Words of its name that are neither roles nor words of the port's name; none for the catalogue and for the flag
    /// of a scaffold.
    further: BTreeSet<String>,
    /// True if there is evidence for the setting in addition to its name.
    is_certain: bool,
}

/// Evidence that a flag or variable sets a port number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingEvidence {
    /// A scaffold or `bind` has the name.
    Known,
    /// The value is an address of all interfaces.
    Form,
    /// The name alone.
    Name,
}

impl NumberSettings {
    /// Returns the settings of a listener; `None` without a setting.
    pub(in crate::model) fn from_listener(listener: &Listener) -> Option<Self> {
        let known =
            [EvidenceKind::Catalogue, EvidenceKind::ConfigFile, EvidenceKind::AnyAddress, EvidenceKind::Scaffold];
        let by_address = |place: &PortSetting| shows_listener_by_address(place);
        let is_certain = match &listener.binding {
            Binding::Visible(places) => places.iter().any(by_address),
            Binding::ConfigMap(place) => by_address(&place.to_port_setting()),
            _ => false,
        };
        let is_certain =
            is_certain || known.into_iter().any(|evidence_kind| listener.evidence_kinds.has(evidence_kind));
        let added = match &listener.binding {
            Binding::Add { known, .. } => Some(known.name()),
            _ => None,
        };
        let set_by: Vec<&str> = listener.binding.places().map(|(.., name)| name).chain(added).collect();
        let by = set_by.first().map(|name| format!("`{name}`"));
        let by = by.or_else(|| is_certain.then(|| "the catalogue".to_owned()))?;
        let names = set_by.into_iter().chain([listener.label.as_str(), listener.role.as_str()]);
        let (purposes, products) = (purposes(names.clone()), products(names));
        let further = BTreeSet::new();
        Some(Self(vec![NumberSetting { by, is_port_name: false, purposes, products, further, is_certain }]))
    }

    /// Creates the setting by a flag or variable; `port_names` are the names of the ports that it sets.
    pub(super) fn from_text<'n>(
        name: &'n str,
        port_names: impl Iterator<Item = &'n str>,
        shown_by: SettingEvidence,
    ) -> Self {
        let port_names: Vec<&str> = port_names.collect();
        let products = products(port_names.iter().copied().chain([name]));
        let (own, mut all) = (purposes(std::iter::once(name)), purposes(port_names.into_iter()));
        let is_known = shown_by == SettingEvidence::Known;
        let further = own.iter().filter(|word| !is_known && !is_role(word) && !all.contains(*word)).cloned().collect();
        all.extend(own);
        let is_certain = shown_by != SettingEvidence::Name;
        let by = format!("`{name}`");
        Self(vec![NumberSetting { by, is_port_name: false, purposes: all, products, further, is_certain }])
    }

    /// Creates the purpose of a declared port from its name: a number alone in a text of another purpose may be the port
    /// of another program, even if no other text has the number. `None` for a name without a role, and for `grpc`, which
    /// is the protocol of any server.
    pub(super) fn from_port_name(name: &str) -> Option<Self> {
        let names = || std::iter::once(name);
        let purposes = purposes(names());
        let has_role = purposes.iter().any(|word| is_role(word) && word != "grpc");
        has_role.then(|| {
            let by = format!("port `{name}`");
            let products = products(names());
            let further = BTreeSet::new();
            Self(vec![NumberSetting { by, is_port_name: true, purposes, products, further, is_certain: false }])
        })
    }

    /// Adds the other settings of the port number.
    pub(super) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the reason not to treat the same number in another text as a setting of this
    /// process: a word in the name of that text has another purpose, and a process cannot listen
    /// twice on a number. `None` if other texts show that the text refers to this process.
    ///
    /// A role is another purpose only for a number without host, next to a certain setting: `HEALTH_PORT` next to
    /// `--metrics-addr`. Servers with two addresses of all interfaces and one number serve both purposes.
    pub(in crate::model) fn rejection_by_other_setting(
        &self,
        pod_names: &PodNames<'_>,
        container: &Container,
        settings: &Settings,
        (setting, port): (&Setting, &PortSetting),
    ) -> Option<RejectionReason> {
        if let Some((name, word)) = forwarding_option(pod_names, container, settings, setting) {
            let known =
                self.0.iter().find(|known| (known.is_certain || known.further.is_empty()) && !known.is_port_name)?;
            return Some(RejectionReason::PassedOn { by: known.by.clone(), name: name.to_owned(), word });
        }
        let quoted = format!("`{}`", port.name);
        let is_bare = port.form == Form::Bare;
        // Only a process that listens has an address of all interfaces, whatever the name of its port.
        let others = || self.0.iter().filter(|known| known.by != quoted && (is_bare || !known.is_port_name));
        let full = Name::new(&port.name);
        // A word of both names tells nothing about the purpose: `SHOP_LISTEN`, `SHOP_AGENT_LISTEN`.
        let is_shared = |word: &String| full.purposes().any(|own| own == word);
        let names_role = |known: &NumberSetting| known.further.iter().all(is_shared);
        let owns = others().any(names_role);
        let is_certain = others().any(|known| known.is_certain);
        let is_client = is_client_address(container, Some(setting), port)
            && (is_bare || !is_all_interfaces(port) || full.is_dialled() || full.is_advertised());
        let may_be_of_another = (is_bare || port.form == Form::AnyAddress) && !is_client;
        if !may_be_of_another || matches!(port.name.as_str(), "-p" | "-P") {
            return None;
        }
        let programs = pod_names.program_names(container);
        let siblings = pod_names.siblings(container, settings);
        let is_loopback = |host: &str| literal_host_kind(host) == Some(HostKind::Loopback);
        let has_own_host = || {
            let stems = full.port_stems();
            let stems = stems.iter().filter(|stem| !stem.is_empty());
            stems.flat_map(|stem| siblings.own_hosts(stem, setting)).any(is_loopback)
        };
        let is_own = || is_bare && (settings.is_used_in_own_address(container, port) || has_own_host());
        let is_of_program = |word: &str| programs.iter().any(|program| program.is_in(word));
        let name = programs.iter().fold(full.clone(), |name, start| name.without_prefix_words(start));
        if !(owns || is_bare && is_certain) {
            let (by, word) = others().filter(|_| is_bare).find_map(|known| known.contradicts(&name, &is_of_program))?;
            return (!is_own()).then_some(RejectionReason::Another { by, word });
        }
        let only_port_names = || others().all(|known| known.is_port_name);
        let is_other = |word: &&str, only_certain: bool| {
            let mut known =
                others().filter(|known| (!owns || names_role(known)) && (known.is_certain || !only_certain));
            !known.any(|known| known.purposes.contains(*word))
        };
        let word = name.purposes().find(|word| {
            if is_role(word) {
                return is_bare && is_certain && is_other(word, true);
            }
            let is_known = || catalog::WORDS.aspects.contains(word) || is_of_program(word) || full.contains_listen();
            let is_plain = || only_port_names() && is_known();
            is_other(word, false) && !is_plain()
        });
        // A word such as `app` may name a program that the operator creates, if the purpose of all certain settings is
        // a role.
        let has_another = |known: &NumberSetting, word: &str| {
            known.purposes.iter().any(|purpose| is_role(purpose)) && !known.products.contains(word)
        };
        let product = || {
            let found = name.products().find(|word| {
                let mut certain = others().filter(|known| (!owns || names_role(known)) && known.is_certain);
                certain.all(|known| has_another(known, word))
            });
            found.filter(|_| is_bare && is_certain && name.purposes().next().is_none())
        };
        let word = word.or_else(product)?.to_owned();
        let by = others().find(|known| !owns || names_role(known))?.by.clone();
        (!is_own()).then_some(RejectionReason::Another { by, word })
    }
}

impl NumberSetting {
    /// Returns this setting and a word of another name that contradicts it: both are numbers alone, with only words of
    /// different purposes. Neither shows which one sets the number of the process: `ENGINE_PORT` and `EXECUTOR_PORT`.
    fn contradicts(&self, name: &Name, is_of_program: &impl Fn(&str) -> bool) -> Option<(String, String)> {
        let is_foreign = |word: &str| !is_role(word) && !catalog::WORDS.aspects.contains(&word) && !is_of_program(word);
        let mut words = name.purposes().filter(|word| is_foreign(word)).peekable();
        let word = (*words.peek()?).to_owned();
        let has_another = self.purposes.iter().any(|known| is_foreign(known));
        (has_another && !words.any(|word| self.purposes.contains(word))).then(|| (self.by.clone(), word))
    }
}

/// Words for purposes in names of settings, such as `metrics`.
fn purposes<'n>(names: impl Iterator<Item = &'n str>) -> BTreeSet<String> {
    names.flat_map(|name| Name::new(name).purposes().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Words for products in names of settings, such as `redis`.
fn products<'n>(names: impl Iterator<Item = &'n str>) -> BTreeSet<String> {
    names.flat_map(|name| Name::new(name).products().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// True for a port number after `0.0.0.0:` or `[::]:`, also in a URL: a client may dial it, and an operator may pass it
/// to the pods that it creates.
fn is_all_interfaces(port: &PortSetting) -> bool {
    let host = host_before(&port.place.text, port.place.range.start).filter(|host| host.colon);
    host.is_some_and(|host| literal_host_kind(host.text) == Some(HostKind::AnyAddress))
}

/// True for a word that names a role of a listener.
fn is_role(word: &str) -> bool {
    catalog::WORDS.roles.iter().any(|row| row.role == word)
}

/// True for an address of all interfaces: only a process that listens has one, whatever the name of the flag. False if
/// the name has a word for another program, unless it contains `listen` or `bind`: `SMTP_SERVER_LISTEN`.
pub(in crate::model) fn shows_listener_by_address(place: &PortSetting) -> bool {
    let name = Name::new(&place.name);
    place.form == Form::AnyAddress && (!name.has_other_program_word() || name.contains_listen())
}
