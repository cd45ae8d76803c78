//! A package that is pinned by an ImageConfig.

/// A package that an ImageConfig of its own leads to one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pinned {
    /// The whole reference, which is the prefix.
    pub(super) source: String,
    /// The reference that Crossplane pulls instead.
    pub(super) to: String,
    /// True if it only protects a longer reference from the prefix of a pinned one.
    pub(super) is_longer: bool,
}
