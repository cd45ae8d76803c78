//! Version of a chart that an object names, which may be a range.

use super::range::{Library, boundaries, in_range};
use crate::version::ProgramVersion;

/// Reads the version or version range of a chart; unknown for an invalid text, and for a range without limits.
///
/// Flux and Argo CD read it with Masterminds/semver v3 and install the newest version of a range:
/// fluxcd/source-controller@0178bacc `internal/helm/repository/chart_repository.go`, argoproj/argo-cd@14705dbf
/// `util/versions/tags.go`.
///
/// ```
/// use hostnet::dependency::chart_version;
/// for text in ["1.19.x", "~1.19", "1.19.*", ">=1.19.0 <1.20.0", "1.19"] {
///     let version = chart_version(text);
///     assert_eq!((version.has("v1.19.0"), version.has("v1.20.0")), (Some(true), Some(false)), "{text}");
/// }
/// assert_eq!(chart_version(">=1.18.0").has("v1.20.0"), None);
/// ```
pub fn chart_version(text: &str) -> ProgramVersion {
    let version = ProgramVersion::read(text);
    if version.is_known() { version } else { range(text).unwrap_or_else(ProgramVersion::unknown) }
}

/// The versions of a range, from the lowest version to the limit above the highest.
fn range(text: &str) -> Option<ProgramVersion> {
    // A range with a pre-release, such as `1.19.x-0`, also has the releases.
    let has = |[major, minor, patch]: [u64; 3]| {
        in_range(text, &format!("{major}.{minor}.{patch}"), Library::New) == Some(true)
    };
    let mut limits = boundaries(text, Library::New);
    limits.push([0; 3]);
    limits.sort_unstable();
    let lowest = limits.iter().copied().find(|limit| has(*limit))?;
    let end = limits.iter().copied().rev().take_while(|limit| !has(*limit)).last();
    Some(ProgramVersion::between(lowest, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_the_answer_of_all_its_versions() {
        for (text, shown) in [
            ("1.19.2", "v1.19.2"),
            ("=1.19.2", "v1.19.2"),
            ("1.19.x", "v1.19.0"),
            ("~1.19.5", "v1.19.5"),
            ("^2.0.0", "v2.0.0 to before v3.0.0"),
            ("1", "v1.0.0 to before v2.0.0"),
            ("1.18 - 1.19.3", "v1.18.0 to before v1.19.4"),
            ("1.18.x || 1.20.x", "v1.18.0 to before v1.21.0"),
            ("<2.0.0", "v0.0.0 to before v2.0.0"),
            (">1.19", "v1.20.0 or later"),
            (">=1.19.0-0 <1.20.0-0", "v1.19.0"),
            ("*", "unknown version"),
            ("latest", "unknown version"),
            (">2 <1", "unknown version"),
        ] {
            assert_eq!(chart_version(text).to_string(), shown, "{text}");
        }
        assert_eq!(chart_version("1.18 - 1.19.3").has("v1.19.4"), Some(false));
    }
}
