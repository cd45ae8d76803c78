//! Kinds without a catalogue row: a field whose key ends in `port` or `ports` may be a port of the pods that the object
//! names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::naming::{Name, Naming, NamingContext};
use super::port_field::{Effect, FieldPort, PortField};
use super::scope::own_namespace;
use crate::model::meta::Meta;
use crate::model::pod::Scalar;
use crate::model::text::{Labels, is_port_key, port, words};
use lossless_yaml::{NodeRef, Path};

/// Groups whose objects have no references to ports: schemas, permissions, configuration of tools.
const SILENT: [&str; 6] = [
    "apiextensions.k8s.io",
    "rbac.authorization.k8s.io",
    "kustomize.config.k8s.io",
    "config.kubernetes.io",
    "hostnet.dev",
    "helm.toolkit.fluxcd.io",
];

/// Keys whose values are never a name.
const KEYS_WITHOUT_NAMES: [&str; 9] =
    ["apiVersion", "kind", "type", "protocol", "appProtocol", "scheme", "mode", "path", "operator"];

/// Maximum depth of the search.
const MAX_DEPTH: usize = 64;

/// Maximum number of names in a mapping that identifies the pods of a port.
const MAX_NAMES: usize = 64;

const MAX_ENCLOSING_LEVELS: usize = 8;

/// Fields that may be ports of the pods that an object of an unknown kind names, except fields that `is_known` accepts.
pub(in crate::model) fn fields(
    meta: &Meta,
    object: NodeRef<'_, '_>,
    is_known: impl Fn(&Path) -> bool,
) -> Vec<PortField> {
    if SILENT.contains(&meta.gvk.group.as_str()) {
        return Vec::new();
    }
    let mut scan = Scan::default();
    for (key, value) in object.entries() {
        let Some(key) = key.text().filter(|key| !["metadata", "status", "apiVersion", "kind"].contains(key)) else {
            continue;
        };
        scan.entry(key, value, &Path::root(), 0);
    }
    let namespace = own_namespace(meta).into_boxed_str();
    let naming = Arc::new(Naming { namespace, names: scan.names, labels: scan.labels });
    let applies_to = Arc::new(AppliesTo::Named(Arc::clone(&naming)));
    let field = |port: ScannedPort| {
        let (meaning, range) = FieldPort::parse(&port.value.text)?;
        let description = format!("`{}` is {}, and these pods are named next to it,", port.path, port.value.text);
        let effect =
            Effect::ReportedUnlessOwn(description, NamingContext { naming: Arc::clone(&naming), levels: port.around });
        let (path, applies_to) = (port.path, Arc::clone(&applies_to));
        Some(PortField { path, value: port.value, range, port: meaning, protocol: None, applies_to, effect })
    };
    scan.ports.into_iter().filter(|port| !is_known(&port.path)).filter_map(field).collect()
}

#[derive(Default)]
struct Scan {
    names: BTreeMap<Box<str>, BTreeSet<Option<Box<str>>>>,
    labels: BTreeSet<Labels>,
    ports: Vec<ScannedPort>,
    around: Vec<Arc<[Name]>>,
}

struct ScannedPort {
    path: Path,
    value: Scalar,
    around: Vec<Arc<[Name]>>,
}

impl Scan {
    /// Searches an entry of a mapping for ports and names of pods.
    fn entry(&mut self, key: &str, value: NodeRef<'_, '_>, path: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let here = path.key(key.to_owned());
        if is_port_key(key) {
            self.ports(value, &here);
        }
        self.node(key, value, &here, depth + 1);
    }

    /// Collects names and labels below a node of an unknown kind.
    fn node(&mut self, key: &str, node: NodeRef<'_, '_>, path: &Path, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if let Some((name, namespace)) = node.non_null_text().and_then(|text| name(key, text)) {
            self.names.entry(name).or_default().insert(namespace);
        }
        for (index, item) in node.items().enumerate() {
            self.node(key, item, &path.item(index), depth + 1);
        }
        if node.is_mapping() {
            let labels = Labels::read(node);
            let is_flat = node.entries().all(|(_, value)| value.text().is_some());
            if is_flat && !labels.is_empty() {
                self.labels.insert(labels);
            }
            // Values of labels do not name pods.
            if is_flat && is_label_key(key) {
                return;
            }
            self.around.push(names_in(node));
            for (key, value) in node.entries() {
                if let Some(key) = key.text() {
                    self.entry(key, value, path, depth);
                }
            }
            self.around.pop();
        }
    }

    /// Reads the ports below a key: the value, list elements, their `number` fields, or the numbers of a mapping.
    fn ports(&mut self, node: NodeRef<'_, '_>, path: &Path) {
        if let Some(value) = Scalar::read(node).filter(|value| !value.is_null()) {
            let around = self.around.iter().rev().take(MAX_ENCLOSING_LEVELS).cloned().collect();
            self.ports.push(ScannedPort { path: path.clone(), value, around });
        }
        for (index, item) in node.items().enumerate() {
            if item.text().is_some() {
                self.ports(item, &path.item(index));
            } else if let Some(number) = item.get("number").filter(|number| number.text().is_some()) {
                self.ports(number, &path.item(index).key("number"));
            }
        }
        // `{number: 8080}`, and a mapping of names to ports: `{http: 8080}`.
        for (key, value) in node.entries() {
            if let Some(key) = key.text().filter(|key| !is_port_key(key))
                && value.text().is_some_and(|text| *key == *"number" || port(text).is_some())
            {
                self.ports(value, &path.key(key.to_owned()));
            }
        }
    }
}

/// Names in a mapping, and in the mappings directly below it: `service: {name: web, port: 80}`.
fn names_in(mapping: NodeRef<'_, '_>) -> Arc<[Name]> {
    let own = |node: NodeRef<'_, '_>| {
        let entries = node.entries().take(MAX_NAMES).filter_map(|(key, value)| name(key.text()?, value.text()?));
        entries.collect::<Vec<_>>()
    };
    let below = mapping.entries().take(MAX_NAMES).flat_map(|(_, value)| own(value));
    own(mapping).into_iter().chain(below).take(MAX_NAMES).collect()
}

/// Object name in a value: `web`, `web.shop.svc`, `http://web.shop:80/`.
fn name(key: &str, text: &str) -> Option<Name> {
    if KEYS_WITHOUT_NAMES.contains(&key) || text.len() > 512 {
        return None;
    }
    let host = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (name, namespace) = service_of_host(host.split(['/', ':']).next()?);
    is_dns_label(name).then(|| (name.into(), namespace.map(Box::from)))
}

/// Service of a name or host, with the namespace if the host has one: `web`, `web.shop`, `web.shop.svc.cluster.local`.
pub(in crate::model) fn service_of_host(host: &str) -> (&str, Option<&str>) {
    let mut labels = host.split('.');
    let name = labels.next().unwrap_or_default();
    (name, labels.next().filter(|_| labels.next().is_none_or(|label| label == "svc")))
}

fn is_dns_label(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(is_part)
        && text.contains(|c: char| c.is_ascii_lowercase())
}

/// True if a mapping under this key holds labels.
fn is_label_key(key: &str) -> bool {
    words(key).last().is_some_and(|word| matches!(word.as_str(), "labels" | "selector" | "annotations"))
}
