//! Rules of `kind: HostNetwork`: each test compares the changes and results for a small manifest.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

pub(crate) mod admission_policy;
mod auto;
mod bind;
mod causes;
mod client_addresses;
mod client_ports;
mod clients;
mod config;
mod config_files;
mod config_maps;
mod controller_config;
mod controller_configs;
mod copies;
mod crossplane_version;
mod dns_policy;
mod document;
mod dotted_words;
mod duplicate_key;
mod duplicate_object;
mod foreign_kinds;
mod function;
mod health_checks;
mod hook;
mod host_name;
#[allow(clippy::module_inception, reason = "the file has the name of its rule")]
mod host_network;
mod host_port;
mod job_endpoints;
mod kept_apart;
mod left_out;
mod listeners;
mod merge_keys;
mod mesh;
mod monitors;
mod mounted_files;
mod namespaces;
mod network_policy;
mod node_port;
mod number_forms;
mod odd;
mod operator_ranges;
mod other_namespaces;
mod own_addresses;
mod package;
mod packages;
mod pod_forbids;
mod port_assigned;
mod port_called;
mod port_conflict;
mod port_declared;
mod port_guess;
mod port_key;
mod port_moved;
mod port_placeholder;
mod port_pool;
mod port_reference;
mod port_setting;
mod positional;
mod program_alone;
mod program_unknown;
mod repeated_flags;
mod runtime_config;
mod runtimes;
mod second_setting;
mod service_target;
mod several_workloads;
mod sidecar_port;
mod subset_patch;
mod unmatched;
mod unused_ignore;
use crate::support::results::brief;
use crate::support::{patched, results};
mod peers;
mod placeholders_of_tools;
mod pod;
mod pod_security;
mod port_fields;
mod probe_markers;
mod programs;
mod replicas_nodes;
mod rollout;
mod rollout_surge;
mod rollout_templates;
mod seen;
mod select;
mod shared;
mod shared_sockets;
mod udp;
mod workload_kinds;

use hostnet::api::HostNetworkConfig;
use hostnet::host_network::Origin as PortOrigin;
use hostnet::kinds;
use hostnet::rule::Severity;
use krm::{Input, Origin};

/// The output and the results other than information; `spec` is the YAML of the whole spec in flow style.
fn run(spec: &str, manifest: &str) -> (String, Vec<String>) {
    let config = config(spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, false).unwrap();
    let mut output = Vec::new();
    input.write(&run.splices[0], &mut output).unwrap();
    let log = run.results.iter().filter(|result| result.severity != Severity::Info).map(results::line);
    (String::from_utf8(output).unwrap(), log.collect())
}

/// The changed lines and the results. Asserts that a second run over the output changes nothing.
fn changes(spec: &str, manifest: &str) -> String {
    let (output, log) = run(spec, manifest);
    let diff = similar::TextDiff::from_lines(manifest, &output);
    let lines = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    let text: String = lines.map(|change| format!("{}{}", change.tag(), change.value())).collect();
    let mut text = joined(&text);
    text.extend(log.iter().map(|line| format!("{line}\n")));
    let mut known = std::collections::HashSet::new();
    // A command may contain a number several times; any other change that is reported twice is made twice.
    let twice = |line: &&String| !known.insert((*line).clone()) && !line.contains("exec.command");
    assert_eq!(explained(spec, manifest).iter().find(twice), None, "reported twice");
    if !log.iter().any(|line| line.starts_with("error")) {
        let (again, log) = run(spec, &output);
        assert_eq!(again, output, "a second run changes something");
        assert!(!log.iter().any(|line| line.starts_with("error")), "a second run refuses: {log:?}");
        patched::same(&config(spec).unwrap(), manifest, &output);
    }
    text
}

/// The changes with one line for the two fields of the host network, for a new port, and for a new variable.
fn joined(changes: &str) -> String {
    let next =
        r"(?m)^(\+ *(?:- name: .*|hostNetwork: true))\n\+ *((?:containerPort|protocol|hostPort|value|dnsPolicy): )";
    let next = regex::Regex::new(next).unwrap();
    (0..3).fold(changes.to_owned(), |changes, _| next.replace_all(&changes, "$1, $2").into_owned())
}

/// The changes of every listener that moves, as `hostnet explain` shows them.
fn explained(spec: &str, manifest: &str) -> Vec<String> {
    let config = config(spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let (rows, _) = kinds::host_network::ports(std::slice::from_ref(&input), &config, false).unwrap();
    rows.iter().flat_map(|row| row.changes.iter().map(|change| format!("{} {change}", row.key))).collect()
}

/// Every listener as `KEY OLD -> NEW ORIGIN`, without the second half if kept, and the results.
fn numbers(spec: &str, manifest: &str) -> String {
    let config = config(spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let (rows, results) = kinds::host_network::ports(std::slice::from_ref(&input), &config, false).unwrap();
    let mut text: String = rows
        .iter()
        .filter(|row| !row.is_left)
        .map(|row| match row.origin {
            PortOrigin::Kept => format!("{} {}\n", row.key, row.from),
            origin => format!("{} {} -> {} {origin:?}\n", row.key, row.from, row.to),
        })
        .collect();
    let log = results.iter().filter(|result| result.severity != Severity::Info);
    text.extend(log.map(|result| format!("{}\n", results::line(result))));
    text
}

/// The result of `numbers`, after asserting that a second run keeps the numbers and changes nothing.
fn numbers_twice(spec: &str, manifest: &str) -> String {
    let (output, _) = run(spec, manifest);
    let old = |text: &str| text.lines().filter_map(|line| Some(line.split_once(" -> ")?.1.to_owned())).collect();
    let (first, second): (Vec<String>, Vec<String>) = (old(&numbers(spec, manifest)), old(&numbers(spec, &output)));
    assert_eq!(first, second, "a second run chooses another number");
    assert_eq!(run(spec, &output).0, output, "a second run changes something");
    numbers(spec, manifest)
}

/// The information of one rule.
fn infos(spec: &str, manifest: &str, rule: &str) -> String {
    let config = config(spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let (_, results) = kinds::host_network::ports(std::slice::from_ref(&input), &config, false).unwrap();
    let infos = results.iter().filter(|result| result.severity == Severity::Info && result.rule == rule);
    infos.map(|result| format!("{}\n", results::line(result))).collect()
}

/// The current values in results other than changes.
fn current(spec: &str, manifest: &str) -> String {
    let config = config(spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let (_, results) = kinds::host_network::ports(std::slice::from_ref(&input), &config, false).unwrap();
    let current = results.iter().filter_map(|result| Some((result, result.current.as_ref()?)));
    current.map(|(result, value)| format!("{} {value:?} {}\n", result.rule, result.path.as_ref().unwrap())).collect()
}

/// A config with this spec in flow style.
fn config(spec: &str) -> Result<HostNetworkConfig, String> {
    let config = format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {spec}}}");
    HostNetworkConfig::read(&config, "hostnet.yaml", 1).map_err(|error| error.to_string())
}

/// A Deployment with this name in namespace `shop` whose pods have the label `app: NAME` and listen on `http`. The flag
/// `--port` sets the number if `by_flag` is true.
fn deployment_named(name: &str, number: u16, by_flag: bool) -> String {
    let args = if by_flag { format!(", args: [--port={number}]") } else { String::new() };
    let container = format!("      - {{name: web{args}, ports: [{{name: http, containerPort: {number}}}]}}\n");
    deployment(&container)
        .replace("name: web, namespace", &format!("name: {name}, namespace"))
        .replace("app: web", &format!("app: {name}"))
}

/// Objects as a YAML stream.
fn stream(objects: impl IntoIterator<Item = String>) -> String {
    objects.into_iter().collect::<Vec<_>>().join("---\n")
}

/// `ports: auto` for all workloads.
const ALL: &str = "{targets: [{select: {name: .*}, ports: auto}]}";

/// `ports: auto` for all workloads, with more fields of the spec.
fn all_and(more: &str) -> String {
    format!("{{targets: [{{select: {{name: .*}}, ports: auto}}], {more}}}")
}

/// A Deployment `web` in namespace `shop` whose pods have the label `app: web`, with this list of containers.
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

/// A Deployment `name` that declares 8080 as `http`, and whose pods have the label `app`.
fn neighbour(name: &str, app: &str) -> String {
    let containers = "      - {name: web, args: [--listen=:8080], ports: [{name: http, containerPort: 8080}]}\n";
    let text = deployment(containers).replace("metadata: {name: web,", &format!("metadata: {{name: {name},"));
    text.replace("app: web", &format!("app: {app}"))
}

/// The changes outside of Deployment `web`, whose port `http` moves from 8080 to 20080; `around` has more documents.
fn moved_with(spec: &str, around: &str) -> String {
    let log = changes(spec, &format!("{}{around}", neighbour("web", "web")));
    let own =
        |line: &&str| line.contains("- {name: web, args") || line.contains("hostNetwork") || line.contains("dnsPolicy");
    log.lines().filter(|line| !own(line)).map(|line| format!("{line}\n")).collect()
}

/// A target for Deployment `web` with these ports.
fn ports(ports: &str) -> String {
    format!("{{targets: [{{select: {{kind: Deployment, name: web}}, ports: {ports}}}]}}")
}

/// All results of a rule, changes included: severity, object, field and new value.
fn results_of(rule: &str, spec: &str, manifest: &str) -> String {
    let config = config(spec).unwrap();
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config, true).unwrap();
    let found = run.results.iter().filter(|result| result.rule == rule);
    brief(found.map(results::line).collect::<Vec<_>>().join("\n"))
}
