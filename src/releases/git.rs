//! URL of a Git repository, to distinguish sources of Flux and Argo CD.

use std::fs;
use std::path::Path;

/// URL of the remote `origin` without scheme, user and suffix; `None` without that remote.
pub(super) fn origin(root: &Path) -> Option<String> {
    let config = fs::read_to_string(root.join(".git/config")).ok()?;
    let section = config.split("[remote \"origin\"]").nth(1)?.split("\n[").next()?;
    let url = section.lines().find_map(|line| line.trim().strip_prefix("url")?.trim_start().strip_prefix('='))?;
    Some(plain(url.trim()))
}

/// Normalizes a URL by removing scheme, user, port and `.git`: `https://git@host/a/b.git` and `git@host:a/b` are equal.
pub(super) fn plain(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split_once('@').filter(|(user, _)| !user.contains('/')).map_or(rest, |(_, rest)| rest);
    let (host, path) = rest.split_once(['/', ':']).unwrap_or((rest, ""));
    // `host:22/path` has a port, `host:path` does not.
    let port =
        path.split_once('/').filter(|(port, _)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let path = port.filter(|_| rest.as_bytes().get(host.len()) == Some(&b':')).map_or(path, |(_, path)| path);
    let path = path.trim_matches('/');
    format!("{host}/{}", path.strip_suffix(".git").unwrap_or(path)).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn one_repository_has_many_urls() {
        for url in [
            "https://github.com/a/b",
            "https://x@github.com/a/b.git",
            "git@github.com:A/b.git",
            "ssh://git@github.com:22/a/b/",
        ] {
            assert_eq!(plain(url), "github.com/a/b", "{url}");
        }
        assert_ne!(plain("https://github.com/a/c"), "github.com/a/b");
    }
}
