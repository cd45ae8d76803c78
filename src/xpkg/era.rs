//! Releases of Crossplane that read packages in one way.

use crate::version::ProgramVersion;

/// Releases that read packages in one way.
///
/// Source: crossplane/crossplane@v1.20.11, @v2.0.0 and @v2.1.0 `internal/controller/pkg/revision/imageback.go`; crossplane-runtime@v2.3.3
/// `pkg/xpkg/client.go`.
#[derive(Debug, PartialEq, Eq)]
pub struct Era {
    /// For a person: `v1.14 to v1.20`.
    pub name: &'static str,
    /// The first release.
    pub since: &'static str,
    /// The release that stands for them where none is given: the last one that is known.
    pub last: &'static str,
    /// Whether `package.yaml` has to be the whole name; else the last part of a path will do.
    pub is_exact: bool,
    /// Whether what is read is digested and checked first.
    pub validates: bool,
}

/// All that are known, the oldest first.
pub static ERAS: [Era; 3] = [
    Era { name: "v1.14 to v1.20", since: "v1.14.0", last: "v1.20.11", is_exact: true, validates: true },
    Era { name: "v2.0 and v2.1", since: "v2.0.0", last: "v2.1.8", is_exact: false, validates: true },
    Era { name: "v2.2 and later", since: "v2.2.0", last: "v2.3.4", is_exact: false, validates: false },
];

impl Era {
    /// That of a release; the oldest one for a release before it.
    #[must_use]
    pub fn of(version: &ProgramVersion) -> &'static Self {
        let [first, ..] = &ERAS;
        ERAS.iter().rev().find(|era| version.has(era.since) == Some(true)).unwrap_or(first)
    }

    /// Whether images are flattened as go-containerregistry v0.21.6 does.
    #[must_use]
    pub fn flattens_newly(&self) -> bool {
        !self.validates
    }
}
