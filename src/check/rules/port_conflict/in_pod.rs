//! Duplicate port numbers within a pod.

use std::collections::BTreeSet;

use crate::check::Workload;
use crate::check::port_use::{Overlap, Use, Uses};
use crate::judge::duplicate_port::{DuplicatePort, duplicate_ports};
use crate::plan::Finding;
use crate::rule::{PORT_CONFLICT, Severity};

/// Reports duplicate port numbers in the pods of a workload.
pub(super) fn find(workload: &Workload<'_>, uses_by_port: &Uses<'_, '_>) -> Vec<Finding> {
    let mut refused = BTreeSet::new();
    let mut findings = Vec::new();
    for duplicate in duplicate_ports(workload.template, workload.on_host()) {
        let DuplicatePort { number, first, second } = &duplicate;
        let why = format!("the API server refuses its Pods: {}", duplicate.refusal());
        let names = (first.container.name.as_str(), second.container.name.as_str());
        let finding = finding(Severity::Error, workload, (*number, &second.port.protocol), names, &why);
        findings.push(finding.at(second.path.clone()).with(workload.object, first.path.clone()));
        refused.insert(second.path.to_string());
    }
    for ((number, protocol), uses) in uses_by_port {
        for (index, other) in uses.iter().enumerate() {
            let open = |overlap: Overlap| {
                let mut before = uses.iter().take(index);
                before.find(|one| one.overlap(other) == overlap && share_addresses(one, other))
            };
            let found = open(Overlap::Same).map(|one| (one, false)).or_else(|| Some((open(Overlap::Possible)?, true)));
            if let Some((one, is_doubtful)) = found.filter(|_| !refused.contains(&other.path.to_string())) {
                findings.push(unvalidated_duplicate_finding(*number, protocol, one, other, is_doubtful));
            }
        }
    }
    findings
}

/// True if two ports of one pod may have a common address. In the pod network a host port applies to one IP family, or
/// to both without a `hostIP`. On the host network two addresses of one container belong to one process that listens on
/// both; processes of different containers may listen on all addresses.
fn share_addresses(one: &Use<'_, '_>, other: &Use<'_, '_>) -> bool {
    let is_v6 = |address: &str| address.contains(':');
    if one.workload.on_host() {
        return one.overlap(other) == Overlap::Same || one.container != other.container;
    }
    one.address.is_empty() || other.address.is_empty() || is_v6(one.address) == is_v6(other.address)
}

/// Finding about duplicates that the API server does not validate: different spellings of an address, sidecars, ports
/// that are not declared.
fn unvalidated_duplicate_finding(
    number: u16,
    protocol: &str,
    one: &Use<'_, '_>,
    other: &Use<'_, '_>,
    is_doubtful: bool,
) -> Finding {
    let on_host = other.workload.on_host();
    let is_certain = on_host && !is_doubtful && one.is_certain && other.is_certain;
    let severity = if is_certain { Severity::Error } else { Severity::Warning };
    let why = match (on_host, is_doubtful) {
        (true, true) => {
            "their `hostIP` differ, which does not restrict a process: if one listens on all addresses, the second one to start fails with \
             `bind: address already in use`"
        }
        (true, false) => {
            "the API server does not check this, and the second one to start fails with `bind: address already in use`"
        }
        (false, _) => "the API server does not check this, and only one of the two gets connections",
    };
    let names = (one.container.as_str(), other.container.as_str());
    let finding = finding(severity, other.workload, (number, protocol), names, why);
    finding.at(other.path.clone()).with(one.workload.object, one.path.clone())
}

/// Finding about a port that a pod uses twice.
fn finding(
    severity: Severity,
    workload: &Workload<'_>,
    (number, protocol): (u16, &str),
    (one, other): (&str, &str),
    why: &str,
) -> Finding {
    let same = if one == other { String::new() } else { format!(" and in container {one}") };
    let message = format!(
        "{}: {number}/{protocol} is declared twice, also in container {other}{same}; on a node a number can be used once: {why}. Give one of them \
         another number",
        workload.meta
    );
    let fix = "give one of the two another port: the pod uses the same port twice";
    let finding = Finding::new(severity, PORT_CONFLICT, message).brief(fix, format!("{number}/{protocol}"));
    finding.about(format!("{}, container {other}{same}", workload.meta)).on_object(workload.object).of_port(number)
}
