//! Versions of programs, parsed from image tags, and their comparison.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use semver::{Prerelease, Version};

/// Words that mark the suffix of a version as a pre-release.
const BEFORE: [&str; 10] = ["alpha", "beta", "rc", "dev", "pre", "preview", "snapshot", "nightly", "canary", "ea"];

/// Major versions from this number on are dates (`2023.4.7`, `20230407`) and cannot be compared.
const FIRST_DATE_MAJOR: u64 = 1000;

/// Version of a program; may be unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramVersion(Option<ReadVersion>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct ReadVersion {
    /// Release channel before the numbers, such as `edge` in `edge-25.8.5`; empty for most programs.
    channel: Box<str>,
    /// True if the numbers after the channel start with `v`, as in `release-v1.16.2`.
    has_v: bool,
    /// The version, or the lowest one of several.
    version: Version,
    end: End,
}

/// The end of the range of versions that a text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// A single version.
    Only,
    /// All versions before this version: `1.9` and the range `1.9.x` end before v1.10.0.
    Before([u64; 3]),
    /// All later versions.
    Open,
}

impl ProgramVersion {
    /// Returns an unknown version.
    pub fn unknown() -> Self {
        Self(None)
    }

    /// Parses `v1.19.3`, `1.9`, `v2.0.0-rc.1`, `1.2.3-alpine`; anything else, such as dates and `v0.0.0` of builds, is
    /// unknown.
    ///
    /// ```
    /// use hostnet::version::ProgramVersion;
    /// assert_eq!(ProgramVersion::read("v1.18.5").has("v1.19.0"), Some(false));
    /// assert_eq!(ProgramVersion::read("v1.19").has("v1.19.0"), Some(true));
    /// assert_eq!(ProgramVersion::read("latest").has("v1.19.0"), None);
    /// ```
    pub fn read(text: &str) -> Self {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (numbers, rest) = match text.find(['-', '+', '_']) {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let rest = version_suffix_of_tag(rest);
        let missing = 3usize.saturating_sub(numbers.split('.').count());
        // A single number may be a major version or a build number.
        if missing > 1 {
            return Self(None);
        }
        let version = Version::parse(&format!("{numbers}{}{rest}", ".0".repeat(missing))).ok();
        let known = version.filter(|version| version.major < FIRST_DATE_MAJOR && core(version) != [0; 3]);
        Self(known.map(|version| {
            let end = if missing == 1 { next_minor(&version) } else { End::Only };
            ReadVersion { channel: Box::default(), has_v: false, version, end }
        }))
    }

    /// The versions from `lowest` to before `end`, as major, minor and patch numbers; without `end`, all later
    /// versions. [`has`](Self::has) is `None` if they differ in the feature.
    ///
    /// ```
    /// use hostnet::version::ProgramVersion;
    /// let range = ProgramVersion::between([1, 18, 0], Some([1, 20, 0]));
    /// assert_eq!(["v1.18.0", "v1.19.0", "v1.20.0"].map(|since| range.has(since)), [Some(true), None, Some(false)]);
    /// ```
    pub fn between(lowest: [u64; 3], end: Option<[u64; 3]>) -> Self {
        let [major, minor, patch] = lowest;
        let end = match end {
            None if lowest == [0; 3] => return Self(None),
            Some(end) if end == [major, minor, patch.saturating_add(1)] => End::Only,
            Some(end) => End::Before(end),
            None => End::Open,
        };
        Self(Some(ReadVersion {
            channel: Box::default(),
            has_v: false,
            version: Version::new(major, minor, patch),
            end,
        }))
    }

    /// Parses a version like [`read`](Self::read), optionally with a release channel: `edge-25.8.5`,
    /// `kubernetes-1.7.6`. Versions of different channels cannot be compared.
    ///
    /// ```
    /// use hostnet::version::ProgramVersion;
    /// assert_eq!(ProgramVersion::read_release("edge-25.8.5").has("edge-18.10.2"), Some(true));
    /// assert_eq!(ProgramVersion::read_release("stable-2.14.0").has("edge-18.10.2"), None);
    /// assert_eq!(ProgramVersion::read_release("edge-25.8.5").has("v18.10.2"), None);
    /// ```
    pub fn read_release(text: &str) -> Self {
        let channel = text
            .split_once('-')
            .filter(|(word, _)| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
        let Some((channel, version)) = channel else { return Self::read(text) };
        let has_v = version.starts_with('v');
        Self(Self::read(version).0.map(|known| ReadVersion { channel: channel.into(), has_v, ..known }))
    }

    /// True for a version that can be compared with others.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// True for several minor versions, such as the versions of a range.
    pub fn spans_several_minors(&self) -> bool {
        self.0.as_ref().is_some_and(|known| known.end != End::Only && known.end != next_minor(&known.version))
    }

    /// True if this version has a feature that was added in `since`; `None` if that is unknown, as for versions of
    /// different release channels.
    pub fn has(&self, since: &str) -> Option<bool> {
        let known = self.0.as_ref()?;
        let since = Self::read_release(since).0.filter(|since| since.channel == known.channel)?.version;
        let version = &known.version;
        if core(version) <= core(&since) {
            match known.end {
                End::Only => {}
                _ if core(version) == core(&since) => return version.pre.is_empty().then_some(true),
                End::Before(end) => return (end <= core(&since)).then_some(false),
                End::Open => return None,
            }
        }
        match core(version).cmp(&core(&since)) {
            Ordering::Greater => Some(true),
            Ordering::Less => Some(false),
            Ordering::Equal if version.pre.is_empty() => Some(true),
            // The feature may have been added between the pre-releases of `since`.
            Ordering::Equal if is_before(&version.pre) => (!since.pre.is_empty()).then(|| version.pre >= since.pre),
            Ordering::Equal if is_build(&version.pre) => Some(true),
            // `-alpine`, `-eks-1` and `-14-gabcdef` may be builds of this release or of an earlier
            // one: the result is unknown.
            Ordering::Equal => None,
        }
    }
}

/// Major, minor and patch number.
fn core(version: &Version) -> [u64; 3] {
    [version.major, version.minor, version.patch]
}

/// End of the version range before the next minor version.
fn next_minor(version: &Version) -> End {
    End::Before([version.major, version.minor.saturating_add(1), 0])
}

/// The suffix of a version from an image tag, which cannot contain `+`: `_` is written in its place.
///
/// Helm's registry client and the builds of `VMware` do so.
fn version_suffix_of_tag(suffix: &str) -> Cow<'_, str> {
    let Some((before, after)) = suffix.split_once('_') else { return Cow::Borrowed(suffix) };
    let is_build =
        !before.contains('+') && !after.to_lowercase().split(is_not_ascii_letter).any(|word| BEFORE.contains(&word));
    let join = if is_build { '+' } else { '-' };
    Cow::Owned(format!("{before}{join}{}", after.replace('_', "-")))
}

/// True for the suffix of a build of a release: `up.1` of Upbound, whose v1.7.0-up.1 is Crossplane v1.7.0.
///
/// Source: <https://docs.upbound.io/uxp/upgrade/>, "Upgrade from open source Crossplane".
fn is_build(suffix: &Prerelease) -> bool {
    suffix.strip_prefix("up.").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_not_ascii_letter(c: char) -> bool {
    !c.is_ascii_alphabetic()
}

/// True if a suffix means a version before the release.
fn is_before(suffix: &Prerelease) -> bool {
    let suffix = suffix.to_lowercase();
    let words = suffix.split(is_not_ascii_letter);
    words.into_iter().any(|word| BEFORE.contains(&word))
}

impl fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(ReadVersion { version, end: End::Open, .. }) => write!(f, "v{version} or later"),
            Some(ReadVersion { version, end: End::Before([major, minor, patch]), .. })
                if self.spans_several_minors() =>
            {
                write!(f, "v{version} to before v{major}.{minor}.{patch}")
            }
            Some(known) if known.channel.is_empty() => write!(f, "v{}", known.version),
            Some(ReadVersion { channel, has_v: true, version, .. }) => write!(f, "{channel}-v{version}"),
            Some(known) => write!(f, "{}-{}", known.channel, known.version),
            None => f.write_str("unknown version"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(tag: &str, since: &str) -> Option<bool> {
        ProgramVersion::read(tag).has(since)
    }

    #[test]
    fn suffixes_of_builds_do_not_make_a_version_older() {
        for tag in ["v1.2.3-eks-1", "1.2.3-alpine", "1.2.3-debian-12-r3", "v1.2.3-14-gabcdef0"] {
            assert_eq!(has(tag, "v1.2.0"), Some(true), "{tag}");
            assert_eq!(has(tag, "v1.3.0"), Some(false), "{tag}");
            assert_eq!(has(tag, "v1.2.3"), None, "{tag}");
        }
    }

    #[test]
    fn builds_of_a_release_have_its_features() {
        for tag in ["v1.2.3-up.1", "v1.2.3_vmware.1", "1.2.3_k3s1", "1.2.3+k3s1", "v1.2.3_a_b"] {
            assert_eq!((has(tag, "v1.2.3"), has(tag, "v1.2.4")), (Some(true), Some(false)), "{tag}");
        }
        for tag in ["1.2.3_rc1", "v1.2.3-rc.1_vmware.1", "v1.2.3-rc.1.up.1"] {
            assert_eq!(has(tag, "v1.2.3"), None, "{tag}");
        }
        assert_eq!((has("1.2.3-up.x", "v1.2.3"), has("_", "v1.2.3"), has("1_2_3", "v1.2.3")), (None, None, None));
    }

    #[test]
    fn a_pre_release_may_lack_a_feature_of_its_release() {
        for tag in ["v1.2.3-rc.1", "v1.2.3-rc1", "1.2.3-beta.2", "1.2.3-SNAPSHOT", "v1.2.3-alpha1-debian"] {
            assert_eq!(has(tag, "v1.2.3"), None, "{tag}");
            assert_eq!((has(tag, "v1.2.2"), has(tag, "v1.2.4")), (Some(true), Some(false)), "{tag}");
        }
        assert_eq!(has("v1.2.3-rc.2", "v1.2.3-rc.1"), Some(true));
        assert_eq!(has("v1.2.3-rc.1", "v1.2.3-rc.1"), Some(true));
        assert_eq!(has("v1.2.3-rc.1", "v1.2.3-rc.2"), Some(false));
        assert_eq!(has("v1.2.3", "v1.2.3-rc.1"), Some(true));
    }

    #[test]
    fn a_version_of_two_numbers_may_be_any_patch_release() {
        assert_eq!(has("1.9", "v1.9.0"), Some(true));
        assert_eq!(has("1.9", "v1.9.3"), None);
        assert_eq!(has("1.9-alpine", "v1.9.0"), None);
        assert_eq!(has("1.9", "v1.8.7"), Some(true));
        assert_eq!(has("1.9", "v1.10.0"), Some(false));
    }

    #[test]
    fn texts_that_are_no_versions_are_unknown() {
        for tag in [
            "v20230407",
            "20230407.1",
            "2023.4.7",
            "v3",
            "3-alpine",
            "latest",
            "main",
            "",
            "v0.0.0-20230407",
            "1.2.3.4",
        ] {
            assert_eq!(has(tag, "v1.2.3"), None, "{tag}");
        }
        assert_eq!((has("999.0.0", "v1.2.3"), has("1000.0.0", "v1.2.3")), (Some(true), None));
        assert_eq!((has("0.0.1", "v1.2.3"), has("0.0.0", "v1.2.3")), (Some(false), None));
    }
}
