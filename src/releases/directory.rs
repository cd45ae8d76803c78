//! Directories of an Application of Argo CD that are neither a kustomization nor a chart.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::names::{below, text};
use super::release::Renderer;
use super::repository::Repository;
use krm::files::is_kustomization;
use lossless_yaml::NodeRef;

/// The files of a directory, which Argo CD applies as they are; `None` with Jsonnet, which only Argo CD renders. Patterns
/// that cannot be read select all files.
///
/// Source: argoproj/argo-cd@0001e1f32 `reposerver/repository/repository.go` (`findManifests`: subfolders only with
/// `recurse`).
pub(super) fn directory(source: NodeRef<'_, '_>, repository: &Repository<'_>, why: &str) -> Option<Renderer> {
    let path = text(source, "path").unwrap_or_default();
    let option = |key: &str| source.get("directory").and_then(|options| options.get(key));
    let recurses = option("recurse").and_then(NodeRef::as_bool) == Some(true);
    let pattern = |key: &str| globs(&[option(key)?.non_empty_text()?], false).ok();
    let (include, exclude) = (pattern("include"), pattern("exclude"));
    let is_applied = |file: &Path| {
        let is_hidden = file.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
        !is_hidden
            && (recurses || file.parent() == Some(Path::new("")))
            && include.as_ref().is_none_or(|include| include.is_match(file))
            && !exclude.as_ref().is_some_and(|exclude| exclude.is_match(file))
    };
    let all = repository.files(&[format!("{path}/")]);
    let below = below(path).unwrap_or_default();
    let applied = all.into_iter().filter(|(file, _)| file.strip_prefix(&below).is_ok_and(is_applied));
    let files: Vec<PathBuf> = applied.map(|(_, file)| file).collect();
    let has_ending = |file: &PathBuf, endings: &[&str]| {
        file.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
    };
    if files.iter().any(|file| has_ending(file, &["jsonnet"])) {
        return None;
    }
    let is_manifest = |file: &PathBuf| has_ending(file, &["yaml", "yml", "json"]) && !is_kustomization(file);
    let files = files.into_iter().filter(is_manifest).collect();
    Some(Renderer::Directory { files, path: path.to_owned(), why: format!("{path} {why}") })
}

/// A set of globs; with `literal_separator` stars match no slash.
pub(super) fn globs<T: AsRef<str>>(patterns: &[T], literal_separator: bool) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern.as_ref()).literal_separator(literal_separator).build();
        set.add(glob.map_err(|error| format!("a pattern of its files cannot be read: {error}"))?);
    }
    set.build().map_err(|error| format!("the patterns of its files cannot be read: {error}"))
}
