//! A process of a pod that listens on a port, and what sets its number.

use std::borrow::Cow;

use super::role::Role;
use super::witness::{Witness, Witnesses};
use crate::catalog::KnownSetting;
use crate::model::facts::ConfigPlace;
use crate::model::id::ObjectId;
use crate::model::setting::PortSetting;
use crate::model::text::TextPlace;

/// A process of a pod that listens on a port.
#[derive(Debug, Clone)]
pub struct Listener {
    /// The container, by its position in the template's.
    pub container: usize,
    /// Its declaration, by its position in the container's ports.
    pub declared: Option<usize>,
    /// The declared name.
    pub name: Option<String>,
    /// The declared name, or the one that it gets when it is declared.
    pub label: String,
    /// The number.
    pub number: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Cow<'static, str>,
    /// What it is for.
    pub role: Role,
    /// Whether nothing but the words of a name says what it is for.
    pub is_role_by_word: bool,
    /// What sets its number.
    pub binding: Binding,
    /// Further settings of the number, as other entries of `bind` say: all of them change together.
    pub more: Vec<Binding>,
    /// Texts with the number that the catalogue does not know, and that nothing speaks against: they change with it.
    pub also: Vec<PortSetting>,
    /// What shows that it listens.
    pub witnesses: Witnesses,
}

impl Listener {
    /// What shows it, and the texts that set its number: `catalogue`, `declared + --port`, `any-address`.
    #[must_use]
    pub fn evidence(&self) -> String {
        let first = self.witnesses.iter().next().map_or("", Witness::as_str).to_owned();
        let alone = [Witness::Bind, Witness::Catalogue, Witness::ConfigFile, Witness::AnyAddress, Witness::Scaffold];
        if alone.into_iter().any(|witness| first == witness.as_str()) {
            return first;
        }
        let mut names: Vec<&str> = self.places().map(|(.., name)| name).collect();
        names.dedup();
        names.into_iter().fold(first, |evidence, name| format!("{evidence} + {name}"))
    }

    /// All that sets its number.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        std::iter::once(&self.binding).chain(&self.more)
    }

    /// The places that set its number now: the object when it is not the workload's own, the place, the name.
    pub fn places(&self) -> impl Iterator<Item = (Option<ObjectId>, &TextPlace, &str)> {
        self.bindings().flat_map(Binding::places)
    }
}

/// What sets the number of a listener.
#[derive(Debug, Clone)]
pub enum Binding {
    /// By the manifest, in these places.
    Visible(Vec<PortSetting>),
    /// By a `ConfigMap` of the input: a variable, or a field of the program's config file.
    ConfigMap(Box<ConfigPlace>),
    /// By a flag or variable that the manifest does not have yet.
    Add {
        /// The container that gets it, by its position in the template's.
        container: usize,
        /// The flag or variable.
        known: Box<KnownSetting>,
        /// Its value, `{port}` for the number.
        value: String,
        /// Arguments may be made where there are none.
        no_cmd: bool,
        /// What makes this uncertain.
        doubt: Option<Box<Obstacle>>,
    },
    /// By something that this run cannot change.
    Fixed(Box<Obstacle>),
    /// By a text that is filled in after this run: why it is not read.
    Later(String),
    /// Nobody listens: the number is free.
    Phantom,
    /// Not known; the places where the number stands, of which nothing shows whether it is the listener's.
    Unknown(Vec<PortSetting>),
}

/// A reason why a number cannot be changed, or may not.
#[derive(Debug, Clone)]
pub struct Obstacle {
    /// The reason.
    pub why: String,
    /// The way to change the number all the same.
    pub way_out: WayOut,
}

/// The way to change a number that the manifest and the catalogue alone cannot change.
#[derive(Debug, Clone)]
pub enum WayOut {
    /// Nothing: the program has no setting for it, or somebody else needs the number.
    Nothing,
    /// Nothing, as the config says.
    Accepted,
    /// A flag or variable that neither the manifest nor the catalogue has.
    Setting,
    /// One of these flags and variables, each with its value, `{port}` for the number.
    OneOf(Vec<(KnownSetting, String)>),
    /// One of the settings that have the number, in `bind`, with the name of the port that another container declares.
    Seen(Option<String>, Vec<PortSetting>),
    /// The version of the program.
    Version(Box<UnknownVersion>),
    /// Another manifest, in words.
    Manifest(String),
}

/// A program whose version is not known.
#[derive(Debug, Clone)]
pub struct UnknownVersion {
    /// The program.
    pub program: String,
    /// The newest version that the catalogue tells apart from older ones.
    pub newest: Option<String>,
    /// A label of the object that has a version, and that version.
    pub label: Option<(&'static str, String)>,
}

impl Binding {
    /// A number that cannot be changed.
    pub(in crate::model) fn fixed(why: String, way_out: WayOut) -> Self {
        Self::Fixed(Box::new(Obstacle { why, way_out }))
    }

    /// By this place of a `ConfigMap`.
    pub(in crate::model) fn of_config_map(place: ConfigPlace) -> Self {
        Self::ConfigMap(Box::new(place))
    }

    /// True for a number of which the config says that it never changes.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Fixed(obstacle) if matches!(obstacle.way_out, WayOut::Accepted))
    }

    /// The places that set the number now: the object when it is not the workload's own, the place, the name.
    pub fn places(&self) -> impl Iterator<Item = (Option<ObjectId>, &TextPlace, &str)> {
        let (visible, map) = match self {
            Self::Visible(places) => (places.as_slice(), None),
            Self::ConfigMap(map) => (&[][..], Some((Some(map.object), &map.place, map.name.as_str()))),
            _ => (&[][..], None),
        };
        visible.iter().map(|visible| (None, &visible.place, visible.name.as_str())).chain(map)
    }
}
