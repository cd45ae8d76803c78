//! Folders that are read completely: their files, or their builds, are among the inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::releases::{Repository, is_render};
use krm::{Input, files};

/// Files and builds among the inputs.
#[derive(Debug, Default)]
pub(super) struct ReadFiles {
    /// Resolved files.
    files: BTreeSet<PathBuf>,
    /// Resolved folders whose builds are inputs.
    builds: BTreeSet<PathBuf>,
}

impl ReadFiles {
    /// Collects the files and builds of the inputs.
    pub(super) fn new(inputs: &[Input]) -> Self {
        let resolved = |path: Option<&Path>| path?.canonicalize().ok();
        Self {
            files: inputs.iter().filter_map(|input| resolved(input.origin().path())).collect(),
            builds: inputs.iter().filter_map(|input| resolved(input.origin().build_folder())).collect(),
        }
    }

    /// True if a file is an input.
    pub(super) fn has_file(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|file| self.files.contains(&file))
    }

    /// True if the build of a folder, or one that lists the folder, is an input, or all files that a build of the
    /// folder reads are.
    pub(super) fn has_folder(&self, folder: &Path, repository: &Repository<'_>) -> bool {
        let Ok(folder) = folder.canonicalize() else { return false };
        if self.builds.iter().any(|build| *build == folder || repository.listed(build).contains(&folder)) {
            return true;
        }
        if files::has_kustomization(&folder) {
            let listed = repository.listed_files(&folder);
            // Parts that are no files, such as charts, are reported with their kustomization.
            let is_below = || self.files.iter().any(|file| file.starts_with(&folder));
            return if listed.is_empty() { is_below() } else { listed.is_subset(&self.files) };
        }
        let manifests = files::manifests(std::slice::from_ref(&folder)).unwrap_or_default();
        let built = manifests.iter().filter(|file| files::is_kustomization(file)).filter_map(|file| file.parent());
        let built: Vec<&Path> = built.collect();
        let own = manifests.iter().filter(|file| !built.iter().any(|folder| file.starts_with(folder)));
        let mut own = own.filter(|file| !is_render(file)).peekable();
        (own.peek().is_some() || !built.is_empty())
            && own.all(|file| self.has_file(file))
            && built.iter().all(|folder| self.has_folder(folder, repository))
    }

    /// True if a path of a repository whose root is not known ends the path of a folder with inputs.
    pub(super) fn may_have_folder(&self, path: &Path) -> bool {
        self.files
            .iter()
            .flat_map(|file| file.ancestors().skip(1))
            .chain(self.builds.iter().map(PathBuf::as_path))
            .any(|folder| folder.ends_with(path))
    }
}
