//! What a package needs: another package, and a range of its versions.

use semver::{Version, VersionReq};

use super::reference::ImageRef;

/// A package that another one needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededPackage<'t> {
    /// Registry and path, without a tag.
    pub name: &'t str,
    /// The versions that will do, as they are written; empty when any will.
    pub range: &'t str,
}

/// Reads `NAME RANGE`; none when NAME is not a package, or has a tag.
///
/// ```
/// use hostnet::image::needed_package;
/// let needed = needed_package("xpkg.crossplane.io/org/provider-family-aws >=v2.0.0").unwrap();
/// assert_eq!((needed.has("v2.1.0"), needed.has("v1.9.0"), needed.has("latest")), (Some(true), Some(false), None));
/// ```
#[must_use]
pub fn needed_package(text: &str) -> Option<NeededPackage<'_>> {
    let text = text.trim();
    let (name, range) = text.split_once(char::is_whitespace).map_or((text, ""), |(name, range)| (name, range.trim()));
    let image = ImageRef::read(name).ok()?;
    (image.tag.is_none() && image.digest.is_none() && image.registry.is_some()).then_some(NeededPackage { name, range })
}

impl NeededPackage<'_> {
    /// Whether it is a digest that is needed, and not a range of versions.
    #[must_use]
    pub fn is_digest(&self) -> bool {
        self.range.starts_with("sha256:") && ImageRef::read(&format!("a/b@{}", self.range)).is_ok()
    }

    /// Whether a version is in the range; none when nobody can say.
    #[must_use]
    pub fn has(&self, version: &str) -> Option<bool> {
        in_range(self.range, version)
    }
}

/// Whether a version is in a range as Crossplane's packages write them (`>=v1.2.0, <v2.0.0 || v3.x`); none when one of them cannot be read. An
/// empty range holds every version.
///
/// ```
/// use hostnet::image::in_range;
/// assert_eq!((in_range(">=v2.0.0", "v2.3.4"), in_range("v1.2.0", "v1.3.0"), in_range("two", "v1.0.0")), (Some(true), Some(false), None));
/// ```
#[must_use]
pub fn in_range(range: &str, version: &str) -> Option<bool> {
    let version = Version::parse(version.trim_start_matches('v')).ok()?;
    if range.trim().is_empty() {
        return Some(true);
    }
    let alternatives: Option<Vec<VersionReq>> = range.split("||").map(requirement).collect();
    Some(alternatives?.iter().any(|requirement| requirement.matches(&version)))
}

/// Parts that all have to hold, with commas or blanks between.
fn requirement(text: &str) -> Option<VersionReq> {
    let mut parts: Vec<String> = Vec::new();
    let mut operator = String::new();
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        let start = word.find(|c: char| c.is_ascii_alphanumeric() || c == '*').unwrap_or(word.len());
        let (before, number) = word.split_at_checked(start).unwrap_or_default();
        operator.push_str(before);
        let number = number.trim_start_matches('v');
        if number.is_empty() {
            continue;
        }
        // A number alone is that version here, and any compatible one to the library.
        let is_pattern = number.contains(['x', 'X', '*']);
        let sign = if operator.is_empty() && !is_pattern { "=" } else { &operator };
        parts.push(format!("{sign}{number}"));
        operator.clear();
    }
    VersionReq::parse(&parts.join(",")).ok()
}
