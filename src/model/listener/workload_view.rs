//! Pods of a workload with their listeners.

use std::sync::Arc;

use super::types::Listener;
use crate::catalog::Program;
use crate::model::id::WorkloadId;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;

/// Workload and the listeners of its pods.
#[derive(Debug, Clone, Copy)]
pub struct WorkloadView<'m> {
    /// Workload.
    pub id: WorkloadId,
    /// Metadata of the object.
    pub meta: &'m Meta,
    /// Pod template.
    pub template: &'m PodTemplate,
    /// Listeners of the pods.
    pub listeners: &'m [Listener],
    /// Programs of the containers, if the catalogue or the config knows them.
    pub programs: &'m [Option<Arc<Program>>],
}
