//! `kind: HostNetwork`: loads objects, then plans.

use super::duplicate_renders;
use super::function::{Function, Planned, RunError};
use super::load::{self, LoadedModel, kinds};
use crate::api::{Day, FailOn, HOST_NETWORK, HostNetworkConfig};
use crate::host_network::{self, PortRow, Targets};
use crate::judge::suppress::Suppressions;
use crate::model::{Meta, Model, Object};
use crate::render::Diagnostic;
use krm::Input;
use lossless_yaml::NodeRef;

mod accept;
mod reading;

use accept::remove_accepted_warnings;
pub(super) use reading::{DraftPlan, Reading};

/// Loads the objects of inputs with the kinds of a config. `reads` returns the variables to read for an object that may
/// be selected.
pub(super) fn load<'v>(
    inputs: &[Input],
    config: &HostNetworkConfig,
    reads: impl Fn(&Meta) -> Option<&'v [String]> + Sync,
) -> Result<LoadedModel, RunError> {
    let kinds = kinds(Some(&config.host_network.spec));
    let read = |node: NodeRef<'_, '_>| (Object::read(node, &kinds, &reads), ());
    Ok(load::load(inputs, &kinds, read, |_, _, ()| ())?)
}

/// Suppressed warnings, from the config and from annotations.
fn suppressions(config: &HostNetworkConfig, model: &Model) -> Result<Suppressions, RunError> {
    let mut suppressions = Suppressions::from_config(&config.host_network.spec.suppress, config, Day::today())?;
    suppressions.index_model(model);
    Ok(suppressions)
}

/// Decides every listener of the inputs, including listeners of unchanged workloads ([`PortRow::is_left`]); returns
/// rows and results without rendering.
///
/// With `unrecorded`, a port missing in `assigned` is not an error even if the config requires it, because `hostnet
/// pin` adds it.
pub fn ports(
    inputs: &[Input],
    config: &HostNetworkConfig,
    unrecorded: bool,
) -> Result<(Vec<PortRow>, Vec<Diagnostic>), RunError> {
    let mut reading = Reading::new(inputs, config)?;
    let mut trial = reading.plan(config, unrecorded)?;
    let rows = std::mem::take(&mut trial.rows);
    Ok((rows, reading.results(trial)))
}

impl Function for HostNetworkConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        let targets = Targets::compile(self)?;
        let loaded = load(inputs, self, |meta| targets.variables_to_read(meta))?;
        let suppressions = suppressions(self, &loaded.model)?;
        let (mut planned, ()) =
            loaded.planned(inputs, |meta| targets.may_match(meta), |model| (host_network::plan(model, &targets), ()));
        duplicate_renders::name_folders(&mut planned.plan, &planned.read);
        remove_accepted_warnings(&mut planned.plan, suppressions, self, &planned.read);
        Ok(planned)
    }

    fn kind_name_and_fail_on(&self) -> (&'static str, &str, FailOn) {
        (HOST_NETWORK, &self.host_network.metadata.name, self.host_network.spec.fail_on)
    }
}
