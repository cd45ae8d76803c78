//! The version comparison library of a Crossplane release.

use crate::dependency::Library;
use crate::version::ProgramVersion;

/// The first release with the new library. Source: `go.mod` of crossplane/crossplane@v2.2.0 and @v2.3.0.
pub(super) const NEW_LIBRARY_SINCE: &str = "v2.3.0";

/// The library of a release; the newest for an unknown version.
pub fn library(version: &ProgramVersion) -> Library {
    if version.has(NEW_LIBRARY_SINCE) == Some(false) { Library::Old } else { Library::New }
}
