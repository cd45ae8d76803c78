//! Output of `hostnet ports` without a config: listeners that the API server calls, their ports, and a config to copy.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::ports::{aligned, callers};
use crate::host_network::PortRow;
use crate::model::facts::DUMP_KINDS;
use crate::plan::listed;
use krm::escape_line;

const HEAD: [&str; 6] = ["Workload", "Container", "Port", "Role", "Number", "Set by"];

/// Maximum number of workloads that a line lists by name.
const NAMED: usize = 8;

/// Table of listeners, followed by the workloads that stay unchanged and the callers.
pub fn called(rows: &[PortRow]) -> String {
    let cells = |row: &PortRow| {
        let role = if row.is_called() { format!("{} (API server)", row.role) } else { row.role.to_string() };
        let guess = if row.is_guess { "?" } else { "" };
        let number = format!("{}/{}{guess}", row.from, row.protocol);
        [row.workload.clone(), row.container.clone(), row.port.clone(), role, number, row.set_by.clone()]
            .map(|cell| escape_line(&cell).into_owned())
    };
    let mut text = aligned(&HEAD, rows.iter().map(cells));
    let left: BTreeSet<&str> = rows.iter().filter(|row| row.is_left).map(|row| row.workload.as_str()).collect();
    if !left.is_empty() {
        let names: Vec<&str> = left.into_iter().collect();
        let _ = writeln!(text, "\nNot changed, for the reasons above: {}", escape_line(&names.join(", ")));
    }
    for (index, caller) in callers(rows).iter().enumerate() {
        let _ = writeln!(text, "{}{caller}", if index == 0 { "\n" } else { "" });
    }
    text
}

/// Workloads that the API server calls and no target selects.
pub fn not_selected(rows: &[PortRow]) -> String {
    let mut names: Vec<&str> = rows.iter().map(|row| row.workload.as_str()).collect();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    let names = listed(names.into_iter().map(|name| escape_line(name)), NAMED);
    format!("\nCalled by the API server, and selected by no target: {names}\n")
}

/// The next steps: config and commands. `rows` are called, or empty for a config by roles. `paths` are the command's PATH arguments, `apply` is the command that shows the
/// changes.
pub fn next(config: &str, rows: &[PortRow], paths: &str, apply: &str) -> String {
    let moves = if rows.is_empty() {
        "This config moves these workloads to the host network."
    } else if rows.iter().all(|row| row.is_left) {
        "This config selects the workloads that the API server calls, and moves none of them before the problems above are solved."
    } else {
        "This config moves the workloads that the API server calls to the host network."
    };
    format!(
        "\n{moves} Put it into hostnet.yaml (`hostnet init {paths}` \
         does), and look at what changes with `{apply}`:\n\n{config}"
    )
}

/// Text for an input without a workload that the API server calls. `has_callers` is true if webhooks, conversions or
/// APIServices are in the input. `addresses` are called addresses that name no Service of the input. `is_changed` is
/// true for files that a kustomization of the input changes when it is built.
pub fn nothing_called(rows: &[PortRow], has_callers: bool, addresses: &[String], is_changed: bool) -> String {
    let by_role: BTreeSet<&str> = rows.iter().filter(|row| row.is_called()).map(|row| row.object.as_str()).collect();
    let mut workloads: BTreeSet<&str> = rows.iter().map(|row| row.object.as_str()).collect();
    let mut text = if is_changed {
        "No webhook, conversion or APIService leads to a workload in the files as they are. To see which workloads the API server \
         calls, build the kustomization that changes them.\n"
            .to_owned()
    } else if !by_role.is_empty() {
        "No webhook, conversion or APIService of the input leads to a workload.\n".to_owned()
    } else if !addresses.is_empty() {
        let are_urls = addresses.iter().all(|address| address.contains("://"));
        let what = if are_urls { "calls URLs that name no Service, so these calls" } else { "makes calls that" };
        format!(
            "No webhook, conversion or APIService of the input leads to a workload. The API server {what} are not followed: {}.\n",
            listed(addresses.iter().map(|address| escape_line(address)), NAMED)
        )
    } else if has_callers {
        "No webhook, conversion or APIService of the input leads to a workload of the input through the selector of a Service.\n".to_owned()
    } else {
        format!(
            "The API server calls nothing here: the input has no webhook configuration, no conversion and no APIService. A \
             dump of a cluster needs `kubectl get {DUMP_KINDS} -A -o yaml`.\n"
        )
    };
    if !by_role.is_empty() {
        workloads = by_role;
        text.push_str(
            "The workloads below have ports with the role of a webhook or API, so the API server may call them.\n",
        );
    }
    if workloads.is_empty() {
        return text;
    }
    let _ =
        writeln!(text, "Workloads that listen are moved by name, such as `select: {{kind: Deployment, name: web}}`:");
    for workload in workloads.iter().take(NAMED) {
        let numbers: BTreeSet<u16> = rows.iter().filter(|row| row.object == *workload).map(|row| row.from).collect();
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "  {}: {}", escape_line(workload), numbers.join(", "));
    }
    if workloads.len() > NAMED {
        let _ = writeln!(text, "  and {} more", workloads.len() - NAMED);
    }
    text
}
