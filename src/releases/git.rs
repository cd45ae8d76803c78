//! URLs of a Git repository, to distinguish sources of Flux and Argo CD.

use std::fs;
use std::path::{Path, PathBuf};

/// URLs of all remotes without scheme, user and suffix; a fork has the URLs of both repositories.
pub(super) fn remotes(root: &Path) -> Vec<String> {
    let Ok(config) = fs::read_to_string(folder(&root.join(".git")).join("config")) else { return Vec::new() };
    let (mut section, mut urls, mut replaced) = ("", Vec::new(), Vec::new());
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
            continue;
        }
        let Some((key, value)) = line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else { continue };
        let value = value.trim_matches('"');
        if section.starts_with("remote ") && key == "url" {
            urls.push(value);
        }
        if key.eq_ignore_ascii_case("insteadOf") {
            replaced.extend(section.strip_prefix("url ").map(|base| (value, base.trim_matches('"'))));
        }
    }
    let full = |url: &str| {
        let mut rest = replaced.iter().filter_map(|(short, base)| Some(format!("{base}{}", url.strip_prefix(short)?)));
        plain(&rest.next_back().unwrap_or_else(|| url.to_owned()))
    };
    urls.into_iter().map(full).collect()
}

/// Folder of the configuration: `.git`, or for a work tree the folder to which its file `.git` leads.
fn folder(git: &Path) -> PathBuf {
    let referred_folder = |folder: &Path, file: &Path, prefix: &str| {
        let text = fs::read_to_string(file).ok()?;
        Some(folder.join(text.trim().strip_prefix(prefix)?.trim()))
    };
    let root = git.parent().unwrap_or(Path::new(""));
    let own = referred_folder(root, git, "gitdir:").unwrap_or_else(|| git.to_owned());
    referred_folder(&own, &own.join("commondir"), "").unwrap_or(own)
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
