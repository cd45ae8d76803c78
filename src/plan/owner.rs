//! What listeners are called in `assigned`: names that a move does not change.

use std::collections::{HashMap, HashSet};

use super::target::Selected;
use crate::model::pod::Owner;
use crate::model::reference::PodsView;
use crate::model::{Meta, package};

/// Groups whose kinds need no group before them: nobody else has a Deployment.
const PLAIN_GROUPS: [&str; 3] = ["", "apps", "batch"];

/// `NAMESPACE/KIND/NAME`, with the group before kinds that are not Kubernetes' own: `shop/apps.kruise.io/CloneSet/web`. A package is
/// in no namespace, whatever is written: kustomize writes its `namespace` into objects that have none.
pub(super) fn object_key(meta: &Meta) -> String {
    key(meta.namespace.as_deref(), &meta.gvk.group, &meta.gvk.kind, &meta.name)
}

/// The key of a workload: that of its object, and behind it the name of the template for kinds that may have several:
/// `shop/jobset.x-k8s.io/JobSet/train/workers`.
pub(super) fn workload_key(pods: PodsView<'_>) -> String {
    let key = object_key(pods.meta);
    match &pods.template.name {
        Some(template) => format!("{key}/{template}"),
        None => key,
    }
}

/// The key of the object that controls one of this namespace.
pub(super) fn owner_key(meta: &Meta, owner: &Owner) -> String {
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

/// The key of each listener of a workload: the workload's and the port's name; equal names get `-2`, `-3`.
pub(super) fn listener_keys(workload: &Selected<'_>) -> Vec<String> {
    let prefix = workload_key(workload.pods_view());
    let mut taken: HashSet<String> = HashSet::new();
    // From where on to count for each name: what is below is taken.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let names = workload.listeners.iter().map(|listener| listener.label.as_str());
    names
        .map(|name| {
            let mut key = format!("{prefix}/{name}");
            let count = counts.entry(name).or_insert(2);
            // A port may have a name that counting gives as well.
            while !taken.insert(key.clone()) {
                key = format!("{prefix}/{name}-{count}");
                *count += 1;
            }
            key
        })
        .collect()
}
