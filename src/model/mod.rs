//! Read-only views of the objects and the references between them. Depends on the catalogue, not on the config.
//!
//! [`Object::read`] reads one object from its YAML tree and keeps only the facts that the rules need; [`Model`]
//! contains the objects of a whole input and finds the edges between them. The modules, from the lowest layer: texts,
//! pod templates, their settings, the facts of each kind, the index that joins objects, the listeners of a pod, and
//! every reference to a port.

pub mod facts;
mod id;
pub mod index;
pub mod listener;
mod meta;
pub mod pod;
pub mod reference;
pub mod setting;
pub mod text;

pub use facts::{Facts, Kinds, Object, TemplateKind};
pub use id::{ObjectId, WorkloadId};
pub(crate) use index::{AnsweringObject, CalledAddress};
pub use index::{Model, Objects};
pub use meta::Meta;
pub(crate) use meta::{CLUSTER, GENERATED_KINDS, PREVIOUS_NAMES};
pub use reference::PodTexts;
