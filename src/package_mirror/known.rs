//! Compares the records in `packages` with the objects that request packages.

use std::collections::BTreeSet;

use super::crossplane::qualified;
use super::runtime_images::RuntimeParts;
use super::writer::Writer;
use crate::catalog::OWN_IMAGE_SINCE;
use crate::crossplane::{chosen_runtime_config, pods_of};
use crate::judge::nodes::{NodeRequirements, Nodes};
use crate::model::facts::Node;
use crate::model::{Model, ObjectId};
use crate::rule::{self, Severity};
use lossless_yaml::Value;

/// The platforms of the Nodes of the input.
pub(super) fn node_platforms(model: &Model) -> BTreeSet<String> {
    model.nodes().filter_map(platform).collect()
}

/// Platform of a node, such as `linux/amd64`.
fn platform(node: &Node) -> Option<String> {
    let label = |key: &str| node.labels.get(key);
    Some(format!("{}/{}", label("kubernetes.io/os").unwrap_or("linux"), label("kubernetes.io/arch")?))
}

/// The platforms of the nodes on which the pods of a package may run, by its runtime config and the taints of the nodes.
fn platforms_of(writer: &Writer<'_>, id: ObjectId) -> BTreeSet<String> {
    let model = writer.model;
    let template = model.object(id).and_then(|object| {
        let package = object.package()?;
        let name = chosen_runtime_config(model, &writer.core, package).name;
        let none = Value::Map(Vec::new());
        let (config, value) = model.runtime_config(name).unwrap_or((id, &none));
        pods_of(None, config, value, &object.meta, package)
    });
    let Some(template) = template else { return node_platforms(model) };
    let nodes = Nodes::new(model, None);
    let names: BTreeSet<&str> = nodes.possible_node_names(NodeRequirements::from(&template)).collect();
    model.nodes().filter(|node| names.contains(node.name.as_str())).filter_map(platform).collect()
}

/// Reports packages whose kind differs from the kind of the object, and packages that lack a platform of the nodes.
pub(super) fn check(writer: &mut Writer<'_>) {
    let has_nodes = writer.model.nodes().next().is_some();
    for id in writer.packages.clone() {
        let Some(package) = writer.facts.packages.get(&id) else { continue };
        let source = qualified(&package.source, writer.unqualified);
        let Some(record) = writer.rules.entry(&source) else { continue };
        let Some(meta) = writer.meta(id) else { continue };
        let label = meta.to_string();
        let is_named = record.runtime_image.is_some() && writer.core.version().has(OWN_IMAGE_SINCE) == Some(false);
        let has_other_image = is_named || RuntimeParts::new(writer.model, writer.facts, Some(package)).image;
        let is_run = meta.gvk.kind != "Configuration" && !has_other_image;
        if let Some(kind) = record.kind.as_ref().filter(|kind| **kind != meta.gvk.kind) {
            let message = format!(
                "{label}: {source} is the package of a {kind}, so Crossplane reports `package meta type is not {}`; name another package, or write a {kind}",
                meta.gvk.kind
            );
            writer.add_finding(Severity::Error, rule::PACKAGE_SOURCE, message, Some(id));
        }
        // An image is never run if it belongs to a Configuration, or to a package whose metadata names another image.
        if !has_nodes || record.platforms.is_empty() || !is_run {
            continue;
        }
        let nodes = platforms_of(writer, id);
        let lacks: Vec<&str> = nodes
            .iter()
            .map(String::as_str)
            .filter(|node| !record.platforms.iter().any(|platform| platform == node))
            .collect();
        if !lacks.is_empty() {
            let message = format!(
                "{label}: {source} is for {}, and the cluster has nodes of {}, which cannot run it; copy all platforms, or keep its \
                 pods from these nodes",
                record.platforms.join(", "),
                lacks.join(", ")
            );
            writer.add_finding(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(id));
        }
    }
}
