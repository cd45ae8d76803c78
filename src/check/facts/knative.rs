//! Knative objects that enable the host network. Knative adds a proxy with fixed ports to their pods.

use lossless_yaml::{NodeRef, Path};

/// `hostNetwork: true` of a Knative Service, Configuration or Revision.
#[derive(Debug, Clone)]
pub struct KnativeHostNetwork {
    /// Path of the field.
    pub path: Path,
}

impl KnativeHostNetwork {
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let paths = [Path::dotted("spec.template.spec.hostNetwork"), Path::dotted("spec.hostNetwork")];
        let is_true = |path: &Path| object.lookup(path).and_then(NodeRef::as_bool) == Some(true);
        paths.into_iter().find(is_true).map(|path| Self { path })
    }
}
