//! Output of `hostnet ports`: each listener of the selected workloads, its old and new port, and the setting that sets
//! it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::host_network::{Origin, PortRow};
use krm::escape_line;

const COLUMNS: usize = 10;

const HEAD: [&str; COLUMNS] =
    ["Workload", "Container", "Port", "Role", "Protocol", "Old", "New", "From", "Set by", "Evidence"];

/// Marks a container whose program is not in the catalogue.
const UNKNOWN: &str = "?";

/// Word for the origin of a port number.
fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Kept => "kept",
        Origin::Config => "config",
        Origin::Assigned => "assigned",
        Origin::Pool => "pool",
    }
}

/// Cells of a listener's row.
fn cells(row: &PortRow) -> [String; COLUMNS] {
    let role = if row.is_called() { format!("{} (API server)", row.role) } else { row.role.to_string() };
    [
        row.workload.clone(),
        format!("{}{}", row.container, if row.is_unknown { UNKNOWN } else { "" }),
        row.port.clone(),
        role,
        row.protocol.clone(),
        row.from.to_string(),
        row.to.to_string(),
        origin(row.origin).to_owned(),
        row.set_by.clone(),
        row.evidence.clone(),
    ]
    .map(|cell| escape_line(&cell).into_owned())
}

/// Objects through which the API server calls the listeners.
pub(super) fn callers(rows: &[PortRow]) -> Vec<String> {
    let called: BTreeSet<(&str, &str)> = rows
        .iter()
        .filter(|row| row.is_called())
        .flat_map(|row| row.callers.iter().map(|caller| (row.workload.as_str(), caller.as_str())))
        .collect();
    called.into_iter().map(|(workload, caller)| escape_line(&format!("{workload}: {caller}")).into_owned()).collect()
}

/// Aligned columns, followed by the callers of each listener.
pub fn text(rows: &[PortRow]) -> String {
    let mut out = aligned(&HEAD, rows.iter().map(cells));
    for (index, caller) in callers(rows).iter().enumerate() {
        out.push_str(&format!("{}{caller}\n", if index == 0 { "\n" } else { "" }));
    }
    out.extend(unknown_note(rows).map(|note| format!("\n{note}\n")));
    out.extend(by_number(rows).map(|note| format!("\n{note}\n")));
    out
}

/// Advice on the rollout order for listeners that clients reach by port number; `None` if all are reached by name.
fn by_number(rows: &[PortRow]) -> Option<String> {
    let reached = rows.iter().filter(|row| !row.by_number.is_empty()).map(|row| {
        format!("{} ({} -> {}, {})", escape_line(&row.key), row.from, row.to, escape_line(&row.by_number.join(", ")))
    });
    let reached: Vec<String> = reached.collect();
    (!reached.is_empty()).then(|| {
        format!(
            "Once these Services are applied, they no longer reach old pods: {}. Apply the workloads first, and apply the Services \
             when the new pods are ready, or give the ports names before the move",
            reached.join("; ")
        )
    })
}

/// Pads each column to its widest cell.
pub(super) fn aligned<const N: usize>(head: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let cells: Vec<[String; N]> = std::iter::once(head.map(str::to_owned)).chain(rows).collect();
    let mut widths = [0; N];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    cells.iter().map(line).collect()
}

/// Explains the mark of unknown programs, if a row has it.
fn unknown_note(rows: &[PortRow]) -> Option<&'static str> {
    rows.iter()
        .any(|row| row.is_unknown)
        .then_some("? the catalogue does not know the program: only listeners that the manifest shows are known")
}

/// A Markdown table, followed by the callers of each listener.
pub fn markdown(rows: &[PortRow]) -> String {
    let mut out = markdown_table(&HEAD, rows.iter().map(cells));
    for (index, caller) in callers(rows).iter().enumerate() {
        out.push_str(&format!("{}- {}\n", if index == 0 { "\n" } else { "" }, plain(caller)));
    }
    out.extend(unknown_note(rows).map(|note| format!("\n{note}\n")));
    out.extend(by_number(rows).map(|note| format!("\n{}\n", plain(&note))));
    out
}

/// A Markdown table of cells that are shown literally.
pub(super) fn markdown_table<const N: usize>(head: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut out = line(&head.map(str::to_owned));
    out.push_str(&format!("|{}\n", "---|".repeat(N)));
    for row in rows {
        out.push_str(&line(&row.map(|cell| plain(&cell))));
    }
    out
}

/// Escapes a text so that Markdown renders it literally, without links, images, code or HTML.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        match c {
            '\\' | '|' | '[' | ']' | '<' | '&' | '`' => out.extend(['\\', c]),
            ':' if rest.starts_with("://") => out.push_str("\\:"),
            '.' if out.to_ascii_lowercase().ends_with("www") => out.push_str("\\."),
            '@' => out.push_str("&#64;"),
            c => out.push(c),
        }
    }
    out
}

/// Full description of the listeners of some workloads: the port setting, dependent changes, callers.
pub fn explained<'r>(rows: impl IntoIterator<Item = &'r PortRow>) -> String {
    let mut out = String::new();
    let mut push_line = |text: String| out.extend([&escape_line(&text), "\n"]);
    let mut workload = "";
    for row in rows {
        if row.workload != workload {
            workload = &row.workload;
            push_line(workload.to_owned());
            for caller in &row.callers {
                push_line(format!("  the API server calls it: {caller}"));
            }
        }
        let number = if row.is_guess {
            format!("{} is a guess, and is not changed", row.from)
        } else if row.from == row.to {
            format!("{} stays", row.from)
        } else {
            format!("{} -> {} ({})", row.from, row.to, origin(row.origin))
        };
        push_line(format!("  {}/{} ({}, {}): {number}", row.container, row.port, row.role, row.protocol));
        for line in &row.evidence_lines {
            push_line(format!("    {line}"));
        }
        for line in &row.places {
            push_line(format!("    set by: {line}"));
        }
        for line in &row.changes {
            push_line(format!("    moves: {line}"));
        }
    }
    out
}

/// One listener of `hostnet ports`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListenerReport<'r> {
    /// Key in `assigned`: the workload's key and the port name.
    key: &'r str,
    /// `NAMESPACE/KIND/NAME`
    workload: &'r str,
    container: &'r str,
    /// Name of the port.
    port: &'r str,
    /// Role of the listener, such as `webhook` or `metrics`.
    role: &'static str,
    /// `TCP`, `UDP` or `SCTP`.
    protocol: &'r str,
    /// Number in the input.
    old: u16,
    /// Number in the output.
    new: u16,
    /// Source of the new number: `kept`, `config`, `assigned` or `pool`.
    from: &'static str,
    /// Setting of the number.
    set_by: &'r str,
    /// Evidence for the listener.
    evidence: &'r str,
    /// True if the catalogue or the config knows the program.
    in_catalogue: bool,
    /// True if the API server calls the listener.
    api_server: bool,
    /// Reasons why the API server calls the workload.
    callers: &'r [String],
    /// Services whose target port becomes the new number, or a name that only new pods have.
    by_number: &'r [String],
}

impl<'r> From<&'r PortRow> for ListenerReport<'r> {
    fn from(row: &'r PortRow) -> Self {
        Self {
            key: &row.key,
            workload: &row.workload,
            container: &row.container,
            port: &row.port,
            role: row.role.as_str(),
            protocol: &row.protocol,
            old: row.from,
            new: row.to,
            from: origin(row.origin),
            set_by: &row.set_by,
            evidence: &row.evidence,
            in_catalogue: !row.is_unknown,
            api_server: row.is_called(),
            callers: &row.callers,
            by_number: &row.by_number,
        }
    }
}

/// The rows as a JSON array of objects.
pub fn json(rows: &[PortRow]) -> serde_json::Value {
    // Serialization fails only for a mapping with keys that are not strings, which reports do not have.
    serde_json::to_value(rows.iter().map(ListenerReport::from).collect::<Vec<_>>()).unwrap_or_default()
}

/// The new ports as ranges for firewall rules, one line per protocol, without ports on the loopback address.
pub fn ranges(rows: &[PortRow]) -> String {
    let known = rows.iter().filter(|row| !row.is_guess && !row.is_loopback);
    super::ranges::ranges(known.map(|row| (row.protocol.as_str(), row.to, row.to)))
}
