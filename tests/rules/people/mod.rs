//! The first ten minutes at the terminal: mistakes, screens, the first config, completions and man pages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod builds;
mod carriers;
mod charts;
mod charts_builds;
mod colour;
mod counts;
mod equal_results;
mod exit_codes;
mod first_config;
mod found_config;
mod generated;
mod habits;
mod mistakes;
mod next_command;
mod nothing_read;
mod other_namespace;
mod pairs;
mod read_folders;
mod rendered_elsewhere;
mod repositories;
mod screens;
mod terminal;
mod unbuilt;

use crate::support::manifests::{HOOKS, two_ports};

/// A core with proxy variables whose DNS is blocked by a policy, and a Function.
const BLOCKED: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane, namespace: crossplane-system}
spec:
  selector: {matchLabels: {app: crossplane}}
  template:
    metadata: {labels: {app: crossplane}}
    spec:
      containers:
      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4
        args: [core, start]
        env:
        - {name: HTTPS_PROXY, value: 'http://proxy.example.com:3128'}
        - {name: NO_PROXY, value: '$(KUBERNETES_SERVICE_HOST),.crossplane-system'}
---
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-demo}
spec: {package: 'xpkg.crossplane.io/acme/function-demo:v0.1.0'}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: functions-alone, namespace: crossplane-system}
spec: {podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: 9443}]}]}
";

/// A Deployment with two ports in its manifest.
fn deployment(name: &str) -> String {
    two_ports(name, "https", 8443)
}

/// The Deployment `web`, and webhooks that make the API server call it.
fn called_web() -> String {
    format!("{}---\n{HOOKS}", deployment("web"))
}

/// A config with this spec.
fn config(spec: &str) -> String {
    format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: hooks\nspec:\n{spec}")
}
