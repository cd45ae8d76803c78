//! Pods that are scheduled and replaced together: all pods of a workload, or the pods of one subset.

use std::fmt;

use super::nodes::NodeRequirements;
use crate::model::pod::{PodTemplate, Subset};

/// Part of the pods of a workload.
#[derive(Debug, Clone, Copy)]
pub struct PodGroup<'a> {
    template: &'a PodTemplate,
    /// Subset of the pods; `None` for the whole workload.
    pub subset: Option<&'a Subset>,
}

/// Divides the pods of a template: one part for each subset, or one part for all pods if there are
/// no subsets.
pub fn divide_pods(template: &PodTemplate) -> Vec<PodGroup<'_>> {
    if template.subsets.is_empty() {
        return vec![PodGroup { template, subset: None }];
    }
    template.subsets.iter().map(|subset| PodGroup { template, subset: Some(subset) }).collect()
}

impl<'a> PodGroup<'a> {
    /// Node requirements of the part.
    pub fn node_requirements(&self) -> NodeRequirements<'a> {
        NodeRequirements {
            template: self.template,
            subset_placement: self.subset.and_then(|subset| subset.placement.as_deref()),
        }
    }

    /// Number of pods in the part; `all` is the number for the whole workload.
    pub fn replicas(&self, all: Option<u32>) -> Option<u32> {
        self.subset.map_or(all, |subset| subset.replicas)
    }

    /// Display name of the part.
    pub fn name(&self, workload: &dyn fmt::Display) -> String {
        match self.subset {
            Some(subset) => format!("{workload}, subset {}", subset.name),
            None => workload.to_string(),
        }
    }
}
