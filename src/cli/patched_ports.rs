//! Names of container ports in patches that a kustomization lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use lossless_yaml::{NodeRef, Tree};

/// Key of a container port.
const PORT: &str = "containerPort";

/// Maximum depth of texts in texts: an inline patch of a kustomization.
const DEEPEST: usize = 2;

/// Names of container ports in patches: files, and texts in kustomizations. A file that cannot be read has none.
pub(super) fn port_names(files: impl Iterator<Item = PathBuf>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in files.filter_map(|file| fs::read_to_string(file).ok()) {
        names(&text, DEEPEST, &mut found);
    }
    found
}

fn names(text: &str, depth: usize, found: &mut BTreeSet<String>) {
    let Some(depth) = depth.checked_sub(1).filter(|_| text.contains(PORT)) else { return };
    let Ok(tree) = Tree::parse(text) else { return };
    let mut open: Vec<NodeRef<'_, '_>> = tree.roots().collect();
    while let Some(node) = open.pop() {
        open.extend(node.children());
        if node.get(PORT).is_some() {
            found.extend(node.get("name").and_then(NodeRef::non_null_text).map(str::to_owned));
        }
        if let Some(text) = node.text() {
            names(text, depth, found);
        }
    }
}
