//! Listeners of a pod, and the settings of their numbers.

use std::borrow::Cow;

use super::evidence_kind::{EvidenceKind, EvidenceKinds};
use super::role::Role;
use crate::catalog::KnownSetting;
use crate::model::facts::ConfigPlace;
use crate::model::id::ObjectId;
use crate::model::setting::PortSetting;
use crate::model::text::{Form, TextPlace};

/// Process of a pod that listens on a port.
#[derive(Debug, Clone)]
pub struct Listener {
    /// Position of the container in the pod template.
    pub container: usize,
    /// Position of the declared port in `ports` of the container.
    pub declared: Option<usize>,
    /// Declared name.
    pub name: Option<String>,
    /// Declared name, or the name that the port gets when hostnet declares it.
    pub label: String,
    /// Port number.
    pub number: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Cow<'static, str>,
    /// Use of the listener.
    pub role: Role,
    /// True if only words of names indicate the role.
    pub is_role_by_word: bool,
    /// Setting of the port number.
    pub binding: Binding,
    /// Further settings of the port number, from other `bind` entries: all of them change together.
    pub more: Vec<Binding>,
    /// Texts unknown to the catalogue that contain the port number and are not rejected: they change with the number.
    pub also: Vec<PortSetting>,
    /// Evidence that the process listens.
    pub evidence_kinds: EvidenceKinds,
}

impl Listener {
    /// First evidence and the settings of the number, for tables: `catalogue`, `declared + --port`, `any-address`.
    pub fn evidence(&self) -> String {
        let first = self.evidence_kinds.iter().next().map_or("", EvidenceKind::as_str).to_owned();
        let alone = [
            EvidenceKind::Bind,
            EvidenceKind::Catalogue,
            EvidenceKind::ConfigFile,
            EvidenceKind::AnyAddress,
            EvidenceKind::Scaffold,
        ];
        if alone.into_iter().any(|evidence_kind| first == evidence_kind.as_str()) {
            return first;
        }
        let mut names: Vec<&str> = self.places().map(|(.., name)| name).collect();
        names.dedup();
        names.into_iter().fold(first, |evidence, name| format!("{evidence} + {name}"))
    }

    /// True if the manifest proves the listener: it declares the port or sets the number of the process. Listeners that
    /// only the catalogue has depend on the version of the program; listeners that only a probe or a Service shows may
    /// be mistakes there.
    pub fn is_certain(&self) -> bool {
        let seen = [EvidenceKind::Declared, EvidenceKind::Bind, EvidenceKind::ConfigFile, EvidenceKind::AnyAddress];
        seen.into_iter().any(|evidence_kind| self.evidence_kinds.has(evidence_kind))
            || matches!(self.binding, Binding::Visible(_))
    }

    /// True if the manifest shows that the process listens only on the loopback address.
    pub fn is_loopback(&self) -> bool {
        let is_loopback = |binding: &Binding| match binding {
            Binding::Visible(places) => !places.is_empty() && places.iter().all(|place| place.form == Form::Loopback),
            _ => false,
        };
        self.bindings().all(is_loopback)
    }

    /// All settings of the port number.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        std::iter::once(&self.binding).chain(&self.more)
    }

    /// Texts that contain the port number: the object if it is not the workload, the position, the name of the setting.
    pub fn places(&self) -> impl Iterator<Item = (Option<ObjectId>, &TextPlace, &str)> {
        self.bindings().flat_map(Binding::places)
    }
}

/// Setting of a listener's number.
#[derive(Debug, Clone)]
pub enum Binding {
    /// Positions in the pod template.
    Visible(Vec<PortSetting>),
    /// Position in a `ConfigMap` of the input: a variable, or a field of the config file of the program.
    ConfigMap(Box<ConfigPlace>),
    /// Flag or variable to add to the manifest.
    Add {
        /// Position of the container in the pod template.
        container: usize,
        /// Flag or variable.
        known: Box<KnownSetting>,
        /// Value, with `{port}` for the number.
        value: String,
        /// True if the image has no CMD: arguments may be added to a container without arguments.
        no_cmd: bool,
        /// Reason why the addition is uncertain.
        doubt: Option<Box<Obstacle>>,
    },
    /// Number that this run cannot change.
    Fixed(Box<Obstacle>),
    /// Reason why the port number is unknown: a text that is filled in after this run.
    Later(String),
    /// No process listens on the port number, so it has no setting.
    Phantom,
    /// Unknown setting: these texts contain the port number, but no evidence shows that they set it.
    Unknown(Vec<PortSetting>),
}

/// Reason why a port number cannot be changed, or not with certainty.
#[derive(Debug, Clone)]
pub struct Obstacle {
    /// Reason, for messages.
    pub why: String,
    /// Steps by which a user can still change the port number.
    pub remedy: ObstacleRemedy,
}

/// Steps by which a user can change a port number that neither the manifest nor the catalogue can change.
#[derive(Debug, Clone)]
pub enum ObstacleRemedy {
    /// A move is impossible: the program has no setting for the port number, or something else needs the number.
    Nothing,
    /// A move is impossible, as `fixed: true` in `bind` confirms.
    Accepted,
    /// `bind` entry with a flag or variable that neither the manifest nor the catalogue has.
    Setting,
    /// `bind` entry with one of these flags and variables, each with its value, with `{port}` for the number.
    OneOf(Vec<(KnownSetting, String)>),
    /// `bind` entry for one of these settings, which contain the number. The text is the name of the port in the other
    /// container that declares it.
    Seen(Option<String>, Vec<PortSetting>),
    /// Version of the program, to be written in the config.
    Version(Box<UnknownVersion>),
    /// Edit of the manifest, as text.
    Manifest(String),
}

/// Program with an unknown version.
#[derive(Debug, Clone)]
pub struct UnknownVersion {
    /// Name of the program.
    pub program: String,
    /// Newest version in the catalogue: all later versions have the same listeners and settings.
    pub newest: Option<String>,
    /// Label of the workload with a version, and this version.
    pub label: Option<(&'static str, String)>,
    /// Setting that the catalogue has for the port, with its value: `{port}` is the number.
    pub setting: Option<(KnownSetting, String)>,
    /// Default of a tag that is filled in later, if it is a version.
    pub default: Option<String>,
}

impl Binding {
    /// Creates the binding of a port number that cannot be changed.
    pub(in crate::model) fn fixed(why: String, remedy: ObstacleRemedy) -> Self {
        Self::Fixed(Box::new(Obstacle { why, remedy }))
    }

    /// Creates the binding of a port number in a `ConfigMap`.
    pub(in crate::model) fn from_config_map(place: ConfigPlace) -> Self {
        Self::ConfigMap(Box::new(place))
    }

    /// True if `bind` of the config sets `fixed: true` for the port number.
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Fixed(obstacle) if matches!(obstacle.remedy, ObstacleRemedy::Accepted))
    }

    /// Texts that contain the port number: the object if it is not the workload, the position, the name of the setting.
    pub fn places(&self) -> impl Iterator<Item = (Option<ObjectId>, &TextPlace, &str)> {
        let (visible, map) = match self {
            Self::Visible(places) => (places.as_slice(), None),
            Self::ConfigMap(map) => (&[][..], Some((Some(map.object), &map.place, map.name.as_str()))),
            _ => (&[][..], None),
        };
        visible.iter().map(|visible| (None, &visible.place, visible.name.as_str())).chain(map)
    }
}
