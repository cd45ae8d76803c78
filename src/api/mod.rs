//! The function-config kinds: types, defaults, validation, JSON Schema.
//!
//! A config is read in three steps, each with its own errors: [`read`] takes the text apart (unknown fields, wrong
//! types), the types' own `Deserialize` refuse what has no meaning by itself (port 70000), and
//! [`crate::plan::Matcher`] compiles selectors (a regular expression that is none).

mod check_config;
mod config_map;
mod document;
mod host_network;
mod host_network_check;
mod numbers;
mod port_range;
mod ports;
mod read;
mod schema;
mod suggest;

pub use check_config::{CheckConfig, Day, may_be_suppressed};
pub use host_network::{
    API_VERSION, Bind, Crossplane, DnsPolicy, Functions, GROUP, HOST_NETWORK, HostNetwork, HostNetworkSpec, Metadata,
    MissingRuntimeConfig, RolloutPolicy, Select, Shared, Target, TemplateKind, Unmatched,
};
pub use host_network_check::{
    ApiServer, FailOn, HOST_NETWORK_CHECK, HostNetworkCheck, HostNetworkCheckSpec, NodeGroup, Nodes, RuleSeverity,
    Suppress, Versions,
};
pub use numbers::{Sharing, workload_of};
pub use port_range::{NoRange, PortRange};
pub use ports::{Port, PortChoice, Ports};
pub(crate) use read::no_config;
pub use read::{AnyConfig, Config, ConfigError, KINDS};
pub use schema::{function_definitions, json_schema};
pub(crate) use suggest::{closest_word, did_you_mean, did_you_mean_name, unknown, unknown_name};

/// What knows where the values of a config stand.
pub trait Positions {
    /// An error about the value at `path`, with its position.
    fn error_at(&self, path: &crate::yaml::Path, message: String) -> ConfigError;
}
