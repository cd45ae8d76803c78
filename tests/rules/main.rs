//! The rules, each on a small manifest: what changes, what is said, what stays. The tests of a rule are in the files of its id.

mod bad_input;
mod check;
mod config_words;
mod docs;
mod fuzz;
mod host_network;
mod hostile;
mod house;
mod json;
mod kustomize;
mod learn;
mod output;
mod package_mirror;
mod people;
mod ports;
mod properties;
mod proxy;
mod reference;
mod rule_files;
mod schema;
#[path = "../support/mod.rs"]
mod support;
mod trust;
mod wire;
mod yaml_lossless;
