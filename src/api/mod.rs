//! The function-config kinds: types, defaults, validation, JSON Schema.
//!
//! A config is read in three steps, each with its own errors: [`read`] takes the text apart (unknown fields, wrong
//! types), the types' own `Deserialize` refuse what has no meaning by itself (port 70000), and
//! [`crate::plan::select`] compiles selectors (a regular expression that is none).

mod config_map;
mod host_network;
mod numbers;
mod port_range;
mod ports;
mod read;
mod schema;
mod suggest;

pub use host_network::{
    API_VERSION, Bind, Crossplane, DnsPolicy, Functions, GROUP, HOST_NETWORK, HostNetwork, HostNetworkSpec, Metadata,
    MissingRuntimeConfig, RolloutPolicy, Select, Shared, Target, TemplateKind, Unmatched,
};
pub use numbers::{Sharing, workload_of};
pub use port_range::{NoRange, PortRange};
pub use ports::{Port, PortChoice, Ports};
pub(crate) use read::no_config;
pub use read::{Config, ConfigError, KINDS};
pub use schema::{function_definition, json_schema};
pub(crate) use suggest::{did_you_mean, did_you_mean_name, unknown, unknown_name};
