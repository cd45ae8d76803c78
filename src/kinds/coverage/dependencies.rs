//! Packages that Crossplane installs together with a package, and which only the image of that package names.

use memchr::memmem;

use super::api_groups::ApiGroups;
use crate::model::facts::package;
use crate::releases::{group_and_kind, name_of, text};
use lossless_yaml::NodeRef;

/// API groups of the metadata of packages: Crossplane's `crossplane.yaml`, and `upbound.yaml` of Upbound's projects
/// (upbound/platform-ref-aws@57fa3b0 `upbound.yaml`).
const METADATA: [&str; 2] = ["meta.pkg.crossplane.io", "meta.dev.upbound.io"];

/// Command that prints the packages of a cluster and their runtime configs.
pub(super) const COMMAND: &str = "kubectl get configurations.pkg.crossplane.io,providers.pkg.crossplane.io,functions.pkg.crossplane.io,\
                       deploymentruntimeconfigs.pkg.crossplane.io -o yaml";

/// Source of the dependencies of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dependencies {
    /// The image of a package; Crossplane installs the dependencies when the object is in the cluster.
    Installed,
    /// The metadata of a package, an object that is in no cluster.
    Listed,
}

/// True for a text that may contain a package with dependencies, or packages of a cluster.
pub(super) fn may_contain(text: &str, groups: &ApiGroups<'_>) -> bool {
    let has = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    (groups.any(|group| group == package::GROUP) && (has("Configuration") || has("status")))
        || (groups.any(|group| METADATA.contains(&group)) && has("dependsOn"))
}

/// Packages that a package of the input needs.
#[derive(Debug)]
pub(super) struct NeededPackages {
    /// `Configuration aws`
    pub(super) object: String,
    /// Description, for messages.
    pub(super) what: String,
    pub(super) dependencies: Dependencies,
}

/// The packages that a Configuration needs, whose image lists them, or that the metadata of a package lists; `None` for
/// other objects.
pub(super) fn needed_packages(object: NodeRef<'_, '_>) -> Option<NeededPackages> {
    let (group, kind) = group_and_kind(object)?;
    let spec = object.get("spec")?;
    let needed = |what, dependencies| NeededPackages { object: name_of(object, kind), what, dependencies };
    if METADATA.contains(&group) {
        spec.get("dependsOn")?.items().next()?;
        return Some(needed("what its `dependsOn` lists".to_owned(), Dependencies::Listed));
    }
    let is_skipped = spec.get("skipDependencyResolution").and_then(NodeRef::as_bool) == Some(true);
    if (group, kind) != (package::GROUP, "Configuration") || is_skipped {
        return None;
    }
    let what = format!("what Crossplane installs with it (the packages that {} needs)", text(object, "spec.package")?);
    Some(needed(what, Dependencies::Installed))
}

/// True for a Lock, and for a package with a status: the input is then from a cluster, and contains the packages that
/// Crossplane installed.
pub(super) fn is_of_cluster(object: NodeRef<'_, '_>) -> bool {
    let is_package =
        |kind: &str| kind == "Lock" || matches!(kind, "Provider" | "Function") && object.get("status").is_some();
    group_and_kind(object).is_some_and(|(group, kind)| group == package::GROUP && is_package(kind))
}
