//! Images in registries and files: manifests, blobs, layers. Independent of Crossplane packages.

mod archive;
mod budget;
mod checked;
mod docker_archive;
mod entries;
mod flatten;
mod layer;
mod layout;
mod manifest;
pub mod name;
#[cfg(feature = "registry")]
pub mod registry;
mod source;
mod store;

pub use archive::Archive;
pub use budget::Budget;
pub use checked::{Digesting, Fault, digest_of, digest_of_reader};
pub use docker_archive::DockerArchive;
pub use entries::{BoundHeaders, visit_entries};
pub use flatten::{Entry, Flattened, clean_path};
pub use layer::{Packing, unpacked};
pub use layout::Layout;
pub use manifest::{Descriptor, ImageFile, Index, Manifest, Platform};
pub use source::{NotASource, Source};
pub use store::{Blob, Root, Store, StoreError};

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
