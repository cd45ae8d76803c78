//! Images and packages by name: references, registries, folders of registries. Nothing here knows of objects.

mod folder;
mod needed;
mod range;
mod reference;
mod registry;
mod remote;

pub use folder::Folder;
pub use needed::{NeededPackage, needed_package};
pub use range::{Library, in_range, newest, range_error};
pub use reference::{DOCKER_HUB, ImageRef, NotAnImage};
pub use registry::{host_of, is_loopback, is_registry, may_be_http};
pub use remote::{NotRemote, RemoteRef};
