//! How Crossplane's core calls functions, as far as proxies are concerned.
//!
//! It dials `dns:///SERVICE.NAMESPACE:9443` with grpc-go (crossplane/crossplane@v1.14.0 and later, `internal/xfn`), which asks
//! `HTTPS_PROXY` alone. What `NO_PROXY` is compared with depends on the version of grpc-go.

use crate::catalog::{COMPARES_NAMES_SINCE, Compares, go_of_crossplane, grpc_of_crossplane};
use crate::version::ProgramVersion;
use go_no_proxy::Matcher;

/// What a Crossplane of this version compares `NO_PROXY` with when it calls a function; none when the version is not known.
#[must_use]
pub fn compares(version: &ProgramVersion) -> Option<Compares> {
    version.has(COMPARES_NAMES_SINCE).map(|names| if names { Compares::Names } else { Compares::Addresses })
}

/// `Crossplane v1.19.3 (grpc-go v1.68.0)`; without grpc-go for a release that is not known.
#[must_use]
pub fn reader(version: &ProgramVersion) -> String {
    let tag = version.to_string();
    match grpc_of_crossplane(&tag) {
        Some(row) => format!("Crossplane {tag} (grpc-go {})", row.grpc),
        None => format!("Crossplane {tag}"),
    }
}

/// Whose matcher a Crossplane of this version asks: that of the Go that it is built with; the newest where that is not known.
///
/// `net/http` has had the one without limits on schemes since Go 1.23, and the newest since Go 1.23.7 and 1.24.1.
#[must_use]
pub fn matcher(version: &ProgramVersion) -> Matcher {
    let Some(go) = go_of_crossplane(&version.to_string()).map(ProgramVersion::read) else { return Matcher::Newest };
    let has = |since: &str| go.has(since) == Some(true);
    match (has("v1.23.0"), has("v1.24.1") || has("v1.23.7") && !has("v1.24.0")) {
        (false, _) => Matcher::BeforeSchemes,
        (true, false) => Matcher::BeforeZones,
        (true, true) => Matcher::Newest,
    }
}
