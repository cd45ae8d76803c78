//! Tests of `kind: PackageMirror`: each runs on a small manifest, and checks the changes or the reports.

// Helpers of a test may panic like the test itself; clippy.toml excuses only functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod cache;
mod config;
mod copiers;
mod core_ca;
mod crossplane_version;
mod example;
mod hints;
mod hostile_manifests;
mod hostile_registries;
mod image_config;
mod image_source;
mod list;
mod load;
mod lock;
mod no_network;
mod node_config;
mod node_runtimes;
mod package_dependency;
mod package_digest;
mod package_policy;
mod package_registry;
mod package_source;
mod pin;
mod ranges;
mod references;
mod releases;
mod resolver;
mod script;
mod store;
mod stories;
mod unanswered;
mod unmatched;
mod verify;
mod verify_config;
mod verify_objects;
mod verify_registry;
mod verify_text;

use hostnet::api::AnyConfig;
use hostnet::kinds::Run;

use crate::support::{results, specs};

/// A rule for the registry of Crossplane's own packages.
const RULE: &str = "rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}]";

/// Parses a config with this spec, in flow style without the braces.
fn config(spec: &str) -> Result<AnyConfig, String> {
    specs::config("PackageMirror", spec).map_err(|error| error.lines().collect::<Vec<_>>().join("\n  "))
}

fn run_all(spec: &str, manifest: &str) -> (String, Run) {
    specs::run("PackageMirror", spec, manifest)
}

/// The changed lines, and all reports other than changes. A second run must change nothing, and report no error.
fn changes(spec: &str, manifest: &str) -> String {
    let (output, run) = run_all(spec, manifest);
    let diff = similar::TextDiff::from_lines(manifest, &output);
    let lines = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    let mut text: String = lines.map(|change| format!("{}{}", change.tag(), change.value())).collect();
    // These reports appear for nearly every input, and have their own tests.
    let version = |line: &String| {
        !line.contains("the input does not show the version of Crossplane")
            && !line.contains("asks the registry for the digest of a tag at every reconciliation")
    };
    let log = run.results.iter().filter(|result| !result.is_change).map(results::line);
    text.extend(log.filter(version).map(|line| format!("{line}\n")));
    if run.failed() {
        assert_eq!(output, manifest, "a run that fails writes nothing");
    } else {
        let (again, second) = run_all(spec, &output);
        assert_eq!(again, output, "a second run changes something");
        assert!(!second.failed(), "a second run refuses: {:#?}", second.results);
    }
    text
}

/// A package with this kind, name and source.
fn package(kind: &str, name: &str, source: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{package: '{source}'}} # kept\n"
    )
}

/// Joins objects to a YAML stream.
fn stream(objects: &[String]) -> String {
    objects.join("---\n")
}

/// Crossplane's core, with these arguments of its init container.
fn core(version: &str, init: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: crossplane, namespace: crossplane-system}}
spec:
  template:
    spec:
      initContainers:
      - {{name: crossplane-init, image: 'quay.io/crossplane/crossplane:{version}', args: [core, init, {init}]}}
      containers:
      - {{name: crossplane, image: 'quay.io/crossplane/crossplane:{version}', args: [core, start]}}
"
    )
}

/// An ImageConfig with this prefix, and other fields of the spec.
fn image_config(name: &str, prefix: &str, more: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {{name: {name}}}\nspec: {{matchImages: [{{type: Prefix, prefix: \
         '{prefix}'}}], {more}}}\n"
    )
}
