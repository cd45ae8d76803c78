//! Images in package metadata. Crossplane before v2.0 runs them instead of the packages' own images, and no ImageConfig
//! rewrites them.

use std::collections::BTreeSet;

use super::crossplane::qualified;
use super::facts::{MirrorFacts, PackageSource};
use super::image_field::ImageField;
use super::lock::Lock;
use super::writer::Writer;
use crate::catalog::OWN_IMAGE_SINCE;
use crate::model::facts::package::{CONTAINER, DEFAULT};
use crate::model::{Model, ObjectId};
use crate::rule::{self, Severity};
use oci::name::ImageRef;

/// A package whose metadata names an image.
struct PackageWithNamedImage {
    label: String,
    /// The package's object; `None` if it is not in the input.
    object: Option<ObjectId>,
    source: String,
    image: String,
}

/// Warns about images that pods would not pull from the mirror, with the runtime config to write.
pub(super) fn check(writer: &mut Writer<'_>) {
    let runs_own = writer.core.version().has(OWN_IMAGE_SINCE);
    if runs_own == Some(true) {
        return;
    }
    for named in packages_with_runtime_image(writer) {
        let PackageWithNamedImage { label, object, source, image } = named;
        let is_mirrored = writer.routes.pulled(&source).is_some() || writer.rules.is_mirrored(&source);
        let is_own_name = ImageRef::split(&image).pulled_name().is_some_and(|name| writer.rules.is_mirrored(&name));
        if is_own_name {
            continue;
        }
        let is_led = is_mirrored || writer.rules.image_in_mirror(&image).is_some();
        let package = object.and_then(|id| writer.facts.packages.get(&id));
        if !is_led || RuntimeParts::new(writer.model, writer.facts, package).image {
            continue;
        }
        if runs_own.is_none() {
            let message = format!("{label}: not known: {}", unknown_runtime_image_text(&image));
            writer.add_finding(Severity::Warning, rule::IMAGE_SOURCE, message, object);
            continue;
        }
        let problem = format!(
            "{label}: Crossplane before {OWN_IMAGE_SINCE} runs {image}, which its package.yaml names, and not the package's own image; no ImageConfig rewrites it"
        );
        let remedy = match (writer.rules.image_in_mirror(&image), package) {
            (None, _) => {
                let name = ImageRef::split(&image).pulled_name().unwrap_or_default().into_owned();
                // An image in the registry of a mirror needs no rule.
                let Some(rule) = writer.routes.rule_for_registry(&name) else { continue };
                format!("its pod pulls that image from the original registry, which no rule matches: add `- {rule}` to `rules`")
            }
            (Some(_), None) => {
                "its pod pulls that image from the original registry: add the package to the input, so that it can have a runtime config"
                    .to_owned()
            }
            (Some(moved), Some(package)) => {
                let spec = format!(
                    "spec: {{deploymentTemplate: {{spec: {{selector: {{}}, template: {{spec: {{containers: [{{name: {CONTAINER}, image: '{moved}'}}]}}}}}}}}}}"
                );
                let name = object.and_then(|id| writer.meta(id)).map(|meta| meta.name.as_str()).unwrap_or_default();
                runtime_config_to_write(writer, package, name, &spec)
            }
        };
        writer.add_finding(Severity::Warning, rule::IMAGE_SOURCE, format!("{problem}: {remedy}"), object);
    }
}

/// The end of a message about an image that runs only before v2.0, for an unknown version.
pub(super) fn unknown_runtime_image_text(image: &str) -> String {
    format!(
        "whether its pods run {image}, which its package.yaml names and Crossplane before {OWN_IMAGE_SINCE} uses, or the package's own image; write the version: \
         `crossplane: {{version: v1.20.0}}` in the spec"
    )
}

/// The runtime config to write for a package: its own, or a new runtime config if other packages share it.
fn runtime_config_to_write(writer: &Writer<'_>, package: &PackageSource, name: &str, spec: &str) -> String {
    let [runtime, _] = &package.configured_by;
    let own = runtime.as_deref().unwrap_or(DEFAULT);
    let users = writer.facts.packages.values().filter(|other| other.configured_by.first() == Some(runtime)).count();
    if runtime.is_some() && own != DEFAULT && users == 1 {
        return format!("write into DeploymentRuntimeConfig {own} `{spec}`");
    }
    let objects = writer.model.objects().iter().map(|object| &object.meta);
    let mut taken: BTreeSet<&str> =
        objects.filter(|meta| meta.gvk.kind == "DeploymentRuntimeConfig").map(|meta| meta.name.as_str()).collect();
    let is_there = runtime.is_some() || taken.contains(DEFAULT);
    taken.extend(writer.facts.packages.values().filter_map(|other| other.configured_by.first()?.as_deref()));
    let mut new = name.to_owned();
    while taken.contains(new.as_str()) {
        new.push_str("-runtime");
    }
    let write = format!("write `runtimeConfigRef: {{name: {new}}}` into its spec");
    let object = format!(
        "{{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {{name: {new}}}, {spec}}}"
    );
    if is_there {
        format!(
            "{write}, and add `{object}`, with all else that DeploymentRuntimeConfig {own} has, which other packages may have too"
        )
    } else {
        format!("{write}, and add `{object}`")
    }
}

/// Selected packages of the input, and packages that they need.
fn packages_with_runtime_image(writer: &Writer<'_>) -> Vec<PackageWithNamedImage> {
    let lock = Lock::new(writer.reading);
    let image = |source: &str| {
        let image = writer.rules.entry(source)?.runtime_image.as_deref()?;
        Some(qualified(image, writer.unqualified))
    };
    let mut seen: BTreeSet<String> = lock.packages.iter().map(|package| package.source.clone()).collect();
    let images = lock.packages.iter().filter(|package| package.is_selected).filter_map(|package| {
        let (label, source) = (package.label.clone(), package.source.clone());
        Some(PackageWithNamedImage {
            label,
            object: Some(package.object).filter(|_| package.is_object),
            image: image(&source)?,
            source,
        })
    });
    let mut all: Vec<PackageWithNamedImage> = images.collect();
    for need in lock.needs() {
        let Some(source) = need.source.filter(|source| seen.insert(source.clone())) else { continue };
        all.extend(image(&source).map(|image| PackageWithNamedImage {
            label: source.clone(),
            object: None,
            source,
            image,
        }));
    }
    all
}

/// The parts of a package's pod that a runtime config of the input sets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuntimeParts {
    /// True if the runtime config sets the image.
    pub image: bool,
    /// True if the runtime config sets the command.
    pub command: bool,
}

impl RuntimeParts {
    /// Reads the runtime config of a package; `None` stands for a package without an object in the input.
    pub(super) fn new(model: &Model, facts: &MirrorFacts, package: Option<&PackageSource>) -> Self {
        let [runtime, controller] =
            package.map_or([None, None], |package| package.configured_by.each_ref().map(Option::as_deref));
        let is_named = |id: ObjectId, kind: &str, name: Option<&str>| {
            let meta = model.object(id).map(|object| &object.meta);
            meta.is_some_and(|meta| meta.gvk.kind == kind && name == Some(&meta.name))
        };
        let is_runtime = |id: ObjectId| is_named(id, "DeploymentRuntimeConfig", Some(runtime.unwrap_or(DEFAULT)));
        let container = format!("container {CONTAINER}");
        let image = facts.images.iter().any(|(id, fields)| {
            let of_runtime = |field: &ImageField| field.is_image() && field.part.as_deref() == Some(&container);
            is_runtime(*id) && fields.iter().any(of_runtime)
                || is_named(*id, "ControllerConfig", controller) && fields.iter().any(|field| field.part.is_none())
        });
        Self { image, command: facts.with_command.iter().any(|id| is_runtime(*id)) }
    }
}
