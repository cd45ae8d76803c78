//! Entries of `bind`, as messages and `hostnet learn` write them.

use std::fmt;

use super::workload::Workload;
use crate::api::Bind;
use crate::model::listener::{Guess, Listener};
use crate::model::setting::PortSetting;
use lossless_yaml::is_string;

/// An entry of `bind`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindEntry {
    /// The container.
    pub container: String,
    /// Name of the port: the declared name, or the name that hostnet gives it.
    pub port: String,
    /// The number that the process listens on.
    pub number: u16,
    /// The setting of the port number.
    pub set_by: SetBy,
}

/// Setting of a port number in an entry of `bind`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetBy {
    /// A flag or a variable.
    Setting {
        /// The flag with its dashes, or the variable.
        name: String,
        /// True for a variable.
        is_variable: bool,
        /// The value with `{port}` for the number.
        value: String,
    },
    /// No setting: the port number never changes.
    Nothing,
}

impl BindEntry {
    /// Creates an entry for a listener.
    pub(super) fn new(workload: &Workload<'_>, listener: &Listener, set_by: SetBy) -> Self {
        let container = workload.container(listener).map(|container| container.name.clone()).unwrap_or_default();
        Self { container, port: listener.label.clone(), number: listener.number, set_by }
    }

    /// Creates an entry for a guess.
    pub(super) fn for_guess(workload: &Workload<'_>, guess: &Guess) -> Self {
        let container = workload.template.containers.get(guess.container);
        Self {
            container: container.map(|container| container.name.clone()).unwrap_or_default(),
            port: guess.label(),
            number: guess.setting.port,
            set_by: SetBy::from_setting(&guess.setting),
        }
    }

    /// True for an entry with a flag.
    pub(super) fn is_flag(&self) -> bool {
        matches!(self.set_by, SetBy::Setting { is_variable: false, .. })
    }

    /// Fields of the entry after `number`, such as `arg` and `value`, with their values.
    pub fn settings(&self) -> Vec<(&'static str, &str)> {
        match &self.set_by {
            SetBy::Setting { name, is_variable, value } => {
                let name = (if *is_variable { "env" } else { "arg" }, name.as_str());
                let value = Some(("value", value.as_str())).filter(|(_, value)| *value != "{port}");
                [Some(name), value].into_iter().flatten().collect()
            }
            SetBy::Nothing => Vec::new(),
        }
    }
}

impl SetBy {
    /// Creates a setting from a flag or variable that contains the number. The value keeps the host and, in a URL, the
    /// path; `{port}` replaces the number.
    pub(super) fn from_setting(setting: &PortSetting) -> Self {
        // `bind` cannot refer to a positional argument.
        if setting.is_positional() {
            return Self::Nothing;
        }
        let before = setting.place.text.get(..setting.place.range.start).unwrap_or_default();
        let host = before
            .rsplit(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ',' | ';'))
            .next()
            .unwrap_or_default();
        // In `-p8080` the flag comes directly before the number.
        let host = if host == setting.name { "" } else { host };
        let after =
            setting.place.text.get(setting.place.range.end..).filter(|_| host.contains("://")).unwrap_or_default();
        let path = after.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';')).next();
        Self::Setting {
            name: setting.name.clone(),
            is_variable: !setting.name.starts_with('-'),
            value: format!("{host}{{port}}{}", path.unwrap_or_default()),
        }
    }
}

impl fmt::Display for BindEntry {
    /// `{container: web, port: http, number: 8080, arg: --listen, value: ":{port}"}`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{container: {}, port: {}, number: {}", scalar(&self.container), scalar(&self.port), self.number)?;
        for (key, text) in self.settings() {
            write!(f, ", {key}: {}", scalar(text))?;
        }
        f.write_str(if self.set_by == SetBy::Nothing { ", fixed: true}" } else { "}" })
    }
}

/// Formats a `bind` entry of the config as a YAML flow mapping.
pub(super) fn written(bind: &Bind) -> String {
    let number = bind.number.map(|number| number.to_string());
    let fixed = bind.fixed.then_some("true");
    let fields = [
        ("container", Some(scalar(&bind.container))),
        ("port", Some(scalar(&bind.port))),
        ("number", number),
        ("arg", bind.arg.as_deref().map(scalar)),
        ("env", bind.env.as_deref().map(scalar)),
        ("annotation", bind.annotation.as_deref().map(scalar)),
        ("file", bind.file.as_deref().map(scalar)),
        ("key", bind.key.as_deref().map(scalar)),
        ("value", bind.value.as_deref().map(scalar)),
        ("fixed", fixed.map(str::to_owned)),
    ];
    let fields: Vec<String> =
        fields.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value?))).collect();
    format!("{{{}}}", fields.join(", "))
}

/// A scalar of a flow mapping, quoted unless it is a plain word.
pub fn scalar(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@'));
    let starts = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphanumeric());
    // Quotes follow JSON, which is valid YAML too.
    if is_plain && starts && is_string(text) { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
