//! `kind: PackageMirror`: the registries of packages and images.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::fail_on::FailOn;
use super::host_network::Metadata;
use super::select::Select;

/// The kind that redirects packages to another registry.
pub const PACKAGE_MIRROR: &str = "PackageMirror";

/// Has Crossplane pull packages, and the nodes images, from another registry.
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
    /// The registries to replace, their replacements, and the objects that point Crossplane there.
    pub spec: PackageMirrorSpec,
}

/// The registries to replace, their replacements, and the objects that point Crossplane there.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackageMirrorSpec {
    /// Of several rules that match an image the one with the longest `from` decides.
    #[schemars(length(min = 1))]
    pub rules: Vec<MirrorRule>,
    /// The objects that are about; of several selects one has to match. Default: all packages and what configures them. A workload that
    /// a select matches gets its images from the mirror too.
    #[serde(default)]
    pub select: Vec<Select>,
    /// Objects that are not about.
    #[serde(default)]
    pub exclude: Vec<Select>,
    /// The severity from which on the run fails and changes nothing. With `Never` errors are reported, and the objects come back unchanged.
    /// Default: `Error`.
    #[serde(default)]
    pub fail_on: FailOn,
    /// Which objects point Crossplane to the mirror. Default: `Auto`.
    #[serde(default)]
    pub style: MirrorStyle,
    /// The name of a Secret in the namespace of Crossplane's core with the credentials for the mirror. Default: none.
    #[serde(default)]
    pub pull_secret: Option<String>,
    /// A ConfigMap in the namespace of Crossplane's core with the certificates by which the core knows the mirror. Default: none.
    #[serde(default)]
    pub ca: Option<MirrorCa>,
    /// `packagePullPolicy` of packages. Default: `Keep`.
    #[serde(default)]
    pub pull_policy: MirrorPullPolicy,
    /// Digests in references to packages and images. Default: `Keep`.
    #[serde(default)]
    pub digests: MirrorDigests,
    /// Style Rewrite: what becomes of a package that needs another one by a name that the change takes away. Default: `Refuse`.
    #[serde(default)]
    pub dependencies: MirrorDependencies,
    /// Facts about packages and images, by reference with tag and without digest. `hostnet mirror pin` writes it.
    #[serde(default)]
    pub packages: BTreeMap<String, KnownPackage>,
    /// Facts about Crossplane that manifests lack.
    #[serde(default)]
    pub crossplane: MirrorCrossplane,
}

/// A registry, or a folder of it, and its replacement.
///
/// ```yaml
/// {from: xpkg.crossplane.io, to: registry.internal/xpkg}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorRule {
    /// `HOST` or `HOST/PATH`: everything below it is about.
    pub from: String,
    /// `HOST` or `HOST/PATH`: there it is, with the same path below. The same text as `from` leads nowhere else: the rule names with which
    /// `pullSecret` packages below it are pulled.
    pub to: String,
}

impl MirrorRule {
    /// True if `from` and `to` are equal, so that the rule only sets credentials.
    #[must_use]
    pub fn is_credentials_alone(&self) -> bool {
        self.from == self.to
    }
}

/// A key of a ConfigMap that holds certificates in PEM, as `registryCaBundleConfig` of Crossplane's chart has it.
///
/// ```yaml
/// {name: registry-ca, key: ca.crt}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MirrorCa {
    /// The ConfigMap.
    pub name: String,
    /// Its key.
    pub key: String,
}

/// Which objects point Crossplane to the mirror.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorStyle {
    /// `ImageConfig` from Crossplane v1.20 on, `Rewrite` before.
    #[default]
    Auto,
    /// By an ImageConfig for each rule: packages keep their names, and those that come later are covered too.
    ImageConfig,
    /// In each package: `spec.package` names the mirror.
    Rewrite,
}

/// The pull policy of Crossplane for packages.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorPullPolicy {
    /// `packagePullPolicy` stays as it is.
    #[default]
    Keep,
    /// A package is pulled if the cache does not have it.
    IfNotPresent,
    /// Always.
    Always,
    /// Never: the package has to be in its cache.
    Never,
}

/// Digests in references to packages and images.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorDigests {
    /// Digests stay as they are.
    #[default]
    Keep,
    /// A package or an image without a digest, of which `packages` has none either, is an error.
    Require,
    /// Like `Require`, and digests of `packages` are written: after the tags of images, and into an ImageConfig for each package.
    Pin,
}

impl MirrorDigests {
    /// True if every package and image needs a digest, in its reference or in `packages`.
    #[must_use]
    pub fn are_required(self) -> bool {
        match self {
            Self::Keep => false,
            Self::Require | Self::Pin => true,
        }
    }

    /// True if the digests of `packages` are written into the objects.
    #[must_use]
    pub fn are_written(self) -> bool {
        match self {
            Self::Keep | Self::Require => false,
            Self::Pin => true,
        }
    }
}

/// Style Rewrite: what becomes of a package that needs another one by a name that the change takes away.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum MirrorDependencies {
    /// An error: Crossplane would install the other one from its old registry, or wait for it.
    #[default]
    Refuse,
    /// It gets `skipDependencyResolution`; what it needs has to be in the input.
    Skip,
}

impl MirrorDependencies {
    /// True if a package with a dependency that the change removes is an error.
    #[must_use]
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
    /// The digest of its manifest, such as `sha256:…`.
    #[serde(default)]
    pub digest: Option<String>,
    /// `Provider`, `Configuration` or `Function`. Default: not known, or an image.
    #[serde(default)]
    pub kind: Option<String>,
    /// The packages that it needs, by the names that it has for them, each with a range of versions:
    /// `xpkg.crossplane.io/org/provider-family-aws >=v2.0.0`. An empty list means no dependencies. Default: not known.
    #[serde(default)]
    pub depends_on: Option<Vec<String>>,
    /// The platforms that it has, such as `linux/amd64`. Default: not known.
    #[serde(default)]
    pub platforms: Vec<String>,
    /// The image that its `package.yaml` names, as it is written there: `spec.controller.image` of a Provider, `spec.image` of a Function. Crossplane up
    /// to v1.20 runs it instead of the package's own image. Default: none.
    #[serde(default)]
    pub runtime_image: Option<String>,
}

/// Facts about Crossplane that manifests lack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MirrorCrossplane {
    /// The version, such as `v2.3.4`. Default: that of the core Deployment's image or of the HelmRelease in the input, else unknown.
    #[serde(default)]
    pub version: Option<String>,
    /// The namespace of the core, in which it looks for the pull secret. Default: that of the core Deployment in the input.
    #[serde(default)]
    pub namespace: Option<String>,
}
