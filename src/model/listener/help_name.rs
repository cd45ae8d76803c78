//! Names of settings in the help text of a program: settings that may set a listen address.

use super::port_name::label_of;
use crate::model::text::Name;

/// Use of a setting, by the words of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpName {
    /// May set a port or listen address of the program.
    Listen,
    /// Address of another program, count, time or public address.
    Another,
    /// No indication in the name.
    Unknown,
}

impl HelpName {
    /// Classifies a flag or variable by `catalog/words.yaml`.
    pub fn new(name: &str) -> Self {
        let name = Name::new(name);
        if name.has_other_program_word()
            || name.is_advertised()
            || name.not_port().is_some()
            || name.is_public()
            || name.is_default()
        {
            Self::Another
        } else if name.may_be_port() {
            Self::Listen
        } else {
            Self::Unknown
        }
    }

    /// Port name for the listener of a flag.
    pub fn label(name: &str) -> String {
        label_of(name)
    }
}
