//! Versions of programs: image tags, compared.

use std::fmt;

use semver::Version;

/// The version of a program, when it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramVersion(Option<Version>);

impl ProgramVersion {
    /// Not known.
    #[must_use]
    pub fn unknown() -> Self {
        Self(None)
    }

    /// Reads `v1.19.3`, `1.9`, `v2.0.0-rc.1`; anything else is unknown.
    ///
    /// ```
    /// use hostnet::model::version::ProgramVersion;
    /// assert_eq!(ProgramVersion::read("v1.18.5").has("v1.19.0"), Some(false));
    /// assert_eq!(ProgramVersion::read("v1.19").has("v1.19.0"), Some(true));
    /// assert_eq!(ProgramVersion::read("latest").has("v1.19.0"), None);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (numbers, rest) = match text.find(['-', '+']) {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let missing = 3usize.saturating_sub(numbers.split('.').count());
        // One number alone is a major version or a build number: it tells too little.
        if missing > 1 {
            return Self(None);
        }
        Self(Version::parse(&format!("{numbers}{}{rest}", ".0".repeat(missing))).ok())
    }

    /// Whether something that came with `since` is there; none when this version is unknown.
    #[must_use]
    pub fn has(&self, since: &str) -> Option<bool> {
        let known = self.0.as_ref()?;
        let since = Self::read(since).0?;
        // A pre-release of the version that brought it may lack it, so it counts as older.
        Some(*known >= since)
    }
}

impl fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(version) => write!(f, "v{version}"),
            None => f.write_str("unknown version"),
        }
    }
}
