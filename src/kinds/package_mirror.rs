//! `kind: PackageMirror`: read the objects, and which images they name, then plan; or list what has to be in the mirror.

use super::function::{Function, ObjectIndex, Planned, RunError};
use super::host_network::{Loaded, load_with, report_duplicates};
use crate::api::MirrorConfig;
use crate::catalog::workload_kinds;
use crate::model::{Kinds, Object, TemplateKind};
use crate::package_mirror::{self, Listing, MirrorFacts, MirrorObject, MirrorRules};
use crate::wire::{Input, ReadError};
use crate::yaml::NodeRef;

/// The objects of inputs, and the images that they name.
fn load(inputs: &[Input]) -> Result<(Loaded, MirrorFacts), ReadError> {
    let templates = workload_kinds().iter().map(TemplateKind::from).collect();
    let kinds = Kinds { templates, references: &[] };
    let mut facts = MirrorFacts::default();
    let read = |node: NodeRef<'_, '_>| {
        let object = Object::of(node, &kinds, |_| Some(&[][..]));
        let images = MirrorObject::of(&object, node);
        (object, images)
    };
    let loaded = load_with(inputs, read, |id, object, images| facts.add(id, object, images))?;
    Ok((loaded, facts))
}

/// Every package and image that inputs ask for, and where a config leads it.
pub fn list(inputs: &[Input], config: Option<&MirrorConfig>) -> Result<Listing, RunError> {
    let rules = config.map(MirrorRules::compile).transpose()?;
    let (Loaded { model, .. }, facts) = load(inputs)?;
    Ok(package_mirror::list(&model, &facts, rules.as_ref()))
}

impl Function for MirrorConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        let rules = MirrorRules::compile(self)?;
        let (Loaded { model, sources, firsts, duplicates, .. }, facts) = load(inputs)?;
        let mut plan = package_mirror::plan(&model, &facts, &rules);
        let read = ObjectIndex { inputs, metas: model.into_metas(), sources, firsts };
        report_duplicates(&duplicates, &read, &mut plan);
        Ok(Planned { plan, read })
    }
}
