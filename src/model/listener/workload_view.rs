//! The pods of a workload with their listeners.

use std::sync::Arc;

use super::types::Listener;
use crate::catalog::Program;
use crate::model::id::WorkloadId;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;

/// A workload and the listeners of its pods.
#[derive(Debug, Clone, Copy)]
pub struct WorkloadView<'m> {
    /// The workload.
    pub id: WorkloadId,
    /// The identity of its object.
    pub meta: &'m Meta,
    /// Its template.
    pub template: &'m PodTemplate,
    /// Its listeners.
    pub listeners: &'m [Listener],
    /// The programs of its containers, where the catalogue or the config knows them.
    pub programs: &'m [Option<Arc<Program>>],
}
