//! A package that is pinned by an ImageConfig.

/// A package that an ImageConfig of its own leads to one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pinned {
    /// The whole reference, which is the prefix.
    pub(super) source: String,
    /// What Crossplane pulls instead.
    pub(super) to: String,
    /// Whether it is there since a pinned one begins as this one does, and not to pin it.
    pub(super) is_longer: bool,
}
