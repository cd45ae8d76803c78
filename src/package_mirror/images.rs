//! Images that no ImageConfig rewrites: images of runtime configs, of Crossplane itself, and of workloads that a select
//! matches.

use std::collections::BTreeSet;

use super::core;
use super::image_field::{ImageEvidence, ImageField};
use super::rewritten::is_final;
use super::writer::Writer;
use crate::crossplane::is_crossplane;
use crate::model::facts::package::GROUP;
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Object, ObjectId};
use crate::rule::{self, Severity};
use oci::name::ImageRef;

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
            is_core(object) || writer.rules.selects_images(object) && !writer.rules.excludes_images(object)
        } else {
            writer.rules.is_about(object) || used.contains(&(kind, object.meta.name.as_str()))
        };
        if !is_chosen {
            continue;
        }
        for field in fields {
            report_placeholder(writer, *id, &object.meta, field);
        }
        let before = writer.plan.edits.len();
        let mut left = Vec::new();
        for field in fields {
            if !write_image(writer, *id, field) {
                left.push(field);
            }
        }
        if is_workload && writer.plan.edits.len() > before {
            pulled_with_own.push(object.meta.to_string());
        }
        report_unchanged(writer, *id, object, &left);
        own_pull_secrets(writer, *id);
    }
    if writer.rules.config.mirror.spec.pull_secret.is_some() && !pulled_with_own.is_empty() {
        let message = format!(
            "nodes pull the images of {} with the `imagePullSecrets` of pods and service accounts: `pullSecret` is only for packages",
            pulled_with_own.join(", ")
        );
        writer.add_finding(Severity::Info, rule::IMAGE_SOURCE, message, None);
    }
}

/// True for a workload that runs Crossplane itself.
fn is_core(object: &Object) -> bool {
    let runs_it = |template: &PodTemplate| template.containers.iter().any(|one| is_crossplane(template, one));
    object.templates().iter().any(runs_it)
}

/// Writes one image; false if the image stays and has to be reported.
fn write_image(writer: &mut Writer<'_>, id: ObjectId, field: &ImageField) -> bool {
    let moved = writer.rules.image_in_mirror(&field.image);
    if !field.is_image() || field.is_of_unknown_kind() {
        return moved.is_none();
    }
    let digests = writer.rules.config.mirror.spec.digests;
    let mut new = moved.clone().unwrap_or_else(|| field.image.clone());
    let mut rule = rule::IMAGE_SOURCE;
    // The value of an argument may be an image without tag, and another argument may have the tag.
    let lacks = ImageRef::split(&field.image).digest.is_none() && field.evidence == ImageEvidence::Field;
    if lacks && digests.are_required() && ImageRef::split(&field.image).pulled_name().is_some() {
        match writer.rules.digest_of_image(&field.image) {
            None => report_missing_digest(writer, id, field),
            Some(digest) if digests.are_written() => {
                new = format!("{new}@{digest}");
                rule = rule::PACKAGE_DIGEST;
            }
            Some(_) => {}
        }
    }
    if new != field.image {
        let rule = if moved.is_some() { rule::IMAGE_SOURCE } else { rule };
        let (old, new) = (format!("{}{}", field.before, field.image), format!("{}{new}", field.before));
        writer.set(id, field.path.clone(), (&old, new), rule);
    }
    true
}

/// Reports an image that another tool fills in.
fn report_placeholder(writer: &mut Writer<'_>, id: ObjectId, meta: &Meta, field: &ImageField) {
    // A placeholder in the first part may become the registry.
    let first = ImageRef::split(&field.image).name.split('/').next().unwrap_or_default();
    let is_read = is_final(first) || writer.rules.image_in_mirror(&field.image).is_some();
    if field.evidence != ImageEvidence::Field || is_read {
        return;
    }
    let message = format!(
        "{} is not changed: its image `{}` is filled in later. Write a name in the mirror there",
        field.user(meta),
        field.image
    );
    writer.add_finding(Severity::Warning, rule::IMAGE_SOURCE, message, Some(id));
}

fn report_missing_digest(writer: &mut Writer<'_>, id: ObjectId, field: &ImageField) {
    let label = writer.display_name(id);
    let part = field.part.as_ref().map(|part| format!(" of {part}")).unwrap_or_default();
    let message = format!(
        "{label}: the image{part}, {}, has no digest, and `packages` has none for it: add it with `hostnet mirror pin`",
        field.image
    );
    writer.add_finding(Severity::Error, rule::PACKAGE_DIGEST, message, Some(id));
}

/// Reports arguments and variables that still name an image of a replaced registry.
fn report_unchanged(writer: &mut Writer<'_>, id: ObjectId, object: &Object, unchanged: &[&ImageField]) {
    let installed: BTreeSet<String> =
        core::packages_installed_by(id, object).into_iter().map(|installed| installed.path.to_string()).collect();
    for field in unchanged.iter().filter(|field| !installed.contains(&field.path.to_string())) {
        let (user, image) = (field.user(&object.meta), &field.image);
        let message = if field.is_of_unknown_kind() {
            format!(
                "{user} is `{image}`, which matches a `from` but is not an image of a container here, so it is not \
                 edited. Write the name in the mirror by hand"
            )
        } else {
            format!("{user} is given `{image}`, which matches a `from` but may not be an image, so it is not edited")
        };
        writer.add_finding(Severity::Warning, rule::IMAGE_SOURCE, message, Some(id));
    }
}

/// Reports a runtime config whose pull secrets Crossplane replaces with pull secrets of the package.
/// Source: crossplane/crossplane@v1.20.11 `internal/controller/pkg/revision/runtime_override_options.go`,
/// `DeploymentWithImagePullSecrets`.
fn own_pull_secrets(writer: &mut Writer<'_>, id: ObjectId) {
    if writer.rules.config.mirror.spec.pull_secret.is_none() || !writer.facts.with_pull_secrets.contains(&id) {
        return;
    }
    let message = format!(
        "{}: its `imagePullSecrets` have no effect, because Crossplane replaces them by the secrets of the package, \
         also for the images of other containers. Put all needed credentials into one Secret, or into the service \
         account",
        writer.display_name(id)
    );
    writer.add_finding(Severity::Warning, rule::IMAGE_SOURCE, message, Some(id));
}
