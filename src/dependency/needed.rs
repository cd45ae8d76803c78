//! Dependencies of packages: a package and a range of its versions.

use super::range::{Library, in_range, newest};
use oci::name::ImageRef;

/// A package required by another package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededPackage<'t> {
    /// Registry and path, without tag, as the package writes it. Without a registry it has at least two segments.
    pub name: &'t str,
    /// The accepted versions as written; empty for any version.
    pub range: &'t str,
}

/// Parses `NAME RANGE`; `None` if NAME is not a package or has a tag. The name may have no registry: Crossplane up to
/// v1.20 compares names as they are written.
///
/// ```
/// use hostnet::dependency::{Library, needed_package};
/// let needed = needed_package("xpkg.crossplane.io/org/provider-family-aws >=v2.0.0").unwrap();
/// let has = |version| needed.has(version, Library::New);
/// assert_eq!((has("v2.1.0"), has("v1.9.0"), has("latest")), (Some(true), Some(false), None));
/// ```
pub fn needed_package(text: &str) -> Option<NeededPackage<'_>> {
    let text = text.trim();
    let (name, range) = text.split_once(char::is_whitespace).map_or((text, ""), |(name, range)| (name, range.trim()));
    let image = ImageRef::read(name).ok()?;
    let is_package = image.tag.is_none() && image.digest.is_none() && name.contains('/');
    is_package.then_some(NeededPackage { name, range })
}

impl NeededPackage<'_> {
    /// True if the dependency is a digest instead of a version range.
    pub fn is_digest(&self) -> bool {
        self.range.starts_with("sha256:") && ImageRef::read(&format!("a/b@{}", self.range)).is_ok()
    }

    /// True if the version is in the range, or the range is empty; `None` if one of them is invalid.
    pub fn has(&self, version: &str, library: Library) -> Option<bool> {
        in_range(self.written(), version, library)
    }

    /// The newest of the versions in the range; `None` if no version matches.
    pub fn newest<'v>(&self, versions: impl Iterator<Item = &'v str>, library: Library) -> Option<&'v str> {
        newest(self.written(), versions, library)
    }

    /// The range as text; `*` for any version.
    fn written(&self) -> &str {
        if self.range.is_empty() { "*" } else { self.range }
    }
}
