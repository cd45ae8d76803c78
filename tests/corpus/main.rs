//! Tests of the rules on real manifests: projects of the catalog, charts, public repositories, and programs whose ports
//! were read from their source.

mod admission;
mod catalog;
mod chart_pairs;
mod cluster;
mod everything;
mod flux;
mod go_readers;
mod json;
mod operators;
mod packages;
mod policy;
mod proxy;
mod remedies;
mod screens;
#[path = "../support/mod.rs"]
mod support;
mod together;
mod truth;
mod wire;
mod yaml;
