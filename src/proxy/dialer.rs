//! What a container is by its image and its command, and whom it dials.

use crate::catalog::{Dialer, Dials, dialer};
use crate::model::pod::Container;
use crate::model::{Model, ObjectId};
use oci::name::ImageRef;

/// What is known of a container by its image and its command.
pub(super) fn dialer_of(container: &Container) -> Option<&'static Dialer> {
    let image = ImageRef::of(&container.image).name;
    dialer(image, container.words().map(|(_, _, word)| word))
}

/// Whether a container is Crossplane's core, which calls functions.
pub(super) fn is_core(container: &Container) -> bool {
    dialer_of(container).is_some_and(|dialer| dialer.dials == Dials::Everything)
}

/// The workloads whose pods run Crossplane's core.
pub(super) fn cores(model: &Model) -> impl Iterator<Item = ObjectId> {
    model.workloads().filter(|(_, _, template)| template.containers.iter().any(is_core)).map(|(id, ..)| id.object)
}
