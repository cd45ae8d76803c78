//! `hostnet charts`: finds objects from which Flux, Argo CD, k3s and kustomize render manifests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::releases::{
    Build, Rendered, Renderer, Repository, chart_with_default_values, helmfile, kustomization_of, local_chart, rendered,
};
use krm::{Input, files};

/// All objects of inputs that another program renders, charts of known programs first; kustomizations with charts or
/// remote resources that no object builds; and chart folders in `folders` that nothing else renders. `root` is the root
/// of the repository. Inputs after the first `count` only provide sources and values.
pub fn charts(inputs: &[Input], count: usize, root: PathBuf, folders: &[PathBuf]) -> Vec<Rendered> {
    let repository = Repository::new(inputs, Some(root));
    let mut all = Vec::new();
    let mut absent = BTreeSet::new();
    let paths = inputs.iter().filter_map(|input| input.origin().path());
    let parts = files::files_without_objects(paths.filter(|path| files::is_kustomization(path)));
    for input in inputs.iter().take(count) {
        let file = input.origin().path();
        if file.and_then(|file| file.canonicalize().ok()).is_some_and(|file| parts.contains(&file)) {
            continue;
        }
        if let Some(folder) = file.filter(|file| files::is_kustomization(file)).and_then(Path::parent) {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            absent.extend(repository.has_absent(folder).then(|| folder.to_owned()));
            continue;
        }
        all.extend(file.filter(|_| input.is_helmfile()).map(helmfile));
        // Invalid inputs are reported by the caller.
        let found =
            input.objects(|place, object| rendered(object, file, place.document.saturating_sub(1), &repository));
        all.extend(found.unwrap_or_default().into_iter().flatten());
    }
    let builds = all.iter().filter_map(Rendered::build).filter(|_| !absent.is_empty());
    let built: BTreeSet<PathBuf> =
        builds.flat_map(Build::folders).flat_map(|folder| repository.listed(folder)).collect();
    absent.retain(|folder| folder.canonicalize().is_ok_and(|folder| !built.contains(&folder)));
    all.extend(absent.into_iter().map(|folder| kustomization_of(&folder)));
    let used: BTreeSet<PathBuf> =
        all.iter().filter_map(Rendered::release).filter_map(|release| local_chart(&release.chart)).collect();
    let is_used = |folder: &PathBuf| {
        folder.canonicalize().is_ok_and(|folder| used.contains(&folder))
            || folder.ancestors().skip(1).any(|above| repository.has_charts(above))
    };
    all.extend(folders.iter().filter(|folder| !is_used(folder)).filter_map(|folder| chart_with_default_values(folder)));
    // Charts of known programs first, because some of them run webhooks.
    all.sort_by_key(|one| !matches!(&one.by, Renderer::Helm(release) if release.chart.is_known()));
    all
}
