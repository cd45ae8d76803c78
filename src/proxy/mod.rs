//! Proxy variables: selects containers, extends `NO_PROXY`, and checks the resulting route to each known destination.
//!
//! [`go_no_proxy`] implements Go's matcher; this module adds the requirements of Crossplane and of a cluster.

mod check;
mod controller_config;
mod core;
mod core_setting;
mod edits;
mod effective;
mod explain;
mod facts;
mod function_policy;
mod functions;
mod host_configs;
mod list;
mod matches_all;
mod merge;
mod merge_list;
mod merge_proxy;
mod objects;
mod package_maps;
mod package_place;
mod package_reads;
mod package_runtime;
mod packages;
mod plan;
mod planned_state;
mod policy;
mod required;
mod route_decider;
mod runtime_containers;
mod select;
mod services;
mod text_hosts;
mod unexpanded;
mod urls;
mod variables;
mod writer;

pub use check::{RouteRow, check, unread_variables};
pub use explain::{Explained, Host, Target, explain};
pub use facts::{ObjectFacts, ProxyFacts};
pub use functions::{compares, matcher, reader};
pub use merge::{Change, Merged, ValueSource, WantedProxies, merge};
pub use plan::{ProxyPlan, plan};
pub use route_decider::ActualRoute;
pub use select::ProxyTargets;
pub use variables::{Key, Source, Variable, VariableValue, Variables};
