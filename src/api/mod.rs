//! The function-config kinds: types, defaults, validation, JSON Schema.
//!
//! A config is read in three steps, each with its own errors: `read` parses the text (unknown fields, wrong types),
//! the `Deserialize` implementations reject invalid values (port 70000), and [`crate::plan::Matcher`] compiles
//! selectors (and rejects invalid regular expressions).

mod check_config;
mod config_kinds;
mod config_map;
mod config_type;
mod day;
mod document;
mod error;
mod fail_on;
mod host_network;
mod host_network_check;
mod label;
mod mirror_config;
mod nodes;
mod not_a_config;
mod numbers;
mod package_mirror;
mod port_range;
mod ports;
mod proxy_config;
mod proxy_environment;
mod read;
mod schema;
mod select;
mod shape;
mod suggest;
mod suppress;
mod validate;
mod word;
mod written_forms;

pub use check_config::{CheckConfig, is_version};
pub use config_kinds::{CHANGING_KINDS, KINDS};
pub use day::Day;
pub use error::ConfigError;
pub use fail_on::FailOn;
pub use host_network::{
    API_VERSION, Bind, Crossplane, DnsPolicy, Functions, GROUP, HOST_NETWORK, HostNetwork, HostNetworkSpec, Metadata,
    MissingRuntimeConfig, PodSecurityPolicy, RolloutPolicy, Shared, Target, TemplateKind, Unmatched,
};
pub use host_network_check::{
    ApiServer, HOST_NETWORK_CHECK, HostNetworkCheck, HostNetworkCheckSpec, RuleSeverity, Versions,
};
pub(crate) use label::label_value_fault;
pub use mirror_config::{MirrorConfig, PACKAGE_KINDS};
pub use nodes::{NodeGroup, Nodes};
pub(crate) use not_a_config::no_config;
pub use numbers::{Sharing, recorded_owners, workload_of};
pub use package_mirror::{
    KnownPackage, MirrorCa, MirrorCrossplane, MirrorDependencies, MirrorDigests, MirrorPullPolicy, MirrorRule,
    MirrorStyle, PACKAGE_MIRROR, PackageMirror, PackageMirrorSpec,
};
pub use port_range::{NoRange, PortRange};
pub use ports::{Port, PortChoice, Ports};
pub use proxy_config::ProxyConfig;
pub use proxy_environment::{
    ApiServerHosts, Case, Cluster, Destination, Existing, FunctionPolicy, KeyRef, LiteralCredentials, MetadataService,
    PROXY_ENVIRONMENT, Proxy, ProxyCrossplane, ProxyEnvironment, ProxyEnvironmentSpec, ProxySource, ProxyTarget, Route,
};
pub use read::{AnyConfig, HostNetworkConfig, kinds_in};
pub use schema::{function_definitions, json_schema};
pub use select::Select;
pub(crate) use suggest::{closest_word, did_you_mean, did_you_mean_name, unknown, unknown_name, unknown_rule};
pub use suppress::{Suppress, may_be_suppressed};

/// Positions of a config's values.
pub trait Positions {
    /// An error about the value at `path`, with its position.
    fn error_at(&self, path: &lossless_yaml::Path, message: String) -> ConfigError;

    /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it.
    fn place_of(&self, path: &lossless_yaml::Path) -> String;
}
