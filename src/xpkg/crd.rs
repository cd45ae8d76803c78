//! Field values of Crossplane's own objects that the API server refuses or drops, because of the CRDs of a release.

use super::package_name::certain_refusal;
use crate::catalog::{IMAGE_REWRITES_SINCE, full_names_required_since};
use crate::model::Meta;
use crate::model::facts::package::GROUP;
use crate::version::ProgramVersion;
use krm::may_have_placeholder;
use lossless_yaml::{Kind, NodeRef, Path, Style, is_word};

/// The first version without the CRD of ControllerConfigs.
const NO_CONTROLLER_CONFIGS: &str = "v2.0.0";

/// Versions of each kind that a CRD serves.
///
/// Source: crossplane/crossplane v1.14.5, v1.20.11 and v2.3.4 `cluster/crds/`.
const SERVED: [(&str, &[&str]); 6] = [
    ("Configuration", &["v1"]),
    ("ControllerConfig", &["v1alpha1"]),
    ("DeploymentRuntimeConfig", &["v1beta1"]),
    ("Function", &["v1", "v1beta1"]),
    ("ImageConfig", &["v1beta1"]),
    ("Provider", &["v1"]),
];

/// The first version with all CRDs of [`SERVED`] but that of ImageConfigs.
const SERVED_SINCE: &str = "v1.14.0";

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
    /// True if the API server stores the object without the field: the CRD's schema lacks it, and has no
    /// `x-kubernetes-preserve-unknown-fields`, so the field is pruned. Only a client that asks for strict validation
    /// gets an error.
    ///
    /// Source: crossplane/crossplane@e399d378 (v1.19.2) `cluster/crds/pkg.crossplane.io_imageconfigs.yaml`.
    pub is_dropped: bool,
}

impl CrdFault {
    /// True if a release certainly has the fault.
    pub fn applies(&self, version: &ProgramVersion) -> bool {
        self.only.is_none_or(|(since, has)| version.has(since) == Some(has))
    }
}

/// Returns the faults of a package or an ImageConfig.
///
/// Source: crossplane/crossplane@2d040d2d `apis/pkg/v1/package_types.go`, `apis/pkg/v1beta1/image_config_types.go`.
pub fn crd_faults(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<CrdFault> {
    if meta.gvk.group != GROUP {
        return Vec::new();
    }
    let kind = meta.gvk.kind.as_str();
    let spec = object.get("spec");
    let mut found: Vec<CrdFault> = unserved(meta).into_iter().collect();
    match (kind, spec) {
        ("Provider" | "Configuration" | "Function", Some(spec)) => {
            found.extend(package(spec).into_iter().chain(references(spec)).chain(fields(kind, spec)));
        }
        ("ImageConfig", Some(spec)) => found.extend(image_config(spec)),
        ("ControllerConfig", _) => found.push(CrdFault {
            path: Path::root().key("kind"),
            reason: "no matches for kind \"ControllerConfig\"".to_owned(),
            remedy: "Write a DeploymentRuntimeConfig",
            only: Some((NO_CONTROLLER_CONFIGS, true)),
            is_dropped: false,
        }),
        _ => {}
    }
    found
}

/// Fault of an object whose version no release serves.
fn unserved(meta: &Meta) -> Option<CrdFault> {
    let (kind, version) = (meta.gvk.kind.as_str(), meta.gvk.version.as_str());
    let (_, served) = SERVED.iter().find(|(known, _)| *known == kind)?;
    if served.contains(&version) || may_have_placeholder(version) {
        return None;
    }
    let remedy = match served.first() {
        Some(&"v1") => "Write `pkg.crossplane.io/v1`",
        Some(&"v1alpha1") => "Write `pkg.crossplane.io/v1alpha1`",
        _ => "Write `pkg.crossplane.io/v1beta1`",
    };
    let path = Path::root().key("apiVersion");
    let reason = format!("no matches for kind \"{kind}\" in version \"{GROUP}/{version}\"");
    // No release had the kind before.
    let only = Some((SERVED_SINCE, true)).filter(|_| kind != "ImageConfig");
    Some(CrdFault { path, reason, remedy, only, is_dropped: false })
}

/// Faults of other fields of a package.
fn fields(kind: &str, spec: NodeRef<'_, '_>) -> Vec<CrdFault> {
    let is_set = |field: &&str| spec.get(field).is_some_and(|value| !value.is_null());
    let mut found = Vec::new();
    let runtime = ["controllerConfigRef", "runtimeConfigRef"].into_iter().filter(is_set);
    if kind == "Configuration" {
        found.extend(runtime.map(|field| CrdFault {
            path: Path::root().key("spec").key(field),
            reason: "unknown field: a Configuration has no pods, and the API server drops it".to_owned(),
            remedy: "Write it into the packages that have pods",
            only: None,
            is_dropped: true,
        }));
    } else if is_set(&"controllerConfigRef") {
        found.push(CrdFault {
            path: Path::dotted("spec.controllerConfigRef"),
            reason: format!(
                "unknown field: Crossplane from {NO_CONTROLLER_CONFIGS} on has no ControllerConfigs, and the API server drops it"
            ),
            remedy: "Write `runtimeConfigRef` with the name of a DeploymentRuntimeConfig",
            only: Some((NO_CONTROLLER_CONFIGS, true)),
            is_dropped: true,
        });
    }
    for field in ["ignoreCrossplaneConstraints", "skipDependencyResolution"] {
        // Go's YAML reader also takes plain words such as `yes` for booleans.
        let is_boolean = |value: NodeRef<'_, '_>| {
            value.as_bool().is_some() || value.kind() == Kind::Scalar(Style::Plain) && value.text().is_some_and(is_word)
        };
        let value = spec.get(field).filter(|value| !is_boolean(*value) && !value.is_null());
        if let Some(text) = value.and_then(NodeRef::text).filter(|text| !may_have_placeholder(text)) {
            found.push(CrdFault {
                path: Path::root().key("spec").key(field),
                reason: format!("Invalid value: \"{text}\": must be of type boolean"),
                remedy: "Write `true` or `false`, without quotes",
                only: None,
                is_dropped: false,
            });
        }
    }
    found
}

/// Faults of the references of a package to other objects.
fn references(spec: NodeRef<'_, '_>) -> Vec<CrdFault> {
    let mut found = Vec::new();
    let runtime = spec.get("runtimeConfigRef").filter(|reference| reference.is_mapping());
    if runtime.is_some_and(|reference| reference.get("name").is_none()) {
        let path = Path::dotted("spec.runtimeConfigRef.name");
        let remedy = "Write the name of a DeploymentRuntimeConfig";
        found.push(CrdFault { path, reason: "Required value".to_owned(), remedy, only: None, is_dropped: false });
    }
    for (index, secret) in spec.get("packagePullSecrets").into_iter().flat_map(NodeRef::items).enumerate() {
        if let Some(name) = secret.non_null_text().filter(|name| !name.contains(['$', '{'])) {
            let path = Path::dotted("spec.packagePullSecrets").item(index);
            let reason = format!("Invalid value: \"{name}\": it is a text, not a mapping");
            found.push(CrdFault { path, reason, remedy: "Write `{name: SECRET}`", only: None, is_dropped: false });
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
        is_dropped: false,
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
        found.push(CrdFault { path: list.clone(), reason, remedy, only: None, is_dropped: false });
    }
    for (index, image) in images.into_iter().flat_map(NodeRef::items).enumerate() {
        let kind = image.get("type").and_then(NodeRef::non_null_text).filter(|kind| !kind.contains('$'));
        if let Some(kind) = kind.filter(|kind| *kind != "Prefix") {
            let reason = format!("Unsupported value: \"{kind}\": supported values: \"Prefix\"");
            let path = list.item(index).key("type");
            found.push(CrdFault {
                path,
                reason,
                remedy: "Write `type: Prefix`, and a prefix",
                only: None,
                is_dropped: false,
            });
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
            is_dropped: true,
        });
    }
    found
}
