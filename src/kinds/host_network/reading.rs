//! Inputs that are loaded once to plan several configs.

use super::accept::remove_accepted_warnings;
use super::{load, suppressions};
use crate::api::HostNetworkConfig;
use crate::host_network::{self, PortRow, Targets};
use crate::kinds::duplicate_renders;
use crate::kinds::function::{ObjectIndex, RunError};
use crate::kinds::load::LoadedModel;
use crate::kinds::run::checked_ops;
use crate::model::{Facts, Object};
use crate::plan::Plan;
use crate::render::{Diagnostic, results};
use crate::rule;
use krm::Input;

/// Fully loaded objects of inputs.
pub(in crate::kinds) struct Reading<'i> {
    loaded: LoadedModel,
    read: ObjectIndex<'i>,
}

/// Plan of one config over a [`Reading`].
pub(in crate::kinds) struct DraftPlan {
    /// Plan with all findings.
    pub(in crate::kinds) plan: Plan,
    /// Listeners of the selected workloads, including workloads that stay unchanged.
    pub(in crate::kinds) rows: Vec<PortRow>,
}

impl<'i> Reading<'i> {
    /// Loads the inputs with `templates`, `references` and the variables of `bind` from this config.
    pub(in crate::kinds) fn new(inputs: &'i [Input], config: &HostNetworkConfig) -> Result<Self, RunError> {
        let targets = Targets::compile(config)?;
        let loaded = load(inputs, config, |_| Some(targets.variables()))?;
        let metas = loaded.model.objects().iter().map(|object| object.meta.clone()).collect();
        let read = ObjectIndex { inputs, metas, sources: loaded.sources.clone(), firsts: loaded.firsts.clone() };
        Ok(Self { loaded, read })
    }

    /// True if an object makes the API server call Services or URLs.
    pub(in crate::kinds) fn has_callers(&self) -> bool {
        self.loaded.model.objects().iter().any(|object| matches!(object.facts, Facts::Caller(_)))
    }

    /// Called URLs that name no Service, each with the object that configures the call.
    pub(in crate::kinds) fn called_addresses(&self) -> Vec<String> {
        let addresses = self.loaded.model.called_addresses();
        addresses.map(|called| format!("{} ({})", called.url, called.caller())).collect()
    }

    /// Plans a config.
    ///
    /// With `unrecorded`, a port missing in `assigned` is not an error even if the config requires it, because `hostnet
    /// pin` adds it.
    pub(in crate::kinds) fn plan(&self, config: &HostNetworkConfig, unrecorded: bool) -> Result<DraftPlan, RunError> {
        let targets = Targets::compile(config)?;
        let suppressions = suppressions(config, &self.loaded.model)?;
        let (mut plan, rows) = host_network::plan_with_ports(&self.loaded.model, &targets);
        plan.findings.retain(|finding| !(unrecorded && finding.rule == rule::PORT_ASSIGNED));
        self.loaded.add_input_findings(|meta| targets.may_match(meta), &mut plan);
        checked_ops(&mut plan, &self.read);
        duplicate_renders::name_folders(&mut plan, &self.read);
        remove_accepted_warnings(&mut plan, suppressions, config, &self.read);
        Ok(DraftPlan { plan, rows })
    }

    /// Objects, by index.
    pub(in crate::kinds) fn objects(&self) -> &[Object] {
        self.loaded.model.objects()
    }

    /// Results of a trial with their locations, without rendering.
    pub(in crate::kinds) fn results(&mut self, trial: DraftPlan) -> Vec<Diagnostic> {
        let DraftPlan { mut plan, .. } = trial;
        let before = self.read.metas.len();
        self.read.metas.append(&mut plan.new);
        let results = results(plan, &self.read, false);
        self.read.metas.truncate(before);
        results
    }
}
