//! Index of a build's objects by present and former names.

use std::collections::{HashMap, HashSet};

use super::identity::Identity;

/// Objects of a build.
#[derive(Debug, Default)]
pub(super) struct Index {
    objects: Vec<Identity>,
    /// Objects by former name.
    by_former_name: HashMap<String, Vec<usize>>,
    /// Objects by present name.
    by_name: HashMap<String, Vec<usize>>,
    /// Original namespaces of objects, each once together with the present namespace and once
    /// without it (`None`).
    first_namespaces: HashSet<(Option<String>, String)>,
}

impl Index {
    pub(super) fn new(objects: Vec<Identity>) -> Self {
        let mut index = Self::default();
        for (id, object) in objects.iter().enumerate() {
            index.by_name.entry(object.name.clone()).or_default().push(id);
            for former in &object.former {
                let known = index.by_former_name.entry(former.name.clone()).or_default();
                if known.last() != Some(&id) {
                    known.push(id);
                }
            }
            if let Some(first) = object.first_namespace() {
                for present in [None, Some(object.namespace.clone())] {
                    index.first_namespaces.insert((present, first.to_owned()));
                }
            }
        }
        index.objects = objects;
        index
    }

    /// Object with this index.
    pub(super) fn object(&self, id: usize) -> Option<&Identity> {
        self.objects.get(id)
    }

    /// Objects with this former name.
    pub(super) fn with_former_name(&self, name: &str) -> impl Iterator<Item = (usize, &Identity)> {
        Self::all(&self.objects, self.by_former_name.get(name))
    }

    /// Objects with this present name.
    pub(super) fn with_present_name(&self, name: &str) -> impl Iterator<Item = (usize, &Identity)> {
        Self::all(&self.objects, self.by_name.get(name))
    }

    /// True if an object was originally in namespace `first` and is now in one of the `present` namespaces, or in any.
    pub(super) fn any_moved_from_namespace(&self, first: &str, present: Option<&[&str]>) -> bool {
        let has =
            |present: Option<&str>| self.first_namespaces.contains(&(present.map(str::to_owned), first.to_owned()));
        present.map_or_else(|| has(None), |present| present.iter().any(|present| has(Some(present))))
    }

    /// Objects at these indexes.
    fn all<'i>(objects: &'i [Identity], ids: Option<&'i Vec<usize>>) -> impl Iterator<Item = (usize, &'i Identity)> {
        ids.into_iter().flatten().filter_map(|&id| Some((id, objects.get(id)?)))
    }
}
