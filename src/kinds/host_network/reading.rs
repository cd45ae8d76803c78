//! Inputs that are read once, over which several configs are planned.

use super::accept::accept;
use super::{load, suppressions};
use crate::api::Config;
use crate::host_network::{self, PortRow, Targets};
use crate::kinds::function::{ObjectIndex, RunError};
use crate::kinds::load::Loaded;
use crate::kinds::run::settle;
use crate::model::Object;
use crate::plan::Plan;
use crate::render::{Diagnostic, results};
use crate::rule;
use krm::Input;

/// The objects of inputs, read whole.
pub(in crate::kinds) struct Reading<'i> {
    loaded: Loaded,
    read: ObjectIndex<'i>,
}

/// The plan of one config over a [`Reading`].
pub(in crate::kinds) struct Trial {
    /// The plan, with all findings.
    pub(in crate::kinds) plan: Plan,
    /// The listeners of the workloads that the config selects, also of those that are left as they are.
    pub(in crate::kinds) rows: Vec<PortRow>,
}

impl<'i> Reading<'i> {
    /// Reads the inputs. `templates`, `references` and the variables of `bind` are those of this config.
    pub(in crate::kinds) fn of(inputs: &'i [Input], config: &Config) -> Result<Self, RunError> {
        let targets = Targets::compile(config)?;
        let loaded = load(inputs, config, |_| Some(targets.variables()))?;
        let metas = loaded.model.objects().iter().map(|object| object.meta.clone()).collect();
        let read = ObjectIndex { inputs, metas, sources: loaded.sources.clone(), firsts: loaded.firsts.clone() };
        Ok(Self { loaded, read })
    }

    /// Plans a config.
    ///
    /// With `unrecorded` a number that `assigned` lacks is not an error, even if the config asks for it: `hostnet pin` adds it.
    pub(in crate::kinds) fn plan(&self, config: &Config, unrecorded: bool) -> Result<Trial, RunError> {
        let targets = Targets::compile(config)?;
        let suppressions = suppressions(config, &self.loaded.model)?;
        let (mut plan, rows) = host_network::plan_with_ports(&self.loaded.model, &targets);
        plan.findings.retain(|finding| !(unrecorded && finding.rule == rule::PORT_ASSIGNED));
        self.loaded.report(|meta| targets.may_match(meta), &mut plan);
        settle(&mut plan, &self.read);
        accept(&mut plan, suppressions, config, &self.read);
        Ok(Trial { plan, rows })
    }

    /// The objects, by their positions.
    pub(in crate::kinds) fn objects(&self) -> &[Object] {
        self.loaded.model.objects()
    }

    /// The results of a trial, each with its place. Nothing is rendered.
    pub(in crate::kinds) fn results(&mut self, trial: Trial) -> Vec<Diagnostic> {
        let Trial { mut plan, .. } = trial;
        let before = self.read.metas.len();
        self.read.metas.append(&mut plan.new);
        let results = results(plan, &self.read, false);
        self.read.metas.truncate(before);
        results
    }
}
