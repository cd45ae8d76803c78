//! Present and former names of an object.

use crate::model::{CLUSTER, Meta};

/// Prefix of annotations that exist only inside a build.
const PREFIX: &str = "internal.config.kubernetes.io/";

/// kustomize's namespace value for an object without a namespace.
const DEFAULT: &str = "default";

/// Kubernetes' own cluster-scoped kinds. kustomize treats every custom resource as namespaced.
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

/// A former kind, namespace and name of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormerId {
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// Names of an object in a build: former names, oldest first, and the present name.
#[derive(Debug, Clone)]
pub struct Identity {
    pub(super) kind: String,
    pub(super) name: String,
    /// `metadata.namespace` as written.
    pub(super) written: Option<String>,
    /// Namespace as kustomize compares it.
    pub(super) namespace: String,
    pub(super) former: Vec<FormerId>,
    /// Prefixes and suffixes added to the name, innermost first.
    pub(super) prefixes: Vec<String>,
    pub(super) suffixes: Vec<String>,
}

impl Identity {
    /// Reads the present and former names of an object.
    pub fn from_meta(meta: &Meta) -> Self {
        let list = |key: &str| -> Vec<String> {
            let text = meta.annotations.get(&format!("{PREFIX}{key}")).unwrap_or_default();
            text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let (names, namespaces, kinds) = (list("previousNames"), list("previousNamespaces"), list("previousKinds"));
        // kustomize rejects lists of different lengths.
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

    /// True for a cluster-scoped kind of Kubernetes.
    pub fn is_cluster_scoped(&self) -> bool {
        self.namespace == CLUSTER
    }

    /// True if the object has or had this kind.
    pub(super) fn had_kind(&self, kind: &str) -> bool {
        self.former.iter().any(|id| id.kind == kind)
    }

    /// True if the object had this name in this namespace, or had this name in another namespace
    /// and is in this namespace now.
    pub(super) fn had_id(&self, kind: &str, namespace: &str, name: &str) -> bool {
        let is_match = |id: &FormerId| id.kind == kind && id.name == name;
        self.former.iter().any(|id| is_match(id) && (id.namespace == namespace || self.namespace == namespace))
    }

    /// Kind under which kustomize looks up references in the object.
    pub(super) fn first_kind(&self) -> &str {
        self.former.first().map_or(&self.kind, |id| &id.kind)
    }

    /// Original namespace; `None` for a cluster-scoped object.
    pub(super) fn first_namespace(&self) -> Option<&str> {
        let first = self.former.first().map_or(&self.namespace, |id| &id.namespace);
        Some(first.as_str()).filter(|first| *first != CLUSTER)
    }

    /// True if both objects were renamed in the same steps, which shows that they are from the same base.
    pub(super) fn is_renamed_alike(&self, other: &Self) -> bool {
        !KINDS_WITHOUT_RENAME.contains(&self.first_kind()) && self.has_equal_last_renames(other, false)
    }

    /// True if the last renames of both objects are equal: the shorter list of prefixes is a suffix of the longer list;
    /// the same for suffixes.
    ///
    /// With `empty_fits`, an object without prefixes matches every object.
    pub(super) fn has_equal_last_renames(&self, other: &Self, empty_fits: bool) -> bool {
        let is_equal = |one: &[String], two: &[String]| {
            let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
            if short.is_empty() { empty_fits || long.is_empty() } else { long.ends_with(short) }
        };
        is_equal(&self.prefixes, &other.prefixes) && is_equal(&self.suffixes, &other.suffixes)
    }
}

/// Kinds that kustomize does not rename.
const KINDS_WITHOUT_RENAME: [&str; 3] = ["APIService", "CustomResourceDefinition", "Namespace"];

/// Namespace as kustomize compares it.
pub(super) fn effective(namespace: &str) -> &str {
    if namespace.is_empty() { DEFAULT } else { namespace }
}
