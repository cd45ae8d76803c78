//! Where a package runs, and as what.

use super::required::Role;
use super::writer::Writer;
use crate::model::facts::Package;

pub(super) fn role(package: &Package) -> Role {
    match package.kind {
        crate::catalog::PackageKind::Provider => Role::Provider,
        crate::catalog::PackageKind::Function => Role::Other,
    }
}

/// Packages run in the namespace of the core.
pub(super) fn namespace(writer: &Writer<'_>) -> Option<String> {
    writer.crossplane.namespace.clone()
}
