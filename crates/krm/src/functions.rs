//! Function configs that a kustomization lists, in order.

use std::fs;
use std::path::{Path, PathBuf};

use lossless_yaml::{NodeRef, Tree};

/// File names of a kustomization.
pub const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The kustomization files in a folder. kustomize refuses more than one.
pub fn kustomizations_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    KUSTOMIZATIONS.iter().map(|name| folder.join(name)).filter(|file| file.is_file())
}

/// Maximum number of list entries that are read.
const MAX_ITEMS: usize = 100;

/// Maximum size in bytes of a config file.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// A function config that a kustomization lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedConfig {
    /// `apiVersion`
    pub api_version: String,
    /// `kind`
    pub kind: String,
    /// `metadata.name`
    pub name: String,
}

impl ListedConfig {
    /// Reads the identity of a config.
    pub fn read(node: NodeRef<'_, '_>) -> Self {
        let text = |key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
        let name = node.lookup(&lossless_yaml::Path::dotted("metadata.name")).and_then(NodeRef::text);
        Self { api_version: text("apiVersion"), kind: text("kind"), name: name.unwrap_or_default().to_owned() }
    }

    /// Reads the identities of the documents of a text; documents that cannot be parsed are skipped.
    pub fn all_of(text: &str) -> Vec<Self> {
        let tree = Tree::parse(text).ok();
        tree.iter().flat_map(Tree::roots).filter(|root| root.is_mapping()).map(Self::read).collect()
    }
}

/// Reads the configs that a folder's kustomization lists under a field such as `transformers`: as
/// files, as folders or inline. Empty without a kustomization; unreadable entries are skipped.
pub fn listed(folder: &Path, field: &str) -> Vec<ListedConfig> {
    let mut configs = Vec::new();
    for entry in entries(folder, field) {
        let path = folder.join(&entry);
        if entry.contains('\n') {
            configs.extend(ListedConfig::all_of(&entry));
        } else if path.is_dir() {
            let files = entries(&path, "resources");
            configs.extend(files.iter().flat_map(|file| read_file(&path.join(file))));
        } else {
            configs.extend(read_file(&path));
        }
    }
    configs
}

/// Returns the string entries of a list in a folder's kustomization.
fn entries(folder: &Path, field: &str) -> Vec<String> {
    let text = kustomizations_in(folder).find_map(|file| read(&file)).unwrap_or_default();
    let Ok(tree) = Tree::parse(&text) else { return Vec::new() };
    let list = tree.root(0).and_then(|root| root.get(field)).into_iter().flat_map(NodeRef::items);
    list.filter_map(NodeRef::text).take(MAX_ITEMS).map(str::to_owned).collect()
}

fn read_file(path: &Path) -> Vec<ListedConfig> {
    read(path).map(|text| ListedConfig::all_of(&text)).unwrap_or_default()
}

fn read(path: &Path) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= MAX_CONFIG_BYTES);
    is_small.then(|| fs::read_to_string(path).ok()).flatten()
}
