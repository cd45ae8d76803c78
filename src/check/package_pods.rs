//! Pods that Crossplane creates for packages, from the pod template of a runtime config.

use std::collections::{BTreeMap, HashSet};

use super::alternatives::Alternatives;
use super::facts::CheckFacts;
use super::packages::configured;
use super::settings::Settings;
use super::versions::Versions;
use crate::catalog::PackageKind;
use crate::crossplane::{core_namespace, pods_of};
use crate::model::facts::package;
use crate::model::pod::PodTemplate;
use crate::model::{Model, ObjectId};

/// Pods of the packages that use the same runtime config of the input.
#[derive(Debug)]
pub struct PackagePods {
    /// Runtime config, which contains the pod template.
    pub config: ObjectId,
    /// Packages with this runtime config. Messages name the first package.
    pub packages: Vec<ObjectId>,
    /// Pod template with the additions of Crossplane.
    pub template: PodTemplate,
}

impl PackagePods {
    /// Collects the pods of all packages of a model, except packages whose Deployment is in the input. `facts` and
    /// `inputs` have one entry per object.
    pub fn new(model: &Model, facts: &[CheckFacts], inputs: &[usize], settings: &Settings<'_>) -> Vec<Self> {
        if model.packages().next().is_none() {
            return Vec::new();
        }
        let made = created_packages(model);
        let alternatives = Alternatives::new(model, facts, inputs);
        let apart = |one: ObjectId, other: ObjectId| alternatives.are_alternatives(inputs.get(one), inputs.get(other));
        let mut found: BTreeMap<ObjectId, Self> = BTreeMap::new();
        let namespace = core_namespace(model);
        for one in configured(model, &Versions::new(model, settings), apart) {
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

/// Packages whose objects, created by Crossplane, are in the input, as in a dump of a cluster: the label key of the
/// kind of package, and the name.
fn created_packages(model: &Model) -> HashSet<(&'static str, &str)> {
    let mut made = HashSet::new();
    for (.., template) in model.workloads() {
        if template.owner.as_deref().is_some_and(|owner| owner.group == package::GROUP) {
            let kinds = [PackageKind::Provider, PackageKind::Function];
            made.extend(kinds.into_iter().filter_map(|kind| Some((kind.label(), template.labels.get(kind.label())?))));
        }
    }
    made
}
