//! A config of any kind that changes objects.

use super::function::{Function, Planned, RunError};
use crate::api::AnyConfig;
use crate::wire::Input;

impl Function for AnyConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        match self {
            Self::HostNetwork(config) => config.plan(inputs),
            Self::Proxy(config) => config.plan(inputs),
            Self::Mirror(config) => config.plan(inputs),
            Self::Check(config) => Err(RunError::Config(config.changes_nothing())),
        }
    }
}
