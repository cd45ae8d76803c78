//! Inputs that are read once, over which several configs are planned.

use super::accept::accept;
use crate::api::{Config, Day};
use crate::host_network::{self, PortRow, Targets};
use crate::judge::suppress::Suppressions;
use crate::kinds::function::{ObjectIndex, RunError};
use crate::kinds::load::{self, Loaded, kinds};
use crate::kinds::run::settle;
use crate::model::Object;
use crate::plan::Plan;
use crate::render::{Diagnostic, results};
use crate::rule;
use crate::wire::Input;

/// The objects of inputs, read whole.
pub(in crate::kinds) struct Reading<'i> {
    loaded: Loaded,
    read: ObjectIndex<'i>,
}

/// The plan of one config over a [`Reading`].
pub(in crate::kinds) struct Trial {
    plan: Plan,
    /// The listeners of the workloads that the config selects, also of those that are left as they are.
    pub(in crate::kinds) rows: Vec<PortRow>,
}

impl Trial {
    /// The plan, with all that is said of it.
    pub(in crate::kinds) fn plan(&self) -> &Plan {
        &self.plan
    }
}

impl<'i> Reading<'i> {
    /// Reads the inputs. `templates`, `references` and the variables of `bind` are those of this config.
    pub(in crate::kinds) fn of(inputs: &'i [Input], config: &Config) -> Result<Self, RunError> {
        let targets = Targets::compile(config)?;
        let kinds = kinds(Some(&config.host_network.spec));
        let loaded = load::load(
            inputs,
            &kinds,
            |node| (Object::of(node, &kinds, |_| Some(targets.variables())), ()),
            |_, _, ()| (),
        )?;
        let metas = loaded.model.objects().iter().map(|object| object.meta.clone()).collect();
        let read = ObjectIndex { inputs, metas, sources: loaded.sources.clone(), firsts: loaded.firsts.clone() };
        Ok(Self { loaded, read })
    }

    /// Plans a config.
    ///
    /// With `unrecorded` a number that `assigned` lacks is not an error, even if the config asks for it: `hostnet pin` adds it.
    pub(in crate::kinds) fn plan(&self, config: &Config, unrecorded: bool) -> Result<Trial, RunError> {
        let targets = Targets::compile(config)?;
        let mut suppressions = Suppressions::of(&config.host_network.spec.suppress, config, Day::today())?;
        suppressions.look_at(&self.loaded.model);
        let (mut plan, rows) = host_network::plan_with_ports(&self.loaded.model, &targets);
        plan.findings.retain(|finding| !(unrecorded && finding.rule == rule::PORT_ASSIGNED));
        self.loaded.report(|meta| targets.may_match(meta), &self.read, &mut plan);
        settle(&mut plan, &self.read);
        accept(&mut plan, suppressions, config, &self.read);
        Ok(Trial { plan, rows })
    }

    /// The objects, by their positions.
    pub(in crate::kinds) fn objects(&self) -> &[Object] {
        self.loaded.model.objects()
    }

    /// What a trial has to say, each with its place. Nothing is rendered.
    pub(in crate::kinds) fn results(&mut self, trial: Trial) -> Vec<Diagnostic> {
        let Trial { mut plan, .. } = trial;
        let before = self.read.metas.len();
        self.read.metas.append(&mut plan.new);
        let results = results(plan, &self.read, false);
        self.read.metas.truncate(before);
        results
    }
}
