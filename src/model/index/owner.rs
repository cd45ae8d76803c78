//! Names of objects in `assigned` and `shared`, and owners of objects: a `ReplicaSet` counts as its Deployment, a Pod
//! as its topmost owner.

use std::collections::{HashMap, HashSet};

use super::model::Model;
use crate::model::facts::{Facts, Object, PodsView, package};
use crate::model::meta::Meta;
use crate::model::pod::{Owner, PodTemplate};

/// Groups whose kinds are written without group, because no other group has these kinds (Deployment).
pub const PLAIN_GROUPS: [&str; 3] = ["", "apps", "batch"];

/// `NAMESPACE/KIND/NAME`, with the group before kinds of other groups than Kubernetes' own:
/// `shop/apps.kruise.io/CloneSet/web`. A package has no namespace, even if `namespace` is set, because kustomize also
/// writes `namespace` into cluster-scoped objects.
pub fn object_key(meta: &Meta) -> String {
    key(meta.namespace.as_deref(), &meta.gvk.group, &meta.gvk.kind, &meta.name)
}

/// Key of a workload: the key of the object, followed by the name of the template for kinds with several:
/// `shop/jobset.x-k8s.io/JobSet/train/workers`.
pub fn workload_key(pods: PodsView<'_>) -> String {
    let key = object_key(pods.meta);
    match &pods.template.name {
        Some(template) => format!("{key}/{template}"),
        None => key,
    }
}

/// The key of an owner of an object in this namespace.
pub fn owner_key(meta: &Meta, owner: &Owner) -> String {
    key(meta.namespace.as_deref(), &owner.group, &owner.kind, &owner.name)
}

/// Key of an object: namespace, group, kind and name.
fn key(namespace: Option<&str>, group: &str, kind: &str, name: &str) -> String {
    let namespace = namespace.filter(|_| group != package::GROUP);
    let namespace = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let group = match group {
        group if PLAIN_GROUPS.contains(&group) => String::new(),
        group => format!("{group}/"),
    };
    format!("{namespace}{group}{kind}/{name}")
}

/// Kinds that controllers create from the template of another workload; the next update undoes a change of a copy.
const CONTROLLER_CREATED_KINDS: [(&str, &str); 4] =
    [("", "Pod"), ("", "ReplicationController"), ("apps", "ReplicaSet"), ("batch", "Job")];

/// Maximum length of a chain of owners, such as Pod, `ReplicaSet` and Deployment.
const MAX_OWNERS: usize = 4;

/// The workloads of an input by their keys, and their owners.
#[derive(Debug)]
pub struct Owners {
    here: HashSet<String>,
    owners: HashMap<String, String>,
}

impl Owners {
    /// Reads the owners of the workloads of a model.
    pub fn new(model: &Model) -> Self {
        Self::from_workloads(model.workloads().map(|(_, object, template)| (&object.meta, template)))
    }

    /// Reads the owners of workloads.
    fn from_workloads<'o>(workloads: impl Iterator<Item = (&'o Meta, &'o PodTemplate)>) -> Self {
        let (mut here, mut owners) = (HashSet::new(), HashMap::new());
        for (meta, template) in workloads {
            let key = object_key(meta);
            if let Some(owner) = template.owner.as_deref() {
                owners.insert(key.clone(), owner_key(meta, owner));
            }
            here.insert(key);
        }
        Self { here, owners }
    }

    /// Returns the key of the topmost owner, in the input or not, and true if that owner or one in between is in the
    /// input. An object without owner counts as itself.
    pub fn root(&self, meta: &Meta, template: &PodTemplate) -> (String, bool) {
        let Some(owner) = template.owner.as_deref() else { return (object_key(meta), false) };
        let mut root = owner_key(meta, owner);
        // A `ReplicaSet` in the input names its owner.
        if let Some(deployment) = deployment_of(template, owner).filter(|_| !self.here.contains(&root)) {
            root = owner_key(meta, &deployment);
        }
        // No object owns itself: an object in an ownership cycle, or with a chain that is too long, counts as itself.
        let own = object_key(meta);
        if root == own || self.above(&root).any(|above| above == own) || self.above(&root).count() >= MAX_OWNERS {
            return (own, false);
        }
        let is_here = self.here.contains(&root) || self.above(&root).any(|above| self.here.contains(above));
        (self.above(&root).last().map_or_else(|| root.clone(), str::to_owned), is_here)
    }

    /// Owners of an object, from the direct owner upwards, as far as the input shows them.
    fn above<'o>(&'o self, key: &str) -> impl Iterator<Item = &'o str> {
        let next = |key: &str| self.owners.get(key).map(String::as_str);
        std::iter::successors(next(key), move |key| next(key)).take(MAX_OWNERS)
    }
}

/// Removes the pod templates of copies: Pods, `ReplicaSets` and Jobs whose owner is in the input, as in a dump of a
/// cluster.
pub fn drop_controller_created_templates(objects: &mut [Object]) {
    let is_copy = |object: &Object| {
        CONTROLLER_CREATED_KINDS.contains(&(object.meta.gvk.group.as_str(), object.meta.gvk.kind.as_str()))
    };
    let has_owner = |object: &Object| object.templates().iter().any(|template| template.owner.is_some());
    if !objects.iter().any(|object| is_copy(object) && has_owner(object)) {
        return;
    }
    let all = objects.iter().flat_map(|object| object.templates().iter().map(|template| (&object.meta, template)));
    let owners = Owners::from_workloads(all);
    for object in objects.iter_mut().filter(|object| is_copy(object)) {
        if object.templates().iter().any(|template| owners.root(&object.meta, template).1) {
            object.facts = Facts::Other;
        }
    }
}

/// The Deployment of a Pod whose `ReplicaSet` is not in the input. The name of the `ReplicaSet` consists of the
/// Deployment's name and a hash, which is also a label of the Pod.
pub fn deployment_of(template: &PodTemplate, owner: &Owner) -> Option<Owner> {
    let hash = template.labels.get("pod-template-hash")?;
    let name = owner.name.strip_suffix(hash)?.strip_suffix('-')?;
    let is_set = owner.group == "apps" && owner.kind == "ReplicaSet";
    is_set.then(|| Owner { kind: "Deployment".to_owned(), name: name.to_owned(), ..owner.clone() })
}
