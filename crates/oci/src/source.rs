//! Where an image is: a reference, a layout, an archive.

use std::path::PathBuf;
use std::rc::Rc;

use crate::name::RemoteRef;

use super::archive::Archive;
use super::budget::Budget;
use super::docker_archive::DockerArchive;
use super::layout::Layout;
use super::store::Store;

/// Location of an image, in the grammar of the command line. Texts of manifests and registries are never read in it: see [`RemoteRef`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In a registry.
    Registry(RemoteRef),
    /// In an OCI layout: a folder, or an archive of one; and which of its images, `@DIGEST` or `:NAME`.
    Layout {
        /// The folder or file.
        path: PathBuf,
        /// Whether it is an archive.
        is_archive: bool,
        /// Which image; none: the only one.
        wanted: Option<String>,
    },
    /// In an archive of `docker save`, or in the file of a package.
    DockerArchive {
        /// The file.
        path: PathBuf,
        /// Whether it is the file of a package (`.xpkg`).
        is_package: bool,
    },
}

/// A text that does not say where an image is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a package: {why}. Write a reference with its registry, `oci:DIR`, `oci-archive:FILE`, `docker-archive:FILE` or FILE.xpkg"
)]
pub struct NotASource {
    text: String,
    why: String,
}

impl Source {
    /// Reads an argument of the command line.
    ///
    /// ```
    /// use oci::Source;
    /// let source = Source::read("oci:mirror@sha256:00").unwrap();
    /// assert_eq!(source, Source::Layout { path: "mirror".into(), is_archive: false, wanted: Some("@sha256:00".into()) });
    /// assert!(Source::read("nginx:1").is_err());
    /// ```
    ///
    /// # Errors
    /// When it is something else.
    pub fn read(text: &str) -> Result<Self, NotASource> {
        let wrong = |why: &str| Err(NotASource { text: text.to_owned(), why: why.to_owned() });
        for (prefix, is_archive) in [("oci:", false), ("oci-archive:", true)] {
            let Some(rest) = text.strip_prefix(prefix) else { continue };
            let (path, wanted) = match rest.split_once('@') {
                Some((path, digest)) => (path, Some(format!("@{digest}"))),
                None => match rest.rsplit_once(':') {
                    Some((path, name)) if !name.contains('/') => (path, Some(format!(":{name}"))),
                    _ => (rest, None),
                },
            };
            if path.is_empty() {
                return wrong("it names no folder or file");
            }
            return Ok(Self::Layout { path: path.into(), is_archive, wanted });
        }
        if let Some(path) = text.strip_prefix("docker-archive:") {
            return Ok(Self::DockerArchive { path: path.into(), is_package: false });
        }
        if std::path::Path::new(text).extension().is_some_and(|end| end == "xpkg") {
            return Ok(Self::DockerArchive { path: text.into(), is_package: true });
        }
        RemoteRef::read(text).map(Self::Registry).or_else(|error| wrong(&error.why))
    }

    /// Opens a file or folder; none for a reference.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(&self, called: &str, budget: &Rc<Budget>) -> std::io::Result<Option<Box<dyn Store>>> {
        Ok(match self {
            Self::Registry(_) => None,
            Self::Layout { path, is_archive, wanted } => {
                let files = if *is_archive { Archive::tar(path)? } else { Archive::folder(path) };
                Some(Box::new(Layout::new(files, called, wanted.as_deref(), Rc::clone(budget))))
            }
            Self::DockerArchive { path, is_package } => {
                Some(Box::new(DockerArchive::new(Archive::tar(path)?, called, *is_package, Rc::clone(budget))))
            }
        })
    }
}
