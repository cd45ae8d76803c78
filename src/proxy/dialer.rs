//! Recognizes well-known programs, and Crossplane's core, by the image and the command of a container.

use crate::catalog::{Dialer, Dials, dialer};
use crate::model::pod::Container;
use crate::model::{Model, ObjectId};
use oci::name::ImageRef;

/// Returns the catalog entry for the program of a container.
pub(super) fn dialer_of(container: &Container) -> Option<&'static Dialer> {
    let image = ImageRef::split(&container.image).name;
    dialer(image, container.words().map(|(_, _, word)| word))
}

/// True for Crossplane's core, which calls functions.
pub(super) fn is_core(container: &Container) -> bool {
    dialer_of(container).is_some_and(|dialer| dialer.dials == Dials::Everything)
}

/// Workloads whose pods run Crossplane's core.
pub(super) fn cores(model: &Model) -> impl Iterator<Item = ObjectId> {
    model.workloads().filter(|(_, _, template)| template.containers.iter().any(is_core)).map(|(id, ..)| id.object)
}
