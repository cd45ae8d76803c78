//! Names and labels near a number in an object of an unknown kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::label_hash::{everywhere, hash};
use crate::model::text::Labels;

/// Names and labels in an object of an unknown kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Naming {
    /// The namespace of the object.
    pub(in crate::model) namespace: Box<str>,
    /// All names in the object, each with the namespaces written after it.
    pub(in crate::model) names: BTreeMap<Box<str>, BTreeSet<Option<Box<str>>>>,
    /// All mappings of the object that may be labels of pods.
    pub(in crate::model) labels: BTreeSet<Labels>,
}

/// The names in the mappings around a field, the nearest mapping first.
#[derive(Debug, Clone)]
pub struct NamingContext {
    pub(in crate::model) naming: Arc<Naming>,
    pub(in crate::model) levels: Vec<Arc<[Name]>>,
}

/// Name, and the namespace written after it.
pub(in crate::model) type Name = (Box<str>, Option<Box<str>>);

impl Naming {
    /// Hashes under which an index finds the workloads and Services that the object may name.
    pub(in crate::model) fn hashes(&self) -> Vec<u64> {
        let names = self.names.keys().flat_map(|name| ["workload", "service"].map(|kind| hash(kind, None, (name, ""))));
        let labels = self.labels.iter().filter_map(|labels| labels.iter().next()).flat_map(everywhere);
        names.chain(labels).collect()
    }
}
