//! Libraries that open ports in every program that uses them.

use super::data;

/// Library.
#[derive(Debug)]
pub struct Library {
    /// Name of the library.
    pub name: &'static str,
    /// Environment variables of programs that use the library, some as `NAME=VALUE`.
    pub shown_by: &'static [&'static str],
    /// Minimum number of these variables that identifies the library.
    pub at_least: usize,
    /// Flags of programs that no longer use the library.
    pub unless: &'static [&'static str],
    /// Ports that the library opens.
    pub opens: &'static [OpenPort],
}

impl Library {
    /// True if a manifest has enough variables of the library. `has_variable` gets the name and the value that counts;
    /// every value counts without it.
    pub fn is_shown(&self, has_variable: impl Fn(&str, Option<&str>) -> bool) -> bool {
        let has = |shown: &&&str| match shown.split_once('=') {
            Some((name, value)) => has_variable(name, Some(value)),
            None => has_variable(shown, None),
        };
        self.shown_by.iter().filter(has).count() >= self.at_least
    }
}

/// Port that a library opens.
#[derive(Debug)]
pub struct OpenPort {
    /// Default port number.
    pub number: u16,
    /// Port name.
    pub name: &'static str,
    /// Environment variable that sets the number; `None` for a fixed number.
    pub env: Option<&'static str>,
}

/// Returns the libraries of the catalogue.
pub static LIBRARIES: &[Library] = data::LIBRARIES;

/// True for an environment variable of a library.
pub fn shows_library(variable: &str) -> bool {
    let name = |shown: &&'static str| shown.split_once('=').map_or(*shown, |(name, _)| name);
    data::LIBRARIES.iter().any(|library| library.shown_by.iter().any(|shown| name(shown) == variable))
}
