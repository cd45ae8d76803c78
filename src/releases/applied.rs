//! Objects as their builds apply them: name, namespace, and patches of the kustomizations around.

use std::path::Path;
use std::sync::Arc;

use super::builds::Built;
use super::flux;
use super::patch::Patch;
use super::release::{Doubts, Renderer};
use super::repository::Repository;
use crate::model::Meta;
use lossless_yaml::NodeRef;

/// An object as one build applies it.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    /// Patches of the build that change the object.
    patches: Vec<Arc<Patch>>,
    /// Display name of the build; empty for an object that no build contains.
    by: String,
    /// Command that renders the charts of the build.
    command: String,
}

impl Applied {
    /// The object as it is in its file.
    fn own(meta: &Meta) -> Self {
        let (name, namespace) = (meta.name.clone(), meta.namespace.clone());
        Self { name, namespace, patches: Vec::new(), by: String::new(), command: String::new() }
    }

    fn by(meta: &Meta, built: &Built) -> Option<Self> {
        let name = format!("{}{}{}", built.prefix, meta.name, built.suffix);
        let namespace = built.namespace.clone().or_else(|| meta.namespace.clone());
        let last = Meta { name: name.clone(), namespace: namespace.clone(), ..meta.clone() };
        let matching = built.patches.iter().filter(|patch| patch.matches(&[meta.clone(), last.clone()]));
        let patches: Vec<Arc<Patch>> = matching.cloned().collect();
        let is_removed = patches.iter().any(|patch| patch.is_removal());
        (!is_removed).then(|| Self { name, namespace, patches, by: built.by.clone(), command: built.command.clone() })
    }

    /// Patches that change the render of a `HelmRelease`.
    fn changes(&self) -> Vec<&Patch> {
        let is_change = |patch: &&Patch| RENDERED.iter().any(|field| patch.changes(field));
        self.patches.iter().map(AsRef::as_ref).filter(is_change).collect()
    }
}

/// Fields of a `HelmRelease` that change its render.
const RENDERED: [&[&str]; 10] = [
    &["spec", "chart", "spec", "chart"],
    &["spec", "chart", "spec", "version"],
    &["spec", "chart", "spec", "sourceRef"],
    &["spec", "chart", "spec", "valuesFile"],
    &["spec", "chart", "spec", "valuesFiles"],
    &["spec", "chartRef"],
    &["spec", "values"],
    &["spec", "valuesFrom"],
    &["spec", "releaseName"],
    &["spec", "targetNamespace"],
];

/// An object as each of its builds applies it; at least one.
pub(super) fn applied(object: NodeRef<'_, '_>, file: Option<&Path>, repository: &Repository<'_>) -> Vec<Applied> {
    let meta = Meta::read(object);
    let mut all: Vec<Applied> = repository.built(file).iter().filter_map(|built| Applied::by(&meta, built)).collect();
    if all.is_empty() {
        all.push(Applied::own(&meta));
    }
    all
}

/// Name and namespace on which all builds agree, else those of the object's file.
pub(super) fn identity(all: &[Applied], object: NodeRef<'_, '_>) -> (String, Option<String>) {
    let of = |one: &Applied| (one.name.clone(), one.namespace.clone());
    let own = || of(&Applied::own(&Meta::read(object)));
    let first = all.first().map_or_else(own, of);
    if all.iter().all(|other| of(other) == first) { first } else { own() }
}

/// Renders a `HelmRelease` as its builds apply it, or as it is in its file where they differ.
pub(super) fn release(
    object: NodeRef<'_, '_>,
    file: Option<&Path>,
    all: &[Applied],
    repository: &Repository<'_>,
) -> Option<(Renderer, Doubts)> {
    let of = |one: &Applied| flux::release(object, (file, one.namespace.as_deref()), &one.name, repository);
    let (first, others) = all.split_first()?;
    let (mut by, mut doubts) = (of(first)?, Doubts::default());
    let is_same = |other: &Applied| {
        let (own, others) = (first.changes(), other.changes());
        let mut pairs = own.iter().zip(&others);
        own.len() == others.len() && pairs.all(|(own, other)| own.is_alike(other)) && of(other).as_ref() == Some(&by)
    };
    let mut remarks = Vec::new();
    if let Some(other) = others.iter().find(|other| !is_same(other)) {
        by = of(&Applied::own(&Meta::read(object)))?;
        let builds = format!("{} and {} build it differently", first.by, other.by);
        remarks.push(format!("{builds}: rendered as it is in its file; `{}` renders one build", first.command));
        doubts.obstacle = Some(format!(
            "{builds}, and the same patches do not fit both. Give each build a patch of its own that is a HelmRelease with `spec.postRenderers`, \
             and write into its file: `hostnet patch --into FILE RENDER`"
        ));
    } else if let Some(patch) = first.changes().first() {
        let stale = format!(
            "a patch in {} changes what it renders: render what {} builds, by `{}`",
            patch.by, first.by, first.command
        );
        remarks.push(stale.clone());
        doubts.stale = Some(stale);
    }
    let renderers = ["spec", "postRenderers"];
    if all.iter().flat_map(|one| &one.patches).any(|patch| patch.changes(&renderers)) {
        remarks.push("post-renderers that a patch adds are not part of the render".to_owned());
    }
    if let Renderer::Helm(release) = &mut by {
        release.remarks.extend(remarks);
    }
    Some((by, doubts))
}

/// Reason why patches in a list of the object's `spec` do not reach the cluster: a patch of a build replaces the list.
pub(super) fn replaced(all: &[Applied], list: &'static str) -> Option<String> {
    let patches = all.iter().flat_map(|one| &one.patches);
    let patch = patches.into_iter().find(|patch| patch.replaces(&["spec", list]))?;
    Some(format!(
        "a patch in {} replaces its spec.{list}, so patches there do not reach the cluster. Take {list} out of that patch, or exclude the object \
         by the `target` of that patch",
        patch.by
    ))
}
