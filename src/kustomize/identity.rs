//! Present and former names of an object.

use crate::model::Meta;

/// Prefix of all annotations that exist only inside a build.
const PREFIX: &str = "internal.config.kubernetes.io/";

/// kustomize's word for the namespace of a cluster-scoped object (kyaml `resid.TotallyNotANamespace`).
const CLUSTER: &str = "_non_namespaceable_";

/// kustomize's word for the namespace of an object without one.
const DEFAULT: &str = "default";

/// Kinds of Kubernetes itself that are cluster-scoped. kustomize takes every custom resource for a namespaced one.
const CLUSTER_KINDS: [&str; 22] = [
    "APIService",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "CSIDriver",
    "CSINode",
    "CustomResourceDefinition",
    "FlowSchema",
    "IngressClass",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// A kind, namespace and name that an object had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormerId {
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// The names of an object in a build: those that it had, the oldest first, and the present one.
#[derive(Debug, Clone)]
pub struct Identity {
    pub(super) kind: String,
    pub(super) name: String,
    /// `metadata.namespace` as it is written.
    pub(super) written: Option<String>,
    /// The namespace as kustomize compares it.
    pub(super) namespace: String,
    pub(super) former: Vec<FormerId>,
    /// Prefixes and suffixes that were added to the name, the innermost first.
    pub(super) prefixes: Vec<String>,
    pub(super) suffixes: Vec<String>,
}

impl Identity {
    /// Reads the names of an object.
    #[must_use]
    pub fn of(meta: &Meta) -> Self {
        let list = |key: &str| -> Vec<String> {
            let text = meta.annotations.get(&format!("{PREFIX}{key}")).unwrap_or_default();
            text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let (names, namespaces, kinds) = (list("previousNames"), list("previousNamespaces"), list("previousKinds"));
        // kustomize refuses lists of different lengths.
        let is_whole = names.len() == namespaces.len() && names.len() == kinds.len();
        let former = names.into_iter().zip(namespaces).zip(kinds).filter(|_| is_whole);
        let former: Vec<FormerId> =
            former.map(|((name, namespace), kind)| FormerId { kind, namespace, name }).collect();
        let kind = meta.gvk.kind.clone();
        let is_cluster = match former.last() {
            Some(former) => former.namespace == CLUSTER,
            None => CLUSTER_KINDS.contains(&kind.as_str()),
        };
        let written = meta.namespace.clone().filter(|namespace| !namespace.is_empty());
        let namespace = if is_cluster { CLUSTER } else { written.as_deref().unwrap_or(DEFAULT) }.to_owned();
        let name = meta.name.clone();
        Self { kind, name, written, namespace, former, prefixes: list("prefixes"), suffixes: list("suffixes") }
    }

    pub(super) fn is_cluster_scoped(&self) -> bool {
        self.namespace == CLUSTER
    }

    pub(super) fn had_kind(&self, kind: &str) -> bool {
        self.former.iter().any(|id| id.kind == kind)
    }

    /// True if it had a name in a namespace, or has the namespace now and had the name.
    pub(super) fn had(&self, kind: &str, namespace: &str, name: &str) -> bool {
        let is_it = |id: &FormerId| id.kind == kind && id.name == name;
        self.former.iter().any(|id| is_it(id) && (id.namespace == namespace || self.namespace == namespace))
    }

    /// The kind by which kustomize looks for references in the object.
    pub(super) fn first_kind(&self) -> &str {
        self.former.first().map_or(&self.kind, |id| &id.kind)
    }

    /// The namespace that the object had at first; `None` if it is cluster-scoped.
    pub(super) fn first_namespace(&self) -> Option<&str> {
        let first = self.former.first().map_or(&self.namespace, |id| &id.namespace);
        Some(first.as_str()).filter(|first| *first != CLUSTER)
    }

    /// True if both are surely of one base: they were renamed alike.
    pub(super) fn is_family(&self, other: &Self) -> bool {
        !KEEPS_NAME.contains(&self.first_kind()) && self.ends_like(other, false)
    }

    /// True if both were renamed alike at last: the shorter list of prefixes is the end of the longer one, and so with suffixes.
    ///
    /// With `empty_fits` an object without prefixes fits each other one.
    pub(super) fn ends_like(&self, other: &Self, empty_fits: bool) -> bool {
        let alike = |one: &[String], two: &[String]| {
            let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
            if short.is_empty() { empty_fits || long.is_empty() } else { long.ends_with(short) }
        };
        alike(&self.prefixes, &other.prefixes) && alike(&self.suffixes, &other.suffixes)
    }
}

/// Kinds whose objects keep their names.
const KEEPS_NAME: [&str; 3] = ["APIService", "CustomResourceDefinition", "Namespace"];

/// A namespace as kustomize compares it.
pub(super) fn effective(namespace: &str) -> &str {
    if namespace.is_empty() { DEFAULT } else { namespace }
}
