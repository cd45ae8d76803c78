//! Folders that may hold the manifests that `make material` fetches.

use std::path::{Path, PathBuf};

/// Folders that may hold the material, in the order of search: `HOSTNET_MATERIAL`, or else the cache and a folder next to
/// the checkout.
pub(crate) fn material_folders() -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("HOSTNET_MATERIAL") {
        return vec![folder];
    }
    let cache = set("HOSTNET_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("hostnet")))
        .or_else(|| Some(set("HOME")?.join(".cache/hostnet")));
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    cache.map(|cache| cache.join("material")).into_iter().chain([shared]).collect()
}
