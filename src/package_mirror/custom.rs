//! Images outside of containers: fields `image` of custom resources, whose controllers create pods, annotations of pod
//! templates, and artifacts with `oci://` URLs, such as Flux's.

use std::collections::BTreeSet;

use super::hints::SCHEME;
use super::image_field::{ImageEvidence, ImageField, is_versioned};
use crate::catalog::names_image;
use crate::model::Object;
use crate::model::facts::package::GROUP;
use lossless_yaml::{NodeRef, Path, Step};
use oci::name::ImageRef;

/// Fields with containers of pods, in custom resources such as Workflows of Argo and Tasks of Tekton.
const CONTAINER_FIELDS: [&str; 7] =
    ["container", "containers", "initContainers", "ephemeralContainers", "script", "sidecars", "steps"];

/// Fields of one mapping with the parts of an image: its repository, and its version.
const IMAGE_PARTS: [(&str, [&str; 2]); 2] =
    [("repository", ["tag", "version"]), ("imageRepository", ["imageTag", "imageVersion"])];

/// API groups that other code reads, or that have no images.
const GROUPS_WITHOUT_CUSTOM_IMAGES: [&str; 5] =
    ["", GROUP, crate::api::GROUP, "apiextensions.k8s.io", "apiextensions.crossplane.io"];

/// The images and artifacts of an object.
#[derive(Debug, Default)]
pub(super) struct CustomResourceImages {
    pub(super) images: Vec<ImageField>,
    /// References after `oci://`.
    pub(super) artifacts: BTreeSet<String>,
}

/// Reads an object: the annotations of its pod templates, or all annotations of an object without template.
pub(super) fn read(object: &Object, node: NodeRef<'_, '_>) -> CustomResourceImages {
    let mut found = CustomResourceImages::default();
    for template in object.templates() {
        let path = template.path.key("metadata").key("annotations");
        let annotations = node.lookup(&path).into_iter().flat_map(NodeRef::entries);
        let images = annotations.filter_map(|(key, value)| {
            let (key, text) = (key.text()?, value.text()?);
            (is_image_key(key) && is_container_image(text)).then(|| field(path.key(key.to_owned()), text))
        });
        found.images.extend(images);
    }
    if object.has_template() || GROUPS_WITHOUT_CUSTOM_IMAGES.contains(&object.meta.gvk.group.as_str()) {
        return found;
    }
    let spec = node.get("spec");
    let is_content = |key: &str| !["apiVersion", "kind", "metadata", "status"].contains(&key);
    let fields = node.entries().filter_map(|(key, value)| Some((key.text().filter(|key| is_content(key))?, value)));
    let mut open: Vec<(Path, NodeRef<'_, '_>)> =
        fields.map(|(key, value)| (Path::root().key(key.to_owned()), value)).collect();
    while let Some((path, node)) = open.pop() {
        let of_items = node.items().enumerate().map(|(index, item)| (path.item(index), item));
        let of_fields = node.entries().filter_map(|(key, value)| Some((path.key(key.text()?.to_owned()), value)));
        open.extend(of_items.chain(of_fields));
        let names_image = matches!(path.last(), Some(Step::Key(key)) if is_image_key(key));
        if let Some((key, image)) = image_from_fields(node, names_image) {
            found.images.push(field(path.key(key), &image));
        }
        if let Some(image) = image_of_variable(node) {
            found.images.push(field(path.key("value"), image));
        }
        let Some(text) = node.text() else { continue };
        match text.strip_prefix(SCHEME) {
            Some(artifact) if ImageRef::read(artifact).is_ok() => {
                let artifact = released(artifact, &path, (object, spec)).unwrap_or_else(|| artifact.to_owned());
                found.artifacts.insert(artifact);
            }
            None if is_of_container(&path) && ImageRef::read(text).is_ok() => {
                found.images.push(ImageField { evidence: ImageEvidence::Container, ..field(path, text) });
            }
            None if names_image && is_container_image(text)
                || is_named(&path, "image") && has_short_tag(text)
                || is_in_list(&path, "images") && has_host_and_tag(text) =>
            {
                found.images.push(field(path, text));
            }
            _ => {}
        }
    }
    found.images.sort_by(|one, other| one.part.cmp(&other.part));
    found
}

/// The artifact with the version that its `OCIRepository` names; `None` for a range of versions, and for other fields.
///
/// Source: fluxcd/source-controller@316edc33e `api/v1/ocirepository_types.go` (a digest before a range before a tag).
fn released(artifact: &str, path: &Path, (object, spec): (&Object, Option<NodeRef<'_, '_>>)) -> Option<String> {
    if object.meta.gvk.kind != "OCIRepository" || path.to_string() != "spec.url" {
        return None;
    }
    let reference = spec?.get("ref")?;
    let text = |key: &str| reference.get(key).and_then(NodeRef::non_empty_text);
    let version = match (text("digest"), text("semver")) {
        (Some(digest), _) => format!("@{digest}"),
        (None, Some(_)) => return None,
        (None, None) => format!(":{}", text("tag")?),
    };
    Some(format!("{artifact}{version}")).filter(|artifact| ImageRef::read(artifact).is_ok())
}

/// True for a key such as `image`, `imageName`, `sidecarImage` or `sidecar.istio.io/proxyImage`.
fn is_image_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.strip_suffix("name").unwrap_or(&key).ends_with("image")
}

/// True for the field `image` of a container.
fn is_of_container(path: &Path) -> bool {
    let steps = path.steps();
    let Some((last, before)) = steps.split_last() else { return false };
    let of = before.iter().rev().find_map(|step| if let Step::Key(key) = step { Some(key.as_ref()) } else { None });
    matches!(last, Step::Key(key) if key == "image") && of.is_some_and(|of| CONTAINER_FIELDS.contains(&of))
}

/// True for a field with this name.
fn is_named(path: &Path, name: &str) -> bool {
    matches!(path.last(), Some(Step::Key(key)) if key == name)
}

/// True for an item of a list with this name.
fn is_in_list(path: &Path, name: &str) -> bool {
    matches!(path.last(), Some(Step::Item { .. })) && path.parent().is_some_and(|list| is_named(&list, name))
}

/// Image that a variable for a container has, by the name of the variable.
fn image_of_variable<'t>(node: NodeRef<'t, '_>) -> Option<&'t str> {
    let text = |key: &str| node.get(key).and_then(NodeRef::non_empty_text);
    text("name").filter(|name| names_image(name))?;
    text("value").filter(|value| is_container_image(value))
}

/// Image whose parts are fields of one mapping: `repository`, perhaps with `image` as its last part, and `tag` or
/// `version`; and the field of its repository. A `repository` may also be a Git repository, so the mapping counts only
/// under a key such as `image`, or with another field of images.
fn image_from_fields(node: NodeRef<'_, '_>, is_under_image: bool) -> Option<(&'static str, String)> {
    let text = |key: &str| node.get(key).and_then(NodeRef::non_empty_text);
    let has_field = || ["image", "pullPolicy", "imagePullPolicy"].iter().any(|key| node.get(key).is_some());
    let (key, repository, versions) =
        IMAGE_PARTS.into_iter().find_map(|(key, versions)| Some((key, text(key)?, versions)))?;
    if key == "repository" && !is_under_image && !has_field() {
        return None;
    }
    let version = versions.into_iter().find_map(text)?;
    let repository = repository.trim_end_matches('/');
    let host = text("registry").map(|host| format!("{host}/")).unwrap_or_default();
    let name = text("image").filter(|name| !name.contains('/')).map(|name| format!("/{name}")).unwrap_or_default();
    let separator = if version.starts_with("sha256:") { '@' } else { ':' };
    let image = format!("{host}{repository}{name}{separator}{version}");
    is_container_image(&image).then_some((key, image))
}

/// True for an image with a tag that is too short for a port: `alpine:3`.
fn has_short_tag(text: &str) -> bool {
    ImageRef::read(text).is_ok_and(|image| image.tag.is_some_and(|tag| tag.len() < 4))
}

/// True for an image with the host of a registry, and a tag or digest.
fn has_host_and_tag(text: &str) -> bool {
    ImageRef::read(text).is_ok_and(|image| has_host(&image) && is_versioned(&image))
}

/// True for an image with the host of a registry.
fn has_host(image: &ImageRef<'_>) -> bool {
    image.registry.is_some_and(|host| host.contains('.'))
}

/// True for an image reference with a host, a tag or a digest: a field `image` without them may be a machine image.
fn is_container_image(text: &str) -> bool {
    ImageRef::read(text).is_ok_and(|image| has_host(&image) || is_versioned(&image))
}

/// Creates an image field that a path of the config names.
fn field(path: Path, image: &str) -> ImageField {
    let part = Some(path.to_string());
    ImageField { path, before: String::new(), image: image.to_owned(), part, evidence: ImageEvidence::Unread }
}
