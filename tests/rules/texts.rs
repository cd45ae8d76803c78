//! Input and output texts: forms of input, generated manifests, any bytes, and the places of port numbers.

mod fuzz;
mod json;
mod properties;
#[path = "../support/mod.rs"]
mod support;
mod trust;
mod yaml_lossless;
