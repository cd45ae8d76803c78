//! Texts in and out: forms of input, generated manifests, any bytes, and the places where ports are written.

mod fuzz;
mod json;
mod properties;
#[path = "../support/mod.rs"]
mod support;
mod trust;
mod yaml_lossless;
