//! `ArtifactGenerator` of Flux's source-watcher: folders that it copies into an `ExternalArtifact`.
//!
//! Source: fluxcd/source-watcher@v2.0.3 `internal/builder/copy.go` (the content of `@alias/folder/**` goes below the
//! target).

use std::path::{Path, PathBuf};

use super::names::{below, name_of, text};
use super::sources::{Key, key};
use lossless_yaml::NodeRef;

/// API group of the `ArtifactGenerator`.
pub(super) const ARTIFACTS: &str = "source.extensions.fluxcd.io";

/// An artifact of an `ArtifactGenerator`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Artifact {
    /// Namespace of the generator and of the artifact.
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    /// Display name of the generator.
    pub(super) generator: String,
    /// Copied folders in order.
    copies: Vec<Copied>,
}

/// Content of a source that is copied into an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Copied {
    source: Key,
    /// Folder of the source; `None` for single files and other patterns.
    from: Option<PathBuf>,
    /// Folder of the artifact.
    to: PathBuf,
}

impl Artifact {
    /// Reads the artifacts of an `ArtifactGenerator`.
    pub(super) fn all(object: NodeRef<'_, '_>) -> Vec<Self> {
        let Some(spec) = object.get("spec") else { return Vec::new() };
        let namespace = text(object, "metadata.namespace");
        let source = |alias: &str| {
            let mut sources = spec.get("sources").into_iter().flat_map(NodeRef::items);
            let source = sources.find(|source| text(*source, "alias") == Some(alias));
            key(source, namespace.unwrap_or_default())
        };
        let copied = |copy: NodeRef<'_, '_>| {
            let (alias, from) = text(copy, "from")?.strip_prefix('@')?.split_once('/')?;
            let folder = if from.is_empty() { Some("") } else { from.strip_suffix("**") };
            let from = folder.filter(|folder| !folder.contains(['*', '?', '[', '{'])).and_then(below);
            let to = below(text(copy, "to")?.strip_prefix("@artifact/")?)?;
            Some(Copied { source: source(alias), from, to })
        };
        let artifact = |one: NodeRef<'_, '_>| {
            Some(Self {
                namespace: namespace.map(str::to_owned),
                name: text(one, "name")?.to_owned(),
                generator: name_of(object, "ArtifactGenerator"),
                copies: one.get("copy").into_iter().flat_map(NodeRef::items).filter_map(copied).collect(),
            })
        };
        spec.get("artifacts").into_iter().flat_map(NodeRef::items).filter_map(artifact).collect()
    }

    /// Source and folder that are copied to a path of the artifact, if they are its only content there.
    pub(super) fn origin(&self, path: &Path) -> Option<(&Key, PathBuf)> {
        let mut overlapping = self.copies.iter().filter(|copy| copy.to.starts_with(path) || path.starts_with(&copy.to));
        let copy = overlapping.next().filter(|_| overlapping.next().is_none())?;
        Some((&copy.source, copy.from.as_ref()?.join(path.strip_prefix(&copy.to).ok()?)))
    }
}
