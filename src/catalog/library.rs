//! Libraries that open ports in every program that uses them.

use std::sync::LazyLock;

use super::data;

/// Library.
#[derive(Debug)]
pub struct Library {
    /// Name of the library.
    pub name: &'static str,
    /// Variables and flags of programs that use the library, some as `NAME=VALUE`.
    pub shown_by: &'static [&'static str],
    /// Minimum number of these settings that identifies the library.
    pub at_least: usize,
    /// Settings of which such a program has one too; empty for any program.
    pub with_one: &'static [&'static str],
    /// Settings of programs that do not use the library, or no longer.
    pub unless: &'static [&'static str],
    /// Ports that the library opens.
    pub opens: &'static [OpenPort],
}

impl Library {
    /// True if a manifest has enough settings of the library. `has_setting` gets the name of a variable or flag, and
    /// the value that counts; every value counts without it.
    pub fn is_shown(&self, has_setting: impl Fn(&str, Option<&str>) -> bool) -> bool {
        let has = |shown: &&&str| match shown.split_once('=') {
            Some((name, value)) => has_setting(name, Some(value)),
            None => has_setting(shown, None),
        };
        let has_one = || self.with_one.is_empty() || self.with_one.iter().any(|one| has(&one));
        self.shown_by.iter().filter(has).count() >= self.at_least
            && has_one()
            && !self.unless.iter().any(|one| has(&one))
    }

    /// The settings that show the library, for messages: `variables`, `flags`, or both.
    pub fn settings(&self) -> &'static str {
        let mut shown = self.shown_by.iter().chain(self.with_one);
        match (shown.clone().all(|name| name.starts_with('-')), shown.any(|name| name.starts_with('-'))) {
            (true, _) => "flags",
            (_, true) => "variables and flags",
            _ => "variables",
        }
    }
}

/// Port that a library opens.
#[derive(Debug)]
pub struct OpenPort {
    /// Default port number.
    pub number: u16,
    /// Port name.
    pub name: &'static str,
    /// Environment variable that sets the number.
    pub env: Option<&'static str>,
    /// Flag that sets the number. Without a variable and a flag the number is fixed.
    pub arg: Option<&'static str>,
    /// Value of the flag, with `{port}` for the number.
    pub value: &'static str,
    /// True if probes of the container name the port.
    pub unless_probed: bool,
}

/// Returns the libraries of the catalogue.
pub static LIBRARIES: &[Library] = data::LIBRARIES;

/// True for an environment variable that shows or excludes a library, by its name or by a system property of Java in
/// its value.
pub fn shows_library(variable: &str, value: &str) -> bool {
    // The function is called for each variable of an input, so the names are taken from the catalogue once.
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let settings = data::LIBRARIES.iter().flat_map(|library| {
            let of_ports = library.opens.iter().filter_map(|port| port.arg);
            library.shown_by.iter().chain(library.with_one).chain(library.unless).copied().chain(of_ports)
        });
        settings.map(|setting| setting.split_once('=').map_or(setting, |(name, _)| name)).collect()
    });
    let is_property = |name: &&str| name.starts_with("-D") && value.contains(name);
    NAMES.contains(&variable) || value.contains("-D") && NAMES.iter().any(is_property)
}
