//! What is read of objects beside the model, while their trees are at hand.

use std::collections::BTreeMap;

use crate::model::facts::package::GROUP;
use crate::model::{Object, ObjectId};
use crate::yaml::{NodeRef, Path, Value};

/// The kinds of packages.
const PACKAGES: [&str; 3] = ["Provider", "Configuration", "Function"];

/// A package: where it comes from, and what that depends on.
#[derive(Debug, Clone)]
pub(super) struct PackageSource {
    /// `spec.package`
    pub(super) source: String,
    /// `spec.packagePullSecrets`
    pub(super) pull_secrets: Option<Value>,
    /// `spec.skipDependencyResolution`
    pub(super) skips: Option<Value>,
    /// The names in `spec.runtimeConfigRef` and `spec.controllerConfigRef`.
    pub(super) configured_by: [Option<String>; 2],
}

/// A field that holds an image.
#[derive(Debug, Clone)]
pub(super) struct ImageField {
    pub(super) path: Path,
    pub(super) image: String,
    /// The container's name; none when the image is that of the object.
    pub(super) container: Option<String>,
}

/// What an object says of packages and images.
#[derive(Debug, Clone, Default)]
pub struct MirrorObject {
    package: Option<PackageSource>,
    images: Vec<ImageField>,
}

impl MirrorObject {
    /// Reads an object.
    #[must_use]
    pub fn of(object: &Object, node: NodeRef<'_, '_>) -> Self {
        let templates = object.templates().iter().flat_map(|template| &template.containers);
        let of_template = templates.filter(|container| !container.image.is_empty()).map(|container| ImageField {
            path: container.path.key("image"),
            image: container.image.clone(),
            container: Some(container.name.clone()),
        });
        let mut images: Vec<ImageField> = of_template.collect();
        let (group, kind) = (object.meta.gvk.group.as_str(), object.meta.gvk.kind.as_str());
        if group != GROUP {
            return Self { package: None, images };
        }
        match kind {
            "DeploymentRuntimeConfig" => {
                let pod = Path::dotted("spec.deploymentTemplate.spec.template.spec");
                images = ["containers", "initContainers"]
                    .into_iter()
                    .flat_map(|list| containers(node, &pod, list))
                    .collect();
            }
            "ControllerConfig" => {
                let path = Path::dotted("spec.image");
                let image = node.lookup(&path).and_then(NodeRef::non_null_text).map(str::to_owned);
                images.extend(image.map(|image| ImageField { path, image, container: None }));
            }
            _ => {}
        }
        Self { package: package(kind, node), images }
    }
}

fn package(kind: &str, node: NodeRef<'_, '_>) -> Option<PackageSource> {
    let spec = node.get("spec").filter(|_| PACKAGES.contains(&kind))?;
    let value = |key: &str| spec.get(key).and_then(NodeRef::to_value);
    let name = |key: &str| Some(spec.get(key)?.get("name")?.non_null_text()?.to_owned());
    Some(PackageSource {
        source: spec.get("package")?.non_null_text()?.to_owned(),
        pull_secrets: value("packagePullSecrets"),
        skips: value("skipDependencyResolution"),
        configured_by: [name("runtimeConfigRef"), name("controllerConfigRef")],
    })
}

fn containers(node: NodeRef<'_, '_>, pod: &Path, list: &'static str) -> Vec<ImageField> {
    let list = pod.key(list);
    let items = node.lookup(&list).into_iter().flat_map(NodeRef::items).enumerate();
    let field = items.filter_map(|(index, container)| {
        let name = container.get("name").and_then(NodeRef::text);
        Some(ImageField {
            path: list.named_item(index, name).key("image"),
            image: container.get("image")?.non_null_text()?.to_owned(),
            container: Some(name.unwrap_or_default().to_owned()),
        })
    });
    field.collect()
}

/// What all objects say of packages and images.
#[derive(Debug, Default)]
pub struct MirrorFacts {
    pub(super) packages: BTreeMap<ObjectId, PackageSource>,
    pub(super) images: BTreeMap<ObjectId, Vec<ImageField>>,
}

impl MirrorFacts {
    /// Adds what was read of an object.
    pub fn add(&mut self, id: ObjectId, object: &Object, read: MirrorObject) {
        if object.meta.is_local_config() {
            return;
        }
        self.packages.extend(read.package.map(|package| (id, package)));
        if !read.images.is_empty() {
            self.images.insert(id, read.images);
        }
    }
}
