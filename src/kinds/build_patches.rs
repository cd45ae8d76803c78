//! Patches in Flux's Kustomizations and Argo CD's Applications, which change the builds of files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::releases::{Build, ListedPatch, RENDERED_FILE_HEADER, Rendered, Repository, rendered, root_of};
use krm::{Input, ObjectPlace};
use lossless_yaml::NodeRef;

/// API groups of objects with patches of builds, and of the sources to which these objects refer.
const GROUPS: [&str; 3] = ["kustomize.toolkit.fluxcd.io", "argoproj.io", "source.toolkit.fluxcd.io"];

/// Key of patches.
const PATCHES: &str = "patches";

/// An object that patches the build of files.
#[derive(Debug)]
pub struct PatchingBuild {
    /// File of the object.
    pub file: PathBuf,
    /// The patches.
    pub patches: Vec<ListedPatch>,
    /// Resolved files of the build, and folders of which it has all files.
    read: BTreeSet<PathBuf>,
}

impl PatchingBuild {
    /// True if the build has a file.
    pub fn reads(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|file| file.ancestors().any(|path| self.read.contains(path)))
    }
}

/// True for a text that may contain an object with patches of a build, or a source of one.
pub fn may_patch_builds(text: &str) -> bool {
    !text.starts_with(RENDERED_FILE_HEADER) && GROUPS.iter().any(|group| text.contains(group))
}

/// Finds the objects of files that patch builds.
pub fn patching_builds(inputs: &[Input]) -> Vec<PatchingBuild> {
    let may_patch = |input: &&Input| input.text().contains(PATCHES) && may_patch_builds(input.text());
    let files: Vec<(&Input, &Path)> =
        inputs.iter().filter(may_patch).filter_map(|input| Some((input, input.origin().path()?))).collect();
    let Some((_, first)) = files.first() else { return Vec::new() };
    let repository = Repository::collect_without_values(inputs, Some(root_of(first)));
    let mut found = Vec::new();
    for (input, file) in files {
        // Invalid inputs are reported by the code that reads them completely.
        let read = input.objects(|place, object| patching_build(object, (file, &place), &repository));
        found.extend(read.unwrap_or_default().into_iter().flatten());
    }
    found
}

fn patching_build(
    object: NodeRef<'_, '_>,
    (file, place): (&Path, &ObjectPlace<'_>),
    repository: &Repository<'_>,
) -> Option<PatchingBuild> {
    let spec = object.get("spec")?;
    let sources = spec.get("source").into_iter().chain(spec.get("sources").into_iter().flat_map(NodeRef::items));
    let holders = std::iter::once(spec).chain(sources.filter_map(|source| source.get("kustomize")));
    let entries = holders.filter_map(|holder| holder.get(PATCHES)).flat_map(NodeRef::items);
    let patches: Vec<ListedPatch> =
        entries.filter_map(|entry| ListedPatch::inline(file, place.line_of(entry), entry)).collect();
    if patches.is_empty() {
        return None;
    }
    let all = rendered(object, Some(file), place.document.saturating_sub(1), repository);
    let folders = all.iter().filter_map(Rendered::build).flat_map(Build::folders);
    let of_folder = |folder: &PathBuf| {
        let listed = repository.listed_files(folder);
        if listed.is_empty() { folder.canonicalize().into_iter().collect() } else { listed }
    };
    let read = folders.flat_map(of_folder).collect();
    Some(PatchingBuild { file: file.to_owned(), patches, read })
}
