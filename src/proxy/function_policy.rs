//! Writes the NetworkPolicy that allows only Crossplane's core to call functions.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_core::GroupVersionKind;

use super::core::cores;
use super::host_configs::is_moved;
use super::policy::Policy;
use super::writer::Writer;
use crate::catalog::{FUNCTION_PORT, PackageKind};
use crate::crossplane::runs_core;
use crate::model::facts::{MADE_BY, NODES, address_peers};
use crate::model::text::Labels;
use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Content, Edit, Message};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};

/// The name of the policy.
const NAME: &str = "hostnet-functions";

/// Writes the policy into the namespace of each core.
pub(super) fn write(writer: &mut Writer<'_>) {
    if !writer.spec.network_policy.is_written() {
        return;
    }
    let mut by_namespace: BTreeMap<String, ObjectId> = BTreeMap::new();
    for id in cores(writer.model) {
        let own = writer.model.object(id).and_then(|object| object.meta.namespace.clone());
        if let Some(namespace) = own.or_else(|| writer.crossplane.namespace.clone()) {
            by_namespace.entry(namespace).or_insert(id);
        }
    }
    if by_namespace.is_empty() {
        let message = "`networkPolicy: Functions` lets in the pods of Crossplane's core, and the input has no workload with a namespace that \
                       runs it. Add it to the input, or leave `networkPolicy` out";
        writer.plan.findings.push(crate::plan::Finding::new(Severity::Error, rule::PROXY_REACH, message));
    }
    if let Some(by) = writer.crossplane.external_package_controller(PackageKind::Function) {
        let message =
            format!("no network policy is written for functions: {by} leaves their pods to another controller");
        writer.plan.findings.push(crate::plan::Finding::new(Severity::Warning, rule::PROXY_REACH, message));
        return;
    }
    for (namespace, core) in by_namespace {
        if let Some(peers) = peers(writer, core) {
            write_policy(writer, &namespace, core, peers);
        }
    }
}

/// The allowed peers: the core's pods, or the nodes if the core runs on the host network.
fn peers(writer: &mut Writer<'_>, core: ObjectId) -> Option<Vec<Value>> {
    let object = writer.model.object(core)?;
    let core_pods = object.templates().iter().find(|template| runs_core(template))?;
    let name = object.meta.to_string();
    if core_pods.on_host_network() || is_moved(&writer.facts.host_configs, &object.meta) {
        let nodes = &writer.spec.cluster.nodes;
        if nodes.is_empty() {
            let message = format!(
                "{name} is on the host network, so that its calls come from the addresses of nodes: `networkPolicy: Functions` needs them. \
                 Write `cluster: {{nodes: [...]}}` in the spec"
            );
            writer.add_finding(Severity::Error, rule::PROXY_REACH, message, core);
            return None;
        }
        return Some(address_peers(nodes));
    }
    // Labels of the selector are stable across chart versions; other pod labels may not be.
    let own = || Value::map(core_pods.labels.iter().map(|(key, value)| (key, value.into())));
    let selector = match writer.facts.cores.get(&core) {
        Some(selector @ Value::Map(entries)) if !entries.is_empty() => selector.clone(),
        _ if !core_pods.labels.is_empty() => Value::map([("matchLabels", own())]),
        _ => {
            let message = format!(
                "{name} has no pod labels that `networkPolicy: Functions` could select. Add labels to its pod template"
            );
            writer.add_finding(Severity::Error, rule::PROXY_REACH, message, core);
            return None;
        }
    };
    Some(vec![Value::map([("podSelector", selector)])])
}

/// Adds the NetworkPolicy for functions, or changes the existing one.
fn write_policy(writer: &mut Writer<'_>, namespace: &str, core: ObjectId, peers: Vec<Value>) {
    let spec = spec(peers);
    let nodes = writer.spec.cluster.nodes.join(",");
    let annotations = Labels::default();
    let annotations = if nodes.is_empty() { annotations } else { annotations.with(NODES, &nodes) };
    let meta = Meta {
        gvk: Arc::new(GroupVersionKind::gvk("networking.k8s.io", "v1", "NetworkPolicy")),
        name: NAME.to_owned(),
        namespace: Some(namespace.to_owned()),
        labels: Labels::default().with(MADE_BY.0, MADE_BY.1),
        annotations,
    };
    let is_match = |other: &Meta| {
        other.gvk.kind == meta.gvk.kind
            && other.gvk.group == meta.gvk.group
            && other.name == NAME
            && other.namespace == meta.namespace
            && !other.is_local_config()
    };
    let there = writer.model.objects().iter().position(|object| is_match(&object.meta));
    let rule = rule::PROXY_REACH;
    let description =
        "Only Crossplane's core may call functions (TCP port 9443); scrapes of their metrics need a separate policy";
    let (object, edit) = match there {
        None => {
            let object = writer.model.objects().len() + writer.plan.new.len();
            writer.plan.new.push(meta.clone());
            let change = Change::AddDocument { after: core, content: Content::New(meta.with_spec(spec.clone())) };
            (
                object,
                Edit {
                    object,
                    path: Path::root(),
                    change,
                    rule,
                    message: format!("{meta} is new: {description}").into(),
                },
            )
        }
        Some(id) => {
            let found = writer.facts.policies.iter().find(|policy| policy.object == id);
            let own =
                writer.model.object(id).is_some_and(|object| object.meta.labels.get(MADE_BY.0) == Some(MADE_BY.1));
            let Some(found) = found.filter(|_| own) else {
                let message = format!(
                    "{meta} exists and was not made by hostnet (label {}: {}): give it another name, or leave `networkPolicy` out",
                    MADE_BY.0, MADE_BY.1
                );
                return writer.add_finding(Severity::Error, rule, message, id);
            };
            writer.plan.edits.extend(nodes_annotation(writer.model.object(id).map(|object| &object.meta), id, &nodes));
            if found.spec == spec {
                return;
            }
            let change = Change::Set { old: found.spec.clone(), new: spec.clone() };
            let path = Path::root().key("spec");
            (id, Edit { object: id, path, change, rule, message: Message::about(&meta, "", description) })
        }
    };
    writer.plan.edits.push(edit);
    if writer.crossplane.functions_on_nodes {
        let message = format!("{meta}: functions run on the host network, where most network plugins apply no policy");
        writer.plan.findings.push(crate::plan::Finding::new(Severity::Warning, rule, message));
    }
    let written = Policy::from_value(&meta, &meta.with_spec(spec));
    writer.written.policies.extend(written.map(|policy| policy.on(object)));
}

/// Updates the annotation from which a later HostNetwork run reads the node addresses.
fn nodes_annotation(meta: Option<&Meta>, object: ObjectId, nodes: &str) -> Option<Edit> {
    let there = &meta?.annotations;
    let annotations = Path::dotted("metadata.annotations");
    let new = Value::from(nodes);
    let (path, change) = match there.get(NODES) {
        Some(old) if old == nodes => return None,
        Some(old) if nodes.is_empty() => (annotations.key(NODES), Change::Remove { old: old.into() }),
        Some(old) => (annotations.key(NODES), Change::Set { old: old.into(), new }),
        None if nodes.is_empty() => return None,
        None if there.is_empty() => (annotations, Change::Add { new: Value::map([(NODES, new)]) }),
        None => (annotations.key(NODES), Change::Add { new }),
    };
    let message = Message::about(meta?, "", format_args!("annotation {NODES} is {nodes}"));
    Some(Edit { object, path, change, rule: rule::PROXY_REACH, message })
}

/// Spec of the NetworkPolicy that lets these peers call functions.
fn spec(peers: Vec<Value>) -> Value {
    let is_function = Value::map([("key", PackageKind::Function.label().into()), ("operator", "Exists".into())]);
    let port = Value::map([("protocol", "TCP".into()), ("port", FUNCTION_PORT.into())]);
    let rule = Value::map([("from", Value::Seq(peers)), ("ports", Value::Seq(vec![port]))]);
    Value::map([
        ("podSelector", Value::map([("matchExpressions", Value::Seq(vec![is_function]))])),
        ("policyTypes", Value::Seq(vec!["Ingress".into()])),
        ("ingress", Value::Seq(vec![rule])),
    ])
}
