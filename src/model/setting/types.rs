//! Flags, variables and assignments of scripts, with their port numbers.

use std::net::IpAddr;
use std::sync::Arc;

use crate::model::text::{Form, Name, TextPlace, literal_ip, variable_in_host};
use lossless_yaml::Path;

/// Name of an argument without a flag, in messages.
pub(super) const POSITIONAL: &str = "argument";

/// Flag or variable, and its value.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Flag with its dashes, or variable; `POSITIONAL` for an argument without a flag.
    pub name: String,
    /// Value, with variables as `$(NAME)`; `None` for a flag without value.
    pub value: Option<String>,
    /// Position of the value, including quotes; the flag itself if it has no value.
    pub place: TextPlace,
    /// True for a variable: of the container, or set by a script.
    pub variable: bool,
    /// True if the value is the word after the flag, which may instead be an unrelated argument.
    pub apart: bool,
    /// Number of the command line; `None` for variables of the container.
    pub(in crate::model) command: Option<usize>,
    /// Port numbers of a value that only consists of listen addresses.
    pub(in crate::model) numbers: Vec<(Form, u16, TextPlace)>,
}

/// Port number in a flag or variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortSetting {
    /// Flag with its dashes, or variable.
    pub name: String,
    /// Form of the value.
    pub form: Form,
    /// Port number.
    pub port: u16,
    /// True for a variable.
    pub variable: bool,
    /// Position of the port number.
    pub place: TextPlace,
}

impl PortSetting {
    /// True for an argument without a flag.
    pub fn is_positional(&self) -> bool {
        !self.variable && self.name == POSITIONAL
    }

    /// Loopback address at which the process listens; `None` for other addresses.
    pub fn loopback(&self) -> Option<IpAddr> {
        let host = self.host().filter(|_| self.form == Form::Loopback)?;
        literal_ip(host).or_else(|| host.eq_ignore_ascii_case("localhost").then_some(IpAddr::from([127, 0, 0, 1])))
    }

    /// Variable with the address at which the process listens: `IP` of `$(IP):8080`.
    pub fn host_variable(&self) -> Option<&str> {
        variable_in_host(self.host()?)
    }

    /// Text of the address before the port number.
    fn host(&self) -> Option<&str> {
        let before = self.place.text.get(..self.place.range.start)?.strip_suffix(':')?;
        before.rsplit(|c: char| matches!(c, '=' | ',' | ';' | '/' | '"' | '\'') || c.is_whitespace()).next()
    }

    /// True if the port number is in an HTTP URL: the address of a client, unless the process itself listens there.
    /// False for the hosts `+` and `*`, which clients cannot dial.
    pub fn is_url(&self) -> bool {
        let before = self.place.text.get(..self.place.range.start).unwrap_or_default();
        let item = before.rsplit(|c: char| matches!(c, ',' | ';' | '=' | '"' | '\'') || c.is_whitespace()).next();
        let host = item.and_then(|item| item.split_once("http://").or_else(|| item.split_once("https://")));
        host.is_some_and(|(_, host)| !host.starts_with(['+', '*']))
    }

    /// True for an HTTP URL of all interfaces, without names of addresses that clients dial:
    /// `--liveness=http://0.0.0.0:8080/healthz`.
    pub fn is_open_url(&self) -> bool {
        let name = Name::new(&self.name);
        let is_client = name.is_dialled() || name.is_advertised() || name.has_server_word() || name.ends_with_url();
        self.form == Form::AnyAddress && self.is_url() && !is_client && !name.has_other_program_word()
    }
}

impl Setting {
    /// Creates a variable whose value comes from another object.
    pub(in crate::model) fn from_variable(name: String, place: TextPlace) -> Self {
        let value = Some(place.text.to_string());
        Self { name, value, place, variable: true, apart: false, command: None, numbers: Vec::new() }
    }

    /// Creates a variable of which only the name is used.
    pub(in crate::model) fn named(name: &str) -> Self {
        let place = TextPlace { path: Path::root(), text: Arc::default(), range: 0..0 };
        Self::from_variable(name.to_owned(), place)
    }

    /// Port numbers in the value.
    pub fn ports(&self) -> impl Iterator<Item = PortSetting> {
        (0..self.numbers.len()).filter_map(|number| self.port(number))
    }

    /// One of the port numbers in the value.
    pub(in crate::model) fn port(&self, number: usize) -> Option<PortSetting> {
        let (form, port, place) = self.numbers.get(number)?;
        let (name, place) = (self.name.clone(), place.clone());
        Some(PortSetting { name, form: *form, port: *port, variable: self.variable, place })
    }
}
