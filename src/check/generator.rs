//! Generators of objects, such as operators and Helm: a change must be made in the source of the generator, because it
//! overwrites changes to the object.

use crate::catalog::{GENERATORS, Generator, MetaKey, PackageKind};
use crate::model::facts::package;
use crate::model::index::deployment_of;
use crate::model::pod::{Owner, PodTemplate};
use crate::model::{Meta, ObjectId};

use super::context::CheckContext;

/// Name of the generator of an object, and a sentence about where to make a change; `None` for an object without a
/// known generator.
pub(super) fn find_generator(context: &CheckContext<'_>, id: ObjectId) -> Option<(String, String)> {
    let object = context.model.object(id)?;
    let meta = &object.meta;
    let template = object.templates().first();
    let owner = template.and_then(|template| Some((template, template.owner.as_deref()?)));
    let (made_by, change) = match owner {
        Some((template, owner)) => generator_from_owner(context, template, owner),
        None => from_labels(meta)?,
    };
    let sentence = format!("{made_by} generates this {} and overwrites changes: make changes {change}", meta.gvk.kind);
    Some((made_by, sentence))
}

/// Name of the controller of an object, and the object to change instead.
fn generator_from_owner(context: &CheckContext<'_>, template: &PodTemplate, owner: &Owner) -> (String, String) {
    if owner.group == package::GROUP {
        let kinds = [PackageKind::Provider, PackageKind::Function];
        let package = kinds.into_iter().find_map(|kind| Some((kind, template.labels.get(kind.label())?)));
        if let Some((kind, name)) = package {
            let mut packages = context.model.packages();
            let package = packages.find(|(_, meta, package)| package.kind == kind && meta.name == name);
            let config = package.and_then(|(.., package)| package.runtime_config.as_deref());
            let config = config.map_or_else(
                || "in the DeploymentRuntimeConfig that its `spec.runtimeConfigRef` names".to_owned(),
                |config| format!("in its DeploymentRuntimeConfig {config}"),
            );
            return (format!("Crossplane ({kind:?} {name})"), config);
        }
    }
    let deployment = deployment_of(template, owner);
    let owner = deployment.as_ref().unwrap_or(owner);
    (format!("{} {} (not in the input)", owner.kind, owner.name), "there".to_owned())
}

/// Name of the generator that labels or annotations show, and the object to change instead.
fn from_labels(meta: &Meta) -> Option<(String, String)> {
    let (row, made_by) = generator(meta)?;
    Some((made_by, format!("in {}", row.change)))
}

/// Generator of an object by its labels and annotations, and its name for messages.
pub(crate) fn generator(meta: &Meta) -> Option<(&'static Generator, String)> {
    let value = |key: MetaKey| match key {
        MetaKey::Label(key) => meta.labels.get(key),
        MetaKey::Annotation(key) => meta.annotations.get(key),
    };
    let fits = |row: &&Generator| {
        let has = |(key, value): &(&str, &str)| meta.labels.get(key) == Some(*value);
        value(row.name).is_some_and(|name| !name.is_empty()) && row.labels.iter().all(has)
    };
    let row = GENERATORS.iter().find(fits)?;
    let name = value(row.name)?;
    let name = row.until.and_then(|until| name.split(until).next()).unwrap_or(name);
    let namespace = row.namespace.and_then(value).or(meta.namespace.as_deref()).unwrap_or_default();
    Some((row, row.made_by.replace("{namespace}", namespace).replace("{name}", name)))
}
