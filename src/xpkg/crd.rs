//! Field values of Crossplane's own objects that the API server refuses or drops, because of the CRDs of a release.

use super::package_name::certain_refusal;
use crate::catalog::{IMAGE_REWRITES_SINCE, full_names_required_since};
use crate::model::Meta;
use crate::model::facts::package::GROUP;
use crate::version::ProgramVersion;
use lossless_yaml::{NodeRef, Path};

/// The first version without the CRD of ControllerConfigs.
const NO_CONTROLLER_CONFIGS: &str = "v2.0.0";

/// The version of ImageConfigs that the CRDs up to v2.3.4 serve.
const IMAGE_CONFIG_VERSION: &str = "v1beta1";

/// A field that the CRDs refuse or drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrdFault {
    /// Path of the field.
    pub path: Path,
    /// Reason, in the words of the API server if it has an error message for it.
    pub reason: String,
    /// Remedy.
    pub remedy: &'static str,
    /// Releases with the fault: releases that have (true) or lack (false) a feature, with the version that added it;
    /// `None` for all.
    only: Option<(&'static str, bool)>,
}

impl CrdFault {
    /// True if a release certainly has the fault.
    pub fn applies(&self, version: &ProgramVersion) -> bool {
        self.only.is_none_or(|(since, has)| version.has(since) == Some(has))
    }

    /// True if the API server stores the object without the field: the CRD's schema lacks it, and has no
    /// `x-kubernetes-preserve-unknown-fields`, so the field is pruned. Only a client that asks for strict validation
    /// gets an error.
    ///
    /// Source: crossplane/crossplane@e399d378 (v1.19.2) `cluster/crds/pkg.crossplane.io_imageconfigs.yaml`.
    pub fn is_dropped(&self) -> bool {
        matches!(self.only, Some((_, false)))
    }
}

/// Returns the faults of a package or an ImageConfig.
///
/// Source: crossplane/crossplane@2d040d2d `apis/pkg/v1/package_types.go`, `apis/pkg/v1beta1/image_config_types.go`.
pub fn crd_faults(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<CrdFault> {
    if meta.gvk.group != GROUP {
        return Vec::new();
    }
    let Some(spec) = object.get("spec") else { return Vec::new() };
    match meta.gvk.kind.as_str() {
        "Provider" | "Configuration" | "Function" => package(spec).into_iter().chain(references(spec)).collect(),
        "ImageConfig" => unserved(meta).into_iter().chain(image_config(spec)).collect(),
        "ControllerConfig" => vec![CrdFault {
            path: Path::root().key("kind"),
            reason: "no matches for kind \"ControllerConfig\"".to_owned(),
            remedy: "Write a DeploymentRuntimeConfig",
            only: Some((NO_CONTROLLER_CONFIGS, true)),
        }],
        _ => Vec::new(),
    }
}

/// Fault of an ImageConfig whose version no release serves.
fn unserved(meta: &Meta) -> Option<CrdFault> {
    let version = Some(meta.gvk.version.as_str()).filter(|version| *version != IMAGE_CONFIG_VERSION)?;
    Some(CrdFault {
        path: Path::root().key("apiVersion"),
        reason: format!("no matches for kind \"ImageConfig\" in version \"{GROUP}/{version}\""),
        remedy: "Write `pkg.crossplane.io/v1beta1`",
        only: None,
    })
}

/// Faults of the references of a package to other objects.
fn references(spec: NodeRef<'_, '_>) -> Vec<CrdFault> {
    let mut found = Vec::new();
    let runtime = spec.get("runtimeConfigRef").filter(|reference| reference.is_mapping());
    if runtime.is_some_and(|reference| reference.get("name").is_none()) {
        let path = Path::dotted("spec.runtimeConfigRef.name");
        let remedy = "Write the name of a DeploymentRuntimeConfig";
        found.push(CrdFault { path, reason: "Required value".to_owned(), remedy, only: None });
    }
    for (index, secret) in spec.get("packagePullSecrets").into_iter().flat_map(NodeRef::items).enumerate() {
        if let Some(name) = secret.non_null_text().filter(|name| !name.contains(['$', '{'])) {
            let path = Path::dotted("spec.packagePullSecrets").item(index);
            let reason = format!("Invalid value: \"{name}\": it is a text, not a mapping");
            found.push(CrdFault { path, reason, remedy: "Write `{name: SECRET}`", only: None });
        }
    }
    found
}

/// Fault of a reference to a package.
fn package(spec: NodeRef<'_, '_>) -> Option<CrdFault> {
    let refusal = certain_refusal(spec.get("package")?.non_null_text()?)?;
    Some(CrdFault {
        path: Path::dotted("spec.package"),
        reason: format!("Invalid value: {refusal}"),
        remedy: "Write the whole name, such as xpkg.crossplane.io/ORG/NAME:v1",
        only: Some((full_names_required_since()?, true)),
    })
}

/// Faults of an ImageConfig.
fn image_config(spec: NodeRef<'_, '_>) -> Vec<CrdFault> {
    let list = Path::dotted("spec.matchImages");
    let mut found = Vec::new();
    let images = spec.get("matchImages");
    // A patch may lack the list, so only an empty list is reported.
    if images.is_some_and(|images| images.is_sequence() && images.items().next().is_none()) {
        let reason = "Invalid value: matchImages should have at least one element".to_owned();
        let remedy = "Add an element such as `{type: Prefix, prefix: registry.example.com/}`";
        found.push(CrdFault { path: list.clone(), reason, remedy, only: None });
    }
    for (index, image) in images.into_iter().flat_map(NodeRef::items).enumerate() {
        let kind = image.get("type").and_then(NodeRef::non_null_text).filter(|kind| !kind.contains('$'));
        if let Some(kind) = kind.filter(|kind| *kind != "Prefix") {
            let reason = format!("Unsupported value: \"{kind}\": supported values: \"Prefix\"");
            let path = list.item(index).key("type");
            found.push(CrdFault { path, reason, remedy: "Write `type: Prefix`, and a prefix", only: None });
        }
    }
    if spec.get("rewriteImage").is_some_and(|rewrite| !rewrite.is_null()) {
        found.push(CrdFault {
            path: Path::dotted("spec.rewriteImage"),
            reason: format!(
                "unknown field: Crossplane before {IMAGE_REWRITES_SINCE} rewrites no images, and the API server drops it"
            ),
            remedy: "Write the mirror's name into `spec.package`",
            only: Some((IMAGE_REWRITES_SINCE, false)),
        });
    }
    found
}
