//! Reasons not to treat a text as a port setting of its container.
//!
//! Settings of the catalogue and of `bind` are never rejected.

use std::cell::OnceCell;

use super::own_names::OwnNames;
use crate::model::facts::{Facts, Service};
use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{AddressOwner, Container, PodTemplate};
use crate::model::setting::{Host, PortSetting, Setting, SettingHosts, Settings};
use crate::model::text::{Form, HostKind, Name, Stem, hosts_of, literal_host_kind, literal_ip, variable_in_host};
use oci::name::ImageRef;

/// Reason not to treat a text as a port setting of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RejectionReason {
    /// Another flag or variable with the same stem contains the host of another program: its name
    /// and this host.
    Sibling(String, String),
    /// Another flag or variable whose stem is the start of this stem contains a host (`NGINX_HOST`
    /// and `NGINX_STATUS_PORT`): its name and this host.
    Relative(String, String),
    /// Another flag or variable with the same stem of general words (`APP_HOST` and `APP_PORT`) contains the name of a
    /// host, which may be the public name of this program: its name and this host.
    PublicHost(String, String),
    /// Another object that has a port with this number and whose name is part of the setting's name.
    Named(String),
    /// Another setting certainly sets the number, and a word of this name indicates another purpose.
    Another {
        /// Flag or variable that sets the port number, or the catalogue.
        by: String,
        /// Word with the other purpose.
        word: String,
    },
    /// Another setting certainly sets the port number, and this text is among options for another program.
    PassedOn {
        /// Flag or variable that sets the port number, or the catalogue.
        by: String,
        /// Flag or variable with the options.
        name: String,
        /// Word of this name that shows the other program.
        word: String,
    },
    /// Word that may be a host that the setting's command dials, while another command sets the number:
    /// `ssh -p 2222 user@example.com`.
    Remote(String),
    /// Word that port names do not have, such as `timeout`.
    Word(String),
    /// Number without host, under a name that does not end like the name of a port.
    Ending,
    /// `notListen` of the program contains the name.
    NotListen,
    /// Address that clients dial.
    Client,
    /// Number below 10, which is more likely a count than a port.
    Small,
}

impl RejectionReason {
    /// True if the reason shows which program uses the port number, so that the text can safely stay unchanged.
    pub fn explains(&self) -> bool {
        matches!(self, Self::Sibling(..) | Self::Relative(..) | Self::Named(_) | Self::NotListen)
    }

    /// True if the port number may belong to another program, whatever the name of its setting.
    pub(super) fn may_belong_to_other_program(&self) -> bool {
        self.explains() || matches!(self, Self::PassedOn { .. })
    }

    /// True if a text with this reason may still set a port, and is a [`Guess`](super::evidence_kind::Guess) if no
    /// other evidence shows the number: `Sibling` for an address of all interfaces, `Relative` for any text.
    pub(super) fn may_be_guess(&self, form: Form) -> bool {
        match self {
            Self::Sibling(..) | Self::PublicHost(..) => form == Form::AnyAddress,
            Self::Relative(..) => true,
            _ => false,
        }
    }
}

impl std::fmt::Display for RejectionReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sibling(name, host) | Self::Relative(name, host) => {
                write!(f, "`{name}` names the host `{host}`, which is not this pod")
            }
            Self::PublicHost(name, host) => {
                write!(f, "`{name}` names the host `{host}`, which may be another program's")
            }
            Self::Another { by, word } => {
                write!(
                    f,
                    "{by} has the number, and the word `{word}` in that name suggests the port of another program"
                )
            }
            Self::PassedOn { by, name, word } => {
                write!(
                    f,
                    "{by} sets the number, and the word `{word}` suggests that `{name}` contains options for another \
                     program"
                )
            }
            Self::Remote(word) => write!(f, "its command may dial `{word}`"),
            Self::Named(object) => write!(f, "its name contains the name of {object}, which has this port"),
            Self::Word(word) => write!(f, "its name has the word `{word}`"),
            Self::Ending => write!(f, "its name does not end like the name of a port"),
            Self::NotListen => write!(f, "`notListen` lists it"),
            Self::Client => {
                write!(f, "clients dial this address, so the address refers to the port and does not set it")
            }
            Self::Small => write!(f, "the number is below 10"),
        }
    }
}

/// Other evidence for the number of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::model) struct OtherEvidence {
    /// Number of further kinds of evidence that the container listens on the port number.
    pub(in crate::model) count: usize,
    /// True if one of them is a declared port, the catalogue, `bind`, a probe or a Service of the pod.
    /// [`WorkloadEvidence`](super::workload_evidence::WorkloadEvidence) sets it for any evidence.
    pub(in crate::model) firm: bool,
}

/// Names of a pod and of its Services, to recognize the hosts and ports of other objects.
#[derive(Debug)]
pub(in crate::model) struct PodNames<'m> {
    pub(in crate::model) model: &'m Model,
    pub(in crate::model) meta: &'m Meta,
    template: &'m PodTemplate,
    /// Collected at first use: most pods have no text with a host name, and a Service may select thousands of pods.
    names: OnceCell<OwnNames>,
}

impl<'m> PodNames<'m> {
    pub(in crate::model) fn new(model: &'m Model, meta: &'m Meta, template: &'m PodTemplate) -> Self {
        Self { model, meta, template, names: OnceCell::new() }
    }

    /// Names of the pods and their Services, read at first use.
    fn names(&self) -> &OwnNames {
        self.names.get_or_init(|| OwnNames::new(self.model, self.meta, self.template))
    }

    /// Names of the Services that select the pod, in lower case, sorted.
    pub(in crate::model) fn services(&self) -> impl Iterator<Item = &str> {
        std::iter::once_with(|| self.names().services()).flatten()
    }

    /// Classifies a host in a text of a container. A variable with an unknown value, for example from a Secret, counts
    /// as another host: it is not the address of the pod.
    pub(in crate::model) fn classify_host(&self, container: &Container, host: &str) -> HostKind {
        literal_host_kind(host).unwrap_or_else(|| self.names().classify_host(container, host))
    }

    /// Classifies a host: the pod itself, a Service of the pod, or another host.
    pub(in crate::model) fn of_name(&self, host: &str) -> HostKind {
        literal_host_kind(host).unwrap_or_else(|| self.names().of_name(host))
    }

    /// Names of the workload, the container, its image and its command.
    pub(super) fn program_names(&self, container: &Container) -> [Name; 4] {
        let image = ImageRef::split(&container.image).last_segment();
        let command = container.command.iter().flatten().next().and_then(|word| word.rsplit('/').next());
        [self.meta.name.as_str(), container.name.as_str(), image, command.unwrap_or_default()].map(Name::new)
    }

    /// Returns the strongest reason to reject a text; `settings` are all settings of its container.
    pub(in crate::model) fn rejection_of_text(
        &self,
        container: &Container,
        settings: &Settings,
        setting: &Setting,
        port: &PortSetting,
        others: OtherEvidence,
    ) -> Option<RejectionReason> {
        let name = Name::new(&setting.name);
        if port.port < 10 {
            return Some(RejectionReason::Small);
        }
        // An address includes its host, and clients have no flag such as `--listen`.
        let is_shown = others.count > 0 || port.form != Form::Bare || name.contains_listen();
        if let Some(rejection_reason) = self.sibling(container, settings, setting, &name, (port.port, is_shown)) {
            return Some(rejection_reason);
        }
        if let Some(rejection_reason) = self.client(container, settings, setting, port) {
            return Some(rejection_reason);
        }
        if port.form != Form::AnyAddress
            && let Some(object) = self.named_object(&name, port.port, others.firm)
        {
            return Some(RejectionReason::Named(object));
        }
        // A variable that enables a feature may contain its address: `ENABLE_METRICS=0.0.0.0:9090`.
        let turns_on = |word: &str| port.form == Form::AnyAddress && matches!(word, "enable" | "enabled");
        if let Some(word) = name.not_port().filter(|word| !turns_on(word)) {
            return Some(RejectionReason::Word(word.to_owned()));
        }
        if name.is_default() && others.count < 2 {
            return Some(RejectionReason::Word("default".to_owned()));
        }
        let short = matches!(setting.name.as_str(), "-p" | "-P");
        (port.form == Form::Bare && !name.has_port_suffix() && !short).then_some(RejectionReason::Ending)
    }

    /// Returns a reason if a flag or variable with the same stem, or with the start of the
    /// stem, names another host. If there is other evidence for the number, names without stem (`HOST` and `PORT`) are no
    /// reason, and neither is a public host under the name of the program: `N8N_HOST=n8n.example.com`.
    fn sibling<'s>(
        &self,
        container: &Container,
        settings: &'s Settings,
        setting: &Setting,
        name: &Name,
        (port, is_shown): (u16, bool),
    ) -> Option<RejectionReason> {
        let siblings = self.siblings(container, settings);
        let is_own = |stem: &Stem| stem.belongs_to(&[self.meta.name.as_str(), container.name.as_str()].map(Name::new));
        let stems = name.port_stems();
        let short = matches!(setting.name.as_str(), "-p" | "-P");
        let mut first: Option<(&Host, bool)> = None;
        let mut add = |host: Option<&'s Host>, same: bool| {
            // A flag whose address comes from a ConfigMap is no sibling of itself.
            let is_itself = |host: &Host| settings.get(host.setting).is_some_and(|other| std::ptr::eq(other, setting));
            if let Some(host) = host
                && !is_itself(host)
                && first.is_none_or(|(known, _)| host < known)
            {
                first = Some((host, same));
            }
        };
        // Only clients have `-h HOST -p PORT`.
        add(siblings.short(setting).filter(|_| short), true);
        if !is_shown && (short || stems.iter().any(Stem::is_empty)) {
            add(siblings.of_stem(&Stem::empty(), setting), true);
        }
        let own_names = OnceCell::new();
        let is_public_of_program = |stem: &Stem, found: &Host| {
            is_shown
                && stem.starts_with_one_of(own_names.get_or_init(|| self.program_names(container)))
                && self.may_be_public(&found.host)
        };
        for stem in stems.first().into_iter().flat_map(Stem::starts).filter(|stem| !stem.is_empty()) {
            let host = siblings.of_stem(&stem, setting).filter(|found| !is_public_of_program(&stem, found));
            add(host, stems.contains(&stem));
        }
        for stem in stems.iter().filter(|stem| !stem.is_empty()) {
            let labelled = siblings.first_host_by_label(stem, setting);
            add(labelled.filter(|found| !is_own(stem) && self.may_have_port(&found.host, port)), true);
        }
        let (found, same) = first?;
        let (name, host) = (settings.get(found.setting)?.name.clone(), found.host.clone());
        let is_general = Name::new(&name).host_stem().is_some_and(|stem| !stem.is_empty() && stem.is_general());
        if same && is_general && self.may_be_public(&host) {
            return Some(RejectionReason::PublicHost(name, host));
        }
        Some(if same { RejectionReason::Sibling(name, host) } else { RejectionReason::Relative(name, host) })
    }

    /// Returns a reason if the command line dials another host and another text sets the
    /// number: `pg_dump --host=db.example.com --port=5432` before `postgres -p 5432`.
    fn client(
        &self,
        container: &Container,
        settings: &Settings,
        setting: &Setting,
        port: &PortSetting,
    ) -> Option<RejectionReason> {
        if setting.variable || port.form != Form::Bare {
            return None;
        }
        let siblings = self.siblings(container, settings);
        let sets_too = |(other, place): (&Setting, PortSetting)| {
            let name = Name::new(&other.name);
            let in_another_command = other.command.is_some()
                && other.command != setting.command
                && siblings.host_dialled_by_command(other).is_none();
            place.place != port.place
                && (name.contains_listen() || place.form == Form::AnyAddress || in_another_command)
                && (name.is_listen() || other.name == "-p")
        };
        if !settings.port_places_with_settings(port.port).any(sets_too) {
            return None;
        }
        if let Some(host) = siblings.host_dialled_by_command(setting) {
            return Some(RejectionReason::Sibling(settings.get(host.setting)?.name.clone(), host.host.clone()));
        }
        let is_another = |host: &str| self.classify_host(container, host) == HostKind::Another;
        settings.remotes(container).of_command(setting.command?, is_another).map(RejectionReason::Remote)
    }

    /// True if the command line of a flag in a probe or hook dials another host: `redis-cli -h cache -p 6379`.
    pub(in crate::model) fn dials_other_host(
        &self,
        container: &Container,
        settings: &Settings,
        setting: &Setting,
    ) -> bool {
        self.siblings(container, settings).host_dialled_by_command(setting).is_some()
    }

    /// Returns the hosts in the flags and variables of a container.
    pub(in crate::model) fn siblings<'s>(&self, container: &Container, settings: &'s Settings) -> &'s SettingHosts {
        let another = |other: &Setting| self.another_host(container, settings, other);
        let is_own = |host: &str| {
            literal_host_kind(host) == Some(HostKind::Loopback)
                || self.names().service_ids(&service_name(host)).next().is_some()
        };
        settings
            .siblings
            .get_or_init(|| SettingHosts::new(settings, another, is_own, |other| self.labelled(container, other)))
    }

    /// Returns the host in a flag or variable, unless it is the pod itself.
    pub(in crate::model) fn another_host(
        &self,
        container: &Container,
        settings: &Settings,
        setting: &Setting,
    ) -> Option<String> {
        let Some(value) = &setting.value else {
            // The value comes from elsewhere: Kubernetes may set the address of the pod; a value from a Secret is never
            // that address.
            let (_, var) = container.env_var(&setting.name).filter(|_| setting.variable)?;
            let own = matches!(var.ip, Some(AddressOwner::Pod | AddressOwner::Name));
            return (!own).then(|| UNKNOWN_HOST.to_owned());
        };
        // A value with port numbers is already read as an address of this pod.
        if setting.ports().next().is_some() {
            return None;
        }
        // The value of a variable may be a key of a ConfigMap, which only `settings` has.
        let classify_host = |host: &str| {
            let variable = || settings.variable_with_value(variable_in_host(host)?)?.value.as_deref();
            match self.classify_host(container, host) {
                HostKind::Another => variable().map_or(HostKind::Another, |value| self.of_name(value.trim())),
                kind => kind,
            }
        };
        // A process listens at an address of its own node: `--web.listen-address=10.0.0.1:9104`.
        let is_listen = Name::new(&setting.name).contains_listen();
        let another = |host: &&str| {
            let is_own_address = is_listen && literal_ip(host).is_some();
            !is_own_address && classify_host(host) == HostKind::Another
        };
        hosts_of(value).find(another).map(str::to_owned)
    }

    /// Returns the host of another program in a setting whose value shows that it is a host, for each stem of its name:
    /// `AUTH_DNS=authd.shop.svc`, `AUTH_NAME=authd` if the input has Service `authd`.
    fn labelled(&self, container: &Container, setting: &Setting) -> Vec<(Stem, String)> {
        let value = setting.value.as_deref().unwrap_or_default();
        let mut hosts = hosts_of(value);
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Vec::new() };
        if value.contains(['/', '$']) {
            return Vec::new();
        }
        let is_service = has_service_zone(host) || self.services_of_host(host).next().is_some();
        // Check the kind of the host last, since most values are not hosts.
        if !is_service && !has_labels(host) || self.classify_host(container, host) != HostKind::Another {
            return Vec::new();
        }
        let stems = Name::new(&setting.name).label_stems().into_iter();
        let is_host = |(stem, needs_service): (Stem, bool)| (is_service || !needs_service).then_some(stem);
        stems.filter_map(is_host).map(|stem| (stem, host.to_owned())).collect()
    }

    /// True for a host that may be the public name of the pod's own program: a name with several labels that is not the
    /// name of a Service, and a value that the input does not contain.
    fn may_be_public(&self, host: &str) -> bool {
        let is_name = has_labels(host) && literal_ip(host).is_none() && !has_service_zone(host);
        host == UNKNOWN_HOST || (is_name && self.services_of_host(host).next().is_none())
    }

    /// Services of the input that a host such as `authd` or `authd.shop` means for a pod of this namespace.
    fn services_of_host<'h>(&'h self, host: &'h str) -> impl Iterator<Item = &'h Service> {
        let mut labels = host.trim_end_matches('.').splitn(3, '.');
        let (name, namespace, zone) = (labels.next().unwrap_or_default(), labels.next(), labels.next());
        let wanted = namespace.or(self.meta.namespace.as_deref());
        let is_here = move |meta: &Meta| match (wanted, meta.namespace.as_deref()) {
            (Some(wanted), Some(own)) => wanted == own,
            _ => true,
        };
        let is_name = zone.is_none_or(|zone| zone == "svc" || zone.starts_with("svc."));
        let named = self.model.services_named(name).filter(move |(_, meta, _)| is_name && is_here(meta));
        named.map(|(.., service)| service)
    }

    /// True if a host may have the port: a Service of the input must declare it, any other host may have it.
    fn may_have_port(&self, host: &str, number: u16) -> bool {
        let has = |service: &Service| {
            let ports = service.ports.iter().flat_map(|port| [port.port, port.target_number()]);
            ports.flatten().any(|port| port == number)
        };
        host.contains('.') || self.services_of_host(host).any(has)
    }

    /// Returns a Service or workload that has this port and whose name is part of a setting's name; not the workload
    /// and Services of the pod itself. With `firm`, names that consist of words for protocols and roles do not count:
    /// `METRICS_PORT` and Service `metrics`.
    fn named_object(&self, name: &Name, port: u16, firm: bool) -> Option<String> {
        let first = |ids: &[ObjectId]| {
            let meta = &self.model.object(*ids.first()?)?.meta;
            if meta.name == self.meta.name || (firm && Name::new(&meta.name).is_generic()) {
                return None;
            }
            let own = meta.name.to_ascii_lowercase();
            let is_own = |id: ObjectId| self.names().service_ids(&own).any(|of_pod| of_pod == id);
            ids.iter().copied().find(|id| !is_own(*id))
        };
        let id = self.model.owners_named(port, name).into_iter().filter_map(first).min()?;
        self.model.object(id).map(|object| object.meta.to_string())
    }

    /// True if the host is a Service of the pod with this `port`, whatever its `targetPort`: clients dial `port`. False
    /// for headless Services.
    pub(in crate::model) fn is_own_service_port(&self, host: &str, port: u16) -> bool {
        let name = service_name(host);
        self.names().service_ids(&name).any(|id| match self.model.object(id).map(|object| &object.facts) {
            Some(Facts::Service(service)) => {
                !service.headless && service.ports.iter().any(|service_port| service_port.port == Some(port))
            }
            _ => false,
        })
    }
}

/// Host in messages whose value is in a Secret, or in a ConfigMap that is not in the input.
const UNKNOWN_HOST: &str = "a value from elsewhere";

/// True for the name of a Service with its zone: `authd.shop.svc`.
fn has_service_zone(host: &str) -> bool {
    host.split('.').skip(2).any(|label| label == "svc")
}

/// True for an IP, and for a host name with several labels.
fn has_labels(host: &str) -> bool {
    let is_label = |label: &str| {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !label.is_empty() && label.chars().all(is_word)
    };
    let name = host.trim_end_matches('.');
    let is_name = name.contains('.') && name.split('.').all(is_label);
    let is_zone = |zone: &str| zone.len() > 1 && zone.chars().all(|c| c.is_ascii_alphabetic());
    literal_ip(host).is_some() || (is_name && name.rsplit('.').next().is_some_and(is_zone))
}

/// Returns the name that a Service with this host name has.
fn service_name(host: &str) -> String {
    host.split('.').next().unwrap_or_default().to_ascii_lowercase()
}
