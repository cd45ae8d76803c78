//! Images that no ImageConfig rewrites: those of runtime configs, of Crossplane itself, and of workloads that a select matches.

use std::collections::BTreeSet;

use super::core;
use super::writer::Writer;
use crate::model::facts::package::GROUP;
use crate::model::{Object, ObjectId};
use crate::rule::{self, Severity};

/// Writes the images.
pub(super) fn write(writer: &mut Writer<'_>) {
    let used: BTreeSet<(usize, &str)> = writer
        .packages
        .iter()
        .filter_map(|id| writer.facts.packages.get(id))
        .flat_map(|package| package.configured_by.iter().enumerate())
        .filter_map(|(kind, name)| Some((kind, name.as_deref()?)))
        .collect();
    let mut pulled_with_own = Vec::new();
    for (id, fields) in &writer.facts.images {
        let Some(object) = writer.model.object(*id) else { continue };
        let is_workload = object.meta.gvk.group != GROUP;
        let kind = usize::from(object.meta.gvk.kind == "ControllerConfig");
        let is_chosen = if is_workload {
            is_core(object) || writer.rules.selects(object) && !writer.rules.excludes(object)
        } else {
            writer.rules.is_about(object) || used.contains(&(kind, object.meta.name.as_str()))
        };
        if !is_chosen {
            continue;
        }
        let before = writer.plan.edits.len();
        for field in fields {
            if let Some(new) = writer.rules.moved_image(&field.image) {
                writer.set(*id, field.path.clone(), (&field.image, new), rule::IMAGE_SOURCE);
            }
        }
        if is_workload {
            if writer.plan.edits.len() > before {
                pulled_with_own.push(object.meta.to_string());
            }
            left_words(writer, *id, object);
        }
    }
    if writer.rules.config.mirror.spec.pull_secret.is_some() && !pulled_with_own.is_empty() {
        let message = format!(
            "nodes pull the images of {} with the `imagePullSecrets` of pods and service accounts: `pullSecret` is for packages alone",
            pulled_with_own.join(", ")
        );
        writer.say(Severity::Info, rule::IMAGE_SOURCE, message, None);
    }
}

/// Whether a workload runs Crossplane itself.
fn is_core(object: &Object) -> bool {
    object.templates().iter().any(|template| template.containers.iter().any(core::runs_core))
}

/// Arguments and variables that still name an image of a registry that moves.
fn left_words(writer: &mut Writer<'_>, id: ObjectId, object: &Object) {
    let installed: BTreeSet<String> =
        core::installed_by(id, object).into_iter().map(|own| own.path.to_string()).collect();
    let mut left = Vec::new();
    for container in object.templates().iter().flat_map(|template| &template.containers) {
        for (list, index, word) in container.words() {
            let path = container.word_path(list, index).to_string();
            let value = word.rsplit_once('=').map_or(word, |(_, value)| value);
            let is_reference = crate::image::ImageRef::read(value).is_ok() && value.contains('/');
            if is_reference
                && !installed.contains(&path)
                && writer.rules.of_package(crate::image::ImageRef::of(value).name).is_some()
            {
                left.push((container.name.clone(), value.to_owned()));
            }
        }
    }
    for (container, value) in left {
        let message = format!(
            "{}: container {container} is given `{value}`, which is below a `from` and stays: whether it is an image is not known",
            object.meta
        );
        writer.say(Severity::Warning, rule::IMAGE_SOURCE, message, Some(id));
    }
}
