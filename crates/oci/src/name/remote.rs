//! Parses references with an explicit registry.

use super::reference::{DOCKER_HUB, ImageRef};

/// A reference with a registry. References from manifests, packages and registries use this type only, so that such a
/// text never names a local file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteRef(String);

/// An invalid or registry-less reference, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an image in a registry: {why}; write it as `registry.example.com/team/web:v1`")]
pub struct NotRemote {
    text: String,
    /// The reason.
    pub why: String,
}

impl RemoteRef {
    /// Reads a reference, such as `registry.example.com/team/web:v1`.
    ///
    /// ```
    /// use oci::name::RemoteRef;
    /// assert_eq!(RemoteRef::read("docker.io/acme/tool.xpkg:v1").unwrap().host(), "index.docker.io");
    /// assert!(RemoteRef::read("oci:mirror").is_err() && RemoteRef::read("tool.xpkg").is_err());
    /// ```
    ///
    /// # Errors
    /// If the text is not a reference, or has no registry.
    pub fn read(text: &str) -> Result<Self, NotRemote> {
        let wrong = |why: String| NotRemote { text: text.to_owned(), why };
        match ImageRef::read(text) {
            Ok(image) if image.registry.is_some() => Ok(Self(text.to_owned())),
            Ok(_) => Err(wrong("it has no registry".to_owned())),
            Err(error) => Err(wrong(error.why.to_owned())),
        }
    }

    /// The reference as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts of the reference.
    pub fn parts(&self) -> ImageRef<'_> {
        ImageRef::split(&self.0)
    }

    /// `HOST` or `HOST:PORT` of the registry to connect to.
    pub fn host(&self) -> &str {
        self.parts().location(DOCKER_HUB).0
    }
}
