//! Patches that a kustomization lists, with their files and positions.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::names::{PATCH_COMMENT_PREFIX, text};
use super::patch::{identity, select};
use crate::api::Select;
use crate::plan::Matcher;
use krm::files::kustomizations_in;
use lossless_yaml::{NodeRef, Tree};

/// Fields with entries of patches.
const ENTRIES: [&str; 2] = ["patches", "patchesJson6902"];

/// Text of a patch, of one or more documents.
#[derive(Debug)]
pub struct ListedPatch {
    /// File with the text: the kustomization for an inline patch.
    pub file: PathBuf,
    /// Line of an inline patch in its kustomization, counted from 1; `None` for a file.
    line: Option<usize>,
    text: String,
    /// Target in the kustomization.
    target: Option<Select>,
}

impl ListedPatch {
    /// Reads the patches of the kustomization in a folder. A file that cannot be read has none: kustomize reports it.
    pub fn read_all(folder: &Path) -> Vec<Self> {
        let read = |file: PathBuf| {
            let written = fs::read_to_string(&file).unwrap_or_default();
            let tree = Tree::parse(&written).ok();
            tree.as_ref().and_then(|tree| Some(patches(&file, folder, tree, tree.root(0)?))).unwrap_or_default()
        };
        kustomizations_in(folder).flat_map(read).collect()
    }

    /// Reads an entry with the text of a patch in an object, at a line of a file; `None` for a path, and for a patch that
    /// `hostnet patch` wrote.
    pub fn inline(file: &Path, line: usize, entry: NodeRef<'_, '_>) -> Option<Self> {
        let text = text(entry, "patch").filter(|text| !text.starts_with(PATCH_COMMENT_PREFIX))?.to_owned();
        let target = target(entry);
        Some(Self { file: file.to_owned(), line: Some(line), text, target })
    }

    /// Parses the text; `None` if it is no YAML, which kustomize reports.
    pub fn tree(&self) -> Option<Tree<'_>> {
        Tree::parse(&self.text).ok()
    }

    /// Line of a node in [`Self::file`]; for an inline patch the line of the patch.
    pub fn line_of(&self, node: NodeRef<'_, '_>) -> usize {
        self.line.unwrap_or_else(|| node.tree().line(node.start()))
    }

    /// Matcher of the objects in any namespace that a document of the patch changes; `None` for an invalid target. A
    /// `target` of the kustomization replaces the name in the document.
    ///
    /// Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/builtins/PatchTransformer.go`
    /// (`transformStrategicMerge`).
    pub fn matcher(&self, document: NodeRef<'_, '_>) -> Option<Matcher> {
        let select = self.target.clone().or_else(|| identity(document))?;
        Matcher::compile(&Select { namespace: None, ..select }).ok()
    }

    /// Name of the object that a document changes; `None` for a pattern, and without a name.
    pub fn object_name(&self, document: NodeRef<'_, '_>) -> Option<String> {
        let Some(target) = &self.target else { return text(document, "metadata.name").map(str::to_owned) };
        target.name.clone().filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
    }
}

/// Prefix and suffix that the kustomization in a folder adds to names; `None` without a kustomization.
pub fn affixes(folder: &Path) -> Option<(String, String)> {
    let written = kustomizations_in(folder).find_map(|file| fs::read_to_string(file).ok())?;
    let tree = Tree::parse(&written).ok()?;
    let field = |key: &str| tree.root(0).and_then(|root| text(root, key)).map(str::to_owned);
    let (prefix, suffix) = (field("namePrefix"), field("nameSuffix"));
    (prefix.is_some() || suffix.is_some()).then(|| (prefix.unwrap_or_default(), suffix.unwrap_or_default()))
}

/// The patches in the entries of a kustomization.
fn patches(file: &Path, folder: &Path, tree: &Tree<'_>, root: NodeRef<'_, '_>) -> Vec<ListedPatch> {
    let items = |field: &str| root.get(field).into_iter().flat_map(NodeRef::items);
    let of_file = |path: &str, target: Option<Select>| {
        let file = join_paths(folder, path);
        let text = fs::read_to_string(&file).ok()?;
        Some(ListedPatch { file, line: None, text, target })
    };
    let inline = |node: NodeRef<'_, '_>, target: Option<Select>| {
        let (line, text) = (Some(tree.line(node.start())), node.text()?.to_owned());
        Some(ListedPatch { file: file.to_owned(), line, text, target })
    };
    let entry = |entry: NodeRef<'_, '_>| {
        let target = target(entry);
        match entry.get("patch").filter(|patch| patch.non_null_text().is_some()) {
            Some(patch) => inline(patch, target),
            None => of_file(text(entry, "path")?, target),
        }
    };
    let strategic = |entry: NodeRef<'_, '_>| of_file(entry.text()?, None).or_else(|| inline(entry, None));
    let listed = ENTRIES.into_iter().flat_map(items).filter_map(entry);
    listed.chain(items("patchesStrategicMerge").filter_map(strategic)).collect()
}

/// Target of an entry, if it has a target.
fn target(entry: NodeRef<'_, '_>) -> Option<Select> {
    entry.get("target").filter(|target| target.is_mapping()).map(select)
}

/// Path of a listed file, without `..` after the name of a folder.
fn join_paths(folder: &Path, listed: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for part in Path::new(listed).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(path.components().next_back(), Some(Component::Normal(_))) => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path
}
