//! The runtimes of matched packages, and the pods of other packages.

use std::collections::{BTreeMap, BTreeSet};

use super::maker::{Candidate, Maker};
use super::new_object::PREFIX;
use super::runtime::Runtime;
use super::template::pods_of;
use super::terms::{SelectedPackage, Terms};
use super::version::{Core, core_namespace};
use super::{dependencies, runtime_config};
use crate::model::facts::{Package, package};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model, ObjectId};
use crate::plan::{Change, Edit, Finding};
use crate::rule;
use lossless_yaml::Path;

/// The runtimes of matched packages, and the pods of other packages.
#[derive(Debug, Default)]
pub(crate) struct Runtimes {
    by_package: BTreeMap<ObjectId, Runtime>,
    /// Pod templates of packages that no target matches.
    others: BTreeMap<ObjectId, PodTemplate>,
    /// New objects, needed if their packages move.
    pub(crate) new: Vec<Meta>,
}

impl Runtimes {
    /// Builds the runtimes of all matched packages; failures become findings.
    pub(crate) fn build(
        model: &Model,
        terms: &Terms<'_>,
        matched: &[SelectedPackage<'_>],
        findings: &mut Vec<Finding>,
    ) -> Self {
        let core = Core::find(model, terms.version);
        let namespace = core_namespace(model);
        let others = others(model, &core, namespace, matched);
        let mut runtimes = Self { others, ..Self::default() };
        if matched.is_empty() {
            return runtimes;
        }
        let users = runtime_config::users(model, &core);
        let taken = model.objects().iter().map(|object| &object.meta).filter(|meta| meta.gvk.group == package::GROUP);
        let names = taken
            .filter(|meta| meta.name.starts_with(PREFIX))
            .map(|meta| ((meta.gvk.kind.clone(), meta.name.clone()), None));
        let packages = matched.iter().filter_map(|matched| model.object(matched.id)?.package());
        let chosen = packages.map(|package| runtime_config::chosen_runtime_config(model, &core, package).name);
        let mut maker = Maker {
            model,
            terms,
            chosen: runtime_config::counted(chosen),
            core,
            namespace,
            users,
            new: Vec::new(),
            names: names.collect(),
            findings,
            if_moved: Vec::new(),
        };
        for matched in matched {
            if let Some(runtime) = Candidate::new(model, *matched).and_then(|candidate| maker.runtime(candidate)) {
                runtimes.by_package.insert(matched.id, runtime);
            }
        }
        if !runtimes.by_package.is_empty() && terms.moves.is_some() {
            maker.findings.extend(maker.core.assumed(&Core::runtime_features(model)));
        }
        runtimes.new = maker.new;
        let moving = runtimes.by_package.keys().copied();
        let effect = if terms.moves.is_some() { "stay on the pod network" } else { "get no proxy variables" };
        findings.extend(dependencies::missing_dependencies(model, moving, effect));
        runtimes
    }

    /// Pod templates of packages that no target matches; some use host ports.
    pub(crate) fn others(&self) -> impl Iterator<Item = (ObjectId, &PodTemplate)> {
        self.others.iter().map(|(id, template)| (*id, template))
    }

    /// The runtime of a package, if it can be moved.
    pub(crate) fn get(&self, package: ObjectId) -> Option<&Runtime> {
        self.by_package.get(&package)
    }

    /// Findings about the packages that move.
    pub(crate) fn findings(&self, moving: &BTreeSet<ObjectId>) -> impl Iterator<Item = &Finding> {
        let kept = self.by_package.iter().filter(|(package, _)| moving.contains(package));
        kept.flat_map(|(_, runtime)| &runtime.findings)
    }

    /// The package that an object is created for.
    pub(crate) fn package_of(&self, document: ObjectId) -> Option<ObjectId> {
        self.by_package.iter().find(|(_, runtime)| runtime.document == document).map(|(package, _)| *package)
    }

    /// Edits that prepare the packages that move: runtime configs, references, and the removal of ControllerConfigs
    /// that no package of the input uses any more.
    pub(crate) fn edits(&self, model: &Model, moving: &BTreeSet<ObjectId>) -> Vec<Edit> {
        let kept = self.by_package.iter().filter(|(package, _)| moving.contains(package));
        let mut edits: Vec<Edit> = kept.clone().flat_map(|(_, runtime)| runtime.edits.iter().cloned()).collect();
        let converted: BTreeSet<ObjectId> = kept.filter_map(|(_, runtime)| runtime.converted).collect();
        for id in converted {
            let Some(object) = model.object(id) else { continue };
            let uses = |package: &Package| package.controller_config.as_deref() == Some(&object.meta.name);
            if model.packages().all(|(package, _, facts)| !uses(facts) || moving.contains(&package)) {
                let message = format!("{} is removed: no package of the input uses it any more", object.meta).into();
                let change = Change::RemoveDocument;
                edits.push(Edit { object: id, path: Path::root(), change, rule: rule::CONTROLLER_CONFIG, message });
            }
        }
        edits
    }
}

/// Pod templates of packages that no target matches.
fn others(
    model: &Model,
    core: &Core,
    namespace: Option<&str>,
    matched: &[SelectedPackage<'_>],
) -> BTreeMap<ObjectId, PodTemplate> {
    let matched: BTreeSet<ObjectId> = matched.iter().map(|matched| matched.id).collect();
    let others = model.packages().filter(|(id, ..)| !matched.contains(id));
    let templates = others.filter_map(|(id, meta, package)| {
        let (_, value) = model.runtime_config(runtime_config::chosen_runtime_config(model, core, package).name)?;
        Some((id, pods_of(namespace, id, value, meta, package)?))
    });
    templates.collect()
}
