//! The file of an object in a kpt package, as annotations of the object.

use super::functions::KUSTOMIZATIONS;
use lossless_yaml::NodeRef;

/// The annotations with an object's file and its position there, each pair with its older twin (functions spec, `internal.config.kubernetes.io`).
pub(super) const PLACES: [(&str, &str); 2] = [
    ("internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"),
    ("config.kubernetes.io/path", "config.kubernetes.io/index"),
];

/// kustomize makes up paths, which are no files.
const OF_KUSTOMIZE: &str = "kustomize.config.k8s.io/id";

/// True for a kustomization of a package: its file may lack `apiVersion` and `kind`, and kpt sends it all the same.
pub(super) fn is_kustomization(object: NodeRef<'_, '_>) -> bool {
    path(object).is_some_and(|path| KUSTOMIZATIONS.contains(&path.rsplit('/').next().unwrap_or(path)))
}

/// The path of an object's file; `None` without one.
pub(super) fn path<'t>(object: NodeRef<'t, '_>) -> Option<&'t str> {
    if annotation(object, OF_KUSTOMIZE).is_some() {
        return None;
    }
    PLACES.iter().find_map(|(path, _)| annotation(object, path)).filter(|path| !path.is_empty())
}

/// The value of an annotation.
pub(super) fn annotation<'t>(object: NodeRef<'t, '_>, key: &str) -> Option<&'t str> {
    object.get("metadata")?.get("annotations")?.get(key)?.non_null_text()
}
