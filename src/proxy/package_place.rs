//! Selected packages, with their namespace and role.

use super::required::Role;
use super::writer::Writer;
use crate::api::ProxyTarget;
use crate::model::facts::Package;
use crate::model::{Meta, ObjectId};

/// A package that a target selects.
pub(super) type WithTarget<'p, 'c> = (ObjectId, &'p Meta, &'p Package, &'c ProxyTarget);

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
