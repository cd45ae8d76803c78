//! `kind: ProxyEnvironment`: read the objects, and what they say of proxies, then plan.

use super::function::{Function, Planned, RunError};
use super::load::{self, Loaded, kinds};
use crate::api::ProxyConfig;
use crate::model::Object;
use crate::proxy::{ProxyFacts, ProxyTargets, Seen, plan};
use crate::wire::{Input, ReadError};

/// The objects of inputs, and what they say of proxies.
pub(super) fn load(inputs: &[Input]) -> Result<(Loaded, ProxyFacts), ReadError> {
    let kinds = kinds(None);
    let mut facts = ProxyFacts::default();
    let read = |node: crate::yaml::NodeRef<'_, '_>| {
        // Templates are read with what shows their programs; their variables are read here.
        let object = Object::of(node, &kinds, |_| Some(&[][..]));
        let seen = Seen::of(&object, node);
        (object, seen)
    };
    let loaded = load::load(inputs, read, |id, object, seen| facts.add(id, object, seen))?;
    Ok((loaded, facts))
}

impl Function for ProxyConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        let targets = ProxyTargets::compile(self)?;
        let (loaded, facts) = load(inputs)?;
        Ok(loaded.planned(inputs, |model| plan(model, &facts, &targets)))
    }
}
