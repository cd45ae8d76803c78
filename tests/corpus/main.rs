//! The rules over real manifests: of the catalogue's projects, of charts, of public repositories, and of programs whose source was
//! read.

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
