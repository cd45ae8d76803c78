//! What `kind: ProxyEnvironment` does: a small manifest in, what changed or what was said out.

// Helpers of a test may panic like the test itself; clippy.toml excuses only functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod api_server;
mod attacks;
mod chart_values;
mod check;
mod check_apply;
mod config;
mod example;
mod function_policy;
mod grpc;
mod kubelet;
mod lossless;
mod many;
mod merging;
mod merging_values;
mod network_policies;
mod package_runtime;
mod packages;
mod registries;
mod workloads;

use hostnet::api::AnyConfig;
use hostnet::kinds::{self, Run};
use hostnet::wire::{Input, Origin};

use crate::support::patched;

/// What every container gets besides its own entries, when the cluster's ranges are not given.
const CLUSTER: &str = "localhost,127.0.0.1,::1,$(KUBERNETES_SERVICE_HOST),kubernetes.default,kubernetes.default.svc,.svc,\
                       .svc.cluster.local,.cluster.local";

/// A config with this spec, in flow style without the braces.
fn config(spec: &str) -> Result<AnyConfig, String> {
    let text =
        format!("apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {{name: p}}\nspec: {{{spec}}}\n");
    AnyConfig::read(&text, "proxy.yaml", 1).map_err(|error| error.to_string())
}

fn run_all(spec: &str, manifest: &str) -> (String, Run) {
    let config = config(spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, true).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    (String::from_utf8(output).unwrap(), run)
}

/// The output, and all that is said beside changes.
fn run(spec: &str, manifest: &str) -> (String, String) {
    let (output, run) = run_all(spec, manifest);
    let said: Vec<String> = run.results.iter().filter(|result| !result.is_change).map(ToString::to_string).collect();
    (output, said.join("\n"))
}

/// The same, with a second run that changes nothing, and patches that make the same objects.
fn settled(spec: &str, manifest: &str) -> (String, String) {
    let (output, said) = run(spec, manifest);
    assert_eq!(run(spec, &output).0, output, "a second run changes nothing");
    // The other reader of these tests does not take `env:}` for a key.
    if !said.lines().any(|line| line.starts_with("error")) && !manifest.contains("env:}") {
        patched::same(&config(spec).unwrap(), manifest, &output);
    }
    (output, said)
}
