//! `images` of an object that carries patches: kustomize sets these images after the patches.
//!
//! Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget_configplugin.go` (order of the built-in
//! transformers).

use super::ObjectPatch;
use super::form::Form;
use lossless_yaml::{NodeRef, Path, Value};
use oci::name::ImageRef;

/// Refuses patches of an image that `images` of a carrier sets, too.
pub(super) fn refuse_images_of(form: Form, object: NodeRef<'_, '_>, patches: &[&ObjectPatch]) -> Result<(), String> {
    let set = images(form, object);
    for patch in patches.iter().filter(|_| !set.is_empty()) {
        let changed = patch.images();
        let Some(image) = set.iter().find(|image| changed.contains(&image.as_str())) else { continue };
        return Err(format!(
            "its `images` sets {image} after its patches, and the patch of {} changes this image: move that entry of `images` into a \
             kustomization that is built before the patches, and make the patches from its build",
            patch.object
        ));
    }
    Ok(())
}

/// Names that `images` of a carrier replaces, and new names.
fn images(form: Form, object: NodeRef<'_, '_>) -> Vec<String> {
    let lists: Vec<NodeRef<'_, '_>> = match form {
        Form::Component | Form::Kustomization => object.get("images").into_iter().collect(),
        Form::Flux => object.lookup(&Path::dotted("spec.images")).into_iter().collect(),
        Form::Application => object.lookup(&Path::dotted("spec.source.kustomize.images")).into_iter().collect(),
        Form::FluxInstance => Vec::new(),
        Form::HelmRelease => {
            let renderers = object.lookup(&Path::dotted("spec.postRenderers"));
            let renderers = renderers.into_iter().flat_map(NodeRef::items);
            renderers.filter_map(|renderer| renderer.get("kustomize")?.get("images")).collect()
        }
    };
    let name = |text: &str| ImageRef::split(text).name.to_owned();
    let names = |entry: NodeRef<'_, '_>| -> Vec<String> {
        match entry.text() {
            // Argo CD writes `OLD=NEW:TAG` or `NAME:TAG`.
            Some(text) => text.split('=').map(name).collect(),
            None => ["name", "newName"].iter().filter_map(|key| entry.get(key)?.non_null_text().map(name)).collect(),
        }
    };
    lists.into_iter().flat_map(NodeRef::items).flat_map(names).collect()
}

impl ObjectPatch {
    /// Names of the images that the patch tests or writes, without tag and digest.
    fn images(&self) -> Vec<&str> {
        let operations = self.changes.iter().flat_map(|change| &change.operations);
        let values = operations.filter(|operation| operation.path.ends_with("/image")).filter_map(|operation| {
            match operation.value.as_ref()? {
                Value::Str(text) => Some(ImageRef::split(text).name),
                _ => None,
            }
        });
        values.collect()
    }
}
