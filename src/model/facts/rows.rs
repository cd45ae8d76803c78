//! Kinds that are described as data: rows of `catalog/references.yaml` and of `references` in a config.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Count, Effect, PortField, PortFields};
use super::relabeling;
use super::scope::{Requirements, Scope, label_selector, own_namespace};
use super::unknown;
use crate::catalog::{PodFinder, PortReference};
use crate::model::meta::Meta;
use crate::model::text::Labels;
use lossless_yaml::{NodeRef, Pattern, PatternMatch};

/// Port fields of an object: fields in the rows of the kind, and other fields that may be ports.
pub(crate) fn fields(rows: &[&PortReference], meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    let mut known = BTreeSet::new();
    for row in rows {
        let of_services = row.service_ports.iter().flat_map(|text| Pattern::new(text).find(object).collect::<Vec<_>>());
        known.extend(of_services.map(|found| found.path));
        for text in &row.ports {
            let pattern = Pattern::new(text);
            for port in pattern.find(object).filter(|port| meets_conditions(row, object, &pattern, port)) {
                let subjects = row.pods.iter().flat_map(|finder| applies_to(finder, meta, object, &pattern, &port));
                found.fields.extend(subjects.filter_map(|subject| field(row, text, &port, &Arc::new(subject))));
                known.insert(port.path);
            }
        }
    }
    found.fields.extend(rows.iter().filter(|row| row.declared).flat_map(|row| relabelings(row, meta, object)));
    found.fields.extend(relabeling::scrape_config_ports(meta, object));
    found.fields.append(&mut unknown::fields(meta, object, |path| known.contains(path)));
    found
}

/// Ports that the relabelings of a monitor pick from the pods of its row.
fn relabelings(row: &PortReference, meta: &Meta, object: NodeRef<'_, '_>) -> Vec<PortField> {
    let lists: BTreeSet<String> = row.ports.iter().flat_map(|text| relabeling::lists_next_to(text)).collect();
    let mut found = Vec::new();
    for pattern in lists.iter().map(|list| Pattern::new(list)) {
        for rule in pattern.find(object) {
            let subjects = row.pods.iter().flat_map(|finder| applies_to(finder, meta, object, &pattern, &rule));
            found.extend(subjects.flat_map(|subject| relabeling::fields(&rule, &Arc::new(subject))));
        }
    }
    found
}

/// True if the fields next to a port have the values that `conditions` of the catalogue row require.
fn meets_conditions(
    row: &PortReference,
    object: NodeRef<'_, '_>,
    pattern: &Pattern,
    port: &PatternMatch<'_, '_>,
) -> bool {
    row.conditions.iter().all(|(path, text)| {
        let condition = Pattern::new(path);
        condition.matches_next_to(pattern, port, object).any(|found| found.node.text() == Some(text.as_str()))
    })
}

/// Creates the port field for a match of a row.
fn field(
    row: &PortReference,
    text: &str,
    port: &PatternMatch<'_, '_>,
    applies_to: &Arc<AppliesTo>,
) -> Option<PortField> {
    let field = PortField::read(port.node, port.path.clone(), applies_to)?;
    let is_key = text.ends_with("{}");
    Some(if is_key {
        let text = format!("the key `{}` is a port of its pods", field.value.text);
        field.with(Effect::Reported(text))
    } else if row.declared {
        field.with(Effect::Follows(Count::Declaring))
    } else {
        field
    })
}

/// Pods that a field applies to, found with a catalogue row; a reference may name several.
fn applies_to(
    finder: &PodFinder,
    meta: &Meta,
    object: NodeRef<'_, '_>,
    pattern: &Pattern,
    port: &PatternMatch<'_, '_>,
) -> Vec<AppliesTo> {
    let next_to_port = |path: &str| {
        let own = Pattern::new(path);
        let found: Vec<_> = own.matches_next_to(pattern, port, object).map(|found| found.node).collect();
        found.into_iter()
    };
    let own = || own_namespace(meta).into_boxed_str();
    let scope = |requirements: Option<Requirements>| {
        let namespaces = namespaces(finder, meta, object);
        requirements.map(|selector| Scope { selector, namespaces })
    };
    if let Some(path) = &finder.selector {
        let pods = scope(label_selector(next_to_port(path).next()));
        return pods.map(|scope| AppliesTo::Pods(scope, None)).into_iter().collect();
    }
    if let Some(path) = &finder.labels {
        let labels = next_to_port(path).next().map(Labels::read).unwrap_or_default();
        let pods = scope(Some(Requirements::from_labels(&labels)));
        return pods.map(|scope| AppliesTo::Pods(scope, None)).into_iter().collect();
    }
    if let Some(path) = &finder.service_selector {
        let services = scope(next_to_port(path).next().and_then(|node| label_selector(Some(node))));
        return services.map(AppliesTo::ServicesWith).into_iter().collect();
    }
    if let Some(path) = &finder.service {
        let names = next_to_port(path).filter_map(NodeRef::non_null_text);
        let service = |host| {
            let (name, namespace) = unknown::service_of_host(host);
            AppliesTo::Service(namespace.map_or_else(own, Box::from), name.into())
        };
        return names.map(service).collect();
    }
    if let Some(path) = &finder.target {
        let text =
            |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(Box::<str>::from);
        let target = |node: NodeRef<'_, '_>| {
            let (name, kind) = (text(node, "name")?, text(node, "kind"));
            let namespace = text(node, "namespace").unwrap_or_else(own);
            Some(match kind.as_deref() {
                Some("Service") => AppliesTo::Service(namespace, name),
                _ => AppliesTo::Workload(namespace, kind, name),
            })
        };
        return next_to_port(path).filter_map(target).collect();
    }
    if !finder.service_annotations.is_empty() {
        let keys = Arc::from(finder.service_annotations.as_slice());
        return vec![AppliesTo::ServicesNaming(own(), keys, meta.name.as_str().into())];
    }
    vec![AppliesTo::Namespace(own())]
}

/// Namespaces of a selector: from a list or a `namespaceSelector`, else the namespace of the object; `None` for all.
fn namespaces(finder: &PodFinder, meta: &Meta, object: NodeRef<'_, '_>) -> Option<Vec<String>> {
    if finder.any_namespace {
        return None;
    }
    let node = finder.namespaces.as_ref().and_then(|path| Pattern::new(path).find(object).next());
    let node = node.map(|found| found.node);
    if node.and_then(|node| node.get("any")).and_then(NodeRef::as_bool) == Some(true) {
        return None;
    }
    let list = node.map(|node| node.get("matchNames").unwrap_or(node));
    let names = list.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text).map(str::to_owned);
    let mut names: Vec<String> = names.collect();
    if names.is_empty() {
        names.push(own_namespace(meta));
    }
    Some(names)
}
