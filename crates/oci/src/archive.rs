//! Reads files of a folder or of a tar archive by name.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::entries::visit_headers;
use super::flatten::clean_path;

/// A set of files by name.
#[derive(Debug)]
pub enum Archive {
    /// Files of a folder.
    Folder(PathBuf),
    /// Files of a tar archive.
    Tar {
        /// The path of the archive.
        file: PathBuf,
        /// Offset and length of each entry.
        entries: HashMap<String, (u64, u64)>,
    },
}

impl Archive {
    /// Creates the file set of a folder.
    pub fn folder(path: &Path) -> Self {
        Self::Folder(path.to_owned())
    }

    /// Creates the file set of a tar archive, reading only headers.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a tar archive.
    pub fn tar(path: &Path) -> io::Result<Self> {
        let mut file = open_file(path)?;
        let mut first = [0; 2];
        let count = file.read(&mut first)?;
        if count == 2 && first == [0x1f, 0x8b] {
            return Err(io::Error::other("it is packed with gzip; unpack it with `gunzip` first"));
        }
        file.seek(SeekFrom::Start(0))?;
        let mut entries = HashMap::new();
        visit_headers(BufReader::new(file), |entry| {
            let name = clean_path(&String::from_utf8_lossy(&entry.path_bytes()));
            entries.insert(name, (entry.raw_file_position(), entry.size()));
            ControlFlow::<()>::Continue(())
        })?;
        Ok(Self::Tar { file: path.to_owned(), entries })
    }

    /// Opens a file and returns its size; `None` if it does not exist.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn open(&self, name: &str) -> io::Result<Option<(Box<dyn Read>, u64)>> {
        match self {
            Self::Folder(folder) => match open_file(&folder.join(name)) {
                Ok(file) => {
                    let size = file.metadata()?.len();
                    Ok(Some((Box::new(file), size)))
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            },
            Self::Tar { file, entries } => {
                let Some((start, size)) = entries.get(name).copied() else { return Ok(None) };
                let mut file = open_file(file)?;
                file.seek(SeekFrom::Start(start))?;
                Ok(Some((Box::new(file.take(size)), size)))
            }
        }
    }

    /// Reads a file of at most `limit` bytes; `None` if it does not exist.
    ///
    /// # Errors
    /// If the file cannot be read, or is larger.
    pub fn read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some((file, size)) = self.open(name)? else { return Ok(None) };
        if size > limit {
            return Err(io::Error::other(format!("{name} has {size} bytes, more than {limit}")));
        }
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }
}

/// Opens a regular file only: reading a pipe may block, and reading a device may not end.
fn open_file(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}
