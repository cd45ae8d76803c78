//! Tests of `kind: ProxyEnvironment`: each runs on a small manifest, and checks the changes or the reports.

// Helpers of a test may panic like the test itself; clippy.toml excuses only functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod api_server;
mod attacks;
mod chart_values;
mod check;
mod config;
mod controller_config;
mod core_names;
mod example;
mod explain;
mod final_dot;
mod function_policy;
mod grpc;
mod kubelet;
mod many;
mod merging;
mod network_policies;
mod package_runtime;
mod packages;
mod plugin_policies;
mod proxy_entry;
mod proxy_existing;
mod proxy_opaque;
mod proxy_reach;
mod proxy_url;
mod proxy_variable;
mod registries;
mod runtime_config;
mod services;
mod set_namespace;
mod unmatched;
mod workloads;

use hostnet::api::AnyConfig;
use hostnet::kinds::Run;

use crate::support::{patched, specs};

/// Entries that each container gets in addition to its own, if the config has no ranges of the cluster.
const CLUSTER: &str = "localhost,127.0.0.1,::1,$(KUBERNETES_SERVICE_HOST),kubernetes.default,kubernetes.default.svc,.svc,\
                       .svc.cluster.local,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,\
                       metadata.google.internal";

/// Parses a config with this spec, in flow style without the braces.
fn config(spec: &str) -> Result<AnyConfig, String> {
    specs::config("ProxyEnvironment", spec).map_err(|error| error.to_string())
}

fn run_all(spec: &str, manifest: &str) -> (String, Run) {
    specs::run("ProxyEnvironment", spec, manifest)
}

/// The output, and all reports other than changes.
fn run(spec: &str, manifest: &str) -> (String, String) {
    let (output, run) = run_all(spec, manifest);
    (output, specs::findings(&run))
}

/// Like `run`; also checks that a second run changes nothing, and that the patches create the same objects.
fn settled(spec: &str, manifest: &str) -> (String, String) {
    let (output, log) = run(spec, manifest);
    assert_eq!(run(spec, &output).0, output, "a second run changes nothing");
    // `serde_yaml` does not read `env:}` as a key.
    if !log.lines().any(|line| line.starts_with("error")) && !manifest.contains("env:}") {
        patched::same(&config(spec).unwrap(), manifest, &output);
    }
    (output, log)
}
