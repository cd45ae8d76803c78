//! What objects are called in `assigned` and `shared`, and which were made by which: a `ReplicaSet` counts as its Deployment, a Pod as
//! what made that.

use std::collections::BTreeMap;

use super::model::Model;
use crate::model::facts::{PodsView, package};
use crate::model::meta::Meta;
use crate::model::pod::{Owner, PodTemplate};

/// Groups whose kinds need no group before them: nobody else has a Deployment.
const PLAIN_GROUPS: [&str; 3] = ["", "apps", "batch"];

/// `NAMESPACE/KIND/NAME`, with the group before kinds that are not Kubernetes' own: `shop/apps.kruise.io/CloneSet/web`. A package is
/// in no namespace, whatever is written: kustomize writes its `namespace` into objects that have none.
#[must_use]
pub fn object_key(meta: &Meta) -> String {
    key(meta.namespace.as_deref(), &meta.gvk.group, &meta.gvk.kind, &meta.name)
}

/// The key of a workload: that of its object, and behind it the name of the template for kinds that may have several:
/// `shop/jobset.x-k8s.io/JobSet/train/workers`.
#[must_use]
pub fn workload_key(pods: PodsView<'_>) -> String {
    let key = object_key(pods.meta);
    match &pods.template.name {
        Some(template) => format!("{key}/{template}"),
        None => key,
    }
}

/// The key of the object that controls one of this namespace.
#[must_use]
pub fn owner_key(meta: &Meta, owner: &Owner) -> String {
    key(meta.namespace.as_deref(), &owner.group, &owner.kind, &owner.name)
}

fn key(namespace: Option<&str>, group: &str, kind: &str, name: &str) -> String {
    let namespace = namespace.filter(|_| group != package::GROUP);
    let namespace = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let group = match group {
        group if PLAIN_GROUPS.contains(&group) => String::new(),
        group => format!("{group}/"),
    };
    format!("{namespace}{group}{kind}/{name}")
}

/// No chain of owners is longer: a Pod's `ReplicaSet` has a Deployment.
const LONGEST: usize = 4;

/// The owner of each workload that has one, both by their keys.
#[derive(Debug)]
pub struct Owners(BTreeMap<String, String>);

impl Owners {
    /// The owners of a model's workloads.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let owned = model.workloads().filter_map(|(_, object, template)| {
            Some((object_key(&object.meta), owner_key(&object.meta, template.owner.as_deref()?)))
        });
        Self(owned.collect())
    }

    /// Whether an object of the input has an owner.
    #[must_use]
    pub fn is_owned(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// What made an object, and what made that, as far as the input says.
    pub fn above<'o>(&'o self, key: &str) -> impl Iterator<Item = &'o str> {
        let next = |key: &str| self.0.get(key).map(String::as_str);
        std::iter::successors(next(key), move |key| next(key)).take(LONGEST)
    }
}

/// The Deployment of a Pod whose `ReplicaSet` is not in the input: the controller makes that one's name of the Deployment's
/// and the hash that the Pod has as a label.
#[must_use]
pub fn deployment_of(template: &PodTemplate, owner: &Owner) -> Option<Owner> {
    let hash = template.labels.get("pod-template-hash")?;
    let name = owner.name.strip_suffix(hash)?.strip_suffix('-')?;
    let is_set = owner.group == "apps" && owner.kind == "ReplicaSet";
    is_set.then(|| Owner { kind: "Deployment".to_owned(), name: name.to_owned(), ..owner.clone() })
}
