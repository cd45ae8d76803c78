//! Libraries that open ports by themselves in every program that is made with them.

use super::data;

/// A library.
#[derive(Debug)]
pub struct Library {
    /// Its name.
    pub name: &'static str,
    /// Variables that are all there in the manifest of a program that is made with the library.
    pub shown_by: &'static [&'static str],
    /// The ports that the library opens.
    pub opens: &'static [OpenPort],
}

impl Library {
    /// True for a program whose manifest has all variables by which the library shows itself.
    #[must_use]
    pub fn is_shown(&self, has_variable: impl Fn(&str) -> bool) -> bool {
        self.shown_by.iter().all(|name| has_variable(name))
    }
}

/// A port that a library opens.
#[derive(Debug)]
pub struct OpenPort {
    /// The number that it has by default.
    pub number: u16,
    /// A name for the port.
    pub name: &'static str,
    /// The variable that sets the number; `None` where nothing does.
    pub env: Option<&'static str>,
}

/// The libraries of the catalogue.
#[must_use]
pub fn libraries() -> &'static [Library] {
    data::LIBRARIES
}

/// True for a variable by which a library shows itself.
#[must_use]
pub fn shows_library(variable: &str) -> bool {
    data::LIBRARIES.iter().any(|library| library.shown_by.contains(&variable))
}
