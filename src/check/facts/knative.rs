//! Knative's objects, whose pods have a proxy with ports of its own.

use lossless_yaml::{NodeRef, Path};

/// The field with which a Knative Service, Configuration or Revision asks for the host network.
#[derive(Debug, Clone)]
pub struct HostNetworkAsked {
    /// Its path.
    pub path: Path,
}

impl HostNetworkAsked {
    pub(super) fn of(object: NodeRef<'_, '_>) -> Option<Self> {
        let paths = [Path::dotted("spec.template.spec.hostNetwork"), Path::dotted("spec.hostNetwork")];
        let asked = |path: &Path| object.lookup(path).and_then(NodeRef::as_bool) == Some(true);
        paths.into_iter().find(asked).map(|path| Self { path })
    }
}
