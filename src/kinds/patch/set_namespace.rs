//! Patches with `NO_PROXY` entries that contain the namespace of the objects, although a later step
//! sets another namespace.

use std::collections::BTreeSet;

use super::Patches;
use crate::api::AnyConfig;
use crate::render::patch::ObjectPatch;

/// An entry of every list that a `ProxyEnvironment` writes. No other text that it writes contains
/// this entry.
const LOCALHOST: &str = "localhost";

/// Entry of `NO_PROXY` with the namespace of an object to which a later step gives another namespace.
#[derive(Debug)]
pub struct FormerNamespaceEntry {
    /// The object, for messages.
    object: String,
    /// The entry with the namespace of the object.
    pub entry: String,
    /// The entry with the later namespace.
    pub other: String,
}

/// Finds an entry of a `ProxyEnvironment` with the namespace of its object, such as `.NAMESPACE` for functions, in
/// lists that lack the entry with the later `namespace`; `None` for other configs.
pub fn former_namespace_entry(config: &AnyConfig, patches: &Patches, namespace: &str) -> Option<FormerNamespaceEntry> {
    let AnyConfig::Proxy(config) = config else { return None };
    let spec = &config.proxy.spec;
    let of_targets = spec.targets.iter().flat_map(|target| &target.no_proxy);
    let own: BTreeSet<&str> = spec.no_proxy.iter().chain(of_targets).map(|entry| entry.trim()).collect();
    patches.patches.iter().find_map(|patch| {
        let old = patch.object.namespace.as_deref().filter(|old| *old != namespace)?;
        let (entry, other) = find_entry_with_namespace(patch, old, namespace, &own)?;
        Some(FormerNamespaceEntry { object: patch.object.to_string(), entry, other })
    })
}

impl FormerNamespaceEntry {
    /// The sentence about the entry, without a remedy. `set_by` sets the namespace after `step`.
    pub fn message(&self, set_by: &str, namespace: &str, step: &str) -> String {
        let Self { object, entry, other } = self;
        format!(
            "{set_by} sets the namespace {namespace} after {step}, so NO_PROXY of {object} would contain `{entry}`, but the object needs \
             `{other}`"
        )
    }
}

/// Refuses patches of a `ProxyEnvironment` with entries that contain the namespace of the objects, if a step after the
/// patches sets another `namespace`. `set_by` is the file or flag that sets it.
///
/// # Errors
///
/// A sentence with a remedy.
pub fn refuse_set_namespace(
    config: &AnyConfig,
    patches: &Patches,
    namespace: &str,
    set_by: &str,
) -> Result<(), String> {
    let Some(found) = former_namespace_entry(config, patches, namespace) else { return Ok(()) };
    Err(format!(
        "{}. Make the patches from the build with that namespace, with --carrier; or add `{}` to `noProxy` of the config",
        found.message(set_by, namespace, "the patches"),
        found.other
    ))
}

/// Finds an entry that a patch adds to a list and that ends with the namespace `old`, if the list
/// lacks the same entry with the namespace `new`. Returns both entries. `own` are entries of the
/// config.
fn find_entry_with_namespace(
    patch: &ObjectPatch,
    old: &str,
    new: &str,
    own: &BTreeSet<&str>,
) -> Option<(String, String)> {
    let entries = |text| str::split(text, ',').map(str::trim);
    let known: BTreeSet<&str> = patch.tested_texts().into_iter().flat_map(entries).chain(own.iter().copied()).collect();
    for text in patch.written_texts() {
        let list: BTreeSet<&str> = entries(text).collect();
        if !list.contains(LOCALHOST) {
            continue;
        }
        for entry in list.iter().filter(|entry| !known.contains(*entry)) {
            let Some(before) = entry.strip_suffix(old).filter(|before| before.ends_with('.')) else { continue };
            let other = format!("{before}{new}");
            if !list.contains(other.as_str()) {
                return Some(((*entry).to_owned(), other));
            }
        }
    }
    None
}
