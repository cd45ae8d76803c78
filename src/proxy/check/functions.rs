//! Checks calls of functions by Crossplane's core.

use super::container::Container;
use super::input::CheckInput;
use super::row::RouteRow;
use crate::api::Route;
use crate::catalog::{Compares, FUNCTION_PORT, PackageKind};
use crate::crossplane::chosen_runtime_config;
use crate::model::Meta;
use crate::model::facts::Package;
use crate::proxy::core::is_on_node;
use crate::proxy::explain::Host;
use crate::proxy::functions::reader;
use crate::proxy::route_decider::{ActualRoute, DialedHost};
use crate::rule::{PROXY_REACH, Severity};
use lossless_yaml::{Path, Value};

/// Rows for the calls of functions by the core.
pub(super) fn rows(input: &CheckInput<'_>, container: &Container<'_>) -> Vec<RouteRow> {
    let crossplane = &input.crossplane;
    let Some(namespace) = crossplane.namespace.as_deref() else { return Vec::new() };
    if let Some(by) = crossplane.external_package_controller(PackageKind::Function) {
        let why = format!("{by} leaves them to another controller, which chooses their addresses");
        return vec![RouteRow::new(
            container.object,
            &container.subject,
            "functions",
            None,
            (ActualRoute::Unknown, why),
        )];
    }
    let compares = crossplane.compares();
    let ranges = ranges(input);
    let add = if ranges.is_empty() { "the range of the pods' addresses".to_owned() } else { ranges.join(",") };
    let mut rows = Vec::new();
    for Called { name, service, on_node } in called(input) {
        let host = format!("{service}.{namespace}");
        let shown = Some(format!("{host}:{FUNCTION_PORT}"));
        let mut push = |dialed: DialedHost, severity: Severity, add: String| {
            let mut row =
                container.row(&name, shown.clone(), &dialed).with_wanted_route(Route::Direct, severity, Some(add));
            row.why = format!("{}; {}", row.why, compared(input));
            let lacks_nodes = row.reached == ActualRoute::Unknown && container.judge.only_range().is_some();
            if on_node && lacks_nodes && compares.is_some() {
                row = row.with_severity(Severity::Warning, PROXY_REACH);
            }
            rows.push(row);
        };
        if compares != Some(Compares::Addresses) {
            let dialed = DialedHost::Host(Host { scheme: "https", name: host, port: Some(FUNCTION_PORT) });
            push(dialed, Severity::Error, format!(".{namespace}"));
        }
        if compares != Some(Compares::Names) {
            // An unknown version may be one that matches names only.
            let severity = if compares.is_some() { Severity::Error } else { Severity::Warning };
            if on_node {
                let nodes = input.cluster().map(|cluster| cluster.nodes.clone()).unwrap_or_default();
                let add =
                    if nodes.is_empty() { "the range of the nodes' addresses".to_owned() } else { nodes.join(",") };
                push(DialedHost::NodeAddresses(nodes), severity, add);
            } else {
                push(DialedHost::Addresses(ranges.clone()), severity, add.clone());
            }
        }
    }
    rows
}

/// A function that the core calls.
struct Called {
    name: String,
    service: String,
    /// True if its pods are on the host network.
    on_node: bool,
}

/// Functions of the input; a placeholder for any function if the input has no functions.
fn called(input: &CheckInput<'_>) -> Vec<Called> {
    let functions = input.model.packages().filter(|(_, _, package)| package.kind == PackageKind::Function);
    let called = functions.map(|(_, meta, package)| Called {
        name: format!("function {}", meta.name),
        service: service(input, meta, package),
        on_node: is_on_node(input.model, &input.crossplane.core, package),
    });
    let called: Vec<Called> = called.collect();
    if called.is_empty() {
        return vec![Called { name: "any function".to_owned(), service: "function".to_owned(), on_node: false }];
    }
    called
}

/// Address ranges of function pods: of pods, and also of nodes if functions run on the host network.
fn ranges(input: &CheckInput<'_>) -> Vec<String> {
    let ranges = input.cluster().map(|cluster| {
        let nodes = cluster.nodes.iter().filter(|_| input.crossplane.functions_on_nodes);
        cluster.pods.iter().chain(nodes).cloned().collect()
    });
    ranges.unwrap_or_default()
}

/// Name of a function's Service: the package name, unless its runtime config sets another name.
fn service(input: &CheckInput<'_>, meta: &Meta, package: &Package) -> String {
    let config = input.model.runtime_config(chosen_runtime_config(input.model, &input.crossplane.core, package).name);
    match config.and_then(|(_, value)| value.lookup(&Path::dotted("spec.serviceTemplate.metadata.name"))) {
        Some(Value::Str(name)) => name.clone(),
        _ => meta.name.clone(),
    }
}

/// Value that the core compares with `NO_PROXY`, for messages.
fn compared(input: &CheckInput<'_>) -> String {
    let reader = || reader(input.crossplane.version());
    match input.crossplane.compares() {
        Some(Compares::Names) => format!("{} compares the name", reader()),
        Some(Compares::Addresses) => format!("{} compares the address of the pod", reader()),
        None => "Crossplane from v1.20 on compares the name, and older versions compare the address of the pod; the version is not known".to_owned(),
    }
}
