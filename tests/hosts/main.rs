//! The binary inside its real hosts: kustomize, kubectl, kpt, a pipe and a git working tree.
//!
//! A host may skip a function silently, so every test compares output that only a function that ran can produce. If a
//! host is not installed, its test prints `NOT RUN: …` and passes, unless `HOSTNET_REQUIRE=hosts` requires every host.

// Helper functions may panic like the tests themselves; clippy.toml only excuses functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod bounds;
mod browser;
mod build;
mod charts;
mod check;
mod ci_files;
mod closed;
mod commands;
mod container;
mod crossplane_types;
mod faults;
mod files;
mod flux;
mod flux_variables;
mod helm;
mod image;
mod kpt;
mod kruise_validation;
mod kubectl;
mod kubernetes_validation;
mod kustomize;
mod kustomize_matrix;
mod kustomize_silence;
mod loss;
mod material;
mod migration;
mod odd_names;
mod overlays;
mod package_example;
mod packages;
mod patch;
mod patched_sources;
mod pipe;
mod proxy;
mod release;
mod releases;
mod repositories;
mod same;
#[path = "../../benches/bars/shapes.rs"]
#[allow(dead_code, reason = "the bench needs more of it")]
mod shapes;
#[path = "../support/mod.rs"]
mod support;
mod two_renders;
mod typed;

use support::{cases, crossplane, deployments, example, manifests};
