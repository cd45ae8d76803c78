//! Fields of Flux's `Kustomization` and Argo CD's `Application` that change the kustomization of a folder.
//!
//! Both write the fields into the folder's kustomization before its build. The script builds a kustomization above the
//! folder instead, which has the same result unless the folder's kustomization sets the same prefix or suffix.
//!
//! Source: fluxcd/pkg@0180cac2f `kustomize/kustomize_generator.go`; argoproj/argo-cd@v3.2.0
//! `util/kustomize/kustomize.go`.

use super::kustomization::KustomizationFile;
use super::names::PATCH_COMMENT_PREFIX;
use lossless_yaml::{NodeRef, Value};

/// Field of the object that renders the folder, and field of the kustomization.
type Field = (&'static str, &'static str);

/// Fields of `spec` of Flux's `Kustomization`.
pub(super) const FLUX: [Field; 5] = [
    ("targetNamespace", "namespace"),
    ("namePrefix", "namePrefix"),
    ("nameSuffix", "nameSuffix"),
    ("patches", "patches"),
    ("images", "images"),
];

/// Fields of `kustomize` in a source of Argo CD's `Application` that have the form of kustomize's fields.
pub(super) const ARGO: [Field; 5] = [
    ("namespace", "namespace"),
    ("namePrefix", "namePrefix"),
    ("nameSuffix", "nameSuffix"),
    ("patches", "patches"),
    ("replicas", "replicas"),
];

/// Reads the fields of a kustomization above the folder, without patches by `hostnet patch`.
pub(super) fn fields(
    from: NodeRef<'_, '_>,
    known: [Field; 5],
    base: Option<&KustomizationFile>,
    remarks: &mut Vec<String>,
) -> Vec<(&'static str, Value)> {
    let mut found = Vec::new();
    for (key, field) in known {
        let Some(node) = from.get(key) else { continue };
        if node.non_null_text().is_some_and(|text| text.contains("${")) {
            remarks.push(format!("its {key} holds a variable, and is not part of the build"));
            continue;
        }
        let is_name = matches!(field, "namePrefix" | "nameSuffix");
        if is_name && base.is_some_and(|base| base.fields.iter().any(|set| set == field)) {
            remarks
                .push(format!("its {key} replaces the same field of the kustomization, and is not part of the build"));
            continue;
        }
        let value = match node.to_value() {
            Some(Value::Seq(items)) => {
                let others = node.items().zip(items).filter(|(item, _)| !is_by_hostnet(*item)).map(|(_, value)| value);
                Some(others.collect::<Vec<_>>()).filter(|others| !others.is_empty()).map(Value::Seq)
            }
            Some(Value::Str(text)) if !text.is_empty() => Some(Value::Str(text)),
            _ => None,
        };
        found.extend(value.map(|value| (field, value)));
    }
    found
}

/// True if `hostnet patch` wrote a patch.
pub(super) fn is_by_hostnet(patch: NodeRef<'_, '_>) -> bool {
    patch.get("patch").and_then(NodeRef::text).is_some_and(|text| text.starts_with(PATCH_COMMENT_PREFIX))
}
