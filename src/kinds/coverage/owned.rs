//! Custom resources that own workloads of the input, by owner references.

use std::collections::{HashMap, HashSet};

use crate::releases::{group_and_kind, text};
use lossless_yaml::NodeRef;

/// Group, kind, namespace and name of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) group: String,
    pub(super) kind: String,
    /// Namespace; `None` for cluster-scoped objects, and without a namespace in the manifest.
    pub(super) namespace: Option<String>,
    pub(super) name: String,
}

impl Identity {
    /// Identity of an object; `None` without a kind.
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let (group, kind) = group_and_kind(object)?;
        let field = |key: &str| text(object, key).map(str::to_owned);
        let (namespace, name) = (field("metadata.namespace"), field("metadata.name")?);
        Some(Self { group: group.to_owned(), kind: kind.to_owned(), namespace, name })
    }
}

/// An object with owners.
#[derive(Debug)]
pub(super) struct Owned {
    own: Identity,
    /// Possible owners: the owner may be cluster-scoped, or in the namespace of the object.
    owners: Vec<Identity>,
    has_pods: bool,
}

impl Owned {
    /// Reads the owners of an object that are custom resources; `None` without such owners.
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let references = object.get("metadata")?.get("ownerReferences")?;
        let owner = |reference: NodeRef<'_, '_>| {
            let (group, kind) = group_and_kind(reference).filter(|(group, _)| group.contains('.'))?;
            let name = reference.get("name")?.text()?.to_owned();
            Some(Identity { group: group.to_owned(), kind: kind.to_owned(), namespace: None, name })
        };
        let mut owners = references.items().filter_map(owner).peekable();
        owners.peek()?;
        let own = Identity::read(object)?;
        let owners = owners.flat_map(|owner| {
            let near = own.namespace.clone().map(|namespace| Identity { namespace: Some(namespace), ..owner.clone() });
            std::iter::once(owner).chain(near)
        });
        let owners: Vec<Identity> = owners.collect();
        let has_template = || object.get("spec")?.get("template")?.get("spec")?.get("containers");
        let has_pods = own.kind == "Pod" || has_template().is_some();
        Some(Self { own, owners, has_pods })
    }
}

/// Owners of the objects of the input.
#[derive(Debug, Default)]
pub(super) struct OwnedObjects {
    owners: HashMap<Identity, Vec<Identity>>,
    /// Objects with pods.
    workloads: Vec<Identity>,
}

impl OwnedObjects {
    /// Adds an object.
    pub(super) fn add(&mut self, owned: Owned) {
        let Owned { own, owners, has_pods } = owned;
        if has_pods {
            self.workloads.push(own.clone());
        }
        self.owners.entry(own).or_default().extend(owners);
    }

    /// Objects that own a workload of the input, also through objects in between.
    pub(super) fn owners(&self) -> HashSet<&Identity> {
        let mut makers = HashSet::new();
        let mut open: Vec<&Identity> = self.workloads.iter().collect();
        while let Some(one) = open.pop() {
            for owner in self.owners.get(one).into_iter().flatten() {
                if makers.insert(owner) {
                    open.push(owner);
                }
            }
        }
        makers
    }
}
