//! Findings of `hostnet check`, rule by rule, each for a small manifest that breaks the rule and for manifests that
//! nearly do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod admission_policy;
mod alternatives;
mod configs;
mod dns_policy;
mod docs;
mod document;
mod dump;
mod duplicate_key;
mod duplicate_object;
mod formats;
mod function;
mod host_name;
mod host_port;
mod knative;
mod mesh;
mod network_policy;
mod node_port;
mod package_pods;
mod pod_forbids;
mod pod_security;
mod policy;
mod port_called;
mod port_conflict;
mod port_declared;
mod port_placeholder;
mod probe_address;
mod program;
mod remedies;
mod replicas_nodes;
mod rollout_simulation;
mod rollout_surge;
mod runtime_config;
mod screen;
mod service_target;
mod sidecar_port;
mod subset_patch;
mod unknown_field;
mod unmatched;
mod unused_ignore;
use crate::support;
mod unread;

use crate::support::reports::assert_fits;
use crate::support::results::entry_line;
use hostnet::api::Day;
use hostnet::kinds::check::{Configs, run};
use hostnet::render::JsonReport;
use hostnet::render::check::{Report, json};
use krm::{Input, Origin};

/// The report for a manifest, with the spec of a `HostNetworkCheck` in flow style.
fn report(spec: &str, manifest: &str) -> Report {
    let mut configs = Configs::default();
    let config = format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetworkCheck, spec: {spec}}}");
    configs.add(&config, "check.yaml").unwrap();
    report_of(&configs, &[("a.yaml", manifest)])
}

/// The report for several files.
pub(crate) fn report_of(configs: &Configs, files: &[(&str, &str)]) -> Report {
    let read = |(name, text): &(&str, &str)| Input::read(Origin::file(*name), (*text).into()).unwrap();
    let mut inputs: Vec<Input> = files.iter().map(read).collect();
    let report = run(&mut inputs, Vec::new(), configs, Day::read("2026-11-22").unwrap()).unwrap();
    screen::has_short_forms(&report);
    assert_fits(JsonReport::Check, &json(&report));
    report
}

/// The findings of a rule for a manifest, with the spec of a `HostNetworkCheck`.
fn reported_with(rule: &str, spec: &str, manifest: &str) -> String {
    let report = report(spec, manifest);
    let own = report.open().filter(|entry| entry.rule.id == rule);
    own.map(|entry| format!("{}\n", entry_line(entry))).collect()
}

/// The findings of a rule for a manifest, without a config.
fn reported(rule: &str, manifest: &str) -> String {
    reported_with(rule, "{}", manifest)
}

/// A workload with a pod spec in flow style.
fn workload(kind: &str, name: &str, spec: &str) -> String {
    let group = match kind {
        "CloneSet" => "apps.kruise.io/v1alpha1",
        _ => "apps/v1",
    };
    format!(
        "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  template:\n    metadata: {{labels: {{app: \
         {name}}}}}\n    spec: {spec}\n---\n"
    )
}

/// A Deployment on the host network whose container has these fields in addition to name and image.
fn on_host(name: &str, container: &str) -> String {
    workload("Deployment", name, &host_spec(container))
}

/// A pod spec on the host network whose container has these fields in addition to name and image.
fn host_spec(container: &str) -> String {
    let rest = "hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet";
    format!("{{{rest}, containers: [{{name: web, image: 'example/web:v1', {container}}}]}}")
}

/// A declared port.
const PORT: &str = "ports: [{name: http, containerPort: 20080, hostPort: 20080}]";
