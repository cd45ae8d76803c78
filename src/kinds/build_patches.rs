//! Patches, images and names in Flux's Kustomizations and Argo CD's Applications and `ApplicationSet`s, which change
//! the builds of files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::model::Meta;
use crate::releases::{
    Build, ListedPatch, RENDERED_FILE_HEADER, Rendered, Repository, application_sources, rendered, root_of,
    template_folders,
};
use krm::{Input, ObjectPlace};
use lossless_yaml::{NodeRef, Value};
use oci::name::ImageRef;

/// API groups of objects with patches of builds, and of the sources to which these objects refer.
const GROUPS: [&str; 3] = ["kustomize.toolkit.fluxcd.io", "argoproj.io", "source.toolkit.fluxcd.io"];

/// Key of patches.
const PATCHES: &str = "patches";

/// Key of images with other names, tags or digests.
const IMAGES: &str = "images";

/// Keys of names, in a Kustomization of Flux and in `kustomize` of Argo CD's sources.
const NAMES: [&str; 4] = ["targetNamespace", "namespace", "namePrefix", "nameSuffix"];

/// An object that patches the build of files, or changes names there.
#[derive(Debug)]
pub struct PatchingBuild {
    /// File of the object.
    pub file: PathBuf,
    /// The patches.
    pub patches: Vec<ListedPatch>,
    /// Names of the images that it changes.
    pub images: Vec<String>,
    /// Fields of the object that change names.
    pub names: Vec<&'static str>,
    /// The namespace that the object sets; `None` if it sets no namespace, several, or a variable.
    namespace: Option<String>,
    /// The object, for messages.
    pub object: String,
    /// True if `hostnet patch --into` can write patches into the object.
    pub takes_patches: bool,
    /// Folders of the build.
    folders: BTreeSet<PathBuf>,
    /// Resolved files of the build, and folders of which it has all files.
    read: BTreeSet<PathBuf>,
}

impl PatchingBuild {
    /// The names of images that the build changes and an input of the build has.
    pub fn images_in<'b>(&'b self, inputs: &'b [Input]) -> impl Iterator<Item = &'b String> {
        let read: Vec<&Input> = inputs.iter().filter(|input| self.reads_input(input)).collect();
        self.images.iter().filter(move |name| read.iter().any(|input| input.text().contains(name.as_str())))
    }

    /// True if the build includes the file of an input, or if the input is the output of a folder that the build changes.
    pub fn reads_input(&self, input: &Input) -> bool {
        match (input.origin().path(), input.origin().build_folder()) {
            (Some(file), None) => self.reads(file),
            (_, Some(folder)) => folder.canonicalize().is_ok_and(|folder| self.folders.contains(&folder)),
            (None, None) => false,
        }
    }

    /// The namespace of all objects of the build, if the build changes no other names.
    pub fn only_namespace(&self) -> Option<&str> {
        let is_namespace = |name: &&str| name.to_lowercase().ends_with("namespace");
        self.namespace.as_deref().filter(|_| self.names.iter().all(is_namespace))
    }

    /// True if the build has a file.
    pub fn reads(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|file| file.ancestors().any(|path| self.read.contains(path)))
    }
}

/// True for a text that may contain an object with patches of a build, or the source of a build.
pub fn may_patch_builds(text: &str) -> bool {
    !text.starts_with(RENDERED_FILE_HEADER) && GROUPS.iter().any(|group| text.contains(group))
}

/// Finds the objects of files that patch builds.
pub fn patching_builds(inputs: &[Input]) -> Vec<PatchingBuild> {
    let may_patch = |input: &&Input| {
        let mut keys = [PATCHES, IMAGES].into_iter().chain(NAMES);
        keys.any(|key| input.text().contains(key)) && may_patch_builds(input.text())
    };
    let files: Vec<(&Input, &Path)> =
        inputs.iter().filter(may_patch).filter_map(|input| Some((input, input.origin().path()?))).collect();
    let Some((_, first)) = files.first() else { return Vec::new() };
    let repository = Repository::collect_without_values(inputs, Some(root_of(first)));
    let mut found = Vec::new();
    for (input, file) in files {
        // Invalid inputs are reported by the code that reads them completely.
        let read = input.objects(|place, object| patching_build(object, (file, &place), &repository));
        found.extend(read.unwrap_or_default().into_iter().flatten());
    }
    found
}

/// Reads an object that builds a kustomization and patches the build.
fn patching_build(
    object: NodeRef<'_, '_>,
    (file, place): (&Path, &ObjectPlace<'_>),
    repository: &Repository<'_>,
) -> Option<PatchingBuild> {
    let spec = object.get("spec")?;
    // The Applications of an ApplicationSet.
    let template = spec.get("template").and_then(|template| template.get("spec"));
    let sources = [Some(spec), template].into_iter().flatten().flat_map(application_sources);
    let holders: Vec<NodeRef<'_, '_>> =
        std::iter::once(spec).chain(sources.filter_map(|source| source.get("kustomize"))).collect();
    let images = holders.iter().filter_map(|holder| holder.get(IMAGES)).flat_map(NodeRef::items);
    let images: Vec<String> = images.filter_map(image_name).collect();
    let entries = holders.iter().filter_map(|holder| holder.get(PATCHES)).flat_map(NodeRef::items);
    let patches: Vec<ListedPatch> =
        entries.filter_map(|entry| ListedPatch::inline(file, place.line_of(entry), entry)).collect();
    let is_set = |key: &&str| holders.iter().any(|holder| holder.get(key).and_then(NodeRef::non_empty_text).is_some());
    let names: Vec<&str> = NAMES.into_iter().filter(is_set).collect();
    if patches.is_empty() && images.is_empty() && names.is_empty() {
        return None;
    }
    let all = rendered(object, Some(file), place.document.saturating_sub(1), repository);
    let fields = all.iter().filter_map(Rendered::build).flat_map(|build| &build.fields);
    let mut namespaces = fields.filter(|(field, _)| *field == "namespace").map(|(_, value)| value);
    let namespace = match (namespaces.next(), namespaces.next()) {
        (Some(Value::Str(only)), None) => Some(only.clone()),
        _ => None,
    };
    let folders = all.iter().filter_map(Rendered::build).flat_map(Build::folders).cloned();
    let folders: Vec<PathBuf> = folders.chain(template_folders(object, repository)).collect();
    let takes_patches = all.iter().any(Rendered::holds_patches);
    let of_folder = |folder: &PathBuf| {
        let listed = repository.listed_files(folder);
        if listed.is_empty() { folder.canonicalize().into_iter().collect() } else { listed }
    };
    let read = folders.iter().flat_map(of_folder).collect();
    let folders = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let object = Meta::read(object).to_string();
    Some(PatchingBuild {
        file: file.to_owned(),
        patches,
        images,
        names,
        namespace,
        object,
        takes_patches,
        folders,
        read,
    })
}

/// The name of the image that an entry changes: a mapping for Flux, `NAME=NEW:TAG` or `NAME:TAG` for Argo CD.
fn image_name(entry: NodeRef<'_, '_>) -> Option<String> {
    if let Some(name) = entry.get("name") {
        return name.non_null_text().map(str::to_owned);
    }
    let text = entry.non_null_text()?;
    let name = text.split_once('=').map_or_else(|| ImageRef::split(text).name, |(old, _)| old);
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

/// True if an input is a render that `hostnet charts` wrote.
fn has_render(inputs: &[Input]) -> bool {
    inputs.iter().any(|input| input.text().starts_with(RENDERED_FILE_HEADER))
}

/// Builds of Flux and Argo CD that change names or namespaces of objects; empty if an input is a render that `hostnet
/// charts` wrote.
pub fn renaming_builds(inputs: &[Input]) -> Vec<PatchingBuild> {
    if has_render(inputs) {
        return Vec::new();
    }
    patching_builds(inputs).into_iter().filter(|build| !build.names.is_empty()).collect()
}

/// Messages about images of the inputs that the builds of Flux and Argo CD change. Renders of these builds, which
/// `hostnet charts` writes, already have the new images.
pub fn unknown_images_of_builds(inputs: &[Input]) -> Vec<String> {
    if has_render(inputs) {
        return Vec::new();
    }
    let changing = patching_builds(inputs).into_iter().filter(|build| build.images_in(inputs).next().is_some());
    changing.map(|build| format!("{}: the images that its `images` set", build.object)).collect()
}
