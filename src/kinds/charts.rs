//! `hostnet charts`: finds objects from which Flux, Argo CD, k3s and kustomize render manifests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::releases::{Build, Rendered, Renderer, Repository, local_chart, rendered, unused_chart};
use krm::{Input, files};

/// All objects of inputs that another program renders, charts of known programs first, and kustomizations with charts
/// that no object builds; and those of `folders`, chart folders, that nothing else renders. `root` is the repository's
/// root.
#[must_use]
pub fn charts(inputs: &[Input], root: PathBuf, folders: &[PathBuf]) -> Vec<Rendered> {
    let repository = Repository::new(inputs, Some(root));
    let mut all = Vec::new();
    let mut with_charts = BTreeSet::new();
    for input in inputs {
        let file = input.origin().path();
        if let Some(folder) = file.filter(|file| files::is_kustomization(file)).and_then(Path::parent) {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            with_charts.extend(repository.has_charts(folder).then(|| folder.to_owned()));
            continue;
        }
        // Invalid inputs are reported by the caller.
        let found =
            input.objects(|place, object| rendered(object, file, place.document.saturating_sub(1), &repository));
        all.extend(found.unwrap_or_default().into_iter().flatten());
    }
    let built: BTreeSet<PathBuf> = all
        .iter()
        .filter_map(
            |one| if let Renderer::Kustomize(build) = &one.by { build.folder.canonicalize().ok() } else { None },
        )
        .collect();
    with_charts.retain(|folder| folder.canonicalize().is_ok_and(|folder| !built.contains(&folder)));
    let of_folder = |folder: PathBuf| Rendered {
        kind: "Kustomization".to_owned(),
        namespace: None,
        name: folder.display().to_string(),
        by: Renderer::Kustomize(Build { folder, has_charts: true, remarks: Vec::new(), ..Build::default() }),
        file: None,
        document: 0,
        at: lossless_yaml::Path::root(),
        is_own: false,
    };
    all.extend(with_charts.into_iter().map(of_folder));
    let used: BTreeSet<PathBuf> =
        all.iter().filter_map(Rendered::release).filter_map(|own| local_chart(&own.chart)).collect();
    let is_used = |folder: &PathBuf| {
        folder.canonicalize().is_ok_and(|folder| used.contains(&folder))
            || folder.ancestors().skip(1).any(|above| repository.has_charts(above))
    };
    all.extend(folders.iter().filter(|folder| !is_used(folder)).filter_map(|folder| unused_chart(folder)));
    note_parts(&mut all);
    // Charts of known programs first, because some of them run webhooks.
    all.sort_by_key(|one| !matches!(&one.by, Renderer::Helm(release) if release.chart.is_known()));
    all
}

/// Adds a remark to releases that a kustomization merges from several files, because their render here is incomplete.
fn note_parts(all: &mut [Rendered]) {
    let parts: BTreeSet<String> = all
        .iter()
        .filter(|one| one.kind == "HelmRelease" && matches!(one.by, Renderer::Nothing(_)))
        .map(|one| one.name.clone())
        .collect();
    for one in all.iter_mut().filter(|one| one.kind == "HelmRelease" && parts.contains(&one.name)) {
        if let Renderer::Helm(release) = &mut one.by {
            let remark =
                "another file holds a part of the release: give the build of the kustomization that merges them";
            release.remarks.push(remark.to_owned());
        }
    }
}
