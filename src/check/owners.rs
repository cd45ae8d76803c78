//! Which objects were made by which: a `ReplicaSet` counts as its Deployment, a Pod as what made that.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::pod::{Owner, PodTemplate};
use crate::model::{Meta, Model};

/// Groups whose kinds need no group before them: nobody else has a Deployment.
const PLAIN_GROUPS: [&str; 3] = ["", "apps", "batch"];

/// No chain of owners is longer.
const LONGEST: usize = 4;

/// `NAMESPACE/KIND/NAME` of an object, with the group before kinds that are not Kubernetes' own.
pub(super) fn key(meta: &Meta) -> String {
    key_of(meta.namespace.as_deref(), &meta.gvk.group, &meta.gvk.kind, &meta.name)
}

fn key_of(namespace: Option<&str>, group: &str, kind: &str, name: &str) -> String {
    let namespace = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let group = if PLAIN_GROUPS.contains(&group) { String::new() } else { format!("{group}/") };
    format!("{namespace}{group}{kind}/{name}")
}

fn owner_key(meta: &Meta, owner: &Owner) -> String {
    key_of(meta.namespace.as_deref(), &owner.group, &owner.kind, &owner.name)
}

/// The workloads of an input by their keys, and the keys of their owners.
pub(super) struct Owners {
    here: BTreeSet<String>,
    owners: BTreeMap<String, String>,
}

impl Owners {
    pub(super) fn of(model: &Model) -> Self {
        let here = model.workloads().map(|(_, object, _)| key(&object.meta)).collect();
        let owned = model.workloads().filter_map(|(_, object, template)| {
            Some((key(&object.meta), owner_key(&object.meta, template.owner.as_deref()?)))
        });
        Self { owners: owned.collect(), here }
    }

    /// The key of what made an object in the end, and whether that or something between is in the input.
    pub(super) fn root(&self, meta: &Meta, template: &PodTemplate) -> (String, bool) {
        let Some(owner) = template.owner.as_deref() else { return (key(meta), false) };
        let mut root = owner_key(meta, owner);
        if let Some(deployment) = deployment_of(template, owner).filter(|_| !self.here.contains(&root)) {
            root = owner_key(meta, &deployment);
        }
        let mut is_here = self.here.contains(&root);
        for _ in 0..LONGEST {
            let Some(next) = self.owners.get(&root) else { break };
            root.clone_from(next);
            is_here |= self.here.contains(&root);
        }
        (root, is_here)
    }
}

/// The Deployment of a Pod whose `ReplicaSet` is not in the input: the controller makes that one's name of the Deployment's
/// and the hash that the Pod has as a label.
fn deployment_of(template: &PodTemplate, owner: &Owner) -> Option<Owner> {
    let hash = template.labels.get("pod-template-hash")?;
    let name = owner.name.strip_suffix(hash)?.strip_suffix('-')?;
    let is_set = owner.group == "apps" && owner.kind == "ReplicaSet";
    is_set.then(|| Owner { kind: "Deployment".to_owned(), name: name.to_owned(), ..owner.clone() })
}
