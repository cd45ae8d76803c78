//! How Crossplane's core calls functions, as far as proxies are concerned.
//!
//! It dials `dns:///SERVICE.NAMESPACE:9443` with grpc-go (crossplane/crossplane@v1.14.0 and later, `internal/xfn`), which asks
//! `HTTPS_PROXY` alone. What `NO_PROXY` is compared with depends on the version of grpc-go.

use crate::catalog::{COMPARES_NAMES_SINCE, Compares, grpc_of_crossplane};
use crate::model::text::ProgramVersion;

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
