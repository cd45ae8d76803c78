//! Crossplane packages that share a runtime config with host networking.

use std::collections::BTreeMap;

use crate::rule::{RUNTIME_CONFIG, Severity};

use crate::check::packages::{Configured, Runtime};
use crate::check::{CheckContext, Finding};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let all = context.packages();
    let mut by_config: BTreeMap<usize, Vec<&Configured<'_>>> = BTreeMap::new();
    for one in &all {
        let Some(config) = &one.config else { continue };
        let users = by_config.entry(config.id).or_default();
        // A package in several files is a single package of the cluster.
        let is_known = |known: &&Configured<'_>| known.is_same(one) || context.are_alternatives(known.id, one.id);
        if !users.iter().any(is_known) {
            users.push(one);
        }
    }
    let mut findings = Vec::new();
    for (id, users) in by_config.into_iter().filter(|(_, users)| users.len() > 1) {
        let Some(config) = users.first().and_then(|user| user.config.as_ref()) else { continue };
        let what = if config.on_host() {
            "puts its packages on the host network"
        } else if config.ports().iter().any(|(.., has_host_port)| *has_host_port) {
            "declares host ports"
        } else {
            continue;
        };
        let names: Vec<String> = users.iter().map(|user| user.meta.to_string()).collect();
        let name = users.first().map(|user| user.name).unwrap_or_default();
        let message = format!(
            "DeploymentRuntimeConfig {name} {what}, and {} use it: their pods need the same ports of a node, and the second one stays \
             Pending: `node(s) didn't have free ports for the requested pod ports`. Give each its own runtime config",
            names.join(", ")
        );
        let finding =
            Finding::new(Severity::Error, RUNTIME_CONFIG, message).on_object(id).at(Runtime::path("hostNetwork"));
        let fix = "give each package its own runtime config: their pods need the same ports of a node";
        let finding = finding.brief(fix, names.join(", "));
        let finding = users.last().map_or(finding.clone(), |user| finding.with(user.id, lossless_yaml::Path::root()));
        findings.push(finding);
    }
    findings
}
