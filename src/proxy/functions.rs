//! The `NO_PROXY` matching of function calls by Crossplane's core, by version.
//!
//! The core dials `dns:///SERVICE.NAMESPACE:9443` with grpc-go (crossplane/crossplane@v1.14.0 and later,
//! `internal/xfn`), which reads `HTTPS_PROXY` only. The version of grpc-go decides whether `NO_PROXY` is compared with
//! the name or with the address.

use crate::catalog::{COMPARES_NAMES_SINCE, Compares, go_of_crossplane, grpc_of_crossplane};
use crate::version::ProgramVersion;
use go_no_proxy::Matcher;

/// The form of a function's address that this version of Crossplane matches against `NO_PROXY`; `None` if the version
/// is unknown.
pub fn compares(version: &ProgramVersion) -> Option<Compares> {
    version.has(COMPARES_NAMES_SINCE).map(|names| if names { Compares::Names } else { Compares::Addresses })
}

/// Formats `Crossplane v1.19.3 (grpc-go v1.68.0)`; without grpc-go if the release is not in the catalog.
pub fn reader(version: &ProgramVersion) -> String {
    let tag = version.to_string();
    match grpc_of_crossplane(&tag) {
        Some(row) => format!("Crossplane {tag} (grpc-go {})", row.grpc),
        None => format!("Crossplane {tag}"),
    }
}

/// The matcher of the Go release that this version of Crossplane is built with; the newest if unknown.
///
/// `net/http` has no limit on proxy schemes since Go 1.23, and the newest matcher since Go 1.23.7 and 1.24.1.
pub fn matcher(version: &ProgramVersion) -> Matcher {
    let Some(go) = go_of_crossplane(&version.to_string()).map(ProgramVersion::read) else { return Matcher::Newest };
    let has = |since: &str| go.has(since) == Some(true);
    match (has("v1.23.0"), has("v1.24.1") || has("v1.23.7") && !has("v1.24.0")) {
        (false, _) => Matcher::BeforeSchemes,
        (true, false) => Matcher::BeforeZones,
        (true, true) => Matcher::Newest,
    }
}
