//! Listeners: which numbers of a pod its processes listen on, and what sets them.
//!
//! A number of a manifest may be a port that a process listens on, a port of somebody else, or not a port at all. Two
//! questions are answered apart:
//!
//! - **Does a process of this container listen on it?** Every [`Witness`] has a [`Weight`]. A listener has a witness that is
//!   certain or strong; what only a guess speaks for is a [`Guess`], and is left alone.
//! - **What sets the number?** What the catalogue, `bind` or a config file of the catalogue says; a text in a form that only
//!   a process that listens has; a listen name with the number of a listener that another witness shows. What speaks
//!   against a text is heard first: an [`Objection`].

mod bind;
pub mod called;
mod catalogued;
mod certain;
mod config_file;
mod find;
mod help_name;
mod hints;
mod map_variables;
mod mounted_file;
mod objection;
mod own_names;
mod placeholder;
mod port_name;
mod program;
mod reader;
mod role;
mod seen_ports;
mod shown;
mod types;
mod uncatalogued;
mod undeclared;
mod witness;
mod workload_view;

pub use called::{CalledWithoutPods, Fit, Why, called, called_together, called_without_pods, may_register};
pub use find::{Ports, ports};
pub use help_name::HelpName;
pub use hints::{BindHint, HintedBy, Hints};
pub use mounted_file::{files_with, ports_of_files};
pub use objection::Objection;
pub use placeholder::{Declared, declared, filled_in_later, has_placeholder, undefined};
pub use program::{not_listen_row, program_of, program_of_package};
pub use role::Role;
pub use shown::Evidence;
pub use types::{Binding, Listener, Obstacle, UnknownVersion, WayOut};
pub use witness::{Guess, Witness, Witnesses};
pub use workload_view::WorkloadView;

pub(in crate::model) use certain::Certain;
pub(in crate::model) use map_variables::{MapVariables, Variable};
pub(in crate::model) use objection::{Others, Surroundings};
pub(in crate::model) use placeholder::{declared_by, listens, loopback};
