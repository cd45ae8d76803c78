//! `hostnet charts`: what others render from the objects of inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::releases::{Build, By, Rendered, Repository, rendered};
use crate::wire::{Input, files};

/// All that is rendered from the objects of inputs, charts of known programs first, and from kustomizations with charts that nothing
/// else builds. `root` is the root of the repository.
#[must_use]
pub fn charts(inputs: &[Input], root: PathBuf) -> Vec<Rendered> {
    let repository = Repository::of(inputs, Some(root));
    let mut all = Vec::new();
    let mut with_charts = BTreeSet::new();
    for input in inputs {
        let file = input.origin().path();
        if let Some(folder) = file.filter(|file| files::is_kustomization(file)).and_then(Path::parent) {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            with_charts.extend(repository.has_charts(folder).then(|| folder.to_owned()));
            continue;
        }
        // A fault of the input is reported by whoever reads it whole.
        let found = input.objects(|_, object| rendered(object, file, &repository)).unwrap_or_default();
        all.extend(found.into_iter().flatten());
    }
    let built: BTreeSet<PathBuf> = all
        .iter()
        .filter_map(|one| if let By::Kustomize(build) = &one.by { build.folder.canonicalize().ok() } else { None })
        .collect();
    with_charts.retain(|folder| folder.canonicalize().is_ok_and(|folder| !built.contains(&folder)));
    all.extend(with_charts.into_iter().map(|folder| Rendered {
        kind: "Kustomization".to_owned(),
        namespace: None,
        name: folder.display().to_string(),
        by: By::Kustomize(Build { folder, has_charts: true, remarks: Vec::new() }),
    }));
    // Charts of known programs first: some of them run webhooks.
    all.sort_by_key(|one| !matches!(&one.by, By::Helm(release) if release.chart.is_known()));
    all
}
