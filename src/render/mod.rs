//! Renders a plan as document edits, patches or results.

pub mod catalog;
pub mod charts_script;
pub mod check;
pub mod colour;
mod deduplicate;
mod fold;
pub mod html;
pub mod mirror;
pub mod mirror_load;
pub mod mirror_script;
pub mod mirror_verify;
pub mod node_config;
pub mod not_read;
mod ops;
mod order;
pub mod patch;
pub mod policy;
pub mod port_map;
pub mod ports;
pub mod proxy;
pub mod ranges;
pub mod report;
mod report_schema;
mod results;
mod roots;
pub mod summary;
pub mod survey;
mod value_edit;

pub use ops::{NewDocument, Ops, ops};
pub use report_schema::{JsonReport, report_schema};
pub use results::{Diagnostic, FilePlace, Objects, ResourceRef, Source, results};
