//! Sources of charts and folders, and the sources that are this repository.

use std::path::{Path, PathBuf};

use super::artifact::Artifact;
use super::git;
use super::names::below;
use super::objects::nearest;
use super::repository::Repository;
use super::sources::{Key, Source};

/// Registries in which the first part of a path is an owner of a Git host: the registry and its Git host.
///
/// Sources: docs.github.com "Working with the Container registry", docs.gitlab.com "GitLab container registry".
const REGISTRIES: [(&str, &str); 2] = [("ghcr.io", "github.com"), ("registry.gitlab.com", "gitlab.com")];

impl Repository<'_> {
    /// The source with this key that is nearest to a file.
    pub(super) fn source(&self, key: &Key, file: Option<&Path>) -> Option<&Source> {
        self.sources.nearest(key, file)
    }

    /// The artifact of a source reference that is nearest to a file.
    pub(super) fn artifact(&self, (kind, namespace, name): &Key, file: Option<&Path>) -> Option<&Artifact> {
        let is_match = |artifact: &Artifact| {
            artifact.name == *name
                && (namespace.is_empty() || artifact.namespace.as_ref().is_none_or(|known| known == namespace))
        };
        let named = self.artifacts.iter().filter(|(_, artifact)| kind == "ExternalArtifact" && is_match(artifact));
        nearest(named.map(|(path, artifact)| (*path, artifact)), file)
    }

    /// Folder of this repository that is copied to a path of an artifact.
    pub(super) fn copied(&self, artifact: &Artifact, path: &str) -> Option<PathBuf> {
        let (source, folder) = artifact.origin(&below(path)?)?;
        let is_here = source.0 == "GitRepository" && !self.is_foreign(source);
        self.folder(&folder.to_string_lossy()).filter(|_| is_here)
    }

    /// True if a Flux source is a bucket or another Git repository.
    pub(super) fn is_foreign(&self, key: &Key) -> bool {
        match self.git_source(key) {
            Some(source) => self.is_other_url(&source.url),
            None => key.0 == "Bucket",
        }
    }

    /// True for the path of the repository's own folder, which any artifact has.
    pub(super) fn is_root(path: &str) -> bool {
        below(path).is_some_and(|path| path.as_os_str().is_empty())
    }

    /// True if an artifact may contain this repository: its URL has the name of the repository, or it is the source that
    /// `flux bootstrap` and the Flux operator name `flux-system`.
    pub(super) fn artifact_may_contain_repository(&self, key: &Key, file: Option<&Path>) -> bool {
        let url = self.source(key, file).map(|source| git::plain(&source.url)).unwrap_or_default();
        let names = self.urls.iter().filter_map(|url| url.rsplit('/').next());
        let is_named = |name: &str| {
            let rest = url.split('/').skip(1).filter_map(|part| part.strip_prefix(name));
            rest.into_iter().any(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        key.2 == "flux-system" || names.into_iter().any(is_named)
    }

    /// True if an artifact belongs to another owner on the registry of the host of this repository: `ghcr.io/stefanprodan/…`
    /// for `github.com/acme/fleet`.
    pub(super) fn is_of_other_owner(&self, key: &Key, file: Option<&Path>) -> bool {
        let Some(source) = self.source(key, file) else { return false };
        let url = git::plain(&source.url);
        let Some((registry, path)) = url.split_once('/') else { return false };
        let Some((_, host)) = REGISTRIES.into_iter().find(|(known, _)| *known == registry) else { return false };
        let own = self.urls.iter().filter_map(|url| url.strip_prefix(host)?.strip_prefix('/')?.split('/').next());
        let mut own = own.peekable();
        own.peek().is_some() && own.all(|owner| path.split('/').next() != Some(owner))
    }

    /// Remark about a Git source that is assumed to be this repository, because the URL of this
    /// repository is not known; `None` for the name that `flux bootstrap` gives to its own
    /// repository.
    pub(super) fn unknown_source(&self, key: &Key) -> Option<String> {
        let is_unknown = self.urls.is_empty() && key.2 != "flux-system" && self.git_source(key).is_some();
        is_unknown.then(|| format!("its {} {} is assumed to be this repository, which has no Git remote", key.0, key.2))
    }

    /// Remark about a Git repository from which Flux reads a tag, a range of tags or a commit instead of these files.
    pub(super) fn revision(&self, key: &Key) -> Option<String> {
        let revision = self.git_source(key)?.revision.as_ref()?;
        Some(format!("its {} {} is at {revision}: the local files are rendered, which may differ", key.0, key.2))
    }

    /// Git source with this key.
    fn git_source(&self, key: &Key) -> Option<&Source> {
        let is_match = |source: &&Source| source.key.1 == key.1 || key.1.is_empty();
        self.sources.named(key).map(|(_, source)| source).filter(|_| key.0 == "GitRepository").find(is_match)
    }

    /// True if the URL belongs to another Git repository, or to an artifact in a registry.
    pub(super) fn is_other_url(&self, url: &str) -> bool {
        url.starts_with("oci://") || !self.urls.is_empty() && !self.urls.contains(&git::plain(url))
    }
}
