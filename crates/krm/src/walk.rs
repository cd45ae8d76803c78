//! Files of a folder, without files that tools ignore.

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// File or folder that cannot be read, and the reason.
pub(super) type WalkError = (PathBuf, io::Error);

/// True for a file with the extension of a manifest.
pub(super) fn is_manifest(file: &Path) -> bool {
    file.extension().is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
}

/// Lists all files of a folder that are not ignored.
pub(super) fn walk(folder: &Path) -> Result<Vec<PathBuf>, WalkError> {
    let Walked { files, errors, .. } = walk_with_links(folder);
    errors.into_iter().next().map_or(Ok(files), Err)
}

/// Files of a folder that are not ignored, and symlinks that lead to no file of it.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) files: Vec<PathBuf>,
    /// Broken symlinks with the name of a manifest.
    pub(super) broken: Vec<PathBuf>,
    /// Symlinks to folders with manifests outside of the folder.
    pub(super) folders: Vec<PathBuf>,
    /// Files and folders that cannot be read.
    pub(super) errors: Vec<WalkError>,
}

/// Lists all files of a folder that are not ignored, and symlinks that lead to no file of it.
pub(super) fn walk_with_links(folder: &Path) -> Walked {
    let mut walked = Walked::default();
    for entry in walk_entries(folder) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                walked.errors.push(walk_error(folder, error));
                continue;
            }
        };
        let is_file = match is_file(&entry) {
            Ok(is_file) => is_file,
            Err(error) => {
                walked.errors.push((entry.into_path(), error));
                continue;
            }
        };
        match is_file {
            Some(true) => walked.files.push(entry.into_path()),
            Some(false) if entry.path_is_symlink() && leads_to_manifests(folder, entry.path()) => {
                walked.folders.push(entry.into_path());
            }
            Some(false) => {}
            None if is_manifest(entry.path()) => walked.broken.push(entry.into_path()),
            None => {}
        }
    }
    walked
}

/// The entry of a folder that an error is about, with the error of the system, which has no second path in its text.
fn walk_error(folder: &Path, error: ignore::Error) -> WalkError {
    let path = path_of(&error).unwrap_or(folder).to_owned();
    let listed = std::fs::read_dir(&path).err();
    let error = listed.or_else(|| error.into_io_error()).unwrap_or_else(|| io::Error::other("cannot be listed"));
    (path, error)
}

/// Path in an error.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// Entries of a folder, at any depth, that are not ignored.
fn walk_entries(folder: &Path) -> ignore::Walk {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false).add_custom_ignore_filename(".krmignore");
    walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path()) || is_hidden_manifest(entry.path()));
    walk.sort_by_file_name(std::ffi::OsStr::cmp);
    walk.build()
}

/// Maximum number of entries that are read in the target of a symlink.
const LOOKED_AT: usize = 1_000;

/// True for a symlink in a folder that leads to another folder, outside of the first, with manifests.
fn leads_to_manifests(folder: &Path, link: &Path) -> bool {
    let (Ok(folder), Ok(target)) = (folder.canonicalize(), link.canonicalize()) else { return false };
    let mut entries = walk_entries(&target).take(LOOKED_AT).filter_map(Result::ok);
    !target.starts_with(&folder)
        && !folder.starts_with(&target)
        && entries
            .any(|entry| is_manifest(entry.path()) && std::fs::read(entry.path()).is_ok_and(|bytes| has_object(&bytes)))
}

/// True for names that begin with a dot.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// True for a hidden file with Kubernetes objects. Configs of other tools, such as `.goreleaser.yaml`, are not
/// manifests.
///
/// Source: kubernetes v1.36 `staging/src/k8s.io/cli-runtime/pkg/resource/visitor.go`, `ExpandPathsToFileVisitors`, and
/// fluxcd/pkg `kustomize/kustomize_generator.go` select files by their extension, hidden files included.
fn is_hidden_manifest(path: &Path) -> bool {
    let is_file = || path.metadata().is_ok_and(|file| file.is_file());
    is_manifest(path) && is_file() && std::fs::read(path).is_ok_and(|bytes| has_object(&bytes))
}

/// True for bytes that may contain a Kubernetes object.
fn has_object(bytes: &[u8]) -> bool {
    ["apiVersion", "kind"].iter().all(|key| memchr::memmem::find(bytes, key.as_bytes()).is_some())
}

/// `ELOOP` (a symlink to itself), for which Rust has no stable `ErrorKind`.
const SYMLINK_LOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };

/// True for a file or a symlink to a file; `None` for a broken symlink or a symlink to itself. Symlinks to folders are
/// not followed, because they may form a cycle.
///
/// # Errors
///
/// Any other file system error: a temporarily unreachable file must not be skipped silently.
fn is_file(entry: &ignore::DirEntry) -> io::Result<Option<bool>> {
    if !entry.path_is_symlink() {
        return Ok(Some(entry.file_type().is_some_and(|kind| kind.is_file())));
    }
    match entry.path().metadata() {
        Ok(target) => Ok(Some(target.is_file())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) if error.raw_os_error() == Some(SYMLINK_LOOP) => Ok(None),
        Err(error) => Err(error),
    }
}
