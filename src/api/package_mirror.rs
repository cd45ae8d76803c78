//! `kind: PackageMirror`: the registries of packages and images.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::fail_on::FailOn;
use super::host_network::Metadata;
use super::select::Select;

/// The kind that redirects packages to another registry.
pub const PACKAGE_MIRROR: &str = "PackageMirror";

/// Makes Crossplane pull packages, and nodes pull images, from another registry.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackageMirror {
    /// `hostnet.dev/v1alpha1`
    pub api_version: String,
    /// `PackageMirror`
    pub kind: String,
    /// Name and annotations; hosts add annotations too. The names of new ImageConfigs begin with the name.
    #[serde(default)]
    pub metadata: Metadata,
    /// The registries to replace, their replacements, and the objects that configure Crossplane.
    pub spec: PackageMirrorSpec,
}

/// The registries to replace, their replacements, and the objects that configure Crossplane.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackageMirrorSpec {
    /// The registries to replace. If several rules match an image, the rule with the longest `from` applies.
    #[schemars(length(min = 1))]
    pub rules: Vec<MirrorRule>,
    /// The objects to change: one of the selects must match. Default: all packages and the objects that configure them.
    /// The images of selected workloads are also replaced.
    #[serde(default)]
    pub select: Vec<Select>,
    /// Objects that stay unchanged.
    #[serde(default)]
    pub exclude: Vec<Select>,
    /// The lowest severity that makes the run fail without changes. With `Never`, errors are reported and the objects
    /// are returned unchanged. Default: `Error`.
    #[serde(default)]
    pub fail_on: FailOn,
    /// The objects that point Crossplane to the mirror. Default: `Auto`.
    #[serde(default)]
    pub style: MirrorStyle,
    /// The name of a Secret in the namespace of Crossplane's core with the credentials for the mirror. Default: no
    /// Secret.
    pub pull_secret: Option<String>,
    /// A ConfigMap in the namespace of Crossplane's core with the CA certificates for the mirror. Default: no
    /// ConfigMap.
    pub ca: Option<MirrorCa>,
    /// `packagePullPolicy` of packages. Default: `Keep`.
    #[serde(default)]
    pub pull_policy: MirrorPullPolicy,
    /// Digests in references to packages and images. Default: `Keep`.
    #[serde(default)]
    pub digests: MirrorDigests,
    /// Style Rewrite: the treatment of packages with dependencies whose names the change replaces. Default: `Refuse`.
    #[serde(default)]
    pub dependencies: MirrorDependencies,
    /// Facts about packages and images, by reference with tag and without digest. `hostnet mirror pin` writes them.
    #[serde(default)]
    pub packages: BTreeMap<String, KnownPackage>,
    /// Facts about Crossplane that manifests lack.
    #[serde(default)]
    pub crossplane: MirrorCrossplane,
}

/// A registry, or a path in it, and its replacement.
///
/// ```yaml
/// {from: xpkg.crossplane.io, to: registry.internal/xpkg}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorRule {
    /// `HOST` or `HOST/PATH`: the rule matches everything below.
    pub from: String,
    /// `HOST` or `HOST/PATH`: the replacement of `from`, with the same paths below. If equal to `from`, the rule only
    /// sets the pull secret for packages below it.
    pub to: String,
}

impl MirrorRule {
    /// True if `from` and `to` are equal, so that the rule only sets credentials.
    pub fn is_credentials_alone(&self) -> bool {
        self.from == self.to
    }
}

/// A key of a ConfigMap with certificates in PEM, like `registryCaBundleConfig` of Crossplane's chart.
///
/// ```yaml
/// {name: registry-ca, key: ca.crt}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorCa {
    /// The name of the ConfigMap.
    pub name: String,
    /// The key in the ConfigMap.
    pub key: String,
}

/// The objects that point Crossplane to the mirror.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorStyle {
    /// `ImageConfig` from Crossplane v1.20 on, `Rewrite` before.
    #[default]
    Auto,
    /// An ImageConfig for each rule. Packages keep their names, and later packages are also covered.
    ImageConfig,
    /// `spec.package` of each package names the mirror.
    Rewrite,
}

/// The pull policy of Crossplane for packages.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorPullPolicy {
    /// `packagePullPolicy` stays unchanged.
    #[default]
    Keep,
    /// A package is pulled if the cache does not have it.
    IfNotPresent,
    /// A package is always pulled.
    Always,
    /// A package is never pulled, so it must be in Crossplane's cache.
    Never,
}

/// Digests in references to packages and images.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorDigests {
    /// Digests stay unchanged.
    #[default]
    Keep,
    /// A package or an image without a digest, neither in its reference nor in `packages`, is an error.
    Require,
    /// Like `Require`, and the digests of `packages` are written: after the tags of images, and into an ImageConfig for
    /// each package.
    Pin,
}

impl MirrorDigests {
    /// True if every package and image needs a digest, in its reference or in `packages`.
    pub fn are_required(self) -> bool {
        match self {
            Self::Keep => false,
            Self::Require | Self::Pin => true,
        }
    }

    /// True if the digests of `packages` are written into the objects.
    pub fn are_written(self) -> bool {
        match self {
            Self::Keep | Self::Require => false,
            Self::Pin => true,
        }
    }
}

/// Style Rewrite: the treatment of packages with dependencies whose names the change replaces.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorDependencies {
    /// Report an error, because Crossplane would install the dependency from its old registry, or wait for it.
    #[default]
    Refuse,
    /// Set `skipDependencyResolution` on the package; its dependencies must be in the input.
    Skip,
}

impl MirrorDependencies {
    /// True if a package with a dependency that the change removes is an error.
    pub fn are_refused(self) -> bool {
        match self {
            Self::Refuse => true,
            Self::Skip => false,
        }
    }
}

/// Facts about a package or an image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownPackage {
    /// The digest of the manifest, such as `sha256:…`.
    pub digest: Option<String>,
    /// `Provider`, `Configuration` or `Function`. Default: unknown, or an image.
    pub kind: Option<String>,
    /// The dependencies of the package as its metadata names them, each with a range of versions:
    /// `xpkg.crossplane.io/org/provider-family-aws >=v2.0.0`. An empty list means no dependencies. Default: unknown.
    pub depends_on: Option<Vec<String>>,
    /// The platforms of the image, such as `linux/amd64`. Default: unknown.
    #[serde(default)]
    pub platforms: Vec<String>,
    /// The image in the `package.yaml`, as written: `spec.controller.image` of a Provider, `spec.image` of a Function.
    /// Crossplane up to v1.20 runs it instead of the package's own image. Default: no image.
    pub runtime_image: Option<String>,
}

/// Facts about Crossplane that manifests lack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MirrorCrossplane {
    /// The version, such as `v2.3.4`. Default: the version of the core Deployment's image or of the HelmRelease in the
    /// input, else unknown.
    pub version: Option<String>,
    /// The namespace of the core, in which it looks for the pull secret. Default: the namespace of the core Deployment
    /// in the input.
    pub namespace: Option<String>,
}
