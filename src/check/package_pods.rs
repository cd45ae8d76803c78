//! Pods that Crossplane makes of packages: their template is that of a runtime config.

use std::collections::{BTreeMap, HashSet};

use super::alternatives::Alternatives;
use super::facts::Facts;
use super::packages::configured;
use super::settings::Settings;
use super::versions::Versions;
use crate::catalog::PackageKind;
use crate::crossplane::{core_namespace, pods_of};
use crate::model::facts::package;
use crate::model::pod::PodTemplate;
use crate::model::{Model, ObjectId};

/// The pods of the packages that have one runtime config of the input.
#[derive(Debug)]
pub struct PackagePods {
    /// The runtime config, which holds the template.
    pub config: ObjectId,
    /// The packages. Messages name the first one.
    pub packages: Vec<ObjectId>,
    /// The template as Crossplane completes it.
    pub template: PodTemplate,
}

impl PackagePods {
    /// Those of a model. A package whose Deployment is in the input counts as that one. `facts` and `inputs` have an entry for each object.
    #[must_use]
    pub fn of(model: &Model, facts: &[Facts], inputs: &[usize], settings: &Settings<'_>) -> Vec<Self> {
        if model.packages().next().is_none() {
            return Vec::new();
        }
        let made = made(model);
        let alternatives = Alternatives::of(model, facts, inputs);
        let apart = |one: ObjectId, other: ObjectId| alternatives.are(inputs.get(one), inputs.get(other));
        let mut found: BTreeMap<ObjectId, Self> = BTreeMap::new();
        let namespace = core_namespace(model);
        for one in configured(model, &Versions::of(model, settings), apart) {
            let Some(runtime) =
                one.config.filter(|_| !made.contains(&(one.package.kind.label(), one.meta.name.as_str())))
            else {
                continue;
            };
            if let Some(known) = found.get_mut(&runtime.id) {
                known.packages.push(one.id);
            } else if let Some(template) = pods_of(namespace, runtime.id, runtime.value, one.meta, one.package) {
                found.insert(runtime.id, Self { config: runtime.id, packages: vec![one.id], template });
            }
        }
        found.into_values().collect()
    }
}

/// The packages that Crossplane's objects of the input were made of, as a dump of a cluster has them: the label of their kind, and the name.
fn made(model: &Model) -> HashSet<(&'static str, &str)> {
    let mut made = HashSet::new();
    for (.., template) in model.workloads() {
        if template.owner.as_deref().is_some_and(|owner| owner.group == package::GROUP) {
            let kinds = [PackageKind::Provider, PackageKind::Function];
            made.extend(kinds.into_iter().filter_map(|kind| Some((kind.label(), template.labels.get(kind.label())?))));
        }
    }
    made
}
