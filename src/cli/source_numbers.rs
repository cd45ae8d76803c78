//! Differences between files and the build of their kustomization that decide about numbers: the key of a number has the
//! namespace and the name of the workload, and the image decides which listeners a program has.

use std::path::{Path, PathBuf};

use crate::model::Meta;
use krm::kustomization::Changed;
use krm::{Input, shown};
use lossless_yaml::NodeRef;
use oci::name::ImageRef;

/// Returns the folder of a kustomization whose build may have other numbers than these files, and what it sets. `images`
/// are the images that kustomizations change, with their folders.
pub(super) fn first_difference<'c>(
    inputs: &[Input],
    changed: &'c [Changed],
    images: &'c [(PathBuf, Vec<String>)],
) -> Option<(&'c Path, String)> {
    let of_names = changed.iter().find(|one| !keeps_namespaces(one, inputs));
    let of_names = of_names.map(|one| (one.folder.as_path(), one.fields.join(", ")));
    of_names.or_else(|| {
        let (folder, name) = images.iter().find_map(|(folder, names)| Some((folder, used_image(inputs, names)?)))?;
        Some((folder.as_path(), format!("the image {}", shown(name))))
    })
}

/// True if a kustomization sets only a namespace, which all namespaced objects and all workloads have already.
fn keeps_namespaces(changed: &Changed, inputs: &[Input]) -> bool {
    let Some(namespace) = changed.namespace.as_deref().filter(|_| changed.fields == ["namespace"]) else {
        return false;
    };
    let keeps = |node: NodeRef<'_, '_>| match Meta::read(node).namespace {
        Some(own) => own == namespace,
        None => node.get("spec").is_none_or(|spec| {
            ["template", "jobTemplate", "containers"].into_iter().all(|field| spec.get(field).is_none())
        }),
    };
    inputs.iter().all(|input| input.objects(|_, node| keeps(node)).is_ok_and(|all| all.into_iter().all(|keeps| keeps)))
}

/// The first of these image names that an object of the inputs has in a field `image`.
fn used_image<'n>(inputs: &[Input], names: &'n [String]) -> Option<&'n str> {
    let position = |node: NodeRef<'_, '_>| {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let image = node.get("image").and_then(NodeRef::text).map(|image| ImageRef::split(image).name);
            if let Some(position) = image.and_then(|image| names.iter().position(|name| *name == image)) {
                return Some(position);
            }
            open.extend(node.children());
        }
        None
    };
    let found = inputs.iter().filter_map(|input| input.objects(|_, node| position(node)).ok());
    let first = found.flatten().flatten().min()?;
    names.get(first).map(String::as_str)
}
