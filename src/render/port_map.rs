//! Output of `hostnet ports --all`: all holders of the ports of nodes, grouped by port.

use schemars::JsonSchema;
use serde::Serialize;

use super::Diagnostic;
use super::ports::{aligned, markdown_table, plain};
use super::ranges::{range, ranges as joined};
use crate::plan::listed;
use crate::port_map::{Certainty, HolderKind, OnNodes, PortHolder, PortMap};
use crate::rule::Severity;
use krm::escape_line;

const COLUMNS: usize = 9;

const HEAD: [&str; COLUMNS] =
    ["Port", "When", "Holder", "Listener", "Kind", "Moves", "Nodes", "Called by", "Certainty"];

/// Port of a holder: `8080/TCP`, `30000-32767`, `10.0.0.1:53/UDP`.
pub(super) fn port(holder: &PortHolder) -> String {
    let protocol = holder.protocol.as_ref().map(|protocol| format!("/{protocol}")).unwrap_or_default();
    let address = match holder.address.as_deref() {
        Some(address) if address.contains(':') => format!("[{address}]:"),
        Some(address) => format!("{address}:"),
        None => String::new(),
    };
    format!("{address}{}{protocol}", range(holder.first, holder.last))
}

/// `before`, `after`, or `both`.
pub(super) fn when(holder: &PortHolder) -> &'static str {
    match (holder.is_before, holder.is_after) {
        (true, false) => "before",
        (false, true) => "after",
        _ => "both",
    }
}

/// Other number of a move: `to 20080`, `from 8080`.
pub(super) fn moves(holder: &PortHolder) -> String {
    let Some(other) = holder.other else { return String::new() };
    format!("{} {other}", if holder.is_after { "from" } else { "to" })
}

/// Container and port name: `app/https`.
pub(super) fn listener(holder: &PortHolder) -> String {
    let names = holder.container.iter().chain(&holder.port).filter(|name| !name.is_empty());
    names.map(String::as_str).collect::<Vec<_>>().join("/")
}

/// Nodes of a holder, by the names of their groups.
pub(super) fn nodes(map: &PortMap, holder: &PortHolder) -> String {
    match &holder.nodes {
        OnNodes::Unknown => "unknown".to_owned(),
        OnNodes::All => "all".to_owned(),
        OnNodes::Named(names) => {
            let word = if names.len() == 1 { "node" } else { "nodes" };
            format!("{word} {}", listed(names, NAMED))
        }
        OnNodes::Groups(_) => match group_names(map, holder).as_slice() {
            [] => "no node of the input".to_owned(),
            names => names.join("; "),
        },
    }
}

/// Names of the node groups of a holder.
fn group_names<'m>(map: &'m PortMap, holder: &PortHolder) -> Vec<&'m str> {
    let OnNodes::Groups(groups) = &holder.nodes else { return Vec::new() };
    groups.iter().filter_map(|group| map.groups.get(*group)).map(|group| group.name.as_str()).collect()
}

/// The API server if it calls the listener, then the first other client.
fn called_by(holder: &PortHolder) -> String {
    if holder.is_called {
        return "API server".to_owned();
    }
    listed(&holder.clients, 1)
}

/// Cells of a holder's row.
fn cells(map: &PortMap, holder: &PortHolder) -> [String; COLUMNS] {
    [
        port(holder),
        when(holder).to_owned(),
        holder.name.clone(),
        listener(holder),
        holder.kind.as_str().to_owned(),
        moves(holder),
        nodes(map, holder),
        called_by(holder),
        holder.certainty.as_str().to_owned(),
    ]
    .map(|cell| escape_line(&cell).into_owned())
}

/// Errors and warnings about ports.
pub fn port_errors_and_warnings(findings: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    findings.iter().filter(|finding| finding.severity != Severity::Info && !finding.ports.is_empty())
}

fn finding_line(finding: &Diagnostic) -> String {
    let ports: Vec<String> = finding.ports.iter().map(u16::to_string).collect();
    let Diagnostic { severity, rule, message, .. } = finding;
    escape_line(&format!("{} {}: {message} [{rule}]", ports.join(", "), severity.as_str())).into_owned()
}

/// Aligned columns with each port once, the node groups, and the findings about ports.
pub fn text(map: &PortMap, findings: &[Diagnostic]) -> String {
    let mut above = String::new();
    let rows = map.holders.iter().map(|holder| {
        let mut cells = cells(map, holder);
        if let Some(port) = cells.first_mut() {
            if *port == above {
                port.clear();
            } else {
                above.clone_from(port);
            }
        }
        cells
    });
    let mut out = aligned(&HEAD, rows);
    for (index, line) in group_lines(map).iter().enumerate() {
        out.push_str(&format!("{}{line}\n", if index == 0 { "\n" } else { "" }));
    }
    for (index, finding) in port_errors_and_warnings(findings).enumerate() {
        out.push_str(&format!("{}{}\n", if index == 0 { "\n" } else { "" }, finding_line(finding)));
    }
    out
}

/// `pool=web: 3 nodes (a, b, c)`; empty for one group.
pub(super) fn group_lines(map: &PortMap) -> Vec<String> {
    let line = |group: &crate::port_map::NodeGroup| {
        let names = listed(&group.nodes, NAMED);
        let names = if names.is_empty() { names } else { format!(" ({names})") };
        let count = super::summary::many(usize::try_from(group.count).unwrap_or(usize::MAX), "node");
        escape_line(&format!("{}: {count}{names}", group.name)).into_owned()
    };
    if map.groups.len() > 1 { map.groups.iter().map(line).collect() } else { Vec::new() }
}

/// Maximum number of nodes of a group that a line lists by name.
const NAMED: usize = 5;

/// A Markdown table with a row for each holder, the node groups, and the findings about ports.
pub fn markdown(map: &PortMap, findings: &[Diagnostic]) -> String {
    let mut out = markdown_table(&HEAD, map.holders.iter().map(|holder| cells(map, holder)));
    let lines = group_lines(map).into_iter().chain(port_errors_and_warnings(findings).map(finding_line));
    for (index, line) in lines.enumerate() {
        out.push_str(&format!("{}- {}\n", if index == 0 { "\n" } else { "" }, plain(&line)));
    }
    out
}

/// The ports of pods and Services after the plan, as ranges for firewall rules. Without guesses,
/// and without ports on the loopback address, which firewalls do not filter.
pub fn ranges(map: &PortMap) -> String {
    let open = map
        .holders
        .iter()
        .filter(|holder| holder.is_after && holder.kind.is_of_input() && holder.certainty != Certainty::Possible)
        .filter(|holder| !holder.is_loopback());
    joined(open.filter_map(|holder| Some((holder.protocol.as_deref()?, holder.first, holder.last))))
}

/// Report of `hostnet ports --all`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MapReport<'m> {
    /// Groups of nodes that take the same pods; empty if nodes are unknown.
    node_groups: Vec<GroupReport<'m>>,
    /// Holders of ports, sorted by number.
    holders: Vec<HolderReport<'m>>,
    /// Errors and warnings about ports: of the plan, or of a check where no config was given.
    findings: Vec<FindingReport<'m>>,
}

/// Nodes that take the same pods.
#[derive(Debug, Serialize, JsonSchema)]
struct GroupReport<'m> {
    /// Labels that distinguish the group, or the name of its first node.
    name: &'m str,
    /// Number of nodes.
    count: u32,
    /// Names of the nodes; empty for a group of the config.
    nodes: &'m [String],
}

/// One holder of a port, or of a range of ports.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own")]
struct HolderReport<'m> {
    /// First number.
    first: u16,
    /// Last number; equals `first` for one port.
    last: u16,
    /// `TCP`, `UDP` or `SCTP`; absent for all protocols.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'m str>,
    /// `hostIP` of the port, or `localhost` for a listener on the loopback address; absent for all addresses of the
    /// node.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'m str>,
    kind: HolderKind,
    /// Key of a workload (`shop/Deployment/web`), a Service, or a process of the node.
    holder: &'m str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<&'m str>,
    /// Name of the port.
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<&'m str>,
    /// Role of the listener, such as `webhook` or `metrics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// True if the port is taken before the plan.
    before: bool,
    /// True if the port is taken after the plan.
    after: bool,
    /// Old number of a listener that moves here; may be a number in the pod network.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_from: Option<u16>,
    /// New number of a listener that leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves_to: Option<u16>,
    certainty: Certainty,
    /// Evidence for the holder.
    #[serde(skip_serializing_if = "str::is_empty")]
    evidence: &'m str,
    /// True if the API server calls the listener.
    api_server: bool,
    /// Clients that the input shows.
    clients: Vec<&'m str>,
    /// True if the holder may be on every node.
    every_node: bool,
    /// Names of the groups of nodes with the holder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    node_groups: Vec<&'m str>,
    /// Name of the node that the pods are bound to, if it is a single node.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'m str>,
    /// Names of the nodes that the pods are bound to, if several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<&'m str>,
}

/// One finding about ports.
#[derive(Debug, Serialize, JsonSchema)]
struct FindingReport<'m> {
    rule: &'m str,
    severity: &'static str,
    /// Ports of the finding.
    ports: &'m [u16],
    message: &'m str,
    /// `FILE:LINE:COLUMN`, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'m str>,
}

/// Names of the nodes that the pods of a holder are bound to.
fn bound_to(holder: &PortHolder) -> impl Iterator<Item = &str> {
    let names = if let OnNodes::Named(names) = &holder.nodes { Some(names) } else { None };
    names.into_iter().flatten().map(String::as_str)
}

impl<'m> MapReport<'m> {
    fn new(map: &'m PortMap, findings: &'m [Diagnostic]) -> Self {
        let holder = |holder: &'m PortHolder| HolderReport {
            first: holder.first,
            last: holder.last,
            protocol: holder.protocol.as_deref(),
            address: holder.address.as_deref(),
            kind: holder.kind,
            holder: &holder.name,
            namespace: holder.namespace.as_deref(),
            container: holder.container.as_deref(),
            port: holder.port.as_deref(),
            role: holder.role.map(crate::model::listener::Role::as_str),
            before: holder.is_before,
            after: holder.is_after,
            moves_from: holder.other.filter(|_| holder.is_after),
            moves_to: holder.other.filter(|_| !holder.is_after),
            certainty: holder.certainty,
            evidence: &holder.evidence,
            api_server: holder.is_called,
            clients: holder.clients.iter().map(String::as_str).collect(),
            every_node: holder.nodes == OnNodes::All,
            node_groups: group_names(map, holder),
            node: bound_to(holder).next().filter(|_| bound_to(holder).nth(1).is_none()),
            nodes: if bound_to(holder).nth(1).is_some() { bound_to(holder).collect() } else { Vec::new() },
        };
        let finding = |finding: &'m Diagnostic| FindingReport {
            rule: finding.rule,
            severity: finding.severity.as_str(),
            ports: &finding.ports,
            message: &finding.message,
            place: finding.place.as_deref(),
        };
        let group = |group: &'m crate::port_map::NodeGroup| GroupReport {
            name: &group.name,
            count: group.count,
            nodes: &group.nodes,
        };
        Self {
            node_groups: map.groups.iter().map(group).collect(),
            holders: map.holders.iter().map(holder).collect(),
            findings: port_errors_and_warnings(findings).map(finding).collect(),
        }
    }
}

/// The map as JSON.
pub fn json(map: &PortMap, findings: &[Diagnostic]) -> serde_json::Value {
    // Serialization fails only for a mapping with keys that are not strings, which reports do not have.
    serde_json::to_value(MapReport::new(map, findings)).unwrap_or_default()
}
