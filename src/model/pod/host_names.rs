//! Fields of a pod spec that set the host name.

use lossless_yaml::{NodeRef, Path};

/// Returns `hostname`, `subdomain` and `setHostnameAsFQDN` of the pod spec at `path` of its object: path and value.
pub(super) fn host_names(spec: NodeRef<'_, '_>, path: &Path) -> Vec<(Path, String)> {
    let names = ["hostname", "subdomain", "setHostnameAsFQDN"].into_iter().filter_map(|key| {
        let value = spec.get(key).filter(|value| value.as_bool() != Some(false))?.non_null_text()?;
        (!value.is_empty()).then(|| (path.key(key), value.to_owned()))
    });
    names.collect()
}
