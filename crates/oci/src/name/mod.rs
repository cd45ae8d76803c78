//! Names of images and packages: references, registries, repository prefixes. Independent of Kubernetes objects.

mod reference;
mod registry;
mod remote;
mod repository_prefix;

pub use reference::{DOCKER_HUB, ImageRef, NotAnImage};
pub use registry::{host_of, is_loopback, is_registry, may_be_http};
pub use remote::{NotRemote, RemoteRef};
pub use repository_prefix::RepositoryPrefix;
