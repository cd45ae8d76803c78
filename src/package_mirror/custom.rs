//! Images outside of containers: fields `image` of custom resources, whose controllers create pods, annotations of pod
//! templates, and artifacts with `oci://` URLs, such as Flux's.

use std::collections::BTreeSet;

use super::hints::SCHEME;
use super::image_field::{ImageEvidence, ImageField, is_versioned};
use crate::model::Object;
use crate::model::facts::package::GROUP;
use lossless_yaml::{NodeRef, Path, Step};
use oci::name::ImageRef;

/// Maximum number of images and artifacts kept per object.
const MAX_ARTIFACTS: usize = 100;

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
        if found.images.len() + found.artifacts.len() >= MAX_ARTIFACTS {
            break;
        }
        let of_items = node.items().enumerate().map(|(index, item)| (path.item(index), item));
        let of_fields = node.entries().filter_map(|(key, value)| Some((path.key(key.text()?.to_owned()), value)));
        open.extend(of_items.chain(of_fields));
        let names_image = matches!(path.last(), Some(Step::Key(key)) if is_image_key(key));
        if let Some(image) = image_from_fields(node, names_image) {
            found.images.push(field(path.key("repository"), &image));
        }
        let Some(text) = node.text() else { continue };
        match text.strip_prefix(SCHEME) {
            Some(artifact) if ImageRef::read(artifact).is_ok() => {
                let artifact = released(artifact, &path, (object, spec)).unwrap_or_else(|| artifact.to_owned());
                found.artifacts.insert(artifact);
            }
            None if names_image && is_container_image(text) => found.images.push(field(path, text)),
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

/// Image whose parts are fields of one mapping: `repository`, perhaps with `image` as its last part, and `tag` or
/// `version`. A `repository` may also be a Git repository, so the mapping counts only under a key such as `image`, or
/// with another field of images.
fn image_from_fields(node: NodeRef<'_, '_>, is_under_image: bool) -> Option<String> {
    let has_field = || ["image", "pullPolicy", "imagePullPolicy"].iter().any(|key| node.get(key).is_some());
    if !is_under_image && !has_field() {
        return None;
    }
    let text = |key: &str| node.get(key).and_then(NodeRef::non_empty_text);
    let version = text("tag").or_else(|| text("version"))?;
    let repository = text("repository")?.trim_end_matches('/');
    let host = text("registry").map(|host| format!("{host}/")).unwrap_or_default();
    let name = text("image").filter(|name| !name.contains('/')).map(|name| format!("/{name}")).unwrap_or_default();
    let separator = if version.starts_with("sha256:") { '@' } else { ':' };
    let image = format!("{host}{repository}{name}{separator}{version}");
    is_container_image(&image).then_some(image)
}

/// True for an image reference with a host, a tag or a digest: a field `image` without them may be a machine image.
fn is_container_image(text: &str) -> bool {
    let has_host = |image: &ImageRef<'_>| image.registry.is_some_and(|host| host.contains('.'));
    ImageRef::read(text).is_ok_and(|image| has_host(&image) || is_versioned(&image))
}

/// Creates an image field that a path of the config names.
fn field(path: Path, image: &str) -> ImageField {
    let part = Some(path.to_string());
    ImageField { path, before: String::new(), image: image.to_owned(), part, evidence: ImageEvidence::Unread }
}
