//! Pods that are placed and replaced together: all of a workload, or those of one of its subsets.

use std::fmt;

use super::nodes::Asked;
use crate::model::pod::{PodTemplate, Subset};

/// A part of the pods of a workload.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    template: &'a PodTemplate,
    /// The subset that they are of; none for all of a workload.
    pub subset: Option<&'a Subset>,
}

/// The parts of a template's pods.
#[must_use]
pub fn parts(template: &PodTemplate) -> Vec<Part<'_>> {
    if template.subsets.is_empty() {
        return vec![Part { template, subset: None }];
    }
    template.subsets.iter().map(|subset| Part { template, subset: Some(subset) }).collect()
}

impl<'a> Part<'a> {
    /// What they ask of their nodes.
    #[must_use]
    pub fn asked(&self) -> Asked<'a> {
        Asked { template: self.template, besides: self.subset.and_then(|subset| subset.placement.as_deref()) }
    }

    /// How many there are; `all` is how many the whole workload has.
    #[must_use]
    pub fn replicas(&self, all: Option<u32>) -> Option<u32> {
        self.subset.map_or(all, |subset| subset.replicas)
    }

    /// How messages call them.
    #[must_use]
    pub fn name(&self, workload: &dyn fmt::Display) -> String {
        match self.subset {
            Some(subset) => format!("{workload}, subset {}", subset.name),
            None => workload.to_string(),
        }
    }
}
