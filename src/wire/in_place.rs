//! Files that are written where they were read: all that change, or none.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::yaml::Splice;

use super::input::Input;
use super::shown::shown_path;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}; {}", shown_path(path), state(written))]
pub struct InPlaceError {
    /// The file.
    pub path: PathBuf,
    /// The files that were replaced before. Nothing else was.
    pub written: Vec<PathBuf>,
    /// What the system says. It is in the message, so it is not a source, which would be said once more.
    pub error: io::Error,
}

fn state(written: &[PathBuf]) -> String {
    if written.is_empty() {
        return "no file was changed".to_owned();
    }
    let names: Vec<String> = written.iter().map(|path| shown_path(path)).collect();
    format!("already changed, and complete: {}", names.join(", "))
}

/// A new file beside the old one, complete and on disk.
struct Prepared<'i> {
    named: &'i Path,
    target: PathBuf,
    file: NamedTempFile,
}

/// Replaces the files of all inputs that change, and returns them. Nothing is replaced before every new file is
/// complete; mode, and owner as far as allowed, are kept; of a symlink the target is replaced.
pub fn write(inputs: &[Input], splices: &[Vec<Splice>]) -> Result<Vec<PathBuf>, InPlaceError> {
    let mut prepared: Vec<Prepared<'_>> = Vec::new();
    for (input, splices) in inputs.iter().zip(splices) {
        let Some(path) = input.origin().path().filter(|_| input.is_changed_by(splices)) else { continue };
        let failed = |error| InPlaceError { path: path.to_owned(), written: Vec::new(), error };
        let new = prepare(input, path, splices).map_err(failed)?;
        if prepared.iter().any(|other| other.target == new.target) {
            return Err(failed(io::Error::other("the file is meant twice")));
        }
        prepared.push(new);
    }
    let mut written = Vec::new();
    for Prepared { named, target, file } in prepared {
        if let Err(stop) = file.persist(&target) {
            return Err(InPlaceError { path: named.to_owned(), written, error: stop.error });
        }
        written.push(named.to_owned());
        // The rename is done; that it reaches the disk with the folder is as much as can be asked for.
        let _ = target.parent().map(sync_folder);
    }
    Ok(written)
}

/// Writes a file whole or not at all. One that is there keeps its mode, and owner as far as allowed; of a symlink the target is replaced;
/// what is not a regular file, such as a pipe, is written to.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
        return fs::write(path, text);
    }
    let target = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = new_file().tempfile_in(folder)?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    if let Some(old) = &old {
        keep_rights(file.as_file(), old)?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|stop| stop.error)?;
    Ok(())
}

/// A file beside its target, with the mode of one that a program makes.
fn new_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hostnet-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn prepare<'i>(input: &Input, path: &'i Path, splices: &[Splice]) -> io::Result<Prepared<'i>> {
    let target = fs::canonicalize(path)?;
    let old = fs::metadata(&target)?;
    if fs::read(&target)? != input.text().as_bytes() {
        return Err(io::Error::other("the file changed while this program ran"));
    }
    let folder = target.parent().ok_or_else(|| io::Error::other("not in a folder"))?;
    let mut file = tempfile::Builder::new().prefix(".hostnet-").tempfile_in(folder)?;
    input.write(splices, &mut file)?;
    keep_rights(file.as_file(), &old)?;
    file.as_file().sync_all()?;
    Ok(Prepared { named: path, target, file })
}

/// Gives a new file the owner, the group and the mode of the old one.
#[cfg(unix)]
fn keep_rights(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    // What makes a program run as the file's owner, and as its group.
    let (set_user, set_group) = (0o4000, 0o2000);
    // Only the superuser may give files away; for everyone else the file is theirs already, or becomes so.
    let _ = fchown(file, None, Some(old.gid()));
    let _ = fchown(file, Some(old.uid()), None);
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    // The right to run as somebody was given by that one, to what was theirs.
    if new.uid() != old.uid() {
        mode &= !set_user;
    }
    if new.gid() != old.gid() {
        mode &= !set_group;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_rights(file: &File, old: &Metadata) -> io::Result<()> {
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
