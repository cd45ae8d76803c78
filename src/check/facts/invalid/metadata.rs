//! Labels, annotations and selectors: mappings of texts.
//!
//! Source: Kubernetes v1.36 `staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go`, `ObjectMeta`.

use super::scalar::{mapping_fault, text_fault};
use super::{InvalidFields, TEXT};
use lossless_yaml::{NodeRef, Path};

/// Remedy for a list instead of a mapping.
const MAPPING: &str = "Write a mapping, such as `{app: web}`";

impl InvalidFields {
    /// Checks the labels and annotations of an object or a template.
    pub(super) fn metadata(&mut self, object: NodeRef<'_, '_>, path: &Path) {
        let path = path.key("metadata");
        for key in ["labels", "annotations"] {
            self.texts(object.get("metadata"), &path, key);
        }
    }

    /// Checks a mapping of texts.
    pub(super) fn texts(&mut self, parent: Option<NodeRef<'_, '_>>, path: &Path, key: &'static str) {
        let Some(texts) = parent.and_then(|parent| parent.get(key)) else { return };
        if let Some(reason) = mapping_fault(texts) {
            self.add(path, key, reason, MAPPING);
        }
        let path = path.key(key);
        let faults = texts.entries().filter_map(|(key, value)| Some((key.text()?, text_fault(value)?)));
        for (key, reason) in faults {
            self.push(path.key(key.to_owned()), reason, TEXT);
        }
    }
}
