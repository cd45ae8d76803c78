//! Pod templates as written: containers, ports, probes, variables, volumes.

mod container;
mod dialled;
mod env;
mod host_names;
mod low_ports;
mod own_address;
mod owner;
mod placement;
mod pod_count;
mod pod_term;
mod port;
mod probe;
mod protocol;
mod read;
mod redirect;
mod requirement;
mod rollout;
mod scalar;
mod subset;
mod template;
mod toleration;
mod volume;

pub use container::{Container, Role};
pub use dialled::Dialled;
pub use env::AddressOwner;
pub use host_names::HostNames;
pub use low_ports::{FIRST_UNPRIVILEGED_PORT, LowPorts};
pub use owner::Owner;
pub(crate) use owner::owner;
pub use placement::{Placed, Placement, always_share_a_node, never_share_a_node};
pub use pod_count::parse_pod_count;
pub use port::ContainerPort;
pub use probe::Probe;
pub use protocol::{TCP, protocol};
pub use redirect::Redirect;
pub use rollout::Rollout;
pub use scalar::Scalar;
pub use subset::Subset;
pub use template::{Forbidding, ForbiddingField, HeldPort, PodTemplate};
pub use toleration::{Taint, Toleration};
pub use volume::{ConfigDataReference, Mount, VolumeSource};
pub(crate) use volume::{config_maps, config_maps_of};

pub(in crate::model) use own_address::{OwnAddress, own_addresses, separate_numbers};
pub(in crate::model) use probe::{Actions, action};
pub(in crate::model) use read::collect;
