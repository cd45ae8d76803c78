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
            Self::Check(config) => Err(RunError::Config(config.changing_kind_needed_error())),
        }
    }

    fn kind_name_and_fail_on(&self) -> (&'static str, &str, FailOn) {
        match self {
            Self::HostNetwork(config) => config.kind_name_and_fail_on(),
            Self::Proxy(config) => config.kind_name_and_fail_on(),
            Self::Mirror(config) => config.kind_name_and_fail_on(),
            Self::Check(config) => (HOST_NETWORK_CHECK, &config.check.metadata.name, config.check.spec.fail_on),
        }
    }
}
