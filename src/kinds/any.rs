//! A config of any kind that changes objects.

use super::function::{Function, Planned, RunError};
use crate::api::{AnyConfig, FailOn, HOST_NETWORK_CHECK};
use krm::Input;

impl Function for AnyConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        match self {
            Self::HostNetwork(config) => config.plan(inputs),
            Self::Proxy(config) => config.plan(inputs),
            Self::Mirror(config) => config.plan(inputs),
            Self::Check(config) => Err(RunError::Config(config.changes_nothing())),
        }
    }

    fn fail_on(&self) -> FailOn {
        match self {
            Self::HostNetwork(config) => config.fail_on(),
            Self::Proxy(config) => config.fail_on(),
            Self::Mirror(config) => config.fail_on(),
            Self::Check(config) => config.check.spec.fail_on,
        }
    }

    fn label(&self) -> String {
        match self {
            Self::HostNetwork(config) => config.label(),
            Self::Proxy(config) => config.label(),
            Self::Mirror(config) => config.label(),
            Self::Check(config) => format!("{HOST_NETWORK_CHECK} {}", config.check.metadata.name),
        }
    }
}
