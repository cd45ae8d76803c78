//! The page of `hostnet ports --all`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use askama::Template;

use super::page::{Page, ROWS, visible};
use crate::model::listener::Role;
use crate::plan::listed;
use crate::port_map::{HolderKind, OnNodes, PortHolder, PortMap};
use crate::render::Diagnostic;
use crate::render::port_map::{group_lines, listener, nodes, port, port_errors_and_warnings, ranges};
use crate::rule::{Severity, page_of};

/// Maximum number of findings of a page.
const FINDINGS: usize = 1_000;

/// Maximum number of clients of a row.
const CLIENTS: usize = 3;

#[derive(Template)]
#[template(path = "port_map.html")]
struct PortMapPage {
    page: Page,
    holders: usize,
    left_out: usize,
    namespaces: BTreeSet<String>,
    groups: Vec<String>,
    roles: BTreeSet<&'static str>,
    kinds: BTreeSet<&'static str>,
    /// First and last number, title and class.
    ranges: Vec<(u16, u16, String, &'static str)>,
    strips: [PortBar; 2],
    rows: Vec<PortMapRow>,
    findings: Vec<FindingRow>,
    findings_left_out: usize,
    open: String,
    called: String,
    group_lines: Vec<String>,
}

/// Ports before or after the plan, as paths of an SVG image.
struct PortBar {
    title: &'static str,
    id: &'static str,
    held: String,
    warnings: String,
    errors: String,
}

struct PortMapRow {
    before: String,
    after: String,
    holder: String,
    listener: String,
    kind: &'static str,
    nodes: String,
    clients: String,
    certainty: &'static str,
    namespace: String,
    /// Positions of node groups, or `*` for all.
    groups: String,
    role: &'static str,
    is_called: bool,
    findings: Vec<FindingLink>,
}

#[derive(Clone)]
struct FindingLink {
    index: usize,
    rule: &'static str,
    severity: &'static str,
}

struct FindingRow {
    index: usize,
    severity: &'static str,
    ports: String,
    rule: &'static str,
    page: String,
    message: String,
    place: String,
}

/// The page of a map, with findings at their ports.
///
/// # Errors
/// No error in practice: writing to a string does not fail, but the template interface returns a `Result`.
pub fn port_map(map: &PortMap, findings: &[Diagnostic]) -> Result<String, fmt::Error> {
    let about: Vec<&Diagnostic> = port_errors_and_warnings(findings).take(FINDINGS).collect();
    let mut links: BTreeMap<u16, Vec<FindingLink>> = BTreeMap::new();
    for (index, finding) in about.iter().enumerate() {
        let link = FindingLink { index, rule: finding.rule, severity: finding.severity.as_str() };
        for port in finding.ports.iter().collect::<BTreeSet<_>>() {
            links.entry(*port).or_default().push(link.clone());
        }
    }
    let listed: Vec<&PortHolder> = map.holders.iter().take(ROWS).collect();
    let strip = |title, id, is_held: fn(&PortHolder) -> bool| {
        let ports: BTreeSet<u16> = map
            .holders
            .iter()
            .filter(|holder| is_held(holder) && holder.first == holder.last && holder.kind != HolderKind::PodNetwork)
            .map(|holder| holder.first)
            .collect();
        let with = |severity: Severity| {
            let is_match = |port: &&u16| {
                links.get(port).is_some_and(|links| links.iter().any(|link| link.severity == severity.as_str()))
            };
            path(ports.iter().filter(is_match))
        };
        let (warnings, errors) = (with(Severity::Warning), with(Severity::Error));
        PortBar { title, id, held: path(ports.iter()), warnings, errors }
    };
    let page = PortMapPage {
        page: Page::new("Ports of the nodes"),
        holders: listed.len(),
        left_out: map.holders.len() - listed.len(),
        namespaces: listed.iter().filter_map(|holder| holder.namespace.as_deref().map(visible)).collect(),
        groups: map.groups.iter().map(|group| visible(&group.name)).collect(),
        roles: listed.iter().filter_map(|holder| holder.role).map(Role::as_str).collect(),
        kinds: listed.iter().map(|holder| holder.kind.as_str()).collect(),
        ranges: map.holders.iter().filter(|holder| is_range(holder)).map(range).collect(),
        strips: [
            strip("before", "before", |holder| holder.is_before),
            strip("after", "after", |holder| holder.is_after),
        ],
        rows: listed.iter().map(|holder| row(map, holder, &links)).collect(),
        findings: about.iter().enumerate().map(|(index, finding)| finding_row(index, finding)).collect(),
        findings_left_out: port_errors_and_warnings(findings).count() - about.len(),
        open: ranges(map),
        called: ranges(&map.called()),
        group_lines: group_lines(map),
    };
    page.render().map_err(|_| fmt::Error)
}

/// Lines at ports, for the path of an SVG image.
fn path<'p>(ports: impl Iterator<Item = &'p u16>) -> String {
    ports.map(|port| format!("M{port}.5 0v24")).collect()
}

/// True for ranges that the strips show in the background.
fn is_range(holder: &PortHolder) -> bool {
    match holder.kind {
        HolderKind::Pool | HolderKind::NodePortRange | HolderKind::ClientRange | HolderKind::Reserved => true,
        HolderKind::Moved
        | HolderKind::Kept
        | HolderKind::HostNetwork
        | HolderKind::HostPort
        | HolderKind::PodNetwork
        | HolderKind::Injected
        | HolderKind::NodePort
        | HolderKind::HealthCheck
        | HolderKind::NodeProcess
        | HolderKind::Assigned => false,
    }
}

/// Range of the holder's port numbers, for sorting.
fn range(holder: &PortHolder) -> (u16, u16, String, &'static str) {
    (holder.first, holder.last, holder.kind.as_str().replace('-', " "), holder.kind.as_str())
}

/// Table row of a holder.
fn row(map: &PortMap, holder: &PortHolder, links: &BTreeMap<u16, Vec<FindingLink>>) -> PortMapRow {
    let number = visible(&port(holder));
    let other = |word: &str| holder.other.map(|other| format!("{word} {other}")).unwrap_or_default();
    let clients = holder.is_called.then_some("API server").into_iter();
    let clients = clients.chain(holder.clients.iter().map(String::as_str));
    let is_one = holder.first == holder.last;
    PortMapRow {
        before: if holder.is_before { number.clone() } else { other("from") },
        after: if holder.is_after { number } else { other("to") },
        holder: visible(&holder.name),
        listener: visible(&listener(holder)),
        kind: holder.kind.as_str(),
        nodes: visible(&nodes(map, holder)),
        clients: visible(&listed(clients, CLIENTS + usize::from(holder.is_called))),
        certainty: holder.certainty.as_str(),
        namespace: holder.namespace.as_deref().map(visible).unwrap_or_default(),
        groups: groups(map, holder),
        role: holder.role.map(Role::as_str).unwrap_or_default(),
        is_called: holder.is_called,
        findings: links.get(&holder.first).filter(|_| is_one).cloned().unwrap_or_default(),
    }
}

/// Positions of the groups with the holder; `*` for all, and for unknown nodes.
fn groups(map: &PortMap, holder: &PortHolder) -> String {
    match &holder.nodes {
        OnNodes::Unknown | OnNodes::All => "*".to_owned(),
        OnNodes::Groups(groups) => join(groups.iter()),
        OnNodes::Named(names) => {
            let group = |name: &String| map.groups.iter().position(|group| group.nodes.contains(name));
            let groups: Option<BTreeSet<usize>> = names.iter().map(group).collect();
            groups.map_or_else(|| "*".to_owned(), |groups| join(groups.iter()))
        }
    }
}

/// Joins indexes of node groups.
fn join<'g>(groups: impl Iterator<Item = &'g usize>) -> String {
    groups.map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn finding_row(index: usize, finding: &Diagnostic) -> FindingRow {
    let ports: BTreeSet<u16> = finding.ports.iter().copied().collect();
    FindingRow {
        index,
        severity: finding.severity.as_str(),
        ports: ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", "),
        rule: finding.rule,
        page: page_of(finding.rule),
        message: visible(&finding.message),
        place: finding.place.as_deref().map(visible).unwrap_or_default(),
    }
}
