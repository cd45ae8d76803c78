//! What a config kind asks: which packages, and on which terms.

use crate::api::{Functions, MissingRuntimeConfig, Ports};
use crate::model::ObjectId;

/// A package that a target matches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectedPackage<'c> {
    pub(crate) id: ObjectId,
    pub(crate) ports: &'c Ports,
    pub(crate) strict: bool,
    /// True if the target matches Functions alone.
    pub(crate) only_functions: bool,
}

/// On which terms a config kind asks for runtime configs.
#[derive(Debug)]
pub(crate) struct Terms<'c> {
    /// The version of Crossplane that the config gives.
    pub(crate) version: Option<&'c str>,
    /// What a runtime config is that is not in the input.
    pub(crate) missing: MissingRuntimeConfig,
    /// What becomes of packages' networks; none when they stay as they are.
    pub(crate) moves: Option<Moves>,
}

/// What a kind that moves packages to the host network says of them.
#[derive(Debug)]
pub(crate) struct Moves {
    /// Where functions run.
    pub(crate) functions: Functions,
    /// The variables to read, whatever they hold.
    pub(crate) variables: Vec<String>,
}
