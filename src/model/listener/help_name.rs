//! Names of settings in a program's help: which may set where the program listens.

use super::port_name::label_of;
use crate::model::text::Name;

/// Use of a setting, by the words of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpName {
    /// It may say where the program listens.
    Listen,
    /// It is another program's address, a count, a time or a public address.
    Another,
    /// Its name decides nothing.
    Unknown,
}

impl HelpName {
    /// Classifies a flag or variable by `catalog/words.yaml`.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let name = Name::of(name);
        if name.names_another() || name.not_port().is_some() || name.is_public() || name.is_default() {
            Self::Another
        } else if name.may_be_port() {
            Self::Listen
        } else {
            Self::Unknown
        }
    }

    /// The port name that a listener gets from its flag.
    #[must_use]
    pub fn label(name: &str) -> String {
        label_of(name)
    }
}
