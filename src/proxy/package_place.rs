//! The namespace and the role of a package.

use super::required::Role;
use super::writer::Writer;
use crate::model::facts::Package;

/// Role of the package's container.
pub(super) fn role(package: &Package) -> Role {
    match package.kind {
        crate::catalog::PackageKind::Provider => Role::Provider,
        crate::catalog::PackageKind::Function => Role::Other,
    }
}

/// The namespace of the core, in which packages run.
pub(super) fn namespace(writer: &Writer<'_>) -> Option<String> {
    writer.crossplane.namespace.clone()
}
