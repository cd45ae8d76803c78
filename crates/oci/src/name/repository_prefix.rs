//! A registry with an optional path prefix.

use super::reference::ImageRef;
use super::registry::is_registry;

/// A registry with an optional path prefix: `HOST` or `HOST/PATH`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepositoryPrefix<'t>(&'t str);

impl<'t> RepositoryPrefix<'t> {
    /// Wraps a text that was already validated.
    pub fn new(text: &'t str) -> Self {
        Self(text)
    }

    /// Parses a registry with an optional path.
    ///
    /// # Errors
    /// The reason why the text is not a repository prefix, for messages.
    pub fn read(text: &'t str) -> Result<Self, &'static str> {
        if text.contains("://") {
            return Err("it has a scheme");
        }
        let (host, path) = text.split_once('/').map_or((text, None), |(host, path)| (host, Some(path)));
        // Go accepts these characters in a host, and prefixes are compared literally.
        if host.contains(['*', '?', '(', ')', '+', ',', ';', '|']) {
            return Err("a registry cannot be a pattern or a list: write one rule for each registry");
        }
        if !(host.contains(['.', ':']) || host == "localhost") || !is_registry(host) {
            return Err("its first part is not a host, which has a dot or a port");
        }
        if !host.starts_with('[') && host.matches(':').count() > 1 {
            return Err("write an IPv6 address in brackets, as in `[fd00::1]:5000`");
        }
        let port = host.rsplit_once(']').map_or(host, |(_, after)| after).split_once(':').map(|(_, port)| port);
        if port.is_some_and(|port| !port.parse::<u16>().is_ok_and(|port| port > 0)) {
            return Err("its port is not a number from 1 to 65535");
        }
        let Some(path) = path else { return Ok(Self(text)) };
        if path.contains([':', '@']) {
            return Err("it has a tag or a digest");
        }
        if path.split('/').any(str::is_empty) {
            return Err("it has no text after a slash");
        }
        ImageRef::read(&format!("a.b/{path}/ab"))
            .map(|_| Self(text))
            .map_err(|_| "its path has other characters than lower-case letters, digits, `_`, `-` and `.`")
    }

    /// True if a repository name equals this prefix or is below it.
    ///
    /// ```
    /// use oci::name::RepositoryPrefix;
    /// let folder = RepositoryPrefix::new("registry.io/team");
    /// assert!(folder.holds("registry.io/team/a") && folder.holds("registry.io/team"));
    /// assert!(!folder.holds("registry.io/teams/a"));
    /// ```
    pub fn holds(self, name: &str) -> bool {
        name.strip_prefix(self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The rest of a name after the prefix and its slash; `None` if the name is not below the prefix.
    pub fn below(self, name: &'t str) -> Option<&'t str> {
        name.strip_prefix(self.0)?.strip_prefix('/').filter(|rest| !rest.is_empty())
    }
}
