//! The kustomization that Flux generates for a folder without kustomization.
//!
//! Source: fluxcd/pkg@0180cac2f `kustomize/kustomize_generator.go` (YAML files of all subfolders; a subfolder with a
//! kustomization counts as a single resource), fluxcd/pkg@0180cac2f `sourceignore/sourceignore.go` (files that are
//! never part of a source).

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::names::RENDERED_FILE_HEADER;
use krm::files::has_kustomization;

/// Folders that Flux's sources leave out by default.
const FOLDERS: [&str; 3] = [".git", ".github", ".circleci"];

/// Manifest-like files that Flux's sources leave out by default.
const FILES: [&str; 9] = [
    ".travis.yml",
    ".gitlab-ci.yml",
    "appveyor.yml",
    ".drone.yml",
    "cloudbuild.yaml",
    "codeship-services.yml",
    "codeship-steps.yml",
    ".goreleaser.yml",
    ".sops.yaml",
];

/// Resources of the generated kustomization: YAML files, and folders with a kustomization, sorted by path.
pub(super) fn resources(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        // Unreadable folders fail the build in Flux.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            let is_one_of = |names: &[&str]| names.iter().any(|name| entry.file_name() == *name);
            let is_yaml = matches!(path.extension().and_then(OsStr::to_str), Some("yaml" | "yml"));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && is_one_of(&FOLDERS) => {}
                Ok(kind) if kind.is_dir() => {
                    let list = if has_kustomization(&path) { &mut found } else { &mut left };
                    list.push(path);
                }
                // Links to folders are not followed.
                _ if is_yaml && !is_one_of(&FILES) && path.is_file() && !is_render(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// True for a file that the script of `hostnet charts` has written.
pub fn is_render(path: &Path) -> bool {
    let mut first = [0; RENDERED_FILE_HEADER.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == *RENDERED_FILE_HEADER.as_bytes()
}
