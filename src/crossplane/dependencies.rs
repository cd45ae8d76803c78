//! Packages that other packages install as dependencies; without an object in the input, they cannot be moved.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::listener::program_of_package;
use crate::model::{Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use oci::name::ImageRef;

/// Creates one info about dependencies of these packages that are not in the input; `effect` is the consequence.
pub(crate) fn missing_dependencies(
    model: &Model,
    packages: impl Iterator<Item = ObjectId>,
    effect: &str,
) -> Option<Finding> {
    let present: BTreeSet<&str> =
        model.packages().map(|(_, _, package)| ImageRef::split(&package.image).last_segment()).collect();
    let mut absent: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for object in packages.filter_map(|id| model.object(id)) {
        let Some(package) = object.package() else { continue };
        let Some((program, _)) = program_of_package(package) else { continue };
        let needed = program.dependencies_of(ImageRef::split(&package.image).name);
        for name in needed.iter().filter(|name| !present.contains(name.as_str())) {
            absent.entry(name.clone()).or_default().push(object.meta.name.clone());
        }
    }
    let list: Vec<String> = absent.iter().map(|(name, users)| format!("{name} (with {})", users.join(", "))).collect();
    let message = format!(
        "packages that Crossplane installs as dependencies {effect}: {}. Make each a separate Provider, or choose its runtime config \
         by an ImageConfig (`spec.runtime.configRef`, Crossplane v2.2)",
        list.join(", ")
    );
    (!list.is_empty()).then(|| Finding::new(Severity::Info, rule::RUNTIME_CONFIG, message))
}
