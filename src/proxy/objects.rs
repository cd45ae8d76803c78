//! The ConfigMaps and Secrets that variables of a container come from.

use std::collections::BTreeSet;

use super::facts::{Data, ProxyFacts};
use super::merge::ValueSource;
use super::package_maps::PackageMaps;
use super::variables::Key;
use crate::model::{Model, ObjectId};

/// The ConfigMaps and Secrets of one namespace.
pub(super) struct Objects<'w> {
    model: &'w Model,
    facts: &'w ProxyFacts,
    namespace: Option<&'w str>,
    /// The selected objects, whose ConfigMaps may be changed.
    selected: Option<&'w Selection<'w>>,
}

/// The objects that targets select, and the other readers of ConfigMaps.
#[derive(Debug)]
pub(super) struct Selection<'w> {
    /// The selected workloads and packages.
    pub(super) objects: BTreeSet<ObjectId>,
    pub(super) package_maps: PackageMaps<'w>,
    /// The namespace in which packages run, if known.
    pub(super) packages_in: Option<String>,
}

impl<'w> Objects<'w> {
    pub(super) fn new(model: &'w Model, facts: &'w ProxyFacts, namespace: Option<&'w str>) -> Self {
        Self { model, facts, namespace, selected: None }
    }

    /// The objects with the workloads that the config selects.
    pub(super) fn selected(self, selected: &'w Selection<'w>) -> Self {
        Self { selected: Some(selected), ..self }
    }

    /// Data of a ConfigMap in the namespace.
    fn map(&self, name: &str) -> Option<&Data> {
        self.facts.data("ConfigMap", self.namespace, name)
    }
}

impl ValueSource for Objects<'_> {
    fn text(&self, key: &Key) -> Option<&str> {
        self.map(&key.name)?.keys.iter().find(|(known, _)| *known == key.key)?.1.as_deref()
    }

    fn why_not(&self, key: &Key) -> Option<String> {
        if self.map(&key.name)?.immutable {
            return Some("it is immutable".to_owned());
        }
        let readers = self.model.readers(self.namespace, &key.name, &key.key);
        let none = BTreeSet::new();
        let selected = self.selected.map_or(&none, |selected| &selected.objects);
        let others = readers.iter().filter(|reader| !selected.contains(&reader.object));
        let workloads = others.filter_map(|reader| Some(&self.model.object(reader.object)?.meta));
        let here = |selected: &&Selection<'_>| {
            selected.packages_in.as_deref().is_none_or(|namespace| Some(namespace) == self.namespace)
        };
        let for_packages = self.selected.filter(here).into_iter();
        let packages =
            for_packages.flat_map(|selection| selection.package_maps.others(&selection.objects, &key.name, &key.key));
        let names: BTreeSet<String> = workloads.chain(packages).map(ToString::to_string).collect();
        (!names.is_empty()).then(|| {
            format!("it is also used by {}, which no target selects", names.into_iter().collect::<Vec<_>>().join(", "))
        })
    }

    fn has(&self, kind: &str, name: &str, key: &str) -> Option<bool> {
        let kind = if kind == "Secret" { "Secret" } else { "ConfigMap" };
        let data = self.facts.data(kind, self.namespace, name)?;
        Some(data.keys.iter().any(|(known, _)| known == key))
    }
}
