//! Eras: Crossplane releases that read packages in the same way.

use crate::catalog::{KNOWN_PACKAGE_KINDS, PACKAGE_LINTERS, PACKAGE_SCHEMES, REFUSED_FIELDS};
use crate::version::ProgramVersion;

use super::ranges::NEW_LIBRARY_SINCE;

/// Releases that read packages in the same way.
///
/// Source: crossplane/crossplane@v1.20.11, @v2.0.0 and @v2.1.0 `internal/controller/pkg/revision/imageback.go`;
/// crossplane-runtime@v2.3.3 `pkg/xpkg/client.go`.
#[derive(Debug, PartialEq, Eq)]
pub struct Era {
    /// The name in messages: `v1.14 to v1.20`.
    pub name: &'static str,
    /// The first release.
    pub since: &'static str,
    /// The newest known release of the era, used if no release is given.
    pub last: &'static str,
    /// The last minor release line; `None` for the newest era.
    until: Option<&'static str>,
    /// True if only the exact path `package.yaml` counts; otherwise any path with this base name.
    pub is_exact: bool,
    /// True if digests are verified before reading.
    pub validates: bool,
}

/// All known eras, oldest first.
pub static ERAS: [Era; 3] = [
    Era {
        name: "v1.14 to v1.20",
        since: "v1.14.0",
        last: "v1.20.11",
        until: Some("v1.20"),
        is_exact: true,
        validates: true,
    },
    Era {
        name: "v2.0 and v2.1",
        since: "v2.0.0",
        last: "v2.1.8",
        until: Some("v2.1"),
        is_exact: false,
        validates: true,
    },
    Era { name: "v2.2 and later", since: "v2.2.0", last: "v2.3.4", until: None, is_exact: false, validates: false },
];

impl Era {
    /// The era of a release; the oldest era for older releases.
    pub fn for_version(version: &ProgramVersion) -> &'static Self {
        let [first, ..] = &ERAS;
        ERAS.iter().rev().find(|era| version.has(era.since) == Some(true)).unwrap_or(first)
    }

    /// The first releases of the era's parts, oldest first; all releases of a part accept the same contents.
    pub fn parts(&self) -> Vec<&'static str> {
        let of_kinds = KNOWN_PACKAGE_KINDS.iter().flat_map(|row| [row.since, row.taken_since]);
        let of_linters = PACKAGE_LINTERS.iter().map(|row| row.since);
        let of_fields = REFUSED_FIELDS.iter().map(|row| row.since);
        let of_schemes = PACKAGE_SCHEMES.iter().map(|(since, _)| *since);
        let mut parts: Vec<&'static str> = vec![self.since];
        for since in of_kinds.chain(of_linters).chain(of_fields).chain(of_schemes).chain([NEW_LIBRARY_SINCE]) {
            let is_before = |part: &&str| ProgramVersion::read(since).has(part) == Some(true);
            let at = parts.iter().take_while(|part| is_before(part)).count();
            let is_new = at > 0 && parts.get(at - 1) != Some(&since);
            if is_new && Self::for_version(&ProgramVersion::read(since)) == self {
                parts.insert(at, since);
            }
        }
        parts
    }

    /// Describes a range of releases, with an optional exclusive end.
    pub fn display_name(&self, since: &str, before: Option<&str>) -> String {
        match (before, self.until) {
            (None, _) if since == self.since => self.name.to_owned(),
            (Some(before), _) => format!("{since} to before {before}"),
            (None, Some(until)) if since.strip_prefix(until).is_some_and(|rest| rest.starts_with('.')) => {
                format!("{until} from {since} on")
            }
            (None, Some(until)) => format!("{since} to {until}"),
            (None, None) => format!("{since} and later"),
        }
    }

    /// True if images are flattened like go-containerregistry v0.21.6.
    pub fn uses_new_flattening(&self) -> bool {
        !self.validates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_name_both_ends() {
        let [oldest, _, newest] = &ERAS;
        assert_eq!(oldest.display_name("v1.14.0", None), "v1.14 to v1.20");
        assert_eq!(oldest.display_name("v1.17.2", None), "v1.17.2 to v1.20");
        assert_eq!(oldest.display_name("v1.20.1", None), "v1.20 from v1.20.1 on");
        assert_eq!(oldest.display_name("v1.2.0", None), "v1.2.0 to v1.20");
        assert_eq!(newest.display_name("v2.3.0", None), "v2.3.0 and later");
    }
}
