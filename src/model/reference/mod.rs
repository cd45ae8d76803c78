//! References to the port of a listener: in the same pod, in other pods, in other objects. One file per source.

mod config_references;
mod exec;
mod field;
mod find;
mod health_check;
mod leftover;
mod literal_addresses;
mod named_port;
mod old_number;
mod other_workloads;
mod own_texts;
mod peer_names;
mod peers;
mod placeholder;
mod pod_fields;
mod pod_texts;
mod search;
mod service;
mod siblings;
mod target;
mod transports;
mod types;
mod undecided;

pub use find::references;
pub use named_port::NamedPort;
pub use own_texts::own_annotations;
pub use placeholder::{Dialled, Relation, dialled};
pub use pod_fields::{AllPods, PodFields};
pub use pod_texts::PodTexts;
pub use types::{AffectedWorkloads, PolicyPort, Reference, ServiceTarget};
pub use undecided::{NumberWithoutListener, undecided};
