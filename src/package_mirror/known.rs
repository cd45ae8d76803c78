//! Compares the records in `packages` with the objects that request packages.

use std::collections::BTreeSet;

use super::crossplane::qualified;
use super::runtime_images::RuntimeParts;
use super::writer::Writer;
use crate::catalog::OWN_IMAGE_SINCE;
use crate::model::Model;
use crate::rule::{self, Severity};

/// The platforms of the Nodes of the input.
pub(super) fn node_platforms(model: &Model) -> BTreeSet<String> {
    let nodes = model.objects().iter().filter_map(|object| {
        let labels = &object.node()?.labels;
        let system = labels.get("kubernetes.io/os").unwrap_or("linux");
        Some(format!("{system}/{}", labels.get("kubernetes.io/arch")?))
    });
    nodes.collect()
}

/// Reports packages whose kind differs from the kind of the object, and packages that lack a platform of the nodes.
pub(super) fn check(writer: &mut Writer<'_>) {
    let nodes = node_platforms(writer.model);
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
            writer.report(Severity::Error, rule::PACKAGE_SOURCE, message, Some(id));
        }
        let lacks: Vec<&str> = nodes
            .iter()
            .map(String::as_str)
            .filter(|node| !record.platforms.iter().any(|platform| platform == node))
            .collect();
        // The image of a Configuration is never run, nor the own image of a package that names another one.
        if !record.platforms.is_empty() && !lacks.is_empty() && is_run {
            let message = format!(
                "{label}: {source} is for {}, and the cluster has nodes of {}, which cannot run it; copy all platforms, or keep its \
                 pods from these nodes",
                record.platforms.join(", "),
                lacks.join(", ")
            );
            writer.report(Severity::Warning, rule::PACKAGE_SOURCE, message, Some(id));
        }
    }
}
