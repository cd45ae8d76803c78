//! The objects of an input and the edges between them: labels, names, port fields.

mod dialled_hosts;
mod field_index;
mod mesh;
mod model;
mod objects;
mod owner;
mod port_owners;
mod program_version;
mod reach;
mod registrars;
mod settings_by_port;

pub use mesh::{MeshMembershipCause, joined};
pub use model::Model;
pub use objects::Objects;
pub(crate) use objects::{AnsweringObject, CalledAddress};
pub use owner::{
    Owners, PLAIN_GROUPS, deployment_of, drop_controller_created_templates, object_key, owner_key, workload_key,
};
pub use program_version::version_of;
