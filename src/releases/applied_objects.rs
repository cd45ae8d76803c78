//! Objects as their builds apply them: name, namespace, and patches of the kustomizations that contain them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::builds::Built;
use super::flux;
use super::names::{PATCH_COMMENT_PREFIX, group_and_kind, text};
use super::patch::Patch;
use super::release::{Doubts, Renderer};
use super::repository::Repository;
use super::variables::{Variables, is_filled};
use crate::model::Meta;
use crate::model::text::is_placeholder;
use lossless_yaml::{NodeRef, Tree, Value, document};

/// The applied form of an object in one build.
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
    /// Folders of the build's kustomizations that contain the object, from the innermost one on.
    folders: Vec<PathBuf>,
    /// Display name of the change that gives the object an unknown name or namespace.
    unknown_names: Option<String>,
    /// Variables that the build fills in; `None` for a build that fills in none.
    variables: Option<Variables>,
}

impl Applied {
    /// The object as written in its file.
    fn as_written(meta: &Meta) -> Self {
        let (name, namespace) = (meta.name.clone(), meta.namespace.clone());
        let (by, command, folders) = (String::new(), String::new(), Vec::new());
        Self { name, namespace, patches: Vec::new(), by, command, folders, unknown_names: None, variables: None }
    }

    /// Applies the changes of a build to an object; `None` if the build removes it.
    fn apply_build(meta: &Meta, built: &Built, variables: Option<Variables>) -> Option<Self> {
        let (Meta { name, namespace, .. }, patches) = changes_of_build(meta, built);
        let is_removed = patches.iter().any(|patch| patch.is_removal());
        let (by, command, folders) = (built.by.clone(), built.command.clone(), built.folders.clone());
        let unknown_names = built.unknown_names.clone();
        (!is_removed).then_some(Self { name, namespace, patches, by, command, folders, unknown_names, variables })
    }

    /// Reads the object with the variables of its build filled in; `None` without variables.
    fn filled<T>(&self, object: NodeRef<'_, '_>, read: impl FnOnce(NodeRef<'_, '_>) -> Option<T>) -> Option<T> {
        let text = self.variables.as_ref()?.fill(&document(&object.to_value()?));
        let tree = Tree::parse(&text).ok()?;
        read(tree.root(0)?)
    }

    /// Patches that change one of these fields, except for texts that are read from the patches.
    fn changes(&self, fields: &[&[&str]], read: Option<&[&str]>) -> Vec<&Patch> {
        let is_read = |patch: &Patch, field: &[&str]| read == Some(field) && patch.text(field).is_some();
        let is_change = |patch: &&Patch| fields.iter().any(|field| patch.changes(field) && !is_read(patch, field));
        self.patches.iter().map(AsRef::as_ref).filter(is_change).collect()
    }

    /// Text that the patches give to a field.
    fn text(&self, field: &[&str]) -> Option<&str> {
        self.patches.iter().rev().find_map(|patch| patch.text(field))
    }
}

/// Identity of an object in the output of a build, and the patches of the build that change the object.
fn changes_of_build(meta: &Meta, built: &Built) -> (Meta, Vec<Arc<Patch>>) {
    let name = format!("{}{}{}", built.prefix, meta.name, built.suffix);
    let namespace = built.namespace.clone().or_else(|| meta.namespace.clone());
    let last = Meta { name, namespace, ..meta.clone() };
    let identities = [meta.clone(), last.clone()];
    let patches = built.patches.iter().filter(|patch| patch.matches(&identities)).cloned().collect();
    (last, patches)
}

/// Reason not to render an object that each of its builds deletes.
pub(super) fn deleted(object: NodeRef<'_, '_>, file: Option<&Path>, repository: &Repository<'_>) -> Option<Renderer> {
    let built = repository.built(file);
    let meta = Meta::read(object);
    let removal = |built: &Built| changes_of_build(&meta, built).1.into_iter().find(|patch| patch.is_removal());
    let removals: Vec<Arc<Patch>> = built.iter().map(removal).collect::<Option<_>>()?;
    let first = removals.first()?;
    Some(Renderer::Nothing(format!("each build of it deletes it, such as by a patch in {}", first.by)))
}

/// Fields of a kind of object that others render.
struct Fields {
    kind: &'static str,
    /// The list that carries patches; empty for a kind without such a list.
    patches: &'static [&'static str],
    /// Fields that change the render.
    rendered: &'static [&'static [&'static str]],
    /// The rendered field whose text is also read from patches.
    read: Option<&'static [&'static str]>,
}

const FIELDS: [Fields; 5] = [
    Fields {
        kind: "HelmRelease",
        patches: &["spec", "postRenderers"],
        rendered: &[
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
        ],
        read: None,
    },
    Fields {
        kind: "Kustomization",
        patches: &["spec", "patches"],
        rendered: &[
            &["spec", "path"],
            &["spec", "sourceRef"],
            &["spec", "targetNamespace"],
            &["spec", "namePrefix"],
            &["spec", "nameSuffix"],
            &["spec", "components"],
        ],
        read: Some(TARGET_NAMESPACE),
    },
    Fields {
        kind: "Application",
        patches: &["spec", "source", "kustomize", "patches"],
        rendered: &[
            &["spec", "source", "repoURL"],
            &["spec", "source", "path"],
            &["spec", "source", "chart"],
            &["spec", "source", "helm"],
            &["spec", "source", "plugin"],
            &["spec", "source", "directory"],
            &["spec", "source", "kustomize", "namespace"],
            &["spec", "source", "kustomize", "namePrefix"],
            &["spec", "source", "kustomize", "nameSuffix"],
            &["spec", "sources"],
            &["spec", "destination", "namespace"],
        ],
        read: None,
    },
    Fields { kind: "HelmChart", patches: &[], rendered: &[&["spec"]], read: None },
    Fields { kind: "Release", patches: &[], rendered: &[&["spec", "forProvider"]], read: None },
];

/// Namespace that a Kustomization of Flux gives to the objects of its build.
const TARGET_NAMESPACE: &[&str] = &["spec", "targetNamespace"];

/// Field that changes the render of an Application with a chart; with a folder, this field is a branch or tag of the
/// repository.
const REVISION: &[&str] = &["spec", "source", "targetRevision"];

/// The applied forms of an object, one for each build; at least one.
pub(super) fn applied(object: NodeRef<'_, '_>, file: Option<&Path>, repository: &Repository<'_>) -> Vec<Applied> {
    let meta = Meta::read(object);
    let has_variables = is_placeholder(object.raw()) && is_filled(object);
    let variables = |built: &Built| {
        let (post_build, namespace, file) = built.variables.as_ref().filter(|_| has_variables)?;
        Some(repository.variables(post_build, namespace.as_deref(), file.as_deref()))
    };
    let built = repository.built(file);
    let mut all: Vec<Applied> =
        built.iter().filter_map(|built| Applied::apply_build(&meta, built, variables(built))).collect();
    if all.is_empty() {
        all.push(Applied::as_written(&meta));
    }
    all
}

/// Name and namespace on which all builds agree, else name and namespace in the object's file.
pub(super) fn identity(all: &[Applied], object: NodeRef<'_, '_>) -> (String, Option<String>) {
    let identity = |one: &Applied| (one.name.clone(), one.namespace.clone());
    let own = || identity(&Applied::as_written(&Meta::read(object)));
    let first = all.first().map_or_else(own, identity);
    if all.iter().all(|other| identity(other) == first) { first } else { own() }
}

/// Namespace that patches of the builds give to the objects of a Kustomization of Flux; `None` if the builds differ.
pub(super) fn target_namespace(all: &[Applied]) -> Option<&str> {
    let mut given = all.iter().map(|one| one.text(TARGET_NAMESPACE));
    let first = given.next()??;
    given.all(|other| other == Some(first)).then_some(first)
}

/// Renders a `HelmRelease` as its builds apply it, or as written in its file if the builds differ.
pub(super) fn release(
    object: NodeRef<'_, '_>,
    file: Option<&Path>,
    all: &[Applied],
    repository: &Repository<'_>,
) -> Option<(Renderer, Doubts)> {
    let read = |object: NodeRef<'_, '_>, one: &Applied| {
        let namespace = one.namespace.as_deref();
        flux::release(object, (file, namespace, &one.folders), &one.name, repository)
    };
    let first = all.first()?;
    let mut by = read(object, first)?;
    let (doubts, mut remarks) = doubts(object, all, |other| read(object, other).as_ref() == Some(&by));
    if doubts.obstacle.is_some() {
        let (name, namespace) = identity(all, object);
        by = read(object, &Applied { name, namespace, ..Applied::as_written(&Meta::read(object)) })?;
    } else {
        // Builds with other values of the variables can share patches, but not a render.
        let filled = |one: &Applied| one.filled(object, |object| read(object, one));
        let of_first = filled(first);
        if all.iter().all(|other| filled(other) == of_first) {
            by = of_first.unwrap_or(by);
        }
    }
    let is_other = |renderer: &&Value| {
        let patches = renderer.get("kustomize").and_then(|kustomize| kustomize.get("patches"));
        let is_by_hostnet = |patch: &Value| matches!(patch.get("patch"), Some(Value::Str(text)) if text.starts_with(PATCH_COMMENT_PREFIX));
        !matches!(patches, Some(Value::Seq(patches)) if patches.iter().all(is_by_hostnet))
    };
    let renderers =
        all.iter().flat_map(|one| &one.patches).flat_map(|patch| patch.elements(&["spec", "postRenderers"]));
    if renderers.into_iter().any(|renderer| is_other(&renderer)) {
        remarks.push("post-renderers that a patch adds are not part of the render".to_owned());
    }
    add_remarks(&mut by, remarks);
    Some((by, doubts.with_replaced_patches_reason(object, all)))
}

/// Adds remarks to the render of another kind of object.
pub(super) fn doubts_with_remarks(object: NodeRef<'_, '_>, all: &[Applied], by: &mut [Renderer]) -> Doubts {
    let (doubts, remarks) = doubts(object, all, |_| true);
    for by in by {
        add_remarks(by, remarks.clone());
    }
    doubts.with_replaced_patches_reason(object, all)
}

/// Adds remarks to the renderer, for the script.
fn add_remarks(by: &mut Renderer, remarks: Vec<String>) {
    match by {
        Renderer::Helm(release) => release.remarks.extend(remarks),
        Renderer::Kustomize(build) => build.remarks.extend(remarks),
        Renderer::Program { .. }
        | Renderer::Operator { .. }
        | Renderer::Directory { .. }
        | Renderer::Foreign(_)
        | Renderer::Nothing(_) => {}
    }
}

/// Row with the fields of the object's kind.
fn fields(object: NodeRef<'_, '_>) -> Option<&'static Fields> {
    let (_, kind) = group_and_kind(object)?;
    FIELDS.iter().find(|fields| fields.kind == kind)
}

/// Doubts about an object, and remarks about its render. `is_same` compares the render of a build with the first
/// render.
fn doubts(object: NodeRef<'_, '_>, all: &[Applied], is_same: impl Fn(&Applied) -> bool) -> (Doubts, Vec<String>) {
    let (mut doubts, mut remarks) = (Doubts::default(), Vec::new());
    let (Some(fields), Some((first, others))) = (fields(object), all.split_first()) else { return (doubts, remarks) };
    let revision = text(object, "spec.source.chart").map(|_| REVISION);
    let rendered: Vec<&[&str]> = fields.rendered.iter().copied().chain(revision).collect();
    let own = first.changes(&rendered, fields.read);
    let has_same = |other: &&Applied| {
        let others = other.changes(&rendered, fields.read);
        let mut pairs = own.iter().zip(&others);
        let read = |one: &Applied| fields.read.and_then(|field| one.text(field).map(str::to_owned));
        own.len() == others.len()
            && pairs.all(|(own, other)| own.is_alike(other))
            && read(first) == read(other)
            && is_same(other)
    };
    let by = own.first().map(|patch| &patch.by).or(first.unknown_names.as_ref());
    if let Some(other) = others.iter().find(|other| !has_same(other)) {
        let builds = format!("{} and {} build the object differently", first.by, other.by);
        remarks.push(format!("{builds}: rendered as it is in its file; `{}` renders one build", first.command));
        doubts.obstacle = Some(format!(
            "{builds}, so the same patches cannot fit both. Add a separate patch to each build: a {} with `{}`, and write the patches into its \
             file: `hostnet patch --into FILE RENDER`",
            fields.kind,
            fields.patches.join(".")
        ));
    } else if let Some(by) = by {
        let stale =
            format!("a patch in {by} changes what it renders: render what {} builds, by `{}`", first.by, first.command);
        remarks.push(stale.clone());
        doubts.stale = Some(stale);
    }
    (doubts, remarks)
}

impl Doubts {
    /// Adds the reason why patches in the object have no effect in the cluster: a patch of a build
    /// replaces the list that contains them.
    fn with_replaced_patches_reason(mut self, object: NodeRef<'_, '_>, all: &[Applied]) -> Self {
        let list = fields(object).map(|fields| fields.patches).unwrap_or_default();
        let mut patches = all.iter().flat_map(|one| &one.patches).filter(|_| !list.is_empty());
        if let Some(patch) = patches.find(|patch| patch.replaces(list)) {
            let (by, list) = (&patch.by, list.join("."));
            self.obstacle.get_or_insert_with(|| {
                format!(
                    "a patch in {by} replaces its {list}, so patches there do not reach the cluster. Remove {list} \
                     from that patch, or exclude the object by the `target` of that patch"
                )
            });
        }
        self
    }
}
