//! Findings of `hostnet check` in the output of a run: nothing new compared with the input, unless the run itself
//! reported it.

use std::collections::BTreeMap;

use hostnet::api::{Day, HostNetworkConfig};
use hostnet::kinds;
use hostnet::kinds::check::{self, Configs};
use hostnet::render::{self, JsonReport, ResourceRef};
use hostnet::rule::Severity;
use krm::{Input, Origin};

use crate::support::reports::assert_fits;

/// A rule and an object.
type Subject = (&'static str, String);

/// Rules whose findings a run reports for the same object under another rule, with the reason.
const SAID_ELSEWHERE: &[(&str, &[&str], &str)] = &[
    (
        "node-port",
        &["port-setting", "port-reference", "service-target", "port-conflict"],
        "why a listener keeps a port that nodes use, and who else uses it, is one warning",
    ),
    (
        "port-declared",
        &["program-unknown"],
        "a run does not declare the ports that only a mounted file of an unknown program shows",
    ),
    (
        "port-conflict",
        &["port-conflict"],
        "the workloads of one number are one warning, at the first that this run moves",
    ),
];

/// Returns the new findings: rule, object and message.
pub(crate) fn new_findings(files: &[(String, String)], config: &str) -> Vec<String> {
    let Ok(read) = HostNetworkConfig::read(config, "hostnet.yaml", 1) else { return Vec::new() };
    let Some(inputs) = inputs(files) else { return Vec::new() };
    let Ok(run) = kinds::run(&inputs, &read, true) else { return Vec::new() };
    if run.failed() {
        return Vec::new();
    }
    let outputs = inputs.iter().zip(&run.splices).zip(files);
    let outputs: Vec<(String, String)> =
        outputs.map(|((input, splices), (name, _))| (name.clone(), input.output(splices))).collect();
    let mut known: BTreeMap<Subject, usize> = BTreeMap::new();
    for (subject, ..) in found(files, config) {
        *known.entry(subject).or_default() += 1;
    }
    for result in run.results.iter().filter(|result| !result.is_change) {
        *known.entry((result.rule, name(result.resource.as_deref()))).or_default() += 1;
    }
    let mut new = Vec::new();
    for (subject, severity, message) in found(&outputs, config) {
        let of_package = package(&message);
        let subjects = [Some(subject.1.clone()), of_package].into_iter().flatten().map(|name| (subject.0, name));
        let subjects: Vec<Subject> = subjects.collect();
        let counted = subjects.iter().find(|subject| known.get(*subject) > Some(&0));
        let left = counted.and_then(|subject| known.get_mut(subject));
        let others = SAID_ELSEWHERE.iter().filter(|(rule, ..)| *rule == subject.0).flat_map(|(_, others, _)| *others);
        let is_reported = |other: &&str| {
            let is_it = |result: &str| subjects.iter().any(|(_, name)| name == result);
            // A message about several objects is reported for one of them, and a message about a Service for the
            // Service.
            let names_it =
                |log: &str| subjects.iter().any(|(_, name)| log.contains(name.rsplit('/').next().unwrap_or(name)));
            let is_about = |result: &hostnet::render::Diagnostic| {
                is_it(&name(result.resource.as_deref())) || names_it(&result.message)
            };
            run.results.iter().any(|result| result.rule == *other && is_about(result))
        };
        match left {
            Some(left) => *left -= 1,
            None if severity != Severity::Error && others.into_iter().any(is_reported) => {}
            None => new.push(format!("{severity:?} [{}] {message}", subject.0)),
        }
    }
    new
}

fn inputs(files: &[(String, String)]) -> Option<Vec<Input>> {
    let read = |(name, text): &(String, String)| Input::read(Origin::file(name), text.clone().into_bytes());
    files.iter().map(read).collect::<Result<_, _>>().ok()
}

/// Returns the findings of a check: rule and object, severity, message.
fn found(files: &[(String, String)], config: &str) -> Vec<(Subject, Severity, String)> {
    let mut configs = Configs::default();
    configs.add(config, "hostnet.yaml").unwrap();
    let mut inputs = inputs(files).unwrap();
    let report = check::run(&mut inputs, Vec::new(), &configs, Day::read("2026-11-22").unwrap()).unwrap();
    assert_fits(JsonReport::Check, &render::check::json(&report));
    let map = check::port_map(&mut inputs, None, &[]).unwrap();
    assert_fits(JsonReport::Ports, &render::port_map::json(&map, &[]));
    let subject = |entry: &hostnet::render::check::Entry| match (entry.rule.id, entry.severity) {
        // Findings of these rules are about all listed objects and are reported for the first one.
        ("rollout-surge" | "pod-security", Severity::Info) => (entry.rule.id, String::new()),
        (rule, _) => (rule, name(entry.object.as_deref())),
    };
    report.open().map(|entry| (subject(entry), entry.severity, entry.message.clone())).collect()
}

/// Returns the package at the start of a message: `check` reports the runtime config, a run the package.
fn package(message: &str) -> Option<String> {
    let (kind, rest) = message.split_once(' ').filter(|(kind, _)| ["Provider", "Function"].contains(kind))?;
    let package = rest.split([',', ':', ' ']).next()?;
    let (namespace, package) =
        package.rsplit_once('/').map_or(("", package), |(namespace, package)| (namespace, package));
    let namespace = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
    Some(format!("{namespace}pkg.crossplane.io/{kind}/{package}"))
}

fn name(object: Option<&ResourceRef>) -> String {
    object.map(hostnet::render::check::full_name).unwrap_or_default()
}
