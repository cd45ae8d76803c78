//! Search for the references to one listener.

use super::pod_texts::PodTexts;
use super::transports::Transports;
use crate::model::index::Model;
use crate::model::listener::{Listener, WorkloadView};

/// A listener whose references are looked for.
#[derive(Clone, Copy)]
pub(in crate::model) struct Search<'s, 'm> {
    pub(super) model: &'s Model,
    /// The workload that listens.
    pub(super) pods: WorkloadView<'s>,
    /// The texts of its pods.
    pub(super) texts: &'s PodTexts<'m>,
    pub(super) listener: &'s Listener,
    /// Which of the listeners of its number a text means.
    pub(super) transports: &'s Transports<'s>,
}
