//! Parses image references.

use std::borrow::Cow;

use super::registry::is_registry;

/// The default registry of images, in go-containerregistry's spelling.
pub const DOCKER_HUB: &str = "index.docker.io";

/// The other name of [`DOCKER_HUB`].
const DOCKER_HUB_ALIAS: &str = "docker.io";

/// The path prefix of official Docker Hub images, added to names without a slash.
const LIBRARY: &str = "library";

/// The parts of an image reference as they are written: `REGISTRY/PATH:TAG@DIGEST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageRef<'t> {
    /// Registry and path, without tag and digest.
    pub name: &'t str,
    /// `HOST` or `HOST:PORT`; `None` if the first segment belongs to the path.
    pub registry: Option<&'t str>,
    /// The path in the registry, without surrounding slashes.
    pub path: &'t str,
    /// The tag, without colon.
    pub tag: Option<&'t str>,
    /// The digest, without `@`, such as `sha256:…`.
    pub digest: Option<&'t str>,
}

/// An invalid image reference, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an image reference: {why}")]
pub struct NotAnImage {
    text: String,
    pub(super) why: &'static str,
}

impl NotAnImage {
    /// The reason, without the text.
    pub fn why(&self) -> &'static str {
        self.why
    }
}

impl<'t> ImageRef<'t> {
    /// Splits a reference into parts without validating them.
    ///
    /// ```
    /// use oci::name::ImageRef;
    /// let image = ImageRef::split("localhost:5000/a/b:v1@sha256:0a");
    /// assert_eq!((image.registry, image.path), (Some("localhost:5000"), "a/b"));
    /// assert_eq!((image.name, image.tag, image.digest), ("localhost:5000/a/b", Some("v1"), Some("sha256:0a")));
    /// assert_eq!(ImageRef::split("a/b").registry, None);
    /// ```
    pub fn split(text: &'t str) -> Self {
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (text, None),
        };
        // Search after the last slash: an earlier colon belongs to the registry's port.
        let last = rest.rfind('/').unwrap_or_default();
        let colon = rest.get(last..).and_then(|segment| segment.find(':'));
        let (name, tag) = match colon.map(|colon| rest.split_at(last + colon)) {
            Some((name, tag)) => (name, tag.strip_prefix(':')),
            None => (rest, None),
        };
        let (registry, path) = match name.split_once('/') {
            Some((first, path)) if first.contains(['.', ':']) => (Some(first), path),
            _ => (None, name),
        };
        Self { name, registry, path, tag, digest }
    }

    /// Parses and validates a reference like Crossplane.
    ///
    /// Source: google/go-containerregistry@v0.21.6 `pkg/name`, `ParseReference` without strict validation.
    ///
    /// # Errors
    /// If Crossplane rejects the text.
    pub fn read(text: &'t str) -> Result<Self, NotAnImage> {
        let image = Self::split(text);
        match image.wrong() {
            Some(why) => Err(NotAnImage { text: text.to_owned(), why }),
            None => Ok(image),
        }
    }

    /// Formats the reference without its digest.
    pub fn without_digest(text: &str) -> &str {
        text.split_once('@').map_or(text, |(rest, _)| rest)
    }

    /// True if the name is valid and has no registry; false for placeholders such as `${REGISTRY}/web`.
    pub fn is_unqualified(&self) -> bool {
        self.registry.is_none() && Self::read(self.name).is_ok()
    }

    /// The reason why a registry would reject the reference.
    fn wrong(&self) -> Option<&'static str> {
        let is_tag_byte = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
        if self.tag.is_some_and(|tag| !(1..=128).contains(&tag.len()) || !tag.bytes().all(is_tag_byte)) {
            return Some("a tag has 1 to 128 characters out of letters, digits, `_`, `-` and `.`");
        }
        let is_path_byte = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-./".contains(&b);
        // With a digest, the length includes the implicit `library/` prefix.
        let length = match self.digest {
            Some(_) => self.location(DOCKER_HUB).1.len(),
            None => self.path.len(),
        };
        if self.path.len() < 2 || length > 255 || !self.path.bytes().all(is_path_byte) {
            return Some("a path has 2 to 255 characters out of lower-case letters, digits, `_`, `-`, `.` and `/`");
        }
        if self.registry.is_some_and(|registry| !is_registry(registry)) {
            return Some("the part before the first `/` is not a host with a port");
        }
        let is_digest = |digest: &str| {
            let hex = digest.strip_prefix("sha256:");
            hex.is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
        };
        let wrong = self.digest.is_some_and(|digest| !is_digest(digest));
        wrong.then_some("a digest is `sha256:` with 64 of the digits 0 to 9 and a to f")
    }

    /// The registry and the path for requests; `default` is the registry of names without registry.
    ///
    /// ```
    /// use oci::name::{DOCKER_HUB, ImageRef};
    /// let (registry, path) = ImageRef::split("nginx:1").location(DOCKER_HUB);
    /// assert_eq!((registry, path.as_ref()), ("index.docker.io", "library/nginx"));
    /// ```
    pub fn location<'d>(&self, default: &'d str) -> (&'d str, Cow<'t, str>)
    where
        't: 'd,
    {
        let registry = match self.registry.unwrap_or(default) {
            DOCKER_HUB_ALIAS => DOCKER_HUB,
            other => other,
        };
        let in_library = registry == DOCKER_HUB && !self.path.contains('/');
        let path = if in_library { Cow::Owned(format!("{LIBRARY}/{}", self.path)) } else { Cow::Borrowed(self.path) };
        (registry, path)
    }

    /// Registry and path as pulled by a node's container runtime; `None` if the registry is a placeholder.
    ///
    /// Source: distribution/reference@v0.6.0 `normalize.go`, `splitDockerDomain`.
    ///
    /// ```
    /// use oci::name::ImageRef;
    /// assert_eq!(ImageRef::split("nginx:1").pulled_name().as_deref(), Some("docker.io/library/nginx"));
    /// assert_eq!(ImageRef::split("localhost/nginx").pulled_name().as_deref(), Some("localhost/nginx"));
    /// assert_eq!(ImageRef::split("${REGISTRY}/nginx").pulled_name(), None);
    /// ```
    pub fn pulled_name(&self) -> Option<Cow<'t, str>> {
        let is_host = |first: &str| {
            first.contains(['.', ':']) || first == "localhost" || first.bytes().any(|b| b.is_ascii_uppercase())
        };
        let (host, path) = match self.name.split_once('/') {
            Some((first, _)) if first.contains('$') => return None,
            Some((first, path)) if is_host(first) => (first, path),
            None if self.name.contains('$') => return None,
            _ => (DOCKER_HUB, self.name),
        };
        if host != DOCKER_HUB && host != DOCKER_HUB_ALIAS {
            return Some(Cow::Borrowed(self.name));
        }
        let library = if path.contains('/') { "" } else { "library/" };
        Some(Cow::Owned(format!("{DOCKER_HUB_ALIAS}/{library}{path}")))
    }

    /// The last segment of the path, usually the program name.
    pub fn last_segment(&self) -> &'t str {
        self.name.rsplit('/').next().unwrap_or(self.name)
    }

    /// The suffix after the name: `:TAG`, `@DIGEST`, both or empty.
    pub fn suffix(&self, text: &'t str) -> &'t str {
        text.get(self.name.len()..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_a_name_and_an_optional_tag() {
        let parts = |text| {
            let image = ImageRef::split(text);
            (image.name, image.tag)
        };
        assert_eq!(parts("localhost:5000/a/b"), ("localhost:5000/a/b", None));
        assert_eq!(parts("a/b:v1.2.3@sha256:0a"), ("a/b", Some("v1.2.3")));
        assert_eq!(parts("b@sha256:0a"), ("b", None));
        assert_eq!(parts("b:v1"), ("b", Some("v1")));
        assert_eq!(parts("localhost:5000/a/b:v1"), ("localhost:5000/a/b", Some("v1")));
        assert_eq!(parts(""), ("", None));
    }

    #[test]
    fn docker_hub_has_two_names_and_a_library() {
        let at = |text| {
            let (registry, path) = ImageRef::split(text).location(DOCKER_HUB);
            format!("{registry} {path}")
        };
        assert_eq!(at("docker.io/nginx"), "index.docker.io library/nginx");
        assert_eq!(at("index.docker.io/a/b"), "index.docker.io a/b");
        assert_eq!(at("quay.io/nginx"), "quay.io nginx");
        assert_eq!(ImageRef::split("a/b").location("xpkg.crossplane.io").0, "xpkg.crossplane.io");
    }
}
