//! The rules of `HostNetwork` and `check`, each on a small manifest: changes, results, and unchanged parts. The tests
//! of a rule are in the files with its id.

mod bad_input;
mod check;
mod config_examples;
mod config_words;
mod conventions;
mod docs;
mod host_network;
mod hostile;
mod html;
mod kustomize;
mod learn;
mod output;
mod people;
mod port_map;
mod ports;
mod reference;
mod rule_files;
mod schema;
#[path = "../support/mod.rs"]
mod support;
