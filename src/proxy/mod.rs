//! Proxy variables: which containers get them, what `NO_PROXY` has to hold, and what it decides for each destination that is known.
//!
//! What Go's matcher says is [`crate::no_proxy`]'s; here is what Crossplane and a cluster ask of it.

mod check;
mod core;
mod edits;
mod effective;
mod explain;
mod facts;
mod functions;
mod judge;
mod list;
mod merge;
mod merge_list;
mod merge_proxy;
mod objects;
mod packages;
mod plan;
mod required;
mod select;
mod urls;
mod variables;
mod writer;

pub use check::{Row, check};
pub use explain::{Explained, Host, explain};
pub use facts::{ProxyFacts, Seen};
pub use functions::{compares, matcher, reader};
pub use judge::Reached;
pub use merge::{Asked, Change, Known, Merged, merge};
pub use plan::plan;
pub use select::ProxyTargets;
pub use variables::{Key, Source, Variable, VariableValue, Variables};
