//! Packages pinned by ImageConfigs.

/// A package that its own ImageConfig rewrites to one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pinned {
    /// The whole reference, which is the prefix.
    pub(super) source: String,
    /// The reference that Crossplane pulls instead.
    pub(super) to: String,
    /// True if the only purpose of the ImageConfig is that the shorter prefix of another pin does
    /// not match this longer reference.
    pub(super) is_longer: bool,
}
