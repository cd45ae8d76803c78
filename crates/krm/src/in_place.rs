//! In-place writes: either all changed files are replaced or none.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use lossless_yaml::Splice;

#[cfg(unix)]
use super::attributes;
use super::escape::shown_path;
use super::input::Input;
use super::new_file::{NewFile, Readable, folder_of, of_text, remove_leftovers};

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}; {}", shown_path(path), changed_files_text(written))]
pub struct InPlaceError {
    /// File that could not be written.
    pub path: PathBuf,
    /// Files that had already been replaced; no other file was changed.
    pub written: Vec<PathBuf>,
    /// System error. Already part of the message, so it is not a `source`, which would be printed twice.
    pub error: io::Error,
}

fn changed_files_text(written: &[PathBuf]) -> String {
    if written.is_empty() {
        return "no file was changed".to_owned();
    }
    let names: Vec<String> = written.iter().map(|path| shown_path(path)).collect();
    format!("already changed, and complete: {}", names.join(", "))
}

/// Maximum number of new files that are open (and thus locked) at once; a process may open about a thousand.
const OPEN: usize = 100;

/// A new file next to the old one, complete and synced to disk.
struct Prepared<'i> {
    named: &'i Path,
    new: NewFile,
    /// Metadata of the file to replace, from before it was read.
    old: Metadata,
}

/// Replaces the files of all changed inputs and returns their paths.
///
/// Replacement starts only after every new file is complete. Mode and extended attributes are kept,
/// and the owner where permitted. For a symlink, its target is replaced.
pub fn write(inputs: &[Input], splices: &[Vec<Splice>]) -> Result<Vec<PathBuf>, InPlaceError> {
    let mut folders = Folders::default();
    let (mut prepared, mut targets): (Vec<Prepared<'_>>, HashSet<PathBuf>) = Default::default();
    for (input, splices) in inputs.iter().zip(splices) {
        let Some(path) = input.origin().path() else { continue };
        folders.remove_leftovers(folder_of(path));
        if !input.is_changed_by(splices) {
            continue;
        }
        let failed = |error| InPlaceError { path: path.to_owned(), written: Vec::new(), error };
        if !fs::metadata(path).map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("it is not a regular file, so it cannot be written in place")));
        }
        let target = fs::canonicalize(path).map_err(failed)?;
        folders.remove_leftovers(folder_of(&target));
        let mut next = prepare(input, path, &target, splices).map_err(failed)?;
        if prepared.len() >= OPEN {
            next.new.close();
        }
        prepared.push(next);
        if !targets.insert(target) {
            return Err(failed(io::Error::other("the file is meant twice")));
        }
    }
    let mut written = Vec::new();
    for Prepared { named, new, old } in prepared {
        if let Err(error) = check_unchanged(new.target(), &old).and_then(|()| new.persist()) {
            return Err(InPlaceError { path: named.to_owned(), written, error });
        }
        written.push(named.to_owned());
    }
    // The renames are done; errors of syncing the folders are ignored.
    let folders: HashSet<&Path> = targets.iter().map(|target| folder_of(target)).collect();
    for folder in folders {
        let _ = sync_folder(folder);
    }
    Ok(written)
}

/// Folders already searched for leftovers of killed runs.
#[derive(Default)]
struct Folders(HashSet<PathBuf>);

impl Folders {
    /// Removes temporary files of an earlier run from a folder.
    fn remove_leftovers(&mut self, folder: &Path) {
        if !self.0.contains(folder) {
            remove_leftovers(folder);
            self.0.insert(folder.to_owned());
        }
    }
}

/// Writes a file atomically, like [`replace_all`].
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    replace_all(&[(path.to_owned(), text)]).map_err(|(_, error)| error)
}

/// Writes files atomically; replacement starts only after all new files are complete.
///
/// An existing file keeps its mode and extended attributes, and its owner where permitted. For a
/// symlink, its target is replaced. A file that is not regular, such as a pipe, is written to. An
/// error is returned with the path of its file.
pub fn replace_all(files: &[(PathBuf, &str)]) -> Result<(), (PathBuf, io::Error)> {
    let mut prepared = Vec::new();
    for (path, text) in files {
        let new = prepare_text(path, text).map_err(|error| (path.clone(), error))?;
        prepared.extend(new.map(|new| (path, new)));
    }
    for (path, new) in prepared {
        new.persist().map_err(|error| (path.clone(), error))?;
    }
    Ok(())
}

/// Writes a new file atomically; an error if the file exists.
pub fn create(path: &Path, text: &str) -> io::Result<()> {
    remove_leftovers(folder_of(path));
    NewFile::write(path.to_owned(), Readable::AsUsual, of_text(text))?.persist_new()
}

/// Writes a text into a temporary file; `None` if the file has this text already.
fn prepare_text(path: &Path, text: &str) -> io::Result<Option<NewFile>> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
        return fs::write(path, text).map(|()| None);
    }
    let target = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    remove_leftovers(folder_of(&target));
    let fill = |file: &mut File| {
        of_text(text)(file)?;
        old.as_ref().map_or(Ok(()), |old| keep_rights(file, &target, old))
    };
    NewFile::write(target.clone(), Readable::AsUsual, fill).map(Some)
}

/// Writes the edited input into a temporary file.
fn prepare<'i>(input: &Input, named: &'i Path, target: &Path, splices: &[Splice]) -> io::Result<Prepared<'i>> {
    let old = fs::metadata(target)?;
    if fs::read(target)? != input.text().as_bytes() {
        return Err(file_changed_error());
    }
    let fill = |file: &mut File| {
        input.write(splices, file)?;
        keep_rights(file, target, &old)
    };
    Ok(Prepared { named, new: NewFile::write(target.to_owned(), Readable::ByOwner, fill)?, old })
}

/// Error about a file that another program changed during the run.
fn file_changed_error() -> io::Error {
    io::Error::other("the file changed while this program ran")
}

/// Checks that a file has the size, time of modification, device and inode that it had when it was
/// read. A change that keeps all of them, or follows this check, goes undetected.
fn check_unchanged(path: &Path, old: &Metadata) -> io::Result<()> {
    let now = fs::metadata(path)?;
    let is_same =
        now.len() == old.len() && now.modified()? == old.modified()? && file_identity(&now) == file_identity(old);
    if is_same { Ok(()) } else { Err(file_changed_error()) }
}

/// Returns device and inode of a file, which all its names share; `None` on systems without inodes.
#[cfg(unix)]
pub fn file_identity(file: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

/// Returns device and inode of a file, which all its names share; `None` on systems without inodes.
#[cfg(not(unix))]
pub fn file_identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Copies extended attributes, owner, group and mode of the old file to the new one.
#[cfg(unix)]
fn keep_rights(file: &File, path: &Path, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    // The setuid and setgid bits.
    let (set_user, set_group) = (0o4000, 0o2000);
    // Only the superuser may change the owner; other users own the new file in any case.
    let _ = fchown(file, None, Some(old.gid()));
    let _ = fchown(file, Some(old.uid()), None);
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    attributes::keep(path, file)?;
    // Drop setuid if the owner changed.
    if new.uid() != old.uid() {
        mode &= !set_user;
    }
    if new.gid() != old.gid() {
        mode &= !set_group;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Gives the new file the permissions of the old file.
#[cfg(not(unix))]
fn keep_rights(file: &File, _: &Path, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
