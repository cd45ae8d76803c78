//! What may stand in a package, by release of Crossplane.

use super::data;

/// Kinds that the parser of packages knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownKinds {
    /// Their API group.
    pub group: &'static str,
    /// Their version.
    pub version: &'static str,
    /// Their names.
    pub kinds: &'static [&'static str],
    /// The first release that knows them.
    pub since: &'static str,
    /// The first release that takes one of them as a package.
    pub taken_since: &'static str,
}

/// A kind of object that a package of one kind may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageLinter {
    /// The kind of package.
    pub package: &'static str,
    /// The object's API group.
    pub group: &'static str,
    /// The object's kind.
    pub kind: &'static str,
    /// The first release that takes it.
    pub since: &'static str,
    /// What is said of an object that is not of this kind.
    pub says: &'static str,
}

/// The kinds that the parser of packages knows.
#[must_use]
pub fn known_package_kinds() -> &'static [KnownKinds] {
    data::KNOWN_KINDS
}

/// What packages may hold, in the order in which it is asked.
#[must_use]
pub fn package_linters() -> &'static [PackageLinter] {
    data::PACKAGE_LINTERS
}

/// What the parser calls its scheme, by the first release; the oldest first.
#[must_use]
pub fn package_schemes() -> &'static [(&'static str, &'static str)] {
    data::PACKAGE_SCHEMES
}
