//! Patches with `NO_PROXY` entries that contain the namespace of the objects, although a later step
//! sets another namespace.

use std::collections::BTreeSet;

use super::Patches;
use crate::api::AnyConfig;
use crate::render::patch::ObjectPatch;

/// An entry of every list that a `ProxyEnvironment` writes. No other text that it writes contains
/// this entry.
const LOCALHOST: &str = "localhost";

/// Refuses patches of a `ProxyEnvironment` with entries that contain the namespace of the objects,
/// such as `.NAMESPACE` for functions, if a step after the patches sets another `namespace`.
/// `set_by` is the file or flag that sets it.
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
    let AnyConfig::Proxy(config) = config else { return Ok(()) };
    let spec = &config.proxy.spec;
    let of_targets = spec.targets.iter().flat_map(|target| &target.no_proxy);
    let own: BTreeSet<&str> = spec.no_proxy.iter().chain(of_targets).map(|entry| entry.trim()).collect();
    for patch in &patches.patches {
        let Some(old) = patch.object.namespace.as_deref().filter(|old| *old != namespace) else { continue };
        if let Some((entry, other)) = find_entry_with_namespace(patch, old, namespace, &own) {
            return Err(format!(
                "{set_by} sets the namespace {namespace} after the patches, and NO_PROXY of {} would have `{entry}` in place of `{other}`. \
                 Make the patches from the build with that namespace, with --carrier; or add `{other}` to `noProxy` of the config",
                patch.object
            ));
        }
    }
    Ok(())
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
