//! `kind: PackageMirror`: loads objects and their images, then plans, or lists the required content of the mirror.

use super::chart_values;
use super::function::{Function, Planned, RunError};
use super::load::{self, Loaded, kinds};
use crate::api::{ConfigError, FailOn, MirrorConfig, PACKAGE_MIRROR};
use crate::model::Object;
use crate::package_mirror::{self, Listed, Listing, MirrorFacts, MirrorObject, MirrorRules, uncovered};
use krm::{Input, ReadError};
use lossless_yaml::{NodeRef, Tree};

/// Loads the objects of inputs and the images that they refer to.
fn load(inputs: &[Input]) -> Result<(Loaded, MirrorFacts), ReadError> {
    let kinds = kinds(None);
    let mut facts = MirrorFacts::default();
    let read = |node: NodeRef<'_, '_>| {
        let object = Object::read(node, &kinds, |_| Some(&[][..]));
        let images = MirrorObject::read(&object, node);
        (object, images)
    };
    let loaded = load::load(inputs, &kinds, read, |id, object, images| facts.add(id, object, images))?;
    facts.read_values_files(|file, read| {
        let Some(tree) = chart_values::file(inputs, file).and_then(|input| Tree::parse(input.text()).ok()) else {
            return false;
        };
        tree.roots().for_each(read);
        true
    });
    Ok((loaded, facts))
}

/// Lists all packages and images in inputs, with their targets according to a config.
pub fn list(inputs: &[Input], config: Option<&MirrorConfig>) -> Result<Listing, RunError> {
    let rules = config.map(MirrorRules::compile).transpose()?;
    let (Loaded { model, .. }, facts) = load(inputs)?;
    Ok(package_mirror::list(&model, &facts, rules.as_ref()))
}

/// Names of images that a run may rename, from the `images` of a kustomization, each with its new name.
pub fn renamed_images<'n>(config: &MirrorConfig, names: &'n [String]) -> Result<Vec<(&'n str, String)>, ConfigError> {
    let rules = MirrorRules::compile(config)?;
    Ok(names.iter().filter_map(|name| Some((name.as_str(), rules.renamed_image(name)?))).collect())
}

/// Required packages of a list that no rule of the config covers.
pub fn without_rule(listing: &Listing) -> Vec<String> {
    let one = |entry: &Listed| {
        Some(format!("{}: whether it can be pulled: it {}", entry.source, uncovered(entry, &listing.routes)?))
    };
    listing.entries.iter().filter_map(one).collect()
}

impl Function for MirrorConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        let rules = MirrorRules::compile(self)?;
        let (loaded, facts) = load(inputs)?;
        Ok(loaded.planned(inputs, |_| false, |model| (package_mirror::plan(model, &facts, &rules), ())).0)
    }

    fn kind_name_and_fail_on(&self) -> (&'static str, &str, FailOn) {
        (PACKAGE_MIRROR, &self.mirror.metadata.name, self.mirror.spec.fail_on)
    }
}
