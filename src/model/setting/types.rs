//! What a container gives its process: flags, variables, assignments of scripts, and the port numbers in them.

use std::sync::Arc;

use crate::model::text::{Form, TextPlace};
use lossless_yaml::Path;

/// A flag or variable, and its value.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The flag with its dashes, or the variable.
    pub name: String,
    /// Its value, variables as `$(NAME)`; none for a flag without one.
    pub value: Option<String>,
    /// Where the value is written, quotes included; of a flag without one the flag.
    pub place: TextPlace,
    /// Whether it is a variable: of the container, or one that a script sets.
    pub variable: bool,
    /// Whether the value is a word of its own behind the flag: then it may as well be another argument.
    pub apart: bool,
    /// The command line that it belongs to; none for variables of the container.
    pub(in crate::model) command: Option<usize>,
    /// The port numbers of a value that says where to listen and nothing else.
    pub(in crate::model) numbers: Vec<(Form, u16, TextPlace)>,
}

/// A port number that a flag or variable gives a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortSetting {
    /// The flag with its dashes, or the variable.
    pub name: String,
    /// The form of the value.
    pub form: Form,
    /// The number.
    pub port: u16,
    /// Whether it is a variable.
    pub variable: bool,
    /// Where the number stands.
    pub place: TextPlace,
}

impl PortSetting {
    /// Whether the number is that of an HTTP URL: an address that somebody dials, unless the process itself listens there. A host of
    /// `+` or `*` cannot be dialled.
    #[must_use]
    pub fn is_url(&self) -> bool {
        let before = self.place.text.get(..self.place.range.start).unwrap_or_default();
        let item = before.rsplit(|c: char| matches!(c, ',' | ';' | '=' | '"' | '\'') || c.is_whitespace()).next();
        let host = item.and_then(|item| item.split_once("http://").or_else(|| item.split_once("https://")));
        host.is_some_and(|(_, host)| !host.starts_with(['+', '*']))
    }
}

impl Setting {
    /// A variable whose value comes from another object.
    pub(in crate::model) fn of_variable(name: String, place: TextPlace) -> Self {
        let value = Some(place.text.to_string());
        Self { name, value, place, variable: true, apart: false, command: None, numbers: Vec::new() }
    }

    /// A variable of which only the name counts.
    pub(in crate::model) fn named(name: &str) -> Self {
        let place = TextPlace { path: Path::root(), text: Arc::default(), range: 0..0 };
        Self::of_variable(name.to_owned(), place)
    }

    /// The port numbers in it.
    pub fn ports(&self) -> impl Iterator<Item = PortSetting> {
        (0..self.numbers.len()).filter_map(|number| self.port(number))
    }

    /// One of the port numbers in it.
    pub(in crate::model) fn port(&self, number: usize) -> Option<PortSetting> {
        let (form, port, place) = self.numbers.get(number)?;
        let (name, place) = (self.name.clone(), place.clone());
        Some(PortSetting { name, form: *form, port: *port, variable: self.variable, place })
    }
}
