//! File of an object in a kpt package, read from the object's annotations.

use super::functions::KUSTOMIZATIONS;
use lossless_yaml::NodeRef;

/// Annotations for an object's file path and its index in the file, as (path, index); current keys
/// first, then the older ones (functions spec, `internal.config.kubernetes.io`).
pub(super) const PLACES: [(&str, &str); 2] = [
    ("internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"),
    ("config.kubernetes.io/path", "config.kubernetes.io/index"),
];

/// Annotation of objects from kustomize, whose path annotations do not name real files.
const KUSTOMIZE_ID_ANNOTATION: &str = "kustomize.config.k8s.io/id";

/// True for a kustomization of a package. Its file may lack `apiVersion` and `kind`, and kpt still
/// passes it to functions.
pub(super) fn is_kustomization(object: NodeRef<'_, '_>) -> bool {
    path(object).is_some_and(|path| KUSTOMIZATIONS.contains(&path.rsplit('/').next().unwrap_or(path)))
}

/// Returns the path of an object's file; `None` without a path.
pub(super) fn path<'t>(object: NodeRef<'t, '_>) -> Option<&'t str> {
    if annotation(object, KUSTOMIZE_ID_ANNOTATION).is_some() {
        return None;
    }
    PLACES.iter().find_map(|(path, _)| annotation(object, path)).filter(|path| !path.is_empty())
}

/// Returns the value of an annotation.
pub(super) fn annotation<'t>(object: NodeRef<'t, '_>, key: &str) -> Option<&'t str> {
    object.get("metadata")?.get("annotations")?.get(key)?.non_null_text()
}
