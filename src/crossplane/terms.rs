//! Parameters of a config kind for packages: the selected packages and their settings.

use crate::api::{Functions, MissingRuntimeConfig, Ports};
use crate::model::ObjectId;
use std::collections::BTreeMap;

/// A package that a target matches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectedPackage<'c> {
    pub(crate) id: ObjectId,
    pub(crate) ports: &'c Ports,
    pub(crate) strict: bool,
    /// True if the target matches Functions only.
    pub(crate) only_functions: bool,
}

/// Settings of a config kind for runtime configs.
#[derive(Debug)]
pub(crate) struct Terms<'c> {
    /// The version of Crossplane set in the config.
    pub(crate) version: Option<&'c str>,
    /// The handling of a runtime config that is not in the input.
    pub(crate) missing: MissingRuntimeConfig,
    /// Settings for moving packages to the host network; `None` if no package moves.
    pub(crate) moves: Option<Moves>,
}

/// Settings for moving packages to the host network.
#[derive(Debug)]
pub(crate) struct Moves {
    /// The placement of functions.
    pub(crate) functions: Functions,
    /// Variables that are always read, whatever their value.
    pub(crate) variables: Vec<String>,
    /// `assigned` of the config: recorded numbers by key.
    pub(crate) assigned: BTreeMap<String, u16>,
}
