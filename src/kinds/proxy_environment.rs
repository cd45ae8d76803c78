//! `kind: ProxyEnvironment`: read the objects, and what they say of proxies, then plan.

use super::function::{Function, ObjectIndex, Planned, RunError};
use super::host_network::{Loaded, load_with, report_duplicates};
use crate::api::ProxyConfig;
use crate::catalog::workload_kinds;
use crate::model::{Kinds, Object, TemplateKind};
use crate::proxy::{ProxyFacts, ProxyTargets, Seen, plan};
use crate::wire::{Input, ReadError};

/// The objects of inputs, and what they say of proxies.
pub(super) fn load(inputs: &[Input]) -> Result<(Loaded, ProxyFacts), ReadError> {
    let templates = workload_kinds().iter().map(TemplateKind::from).collect();
    let kinds = Kinds { templates, references: &[] };
    let mut facts = ProxyFacts::default();
    let read = |node: crate::yaml::NodeRef<'_, '_>| {
        // Templates are read with what shows their programs; their variables are read here.
        let object = Object::of(node, &kinds, |_| Some(&[][..]));
        let seen = Seen::of(&object, node);
        (object, seen)
    };
    let taken = load_with(inputs, read, |id, object, seen| facts.add(id, object, seen))?;
    Ok((taken, facts))
}

impl Function for ProxyConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        let targets = ProxyTargets::compile(self)?;
        let (Loaded { model, sources, firsts, duplicates, .. }, facts) = load(inputs)?;
        let mut plan = plan(&model, &facts, &targets);
        let read = ObjectIndex { inputs, metas: model.into_metas(), sources, firsts };
        report_duplicates(&duplicates, &read, &mut plan);
        Ok(Planned { plan, read })
    }
}
