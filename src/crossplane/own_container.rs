//! Recognizes the containers of Crossplane itself: the core, its init container, and the RBAC manager.

use crate::catalog::{DialScope, Dialer, dialer, has_core_command, is_crossplane_like};
use crate::model::Model;
use crate::model::pod::{Container, PodTemplate};
use oci::name::ImageRef;

/// Names of Crossplane's own images and charts.
pub(crate) const CORE: [&str; 2] = ["crossplane", "universal-crossplane"];

/// Catalog entry of a container of Crossplane: by its command, and by the image path or other evidence, since mirrors
/// rename images. `None` for other containers.
pub(crate) fn own_container(template: &PodTemplate, container: &Container) -> Option<&'static Dialer> {
    let image = ImageRef::split(&container.image).name;
    let is_like = is_crossplane_like(image, &container.name, |key| template.labels.get(key));
    dialer(image, is_like, container.words().map(|(.., word)| word))
}

/// True for a container that runs Crossplane's core, which calls functions.
pub(crate) fn is_core(template: &PodTemplate, container: &Container) -> bool {
    own_container(template, container).is_some_and(|dialer| dialer.dials == DialScope::Everything)
}

/// True for a container that only its command identifies as Crossplane's core.
pub(crate) fn may_be_core(template: &PodTemplate, container: &Container) -> bool {
    has_core_command(container.words().map(|(.., word)| word)) && own_container(template, container).is_none()
}

/// True for a container that runs Crossplane's image, which the core and its RBAC manager share.
pub(crate) fn is_crossplane(template: &PodTemplate, container: &Container) -> bool {
    CORE.contains(&ImageRef::split(&container.image).last_segment()) || own_container(template, container).is_some()
}

/// True if a pod template runs Crossplane's core.
pub(crate) fn runs_core(template: &PodTemplate) -> bool {
    template.containers.iter().any(|container| is_core(template, container))
}

/// True if no workload of the input runs Crossplane's core.
pub(crate) fn lacks_core(model: &Model) -> bool {
    !model.workloads().any(|(.., template)| runs_core(template))
}
