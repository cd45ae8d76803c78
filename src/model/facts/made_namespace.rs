//! Namespaces that the object of another program creates, with the labels that it gives them.
//!
//! Source: argoproj/argo-cd@v3.2.0 `controller/sync_namespace.go` (labels only with `CreateNamespace=true`, and none of an
//! existing Namespace is removed), fluxcd/helm-controller@v1.4.0 `api/v2/helmrelease_types.go` (`createNamespace`),
//! k3s-io/helm-controller@32c2e08fa `pkg/apis/helm.cattle.io/v1/types.go` (`createNamespace`).

use crate::model::meta::Meta;
use crate::model::text::{Labels, holds_placeholder};
use lossless_yaml::{NodeRef, Path};

/// A Namespace that is created for an object unless the cluster has it.
#[derive(Debug, Clone)]
pub struct CreatedNamespace {
    /// Name and labels of the Namespace.
    pub meta: Meta,
    /// Path of the labels in the object; `None` if the object sets none.
    pub labels: Option<Path>,
}

impl CreatedNamespace {
    /// The Namespace of an `Application`, `ApplicationSet`, `HelmRelease` or `HelmChart` of k3s; `None` for other kinds and
    /// for objects that create no Namespace.
    pub(in crate::model) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Self> {
        match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
            ("argoproj.io", "Application") => Self::from_application(node, &Path::dotted("spec")),
            ("argoproj.io", "ApplicationSet") => Self::from_application(node, &Path::dotted("spec.template.spec")),
            ("helm.toolkit.fluxcd.io", "HelmRelease") => Self::from_release(node, "spec.install.createNamespace"),
            ("helm.cattle.io", "HelmChart") => Self::from_release(node, "spec.createNamespace"),
            _ => None,
        }
    }

    /// Reads the Namespace that Argo CD creates for an Application with `CreateNamespace=true`.
    fn from_application(node: NodeRef<'_, '_>, spec: &Path) -> Option<Self> {
        let policy = spec.key("syncPolicy");
        let options = node.lookup(&policy.key("syncOptions")).into_iter().flat_map(NodeRef::items);
        options.filter_map(NodeRef::text).find(|option| *option == "CreateNamespace=true")?;
        let name = node.lookup(&spec.key("destination").key("namespace"))?.non_null_text()?;
        let path = policy.key("managedNamespaceMetadata").key("labels");
        let labels = node.lookup(&path).map(Labels::read);
        Self::named(name, labels.unwrap_or_default(), Some(path))
    }

    /// Reads the Namespace that Flux creates for a release; `field` is the path of the option.
    fn from_release(node: NodeRef<'_, '_>, field: &str) -> Option<Self> {
        node.lookup(&Path::dotted(field))?.as_bool().filter(|creates| *creates)?;
        let name = node.lookup(&Path::dotted("spec.targetNamespace"))?.non_null_text()?;
        Self::named(name, Labels::default(), None)
    }

    /// Creates the Namespace; `None` for an empty name or a placeholder.
    fn named(name: &str, labels: Labels, path: Option<Path>) -> Option<Self> {
        let is_known = !name.is_empty() && !holds_placeholder(name);
        is_known.then(|| Self { meta: Meta::for_namespace(name, labels), labels: path })
    }
}
