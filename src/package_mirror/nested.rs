//! Packages inside of other objects, which hostnet does not change: templates of kro and of Compositions, rules of
//! Kyverno that generate objects, manifests of provider-kubernetes, and texts of ConfigMaps that Cluster API applies.

use crate::api::PACKAGE_KINDS;
use crate::model::Meta;
use crate::model::facts::package::GROUP;
use lossless_yaml::{NodeRef, Path, Tree};

/// Depth limit of the search.
const MAX_DEPTH: usize = 32;

/// Maximum number of packages of an object.
const MAX_PACKAGES: usize = 1_000;

/// Fields of the object itself, which may hold copies of it.
const SKIPPED: [&str; 2] = ["metadata", "status"];

/// A package inside of another object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NestedPackage {
    /// Path of the package, or of the text that contains it.
    pub(super) path: Path,
    /// Kind of the package.
    kind: String,
    /// `spec.package`
    pub(super) source: String,
}

impl NestedPackage {
    /// `Object web: Provider in spec.forProvider.manifest`
    pub(super) fn label(&self, object: &Meta) -> String {
        format!("{object}: {} in {}", self.kind, self.path)
    }
}

/// Reads the packages inside of an object.
pub(super) fn read(object: NodeRef<'_, '_>) -> Vec<NestedPackage> {
    let mut found = Vec::new();
    if !object.raw().contains(GROUP) {
        return found;
    }
    let fields = object.entries().filter_map(|(key, value)| Some((key.text()?, value)));
    let mut open: Vec<(Path, NodeRef<'_, '_>, usize)> = fields
        .filter(|(key, _)| SKIPPED.iter().all(|skipped| skipped != key))
        .map(|(key, value)| (Path::root().key(key.to_owned()), value, 1))
        .collect();
    open.reverse();
    while let Some((path, node, depth)) = open.pop().filter(|_| found.len() < MAX_PACKAGES) {
        if let Some((kind, source)) = package(node) {
            found.push(NestedPackage { path, kind, source });
            continue;
        }
        if depth > MAX_DEPTH {
            continue;
        }
        if let Some(text) = node.text().filter(|text| text.contains(GROUP)) {
            let packages = of_text(text).into_iter();
            found.extend(packages.map(|(kind, source)| NestedPackage { path: path.clone(), kind, source }));
            continue;
        }
        let entries =
            node.entries().filter_map(|(key, value)| Some((path.key(key.text()?.to_owned()), value, depth + 1)));
        let items = node.items().enumerate().map(|(index, item)| (path.item(index), item, depth + 1));
        let mut below: Vec<_> = entries.chain(items).collect();
        below.reverse();
        open.extend(below);
    }
    found
}

/// Kind and source of a package. A rule of Kyverno has the content of the object under `data`.
fn package(node: NodeRef<'_, '_>) -> Option<(String, String)> {
    let version = node.get("apiVersion")?.text()?;
    let kind = node.get("kind")?.text().filter(|kind| PACKAGE_KINDS.contains(kind))?;
    version.strip_prefix(GROUP)?.strip_prefix('/')?;
    let spec = node.get("spec").or_else(|| node.get("data")?.get("spec"))?;
    Some((kind.to_owned(), spec.get("package")?.non_null_text()?.to_owned()))
}

/// Packages in a text of manifests. A text with actions of a template is read line by line.
fn of_text(text: &str) -> Vec<(String, String)> {
    match Tree::parse(text) {
        Ok(tree) => tree.roots().filter_map(package).collect(),
        Err(_) => text.split("\n---").filter_map(of_lines).collect(),
    }
}

/// API version and kind of a document, read line by line.
fn of_lines(document: &str) -> Option<(String, String)> {
    let value = |key: &str| {
        let mut lines = document.lines().filter_map(|line| line.trim_start().strip_prefix(key)?.strip_prefix(':'));
        lines.next().map(|value| value.trim().trim_matches(['"', '\'']))
    };
    value("apiVersion")?.strip_prefix(GROUP)?.strip_prefix('/')?;
    let (kind, source) = (value("kind").filter(|kind| PACKAGE_KINDS.contains(kind))?, value("package")?);
    Some((kind.to_owned(), source.to_owned()))
}
