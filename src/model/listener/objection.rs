//! What speaks against a text that looks like a port setting: it is somebody else's port, or not a port at all.
//!
//! Nothing speaks against what the catalogue or `bind` says.

use std::collections::HashMap;

use super::own_names::OwnNames;
use crate::model::facts::Facts;
use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{Container, IpOf, PodTemplate};
use crate::model::setting::{Host, PortSetting, Setting, Settings, Siblings};
use crate::model::text::{Form, HostKind, Name, Stem, hosts_of, of_literal};

/// Why a text is not a port setting of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// A flag or variable of the same stem names somebody else's host: its name, and the host.
    Sibling(String, String),
    /// One whose stem is the beginning of this one's (`NGINX_HOST` beside `NGINX_STATUS_PORT`): its name, and the host.
    Relative(String, String),
    /// The number is a port of another object, which the text names: the object.
    Named(String),
    /// Something else sets the number for certain, and a word of this name tells another purpose: what sets it, and the word.
    Another {
        /// The flag or variable, or the catalogue.
        by: String,
        /// The word.
        word: String,
    },
    /// Another command sets the number, and a word of this one may be whom it dials: `ssh -p 2222 user@example.com`.
    Remote(String),
    /// A word of its name says that it is not a port.
    Word(String),
    /// A bare number, and the name does not end as a port's does.
    Ending,
    /// The program or the config says that it is not.
    NotListen,
    /// Numbers below 10 are counts.
    Small,
}

impl Objection {
    /// Whether it says whose port the number is: then nothing is left open when the text stays as it is.
    #[must_use]
    pub fn explains(&self) -> bool {
        matches!(self, Self::Sibling(..) | Self::Relative(..) | Self::Named(_) | Self::NotListen)
    }

    /// Whether it leaves open whose a number is that nothing else shows: an address has its host in itself, and a relative weighs less
    /// than a sibling. Then the number is said as a guess.
    pub(super) fn leaves_open(&self, form: Form) -> bool {
        match self {
            Self::Sibling(..) => form == Form::AnyAddress,
            Self::Relative(..) => true,
            _ => false,
        }
    }
}

impl std::fmt::Display for Objection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sibling(name, host) | Self::Relative(name, host) => {
                write!(f, "`{name}` names the host `{host}`, which is not this pod")
            }
            Self::Another { by, word } => {
                write!(
                    f,
                    "{by} sets the number, and by the word `{word}` of its name it may be the port of something else"
                )
            }
            Self::Remote(word) => write!(f, "its command may dial `{word}`"),
            Self::Named(object) => write!(f, "it names {object}, which has this port"),
            Self::Word(word) => write!(f, "its name has the word `{word}`"),
            Self::Ending => write!(f, "its name does not end as a port's does"),
            Self::NotListen => write!(f, "`notListen` lists it"),
            Self::Small => write!(f, "the number is below 10"),
        }
    }
}

/// What else shows the number of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::model) struct Others {
    /// How many other witnesses show it as a listener of the container.
    pub(in crate::model) count: usize,
    /// Whether one of them is a declared port, a probe or a Service that leads to the pod.
    pub(in crate::model) firm: bool,
}

/// What stands around the containers of a pod: its own names, and those of others.
#[derive(Debug)]
pub(in crate::model) struct Surroundings<'m> {
    pub(in crate::model) model: &'m Model,
    pub(in crate::model) meta: &'m Meta,
    pub(in crate::model) names: OwnNames,
    /// The Services that lead to the pod, by their names in lower case.
    services: HashMap<String, Vec<ObjectId>>,
}

impl<'m> Surroundings<'m> {
    pub(in crate::model) fn of(model: &'m Model, meta: &'m Meta, template: &'m PodTemplate) -> Self {
        let mut services: HashMap<String, Vec<ObjectId>> = HashMap::new();
        for (id, service, _) in model.services_of(meta, template) {
            services.entry(service.name.to_ascii_lowercase()).or_default().push(id);
        }
        Self { model, meta, names: OwnNames::of(model, meta, template), services }
    }

    /// What speaks against a text, the strongest first; `settings` are all of its container.
    pub(in crate::model) fn against(
        &self,
        container: &Container,
        settings: &Settings,
        setting: &Setting,
        port: &PortSetting,
        others: Others,
    ) -> Option<Objection> {
        let name = Name::of(&setting.name);
        if port.port < 10 {
            return Some(Objection::Small);
        }
        // An address has its host in itself, and `--listen` is not a client's.
        let is_shown = others.count > 0 || port.form != Form::Bare || name.says_listen();
        if let Some(objection) = self.sibling(container, settings, setting, &name, is_shown) {
            return Some(objection);
        }
        if let Some(objection) = self.client(container, settings, setting, port) {
            return Some(objection);
        }
        if port.form != Form::AnyAddress
            && let Some(object) = self.named(&name, port.port, others.firm)
        {
            return Some(Objection::Named(object));
        }
        // A switch may hold the address that it turns on: `ENABLE_METRICS=0.0.0.0:9090`.
        let turns_on = |word: &str| port.form == Form::AnyAddress && Name::is_switch(word);
        if let Some(word) = name.not_port().filter(|word| !turns_on(word)) {
            return Some(Objection::Word(word.to_owned()));
        }
        if name.is_default() && others.count < 2 {
            return Some(Objection::Word("default".to_owned()));
        }
        let short = matches!(setting.name.as_str(), "-p" | "-P");
        (port.form == Form::Bare && !name.ends_as_ports() && !short).then_some(Objection::Ending)
    }

    /// The flag or variable of the same stem that names somebody else's host, and that host. Without a stem (`HOST` beside
    /// `PORT`) it may be the program's own public name, so it says nothing of a number that something else shows.
    fn sibling<'s>(
        &self,
        container: &Container,
        settings: &'s Settings,
        setting: &Setting,
        name: &Name,
        is_shown: bool,
    ) -> Option<Objection> {
        let siblings = self.siblings(container, settings);
        let stems = name.port_stems();
        let short = matches!(setting.name.as_str(), "-p" | "-P");
        let mut first: Option<(&Host, bool)> = None;
        let mut add = |host: Option<&'s Host>, same: bool| {
            if let Some(host) = host
                && first.is_none_or(|(known, _)| host < known)
            {
                first = Some((host, same));
            }
        };
        // `-h HOST -p PORT` is how clients are told, and nothing else.
        add(siblings.short(setting).filter(|_| short), true);
        if !is_shown && (short || stems.iter().any(Stem::is_empty)) {
            add(siblings.of_stem(&Stem::empty(), setting), true);
        }
        for stem in stems.first().into_iter().flat_map(Stem::starts).filter(|stem| !stem.is_empty()) {
            add(siblings.of_stem(&stem, setting), stems.contains(&stem));
        }
        let (found, same) = first?;
        let (name, host) = (settings.get(found.setting)?.name.clone(), found.host.clone());
        Some(if same { Objection::Sibling(name, host) } else { Objection::Relative(name, host) })
    }

    /// What a command line dials, when another text sets the number: `pg_dump --host=db.example.com --port=5432` before
    /// `postgres -p 5432`.
    fn client(
        &self,
        container: &Container,
        settings: &Settings,
        setting: &Setting,
        port: &PortSetting,
    ) -> Option<Objection> {
        if setting.variable || port.form != Form::Bare {
            return None;
        }
        let siblings = self.siblings(container, settings);
        let sets_too = |(other, place): (&Setting, PortSetting)| {
            let name = Name::of(&other.name);
            let in_another_command = other.command.is_some()
                && other.command != setting.command
                && siblings.dialled_by_command(other).is_none();
            place.place != port.place
                && (name.says_listen() || place.form == Form::AnyAddress || in_another_command)
                && (name.is_listen() || other.name == "-p")
        };
        if !settings.of_port_by_setting(port.port).any(sets_too) {
            return None;
        }
        if let Some(host) = siblings.dialled_by_command(setting) {
            return Some(Objection::Sibling(settings.get(host.setting)?.name.clone(), host.host.clone()));
        }
        let is_another = |host: &str| self.names.whose(container, host) == HostKind::Another;
        settings.remotes(container).of_command(setting.command?, is_another).map(Objection::Remote)
    }

    /// Whether a flag of a probe's or hook's command belongs to a host of somebody else: `redis-cli -h cache -p 6379`.
    pub(in crate::model) fn is_anothers(&self, container: &Container, settings: &Settings, setting: &Setting) -> bool {
        self.siblings(container, settings).dialled_by_command(setting).is_some()
    }

    /// The hosts that the flags and variables of a container name.
    pub(in crate::model) fn siblings<'s>(&self, container: &Container, settings: &'s Settings) -> &'s Siblings {
        let another = |other: &Setting| self.another_host(container, other);
        let is_own = |host: &str| {
            self.services.contains_key(&service_name(host)) || of_literal(host) == Some(HostKind::Loopback)
        };
        settings.siblings.get_or_init(|| Siblings::of(settings, another, is_own))
    }

    /// The host of somebody else that a flag or variable names.
    pub(in crate::model) fn another_host(&self, container: &Container, setting: &Setting) -> Option<String> {
        let Some(value) = &setting.value else {
            // Kubernetes fills it in; what comes from a Secret is never the pod's own address.
            let (_, var) = container.env_var(&setting.name).filter(|_| setting.variable)?;
            let own = matches!(var.ip, Some(IpOf::Pod | IpOf::Name));
            return (!own).then(|| "a value from elsewhere".to_owned());
        };
        // A value with port numbers was read as an address of this pod.
        if setting.ports().next().is_some() {
            return None;
        }
        let another = |host: &&str| self.names.whose(container, host) == HostKind::Another;
        hosts_of(value).into_iter().find(another).map(str::to_owned)
    }

    /// The Service or workload that a name names and that has this port; none of the pod's own. What else shows the port is `firm`
    /// where an object is called like what is spoken there: `METRICS_PORT` beside a Service `metrics`.
    fn named(&self, name: &Name, port: u16, firm: bool) -> Option<String> {
        let first = |ids: &[ObjectId]| {
            let meta = &self.model.object(*ids.first()?)?.meta;
            if meta.name == self.meta.name || (firm && Name::of(&meta.name).is_dull()) {
                return None;
            }
            let is_own =
                |id: ObjectId| self.services.get(&meta.name.to_ascii_lowercase()).is_some_and(|own| own.contains(&id));
            ids.iter().copied().find(|id| !is_own(*id))
        };
        let id = self.model.owners_named(port, name).into_iter().filter_map(first).min()?;
        self.model.object(id).map(|object| object.meta.to_string())
    }

    /// Whether a Service that leads to the pod has this port of its own, whatever it leads to: its clients dial that.
    pub(in crate::model) fn is_own_service_port(&self, host: &str, port: u16) -> bool {
        let mut own = self.services.get(&service_name(host)).into_iter().flatten();
        own.any(|id| match self.model.object(*id).map(|object| &object.facts) {
            Some(Facts::Service(service)) => {
                !service.headless && service.ports.iter().any(|own| own.port == Some(port))
            }
            _ => false,
        })
    }
}

/// The name of the Service that a host would be.
fn service_name(host: &str) -> String {
    host.split('.').next().unwrap_or_default().to_ascii_lowercase()
}
