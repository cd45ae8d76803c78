//! Reasons why patches would have no effect where they are written: kustomizations that include the object, and steps
//! after its patches.

use std::path::Path;

use super::pairs::Carrier;
use crate::releases::{LaterStep, Renderer, later_steps, place_of_render, steps_after_components};
use crate::render::patch::ObjectPatch;
use krm::{Input, escape_line, shell_path, shown_path};

/// Refuses the patches of a render if a build changes the rendered object before the cluster gets it: the patches would
/// not match, or a later step would overwrite their changes.
///
/// # Errors
///
/// A sentence with a remedy.
pub fn refuse_changed_by_builds(input: &Input, carrier: &Carrier, patches: &[&ObjectPatch]) -> Result<(), String> {
    if patches.is_empty() || !carrier.holds_patches() {
        return Ok(());
    }
    let doubts = &carrier.rendered.doubts;
    // If the file was rendered from a build, its name begins with the name of the built file.
    let is_of_file =
        place_of_render(input.text()).is_some_and(|(path, _)| path.file_name() == carrier.file.file_name());
    let stale = doubts.stale.as_ref().filter(|_| is_of_file);
    let reason = doubts.obstacle.as_ref().or(stale).map(|reason| escape_line(reason).into_owned());
    let reason = reason.or_else(|| without_namespace(input, carrier, patches)).or_else(|| match &carrier.rendered.by {
        Renderer::Kustomize(build) => refuse_later_steps(&build.folder, patches).err(),
        _ => None,
    });
    match reason {
        Some(reason) => Err(format!("{}: {}: {reason}", shown_path(&carrier.file), carrier.rendered.object())),
        None => Ok(()),
    }
}

/// Warnings about patches that a release may not get, or that may not fit.
pub fn release_warnings(carrier: &Carrier, patches: &[&ObjectPatch]) -> Vec<String> {
    hook_warning(carrier, patches).into_iter().chain(post_renderer_warning(carrier, patches)).collect()
}

/// Warning about patches after the release's own post-renderers, which change the manifests that the patches get.
fn post_renderer_warning(carrier: &Carrier, patches: &[&ObjectPatch]) -> Option<String> {
    carrier.release().filter(|release| release.has_own_post_renderers() && !patches.is_empty())?;
    Some(format!(
        "{}: the patches follow its own postRenderers, which are not part of the render: if those change a field that a \
         patch tests, the release fails. Compare the patches with `helm get manifest`",
        carrier.rendered.object()
    ))
}

/// Warning about patches of hooks, which Helm's post-renderers may not get.
///
/// Source: fluxcd/helm-controller pull request 1470 (`spec.postRenderStrategy`; without it Flux before 2.9 leaves hooks
/// out).
fn hook_warning(carrier: &Carrier, patches: &[&ObjectPatch]) -> Option<String> {
    let release = carrier.release().filter(|_| carrier.rendered.kind == "HelmRelease")?;
    let is_hook = |patch: &&&ObjectPatch| patch.object.annotations.get("helm.sh/hook").is_some();
    let hook = patches.iter().find(is_hook).filter(|_| !release.patches_hooks)?;
    Some(format!(
        "{} is a hook of the chart of {}: Flux before 2.9 sends no hooks through post-renderers, so its patches do not reach it. Since 2.9 \
         `spec.postRenderStrategy: combined` in the HelmRelease sends them",
        hook.object,
        carrier.rendered.object()
    ))
}

/// Reason why no patch of a release would match: the namespace of the release is missing, or contains a variable.
fn without_namespace(input: &Input, carrier: &Carrier, patches: &[&ObjectPatch]) -> Option<String> {
    let release = carrier.release().filter(|_| carrier.rendered.kind == "HelmRelease")?;
    let mut namespaces = patches.iter().filter_map(|patch| patch.object.namespace.as_deref());
    let reason = match release.namespace.as_deref() {
        None if namespaces.next().is_some() && place_of_render(input.text()).is_some() => {
            "its namespace is not in the input, so its render is in another namespace and no patch would match. Write \
             its `metadata.namespace`, or give --into a folder with the kustomization that sets it"
        }
        Some(own) if own.contains("${") && namespaces.any(|namespace| namespace == own) => {
            "its namespace holds a variable that Flux fills in, and the target of a patch is not filled in. Write the namespace itself, or set \
             `targetNamespace` of the Flux Kustomization that applies it"
        }
        _ => return None,
    };
    Some(reason.to_owned())
}

/// Refuses patches in the kustomization of a folder if its later steps may change the patched fields.
///
/// # Errors
///
/// A sentence with a remedy.
pub fn refuse_later_steps(folder: &Path, patches: &[&ObjectPatch]) -> Result<(), String> {
    for step in later_steps(folder) {
        if let Some(patch) = patches.iter().find(|patch| may_change_patched_field(&step, patch)) {
            return Err(format!(
                "{0} of the kustomization in {1} run after its patches and may change {2} again: move {0} into a kustomization that this one \
                 lists under `resources`",
                step.field,
                shown_path(folder),
                patch.object
            ));
        }
    }
    Ok(())
}

/// True if a step may change a field of a patch.
fn may_change_patched_field(step: &LaterStep, patch: &ObjectPatch) -> bool {
    step.may_change(&patch.identities(), &patch.pointers(), patch.has_late_namespace())
}

/// Refuses a component for the kustomization of a folder if that kustomization patches the same fields, since its patches
/// follow the component. `file` is the kustomization.
///
/// # Errors
///
/// A sentence with a remedy.
pub fn refuse_after_component(folder: &Path, file: &Path, patches: &[&ObjectPatch]) -> Result<(), String> {
    for step in steps_after_components(folder) {
        let conflicts =
            |patch: &&&ObjectPatch| may_change_patched_field(&step, patch) || step.renames_to(&patch.identities());
        if let Some(patch) = patches.iter().find(conflicts) {
            let file = shell_path(file);
            return Err(format!(
                "its {} run after its components and may change or rename {}: write the patches into it, with \
                 `--into {file} --carrier {file}` in place of `--as component`",
                step.field, patch.object
            ));
        }
    }
    Ok(())
}
