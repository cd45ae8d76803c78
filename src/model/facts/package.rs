//! Crossplane packages, and the objects that configure their Deployments.

use crate::catalog::PackageKind;
use crate::model::meta::Meta;
use krm::may_have_placeholder;
use lossless_yaml::{NodeRef, Path, Value};

/// API group of packages and of the objects that configure them.
pub const GROUP: &str = "pkg.crossplane.io";

/// Path of the pod template in a `DeploymentRuntimeConfig`.
pub const TEMPLATE: &str = "spec.deploymentTemplate.spec.template";

/// Path of the pod spec in a `DeploymentRuntimeConfig`.
pub const POD_SPEC: &str = "spec.deploymentTemplate.spec.template.spec";

/// First Crossplane version whose ImageConfigs select runtime configs; they rewrite images since v1.20.0.
pub const IMAGE_CONFIGS: &str = "v2.2.0";
/// Container in which Crossplane runs the image of a package.
pub const CONTAINER: &str = "package-runtime";

/// Label of a package's pods with the name of their revision.
pub const REVISION: &str = "pkg.crossplane.io/revision";

/// Prefix of the labels that Crossplane sets on the pods of packages.
pub(in crate::model) const LABELS: &str = "pkg.crossplane.io/";

/// Default namespace of Crossplane's core, as in its documentation, if the input shows no other namespace.
pub(crate) const CORE_NAMESPACE: &str = "crossplane-system";

/// Default runtime config of packages.
pub const DEFAULT: &str = "default";

/// Package with a runtime, for which Crossplane creates a Deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Kind of the package.
    pub kind: PackageKind,
    /// `spec.package`
    pub image: String,
    /// Name in `spec.runtimeConfigRef`.
    pub runtime_config: Option<String>,
    /// Name in `spec.controllerConfigRef`.
    pub controller_config: Option<String>,
    /// The whole object.
    pub object: Value,
}

/// `ControllerConfig`, which configured packages before runtime configs existed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerConfig {
    /// The whole object.
    pub object: Value,
    /// True if the object has comments in it or around it.
    pub has_comments: bool,
}

impl ControllerConfig {
    pub(in crate::model) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        Some(Self { object: object.to_value()?, has_comments: object.has_comments() })
    }
}

/// `ImageConfig`: settings of all packages whose image matches a prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageConfig {
    /// `spec.matchImages[].prefix`
    pub prefixes: Vec<String>,
    /// `spec.rewriteImage.prefix` (Crossplane v1.20)
    pub rewrite: Option<String>,
    /// Name in `spec.runtime.configRef` (Crossplane v2.2)
    pub runtime_config: Option<String>,
    /// Name in `spec.registry.authentication.pullSecretRef` (Crossplane v1.16.4, v1.17.3, v1.18)
    pub pull_secret: Option<String>,
    /// True if `spec.verification` is set (Crossplane v1.18).
    pub verifies: bool,
}

impl PackageKind {
    /// Kind of a package with a runtime; `None` for other objects.
    pub fn from_meta(meta: &Meta) -> Option<Self> {
        match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
            (GROUP, "Provider") => Some(Self::Provider),
            (GROUP, "Function") => Some(Self::Function),
            _ => None,
        }
    }
}

/// True if an object is a package. Packages have no namespace; their pods run in the namespace of Crossplane.
pub(crate) fn is_package(meta: &Meta) -> bool {
    PackageKind::from_meta(meta).is_some()
}

/// True if a label value may be a revision of a package: the package name and a hash of the image.
/// Source: crossplane/crossplane@2d040d2d `internal/controller/pkg/manager/reconciler.go`, `packageRevisionID`.
pub(in crate::model) fn is_revision_of(package: &Meta, revision: &str) -> bool {
    is_package(package) && package_of_revision(revision) == Some(package.name.as_str())
}

/// Package name in the name of a revision.
pub(crate) fn package_of_revision(revision: &str) -> Option<&str> {
    let (package, hash) = revision.rsplit_once('-')?;
    (!hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(package)
}

impl PackageKind {
    /// Label of a package's pods whose value is the name of the package.
    /// Source: crossplane/crossplane@2d040d2d `internal/controller/pkg/runtime/runtime.go`, `podSelectors`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Provider => "pkg.crossplane.io/provider",
            Self::Function => "pkg.crossplane.io/function",
        }
    }
}

impl Package {
    pub(in crate::model) fn read(kind: PackageKind, object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let text = |node: Option<NodeRef<'_, '_>>| node.and_then(NodeRef::non_null_text).map(str::to_owned);
        let reference = |key: &str| text(spec.get(key).and_then(|reference| reference.get("name")));
        Some(Self {
            kind,
            image: text(spec.get("package"))?,
            runtime_config: reference("runtimeConfigRef"),
            controller_config: reference("controllerConfigRef"),
            object: object.to_value()?,
        })
    }
}

impl ImageConfig {
    /// True for a prefix that matches no image, because it is a glob.
    pub(crate) fn is_pattern(prefix: &str) -> bool {
        prefix.contains(['*', '?']) && !may_have_placeholder(prefix)
    }

    pub(in crate::model) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let images = spec.get("matchImages").into_iter().flat_map(NodeRef::items);
        Some(Self {
            prefixes: images.filter_map(|image| text(image, "prefix")).collect(),
            rewrite: spec.get("rewriteImage").and_then(|rewrite| text(rewrite, "prefix")),
            runtime_config: spec.get("runtime").and_then(|runtime| text(runtime.get("configRef")?, "name")),
            pull_secret: spec
                .lookup(&Path::dotted("registry.authentication.pullSecretRef"))
                .and_then(|reference| text(reference, "name")),
            verifies: spec.get("verification").is_some_and(|verification| !verification.is_null()),
        })
    }

    /// Length of the longest prefix that matches an image.
    pub fn matches(&self, image: &str) -> Option<usize> {
        self.prefixes.iter().filter(|prefix| image.starts_with(prefix.as_str())).map(String::len).max()
    }

    /// True if the config has only one prefix, and this prefix contains a tag or digest and so names one image.
    pub fn matches_single_image(&self) -> bool {
        let ends = |prefix: &str| prefix.rsplit('/').next().is_some_and(|name| name.contains([':', '@']));
        matches!(self.prefixes.as_slice(), [prefix] if ends(prefix))
    }
}
