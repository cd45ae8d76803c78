//! What `kind: HostNetwork` does, rule by rule: a small manifest in, what changed or what was said out.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod config_files;
mod config_maps;
mod keys;
mod listeners;
mod monitors;
mod network_policies;
mod odd;
mod pod;
mod probe_markers;
mod programs;
mod references;
mod select;
mod services;

use hostnet::api::Config;
use hostnet::kinds::host_network;
use hostnet::plan::Severity;
use hostnet::wire::{Input, Origin};

/// The first target's config, for short: `spec` is the YAML of the whole spec in flow style.
fn run(spec: &str, manifest: &str) -> (String, Vec<String>) {
    let config = format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {spec}}}");
    let config = Config::read(&config, "hostnet.yaml", 1).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = host_network::run(std::slice::from_ref(&input), &config, false).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    let said = run.results.iter().filter(|result| result.severity != Severity::Info).map(ToString::to_string);
    (String::from_utf8(output).unwrap(), said.collect())
}

/// What changed, line by line, and what was said. A second run over the output must change nothing.
fn changes(spec: &str, manifest: &str) -> String {
    let (output, said) = run(spec, manifest);
    let diff = similar::TextDiff::from_lines(manifest, &output);
    let lines = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    let mut text: String = lines.map(|change| format!("{}{}", change.tag(), change.value())).collect();
    text.extend(said.iter().map(|line| format!("{line}\n")));
    if !said.iter().any(|line| line.starts_with("error")) {
        assert_eq!(run(spec, &output).0, output, "a second run changes something");
    }
    text
}

/// A Deployment `web` in namespace `shop` whose pods have the label `app: web`; `containers` is its list.
fn deployment(containers: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  template:
    metadata:
      labels: {{app: web}}
    spec:
      containers:
{containers}"
    )
}

/// A Deployment `name` with the pods of [`deployment`] that declares 8080 as `http`, and maybe the label `app: web`.
fn neighbour(name: &str, app: &str) -> String {
    let containers = "      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n";
    let text = deployment(containers).replace("metadata: {name: web,", &format!("metadata: {{name: {name},"));
    text.replace("app: web", &format!("app: {app}"))
}

/// What changes around Deployment `web`, whose port `http` moves from 8080 to 20080; `around` are further documents.
fn moved_with(spec: &str, around: &str) -> String {
    let said = changes(spec, &format!("{}{around}", neighbour("web", "web")));
    let own =
        |line: &&str| line.contains("- {name: web, args") || line.contains("hostNetwork") || line.contains("dnsPolicy");
    said.lines().filter(|line| !own(line)).map(|line| format!("{line}\n")).collect()
}

/// A target for that Deployment with these ports.
fn ports(ports: &str) -> String {
    format!("{{targets: [{{select: {{kind: Deployment, name: web}}, ports: {ports}}}]}}")
}
