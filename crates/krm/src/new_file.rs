//! A file that is written whole or not at all: it is made beside the one whose name it takes, and takes it when it is complete and on disk.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// How a file is called until it takes its name: the program, so many letters, and what editors and `.gitignore` files take for passing.
const PREFIX: &str = ".hostnet-";
const LETTERS: usize = 10;
const SUFFIX: &str = ".tmp";

/// A file without its name yet. Dropped, it is gone.
#[derive(Debug)]
pub struct NewFile {
    /// Open, it is locked: no other run takes it for what one that was killed has left.
    file: Option<File>,
    path: TempPath,
    target: PathBuf,
}

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readable {
    /// The owner alone.
    ByOwner,
    /// Whoever may read what a program makes.
    AsUsual,
}

impl NewFile {
    /// A file in the folder of its target, filled by `write`, and on disk. What killed runs have left in that folder is removed first.
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

    fn locked(folder: &Path, readable: Readable) -> io::Result<(File, TempPath)> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(LETTERS).suffix(SUFFIX);
        if readable == Readable::AsUsual {
            make_readable(&mut builder);
        }
        loop {
            let (file, path) = builder.tempfile_in(folder)?.into_parts();
            // Where there are no locks, nothing is removed either.
            let is_taken = matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock));
            // Before it was locked, another run may have removed it.
            if !is_taken && path.try_exists()? {
                return Ok((file, path));
            }
        }
    }

    /// The path that the file gets when it is persisted.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Closes the file: a process can hold so many open, and it may make more than that.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Takes the place of the target, if there is one.
    pub fn persist(self) -> io::Result<()> {
        self.path.persist(&self.target).map_err(|stop| stop.error)
    }

    /// Takes the name of the target, which must not be there.
    pub fn persist_new(self) -> io::Result<()> {
        self.path.persist_noclobber(&self.target).map_err(|stop| stop.error)
    }
}

/// Writes a text as the whole of a file.
pub fn of_text(text: &str) -> impl FnOnce(&mut File) -> io::Result<()> {
    move |file| file.write_all(text.as_bytes())
}

/// Removes what runs that were killed have left in the folder.
pub fn sweep(folder: &Path) {
    // What cannot be removed is in nobody's way.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !is_passing(&entry.file_name()) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
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

fn is_passing(name: &OsStr) -> bool {
    let letters = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    letters.is_some_and(|letters| letters.len() == LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// The folder that a file is in.
#[must_use]
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
    fn only_what_a_killed_run_left_is_swept() {
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
        sweep(at);
        assert!(!left.exists());
        assert!(kept.iter().all(|name| at.join(name).exists()) && at.join(".hostnet-abcdefghi1.tmp").is_dir());
        running.persist().unwrap();
        assert_eq!(fs::read_to_string(at.join("a")).unwrap(), "new");
    }

    #[test]
    fn what_is_dropped_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        drop(NewFile::write(folder.path().join("a"), Readable::ByOwner, of_text("new")).unwrap());
        assert!(
            NewFile::write(folder.path().join("a"), Readable::ByOwner, |_| Err(io::ErrorKind::StorageFull.into()))
                .is_err()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
