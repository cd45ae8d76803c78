//! Location of an image: a registry reference, an OCI layout, or an archive.

use std::path::PathBuf;
use std::rc::Rc;

use crate::name::RemoteRef;

use super::archive::Archive;
use super::budget::Budget;
use super::docker_archive::DockerArchive;
use super::layout::Layout;
use super::store::Store;

/// Location of an image, in the syntax of the command line. Text from manifests and registries is never parsed as a
/// source: see [`RemoteRef`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An image in a registry.
    Registry(RemoteRef),
    /// An image in an OCI layout, a folder or an archive.
    Layout {
        /// The folder or file.
        path: PathBuf,
        /// True for an archive of a layout.
        is_archive: bool,
        /// The image, `@DIGEST` or `:NAME`; `None` for the only image.
        wanted: Option<String>,
    },
    /// An image in an archive of `docker save`, or in a package file.
    DockerArchive {
        /// The file.
        path: PathBuf,
        /// True for a package file (`.xpkg`).
        is_package: bool,
    },
}

/// An invalid image location.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a package: {why}. Write a reference with its registry, `oci:DIR`, `oci-archive:FILE`, `docker-archive:FILE` or FILE.xpkg"
)]
pub struct NotASource {
    text: String,
    why: String,
}

impl Source {
    /// Parses an argument of the command line.
    ///
    /// ```
    /// use oci::Source;
    /// let source = Source::read("oci:mirror@sha256:00").unwrap();
    /// assert_eq!(source, Source::Layout { path: "mirror".into(), is_archive: false, wanted: Some("@sha256:00".into()) });
    /// assert!(Source::read("nginx:1").is_err());
    /// ```
    ///
    /// # Errors
    /// If the text is not an image location.
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

    /// Opens a file or folder; `None` for a registry reference.
    ///
    /// # Errors
    /// If the file or folder cannot be read.
    pub fn open(&self, display_name: &str, budget: &Rc<Budget>) -> std::io::Result<Option<Box<dyn Store>>> {
        Ok(match self {
            Self::Registry(_) => None,
            Self::Layout { path, is_archive, wanted } => {
                let files = if *is_archive { Archive::tar(path)? } else { Archive::folder(path) };
                Some(Box::new(Layout::new(files, display_name, wanted.as_deref(), Rc::clone(budget))))
            }
            Self::DockerArchive { path, is_package } => {
                Some(Box::new(DockerArchive::new(Archive::tar(path)?, display_name, *is_package, Rc::clone(budget))))
            }
        })
    }
}
