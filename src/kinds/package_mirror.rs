//! `kind: PackageMirror`: loads objects and their images, then plans, or lists the required content of the mirror.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::chart_values;
use super::function::{Function, Planned, RunError};
use super::load::{self, LoadedModel, kinds};
use crate::api::{ConfigError, FailOn, MirrorConfig, PACKAGE_MIRROR};
use crate::crossplane::{ValuesSource, is_core_chart};
use crate::model::facts::chart_file;
use crate::model::{Meta, Object};
use crate::package_mirror::{self, Listed, Listing, MirrorFacts, MirrorObject, MirrorRules, uncovered};
use crate::releases::{Release, Rendered, Repository, rendered, root_of};
use krm::{Input, ReadError};
use lossless_yaml::{NodeRef, Tree};

/// Loads the objects of inputs and the images that they refer to.
fn load(inputs: &[Input]) -> Result<(LoadedModel, MirrorFacts), ReadError> {
    let kinds = kinds(None);
    let mut facts = MirrorFacts::default();
    let read = |node: NodeRef<'_, '_>| {
        let object = Object::read(node, &kinds, |_| Some(&[][..]));
        let images = MirrorObject::read(&object, node);
        (object, images)
    };
    let loaded = load::load(inputs, &kinds, read, |id, object, images| facts.add(id, object, images))?;
    let repository = OnceCell::new();
    facts.read_further_values(|source, read| {
        let text = match source {
            ValuesSource::File(file) => chart_values::file(inputs, file).map(|input| Cow::Borrowed(input.text())),
            ValuesSource::Key { kind, .. } if kind != "ConfigMap" => None,
            ValuesSource::Key { namespace, name, key, .. } => repository
                .get_or_init(|| Repository::new(inputs, None))
                .config_map((namespace.as_deref(), name), key, (None, &[]))
                .map(Cow::Owned),
        };
        let Some(text) = text else { return false };
        let Ok(tree) = Tree::parse(&text) else { return false };
        tree.roots().for_each(read);
        true
    });
    let of_files = OnceCell::new();
    facts.fill_templates(|id| {
        let repository = of_files.get_or_init(|| {
            let root = inputs.iter().find_map(|input| input.origin().path()).map(root_of);
            Repository::new(inputs, root)
        });
        loaded.model.object(id).map(|object| core_releases(inputs, repository, &object.meta)).unwrap_or_default()
    });
    Ok((loaded, facts))
}

/// Releases of Crossplane's chart that an object of Argo CD makes from its template.
fn core_releases(inputs: &[Input], repository: &Repository<'_>, meta: &Meta) -> Vec<Release> {
    let of_object = |node: NodeRef<'_, '_>| {
        let releases = rendered(node, None, 0, repository).into_iter().filter_map(Rendered::into_release);
        releases.filter(|release| is_core_chart(chart_file(&release.chart.name).0)).collect::<Vec<_>>()
    };
    let in_input = |input: &Input| {
        // Invalid inputs are reported by the code that reads them completely.
        let found = input.objects(|_, node| (Meta::read(node) == *meta).then(|| of_object(node)));
        found.unwrap_or_default().into_iter().flatten().next()
    };
    inputs.iter().filter(|input| input.text().contains(&meta.gvk.kind)).find_map(in_input).unwrap_or_default()
}

/// Lists all packages and images in inputs, with their targets according to a config.
pub fn list(inputs: &[Input], config: Option<&MirrorConfig>) -> Result<Listing, RunError> {
    let rules = config.map(MirrorRules::compile).transpose()?;
    let (LoadedModel { model, .. }, facts) = load(inputs)?;
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
