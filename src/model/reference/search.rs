//! Search for the references to one listener.

use super::pod_texts::PodTexts;
use super::transports::Transports;
use crate::model::index::Model;
use crate::model::listener::{Listener, WorkloadView};

/// A search for the references to one listener.
#[derive(Clone, Copy)]
pub(in crate::model) struct Search<'s, 'm> {
    pub(super) model: &'s Model,
    /// The workload that listens.
    pub(super) pods: WorkloadView<'s>,
    /// The texts of the workload's pods.
    pub(super) texts: &'s PodTexts<'m>,
    pub(super) listener: &'s Listener,
    /// Protocols of the listeners with the same port number, to resolve the listener of a text.
    pub(super) transports: &'s Transports<'s>,
}
