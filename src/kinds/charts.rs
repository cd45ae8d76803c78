//! `hostnet charts`: what others render from the objects of inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::releases::{Build, By, Rendered, Repository, rendered, text};
use crate::wire::{Input, files};

/// Something that is rendered, and the object that it is rendered from.
#[derive(Debug, Clone)]
pub struct Found {
    /// What is rendered, and by what.
    pub rendered: Rendered,
    /// The object's file; none of standard input.
    pub file: Option<PathBuf>,
    /// The position of its document in the file.
    pub document: usize,
    /// False for what is rendered from an object that another one makes: an Application of an `ApplicationSet`, one source of several.
    pub is_own: bool,
}

/// All that is rendered from the objects of inputs, charts of known programs first, and from kustomizations with charts that nothing
/// else builds. `root` is the root of the repository.
#[must_use]
pub fn charts(inputs: &[Input], root: PathBuf) -> Vec<Found> {
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
        let read = input.objects(|place, object| {
            let kind = text(object, "kind").unwrap_or_default().to_owned();
            (place.document, kind, rendered(object, file, &repository))
        });
        for (document, kind, rendered) in read.unwrap_or_default() {
            let is_one = rendered.len() == 1;
            let found = |rendered: Rendered| Found {
                is_own: is_one && rendered.kind == kind,
                rendered,
                file: file.map(Path::to_owned),
                document: document.saturating_sub(1),
            };
            all.extend(rendered.into_iter().map(found));
        }
    }
    let built: BTreeSet<PathBuf> = all
        .iter()
        .filter_map(
            |one| if let By::Kustomize(build) = &one.rendered.by { build.folder.canonicalize().ok() } else { None },
        )
        .collect();
    with_charts.retain(|folder| folder.canonicalize().is_ok_and(|folder| !built.contains(&folder)));
    let of_folder = |folder: PathBuf| Found {
        file: None,
        document: 0,
        is_own: false,
        rendered: Rendered {
            kind: "Kustomization".to_owned(),
            namespace: None,
            name: folder.display().to_string(),
            by: By::Kustomize(Build { folder, has_charts: true, remarks: Vec::new() }),
        },
    };
    all.extend(with_charts.into_iter().map(of_folder));
    // Charts of known programs first: some of them run webhooks.
    all.sort_by_key(|one| !matches!(&one.rendered.by, By::Helm(release) if release.chart.is_known()));
    all
}
