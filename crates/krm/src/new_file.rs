//! Atomic file writes: a temporary file in the target's folder is renamed to the target once it is
//! complete and synced to disk.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// Name of a temporary file: prefix, random letters, and a suffix that editors and `.gitignore`
/// files treat as temporary.
const PREFIX: &str = ".hostnet-";
const LETTERS: usize = 10;
const SUFFIX: &str = ".tmp";

/// A temporary file that has not been renamed yet; dropping it deletes the file.
#[derive(Debug)]
pub struct NewFile {
    /// Locked while open, so that other runs do not remove it as a leftover of a killed run.
    file: Option<File>,
    path: TempPath,
    target: PathBuf,
}

/// Read permission of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    /// Readable by the owner only.
    ByOwner,
    /// Readable according to the umask.
    AsUsual,
}

impl NewFile {
    /// Creates a temporary file in the target's folder, fills it with `write` and syncs it to disk.
    pub fn write(
        target: PathBuf,
        readable: Readable,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<Self> {
        let (mut file, path) = Self::locked(folder_of(&target), readable)?;
        write(&mut file)?;
        file.sync_all()?;
        Ok(Self { file: Some(file), path, target })
    }

    /// Creates a locked temporary file in a folder.
    fn locked(folder: &Path, readable: Readable) -> io::Result<(File, TempPath)> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(LETTERS).suffix(SUFFIX);
        if readable == Readable::AsUsual {
            make_readable(&mut builder);
        }
        loop {
            let (file, path) = builder.tempfile_in(folder)?.into_parts();
            // Without file locks (an unsupported file system), `remove_leftovers` removes nothing either.
            let is_taken = matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock));
            // Another run may have removed the file before it was locked.
            if !is_taken && path.try_exists()? {
                return Ok((file, path));
            }
        }
    }

    /// The path that the file gets when it is persisted.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Closes the file, to stay below the limit of open files per process.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Renames the file to the target, replacing an existing file.
    pub fn persist(self) -> io::Result<()> {
        self.path.persist(&self.target).map_err(|stop| stop.error)
    }

    /// Renames the file to the target; an error if the target exists.
    pub fn persist_new(self) -> io::Result<()> {
        self.path.persist_noclobber(&self.target).map_err(|stop| stop.error)
    }
}

/// Returns a writer for a text that is the whole content of a file.
pub fn of_text(text: &str) -> impl FnOnce(&mut File) -> io::Result<()> {
    move |file| file.write_all(text.as_bytes())
}

/// Removes temporary files that killed runs left in the folder.
pub fn remove_leftovers(folder: &Path) {
    // Errors are ignored: a leftover file does no harm.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !is_temporary_name(&entry.file_name()) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        if let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

fn is_temporary_name(name: &OsStr) -> bool {
    let letters = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    letters.is_some_and(|letters| letters.len() == LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Returns the folder of a file, `.` for a bare file name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn make_readable(builder: &mut tempfile::Builder<'_, '_>) {
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
}

#[cfg(not(unix))]
fn make_readable(_: &mut tempfile::Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_leftovers_of_killed_runs_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let left = at.join(".hostnet-abcdefghi0.tmp");
        let kept =
            [".hostnet-abcdefghi.tmp", ".hostnet-abcdefghi0", "hostnet-abcdefghi0.tmp", ".hostnet-abcde/ghi0.tmp"];
        fs::create_dir(at.join(".hostnet-abcde")).unwrap();
        fs::create_dir(at.join(".hostnet-abcdefghi1.tmp")).unwrap();
        for name in kept {
            fs::write(at.join(name), "").unwrap();
        }
        fs::write(&left, "half").unwrap();
        let running = NewFile::write(at.join("a"), Readable::AsUsual, of_text("new")).unwrap();
        remove_leftovers(at);
        assert!(!left.exists());
        assert!(kept.iter().all(|name| at.join(name).exists()) && at.join(".hostnet-abcdefghi1.tmp").is_dir());
        running.persist().unwrap();
        assert_eq!(fs::read_to_string(at.join("a")).unwrap(), "new");
    }

    #[test]
    fn a_dropped_new_file_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        drop(NewFile::write(folder.path().join("a"), Readable::ByOwner, of_text("new")).unwrap());
        assert!(
            NewFile::write(folder.path().join("a"), Readable::ByOwner, |_| Err(io::ErrorKind::StorageFull.into()))
                .is_err()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
