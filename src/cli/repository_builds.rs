//! Objects of Flux and Argo CD that patch builds of the files that `hostnet apply` reads, also objects in other files of
//! the Git repository.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::api::MirrorConfig;
use crate::kinds::build_patches::{PatchingBuild, may_patch_builds, patching_builds};
use crate::kinds::package_mirror::renamed_images;
use crate::releases::git_root;
use krm::{Input, Origin, files, relative_to_working_dir, shown_path};

/// Maximum number of files of a repository that a run searches.
const MAX_FILES: usize = 50_000;

/// Builds that patch the inputs of a run, searched once.
pub(super) struct RepositoryBuilds<'i> {
    inputs: &'i [Input],
    searches_repository: bool,
    /// The first use fills `found`, since most runs need no build and a search reads every file of the repository.
    found: OnceCell<Vec<PatchingBuild>>,
}

impl<'i> RepositoryBuilds<'i> {
    /// `searches_repository` adds objects of files that are not among the inputs. Only a run that changes files needs
    /// them: printed manifests are applied without Flux and Argo CD.
    pub(super) fn new(inputs: &'i [Input], searches_repository: bool) -> Self {
        Self { inputs, searches_repository, found: OnceCell::new() }
    }

    pub(super) fn all(&self) -> &[PatchingBuild] {
        self.found.get_or_init(|| {
            let mut builds = patching_builds(self.inputs);
            if self.searches_repository {
                builds.extend(patching_builds(&objects_outside(self.inputs)));
            }
            builds
        })
    }

    /// Lines about `images` of Flux's Kustomizations and Argo CD's Applications that find no image after a run of the
    /// config, since the run renames the images in the files.
    pub(super) fn lost_images(&self, config: &MirrorConfig) -> anyhow::Result<Vec<String>> {
        let mut lines = Vec::new();
        for build in self.all() {
            let place = format!("{}: {}", shown_path(&build.file), build.object);
            lines.extend(lost_images_line(&place, "its `images`", config, build.images_in(self.inputs))?);
        }
        Ok(lines)
    }
}

/// Line about entries that find no image after a run of the config, since the run renames these images in the files;
/// `None` if it renames none of them.
pub(super) fn lost_images_line<'n>(
    place: &str,
    entries: &str,
    config: &MirrorConfig,
    names: impl Iterator<Item = &'n String>,
) -> anyhow::Result<Option<String>> {
    let names: Vec<String> = names.cloned().collect();
    let renamed = renamed_images(config, &names)?;
    let to_write: Vec<String> = renamed.iter().map(|(old, new)| format!("`{new}` for {old}")).collect();
    let write = to_write.join(", ");
    Ok((!to_write.is_empty()).then(|| {
        format!(
            "{place}: {entries} find images by the names that this run replaces in the files: write the name {write}"
        )
    }))
}

/// Objects of Flux and Argo CD in files of the Git repository that are not among the inputs. A file that cannot be read
/// contributes no objects.
fn objects_outside(inputs: &[Input]) -> Vec<Input> {
    let Some(first) = inputs.iter().find_map(|input| input.origin().path()) else { return Vec::new() };
    let Some(root) = git_root(first) else { return Vec::new() };
    let own: BTreeSet<PathBuf> = inputs.iter().filter_map(|input| input.origin().path()?.canonicalize().ok()).collect();
    let mut files = files::manifests(&[root]).unwrap_or_default();
    files.truncate(MAX_FILES);
    let read = |file: PathBuf| {
        let text = std::fs::read(&file).ok().filter(|bytes| str::from_utf8(bytes).is_ok_and(may_patch_builds))?;
        let is_own = file.canonicalize().is_ok_and(|file| own.contains(&file));
        Input::read(Origin::file(relative_to_working_dir(&file)), text).ok().filter(|_| !is_own)
    };
    files.into_iter().filter_map(read).collect()
}
