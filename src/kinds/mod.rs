//! One file per function-config kind: in which order wire, model, plan and render are called.

pub mod check;
pub mod host_network;
pub mod patch;
pub mod pin;
pub mod proxy_environment;

use crate::api::AnyConfig;
use crate::model::ObjectId;
use crate::plan::Plan;
use crate::wire::{DuplicateKey, Input};

use host_network::{Read, RunError};

/// What a config makes of inputs that belong together, before anything is written.
#[derive(Debug)]
pub struct Planned<'i> {
    /// What changes, and what is said.
    pub(crate) plan: Plan,
    /// The identities of the objects.
    pub(crate) read: Read<'i>,
    /// Keys that objects have twice.
    pub(crate) duplicates: Vec<(ObjectId, DuplicateKey)>,
}

/// A config that changes objects.
pub trait Function {
    /// Decides what changes in inputs that belong together.
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError>;
}

impl Function for AnyConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        match self {
            Self::HostNetwork(config) => config.plan(inputs),
            Self::Proxy(config) => config.plan(inputs),
            Self::Check(config) => Err(RunError::Config(config.changes_nothing())),
        }
    }
}
