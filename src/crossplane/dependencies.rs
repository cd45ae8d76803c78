//! Packages that other packages install as dependencies; without an object in the input, they cannot be moved.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::facts::Package;
use crate::model::listener::program_of_package;
use crate::model::{Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};
use oci::name::ImageRef;

/// Organizations that publish the provider families. A package of a family needs the family's provider of its own
/// organization.
///
/// Source: crossplane-contrib/provider-upjet-aws@048c9536 and provider-upjet-azure@058b5a34 `package/crossplane.yaml.tmpl`,
/// `dependsOn`.
const PUBLISHERS: [&str; 2] = ["crossplane-contrib", "upbound"];

/// Packages with a dependency that is not in the input.
#[derive(Default)]
struct Dependents {
    /// Packages of the publishers.
    certain: Vec<String>,
    /// Packages of other organizations with the name of a package of the family: a private mirror may store the packages
    /// of the publishers under another organization.
    possible: Vec<String>,
}

impl Dependents {
    /// `provider-family-aws (with s3, and with eks if it belongs to that family)`
    fn text(&self, dependency: &str) -> String {
        let (certain, possible) = (self.certain.join(", "), self.possible.join(", "));
        let belong = if self.possible.len() == 1 { "it belongs" } else { "they belong" };
        let parts = [
            (!certain.is_empty()).then(|| format!("with {certain}")),
            (!possible.is_empty()).then(|| format!("with {possible} if {belong} to that family")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{dependency} ({})", parts.join(", and "))
    }
}

/// Creates one info about dependencies of these packages that are not in the input; `effect` is the consequence.
/// Packages whose dependencies Crossplane does not resolve are left out.
pub(crate) fn missing_dependencies(
    model: &Model,
    packages: impl Iterator<Item = ObjectId>,
    effect: &str,
) -> Option<Finding> {
    let present: BTreeSet<(&str, &str)> =
        model.packages().map(|(_, _, package)| organization_and_name(&package.image)).collect();
    let mut absent: BTreeMap<&str, Dependents> = BTreeMap::new();
    let programs: Vec<_> = packages
        .filter_map(|id| model.object(id))
        .filter_map(|object| Some((object, object.package().filter(|package| !skips_dependencies(package))?)))
        .filter_map(|(object, package)| Some((object, package, program_of_package(package)?.0)))
        .collect();
    for (object, package, program) in &programs {
        let (organization, _) = organization_and_name(&package.image);
        let is_published = PUBLISHERS.contains(&organization);
        for name in program.dependencies_of(ImageRef::split(&package.image).name) {
            let is_present = match is_published {
                true => present.contains(&(organization, name.as_str())),
                false => present.iter().any(|(_, known)| known == name),
            };
            if !is_present {
                let dependents = absent.entry(name).or_default();
                let list = if is_published { &mut dependents.certain } else { &mut dependents.possible };
                list.push(object.meta.name.clone());
            }
        }
    }
    let list: Vec<String> = absent.iter().map(|(name, dependents)| dependents.text(name)).collect();
    let message = format!(
        "packages that Crossplane installs as dependencies {effect}: {}. Make each a separate Provider, or choose its runtime config \
         by an ImageConfig (`spec.runtime.configRef`, Crossplane v2.2)",
        list.join(", ")
    );
    (!list.is_empty()).then(|| Finding::new(Severity::Info, rule::RUNTIME_CONFIG, message))
}

/// The last two segments of an image's name: the organization and the name of a package.
fn organization_and_name(image: &str) -> (&str, &str) {
    let name = ImageRef::split(image).name;
    let (above, last) = name.rsplit_once('/').unwrap_or(("", name));
    (above.rsplit('/').next().unwrap_or_default(), last)
}

/// True if `spec.skipDependencyResolution` is true: Crossplane installs no dependencies of the package.
fn skips_dependencies(package: &Package) -> bool {
    package.object.lookup(&Path::dotted("spec.skipDependencyResolution")) == Some(&Value::Bool(true))
}
