//! Inputs that are never applied together, such as a base and its overlay, or files for two clusters: they contain the
//! same object with different content.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::facts::CheckFacts;
use crate::model::{Meta, Model, ObjectId};

/// Objects that several inputs contain. For each input: the number of each object, and the hash of its content.
#[derive(Debug, Default)]
pub(super) struct Alternatives(HashMap<usize, HashMap<usize, u64>>);

impl Alternatives {
    /// Collects the objects that several inputs of a model contain. `facts` and `inputs` have one entry per object.
    pub(super) fn new(model: &Model, facts: &[CheckFacts], inputs: &[usize]) -> Self {
        let key = |meta: &Meta| {
            let gvk = (meta.gvk.group.clone(), meta.gvk.kind.clone());
            (gvk, meta.namespace.clone(), meta.name.clone())
        };
        let mut places: HashMap<_, Vec<(usize, u64)>> = HashMap::new();
        for (object, (facts, input)) in model.objects().iter().zip(facts.iter().zip(inputs)) {
            if !object.meta.name.is_empty() && !object.meta.is_local_config() {
                places.entry(key(&object.meta)).or_default().push((*input, facts.digest));
            }
        }
        let mut alternatives = Self::default();
        for (id, places) in places.into_values().enumerate() {
            let inputs: BTreeSet<usize> = places.iter().map(|(input, _)| *input).collect();
            for (input, digest) in places.into_iter().filter(|_| inputs.len() > 1) {
                alternatives.0.entry(input).or_default().insert(id, digest);
            }
        }
        alternatives
    }

    /// Ranges of the objects of all inputs that are alternatives to `input`. `inputs` is sorted and has one entry per
    /// object.
    pub(super) fn for_input(&self, input: usize, inputs: &[usize]) -> Arc<[Range<ObjectId>]> {
        let others = self.0.keys().filter(|other| self.are_alternatives(Some(&input), Some(other)));
        let range =
            |other: &usize| inputs.partition_point(|one| one < other)..inputs.partition_point(|one| one <= other);
        others.map(range).collect()
    }

    /// True if two inputs contain the same object with different content.
    pub(super) fn are_alternatives(&self, one: Option<&usize>, other: Option<&usize>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return false };
        let (Some(a), Some(b)) = (self.0.get(one).filter(|_| one != other), self.0.get(other)) else { return false };
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().any(|(id, digest)| many.get(id).is_some_and(|other| other != digest))
    }
}
