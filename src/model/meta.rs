//! Identity of an object: group, version, kind, name, namespace, labels, annotations.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use krm::holds_placeholder;
use kube_core::GroupVersionKind;

use crate::model::text::Labels;
use lossless_yaml::{NodeRef, Value};

/// Annotation in which kustomize keeps the names that an object had earlier in the build.
pub(crate) const PREVIOUS_NAMES: &str = "internal.config.kubernetes.io/previousNames";

/// Annotation in which kustomize keeps the namespaces that an object had earlier in the build.
const PREVIOUS_NAMESPACES: &str = "internal.config.kubernetes.io/previousNamespaces";

/// kustomize's namespace value for a cluster-scoped object (kyaml `resid.TotallyNotANamespace`).
pub(crate) const CLUSTER: &str = "_non_namespaceable_";

/// Kinds with generators in kustomize, which append a hash of the content to the name.
pub(crate) const GENERATED_KINDS: [&str; 2] = ["ConfigMap", "Secret"];

/// The identity of an object, its labels and annotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// Group, version and kind; objects of one kind share them.
    pub gvk: Arc<GroupVersionKind>,
    /// `metadata.name`, empty if absent.
    pub name: String,
    /// `metadata.namespace`
    pub namespace: Option<String>,
    /// `metadata.labels`
    pub labels: Labels,
    /// `metadata.annotations`, without copies of the whole object.
    pub annotations: Labels,
}

impl Meta {
    /// Identity of a Namespace.
    pub(in crate::model) fn for_namespace(name: &str, labels: Labels) -> Self {
        let gvk = shared("", "v1", "Namespace");
        Self { gvk, name: name.to_owned(), namespace: None, labels, annotations: Labels::default() }
    }

    /// Reads the identity of an object.
    pub fn read(object: NodeRef<'_, '_>) -> Self {
        let field = |key: &str| object.given(key).and_then(NodeRef::text).unwrap_or_default();
        let api_version = field("apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let metadata = object.given("metadata");
        let of_metadata = |key: &str| metadata.and_then(|metadata| metadata.get(key));
        Self {
            gvk: shared(group, version, field("kind")),
            name: of_metadata("name").and_then(NodeRef::text).unwrap_or_default().to_owned(),
            namespace: of_metadata("namespace").and_then(NodeRef::non_empty_text).map(str::to_owned),
            labels: of_metadata("labels").map(Labels::read).unwrap_or_default(),
            annotations: of_metadata("annotations").map(Labels::read).unwrap_or_default(),
        }
    }

    /// True if the object is for local use only: such objects are never applied, so never transformed.
    pub fn is_local_config(&self) -> bool {
        self.annotations.get("config.kubernetes.io/local-config") == Some("true")
    }

    /// True if the object came from kustomize, in the middle of a build.
    pub fn is_in_build(&self) -> bool {
        self.was_renamed() || self.annotations.get("kustomize.config.k8s.io/id").is_some()
    }

    /// True if kustomize has renamed the object earlier in the build.
    pub fn was_renamed(&self) -> bool {
        self.annotations.get(PREVIOUS_NAMES).is_some()
    }

    /// The name before all renames of a kustomize build; `None` for an object that was not renamed.
    pub fn first_name(&self) -> Option<&str> {
        self.annotations.get(PREVIOUS_NAMES)?.split(',').next()
    }

    /// The namespace before all renames of a kustomize build, `default` if there was no namespace. `None` if kustomize
    /// did not change the namespace, or if the object is cluster-scoped.
    pub fn first_namespace(&self) -> Option<&str> {
        let first = self.annotations.get(PREVIOUS_NAMESPACES)?.split(',').next();
        first.filter(|first| *first != CLUSTER)
    }

    /// True if kustomize has renamed the object from this name earlier in the build.
    pub fn had_name(&self, name: &str) -> bool {
        let former = self.annotations.get(PREVIOUS_NAMES);
        former.is_some_and(|former| former.split(',').any(|former| former == name))
    }

    /// True if the pods run to completion and need not listen: Jobs of any group (also kinds in `templates` of a
    /// config), sets of Jobs, and kinds that create Jobs.
    pub fn is_job(&self) -> bool {
        self.gvk.group == "batch" || ["Job", "JobSet"].iter().any(|end| self.gvk.kind.ends_with(end))
    }

    /// True if the name or the namespace is filled in later, so that two objects of this name may be different objects.
    pub fn is_named_later(&self) -> bool {
        [Some(&self.name), self.namespace.as_ref()].into_iter().flatten().any(|name| holds_placeholder(name))
    }

    /// True for a Service of Kubernetes.
    pub fn is_service(&self) -> bool {
        self.gvk.group.is_empty() && self.gvk.kind == "Service"
    }

    /// True for a ConfigMap or Secret, which kustomize may generate.
    pub fn is_generated_kind(&self) -> bool {
        self.gvk.group.is_empty() && GENERATED_KINDS.contains(&self.gvk.kind.as_str())
    }

    /// True for a Pod.
    pub fn is_pod(&self) -> bool {
        self.gvk.group.is_empty() && self.gvk.kind == "Pod"
    }

    /// Builds a new object with this identity, these labels and annotations, and a `spec`.
    pub fn with_spec(&self, spec: Value) -> Value {
        let lists = [("labels", &self.labels), ("annotations", &self.annotations)];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let lists = lists.map(|(key, list)| (key, Value::map(list.iter().map(|(key, text)| (key, text.into())))));
        let namespace = self.namespace.as_deref().map(|namespace| ("namespace", namespace.into()));
        let name = [("name", self.name.as_str().into())].into_iter();
        Value::map([
            ("apiVersion", self.api_version().into()),
            ("kind", self.gvk.kind.as_str().into()),
            ("metadata", Value::map(name.chain(namespace).chain(lists))),
            ("spec", spec),
        ])
    }

    /// `apiVersion`, as written.
    pub fn api_version(&self) -> String {
        self.gvk.api_version()
    }
}

/// Maximum number of cached kinds: more than a cluster's repository has, few enough for a linear search.
const KINDS: usize = 64;

/// Returns the cached kind, or adds a new kind until the cache is full.
fn shared(group: &str, version: &str, kind: &str) -> Arc<GroupVersionKind> {
    thread_local! {
        static KNOWN: RefCell<Vec<Arc<GroupVersionKind>>> = const { RefCell::new(Vec::new()) };
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(gvk) = known.iter().find(|k| k.kind == kind && k.group == group && k.version == version) {
            return Arc::clone(gvk);
        }
        let gvk = Arc::new(GroupVersionKind::gvk(group, version, kind));
        if known.len() < KINDS {
            known.push(Arc::clone(&gvk));
        }
        gvk
    })
}

/// `Kind namespace/name`, the name of an object in messages.
impl fmt::Display for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.gvk.kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::Tree;

    #[test]
    fn the_api_version_keeps_its_spelling() {
        for version in ["apps/v1", "v1"] {
            let text = format!("{{apiVersion: {version}, kind: Thing}}");
            assert_eq!(Meta::read(Tree::parse(&text).unwrap().root(0).unwrap()).api_version(), version);
        }
    }

    #[test]
    fn only_objects_of_one_kind_share_their_kind() {
        let first = shared("a", "v1", "Thing");
        assert!(Arc::ptr_eq(&first, &shared("a", "v1", "Thing")));
        for (group, version, kind) in [("b", "v1", "Thing"), ("a", "v2", "Thing"), ("a", "v1", "Other")] {
            let other = shared(group, version, kind);
            assert_eq!((other.group.as_str(), other.version.as_str(), other.kind.as_str()), (group, version, kind));
        }
        // The last kind that is cached, and the first that is not.
        let is_known = |kind: &str| Arc::ptr_eq(&shared("a", "v1", kind), &shared("a", "v1", kind));
        let known: Vec<bool> = (4..=KINDS).map(|number| is_known(&number.to_string())).collect();
        assert_eq!(known.iter().filter(|known| **known).count(), KINDS - 4);
        assert_eq!(known.last(), Some(&false));
    }
}
