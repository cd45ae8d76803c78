//! The objects that variables of a container come from.

use std::collections::BTreeSet;

use super::facts::{Data, ProxyFacts};
use super::merge::Known;
use super::variables::Key;
use crate::model::{Model, ObjectId};

/// The objects of a namespace, for its containers.
pub(super) struct Objects<'w> {
    model: &'w Model,
    facts: &'w ProxyFacts,
    namespace: Option<&'w str>,
    /// The workloads that are selected, whose ConfigMaps may be changed.
    selected: Option<&'w BTreeSet<ObjectId>>,
}

impl<'w> Objects<'w> {
    pub(super) fn of(model: &'w Model, facts: &'w ProxyFacts, namespace: Option<&'w str>) -> Self {
        Self { model, facts, namespace, selected: None }
    }

    pub(super) fn selected(self, selected: &'w BTreeSet<ObjectId>) -> Self {
        Self { selected: Some(selected), ..self }
    }

    fn map(&self, name: &str) -> Option<&Data> {
        self.facts.data("ConfigMap", self.namespace, name)
    }
}

impl Known for Objects<'_> {
    fn text(&self, key: &Key) -> Option<&str> {
        self.map(&key.name)?.keys.iter().find(|(own, _)| *own == key.key)?.1.as_deref()
    }

    fn why_not(&self, key: &Key) -> Option<String> {
        if self.map(&key.name)?.immutable {
            return Some("it is immutable".to_owned());
        }
        let readers = self.model.readers(self.namespace, &key.name, &key.key);
        let others =
            readers.iter().filter(|reader| !self.selected.is_some_and(|selected| selected.contains(&reader.object)));
        let names: BTreeSet<String> = others
            .filter_map(|reader| self.model.object(reader.object))
            .map(|object| object.meta.to_string())
            .collect();
        (!names.is_empty()).then(|| {
            format!("{} has it too, which no target selects", names.into_iter().collect::<Vec<_>>().join(", "))
        })
    }

    fn has(&self, kind: &str, name: &str, key: &str) -> Option<bool> {
        let kind = if kind == "Secret" { "Secret" } else { "ConfigMap" };
        let data = self.facts.data(kind, self.namespace, name)?;
        Some(data.keys.iter().any(|(own, _)| own == key))
    }
}
