//! Parameters of a package check.

/// The amount of an image to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Manifests, the config, and layers until `package.yaml` is found. Other blobs are checked for existence.
    Needed,
    /// Every blob.
    Full,
}

/// Parameters of a package check.
#[derive(Debug, Clone, Copy)]
pub struct CheckOptions<'a> {
    /// A release of Crossplane, such as `v2.3.4`; `None` for all eras.
    pub version: Option<&'a str>,
    /// The kind of the object that installs the package; `None` for the package's own kind.
    pub kind: Option<&'a str>,
    /// True if Crossplane resolves the dependencies; false with `skipDependencyResolution: true`.
    pub is_resolved: bool,
    /// The amount to read.
    pub depth: Depth,
}
