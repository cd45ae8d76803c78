//! Listeners: numbers of a pod on which its processes listen, and the settings of these port numbers.
//!
//! A number in a manifest may be a port of a process in the pod, a port of another program, or not a port. Two separate
//! questions:
//!
//! - **Does a process of this container listen on it?** Each [`EvidenceKind`] has a `Weight`. A listener
//!   has certain or strong evidence; a number with weaker evidence is a [`Guess`], and is not changed.
//! - **Which setting sets the number?** A setting of the catalogue or of `bind`, a config file of the catalogue, a text
//!   in a form that only servers have, or a listen name with the number of a listener that other evidence shows. A
//!   [`RejectionReason`] excludes a text.

mod bind;
pub mod called;
mod client_address;
mod config_file;
mod evidence_kind;
mod find;
mod follower;
mod forwarded_options;
mod from_catalogue;
mod help_name;
mod hints;
mod map_variables;
mod mounted_file;
mod number_settings;
mod own_names;
mod placeholder;
mod pod_programs;
mod port_name;
mod program;
mod reader;
mod rejection;
mod role;
mod seen_ports;
mod switched_off;
mod types;
mod uncatalogued;
mod undeclared_ports;
mod workload_evidence;
mod workload_view;

pub use called::{
    CallReasons, CalledWithoutPods, MayRegister, PossiblePods, called, called_together, called_without_pods,
    may_be_called, may_register,
};
pub use client_address::is_client_address;
pub use evidence_kind::{EvidenceKind, EvidenceKinds, Guess};
pub use find::{Ports, ports};
pub use help_name::HelpName;
pub use hints::{BindHint, HintedBy, Hints};
pub use map_variables::{absent_config_maps, has_variable};
pub use mounted_file::{File, files_with, files_with_default, ports_of_files, scripts_with_host_name, secret_with};
pub use placeholder::{Declared, declared, filled_in_later, has_placeholder, undefined};
pub use program::{is_image_of_catalogue, program_of, program_of_package, program_row};
pub use rejection::RejectionReason;
pub use role::Role;
pub use seen_ports::is_unopenable_implied_port;
pub use switched_off::settings_of_other_listeners;
pub use types::{Binding, Listener, Obstacle, ObstacleRemedy, UnknownVersion};
pub use workload_evidence::WorkloadEvidence;
pub use workload_view::WorkloadView;

pub(in crate::model) use forwarded_options::forwarding_option;
pub(in crate::model) use map_variables::{MapVariables, Variable};
pub(in crate::model) use number_settings::NumberSettings;
pub(in crate::model) use placeholder::{declared_by, listens, loopback};
pub(in crate::model) use rejection::{OtherEvidence, PodNames};
