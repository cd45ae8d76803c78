//! Port fields as references.

use super::exec::exec_references;
use super::types::{AffectedWorkloads, Reference};
use crate::model::facts::{PodCommand, PortField};
use crate::model::id::ObjectId;
use crate::model::text::TextPlace;

impl PortField {
    /// Converts the field to a reference that moves; a text reference if the port number is only part of the value.
    pub(in crate::model) fn reference(&self, object: ObjectId, others: AffectedWorkloads) -> Reference {
        let path = self.path.clone();
        if self.is_whole() {
            return Reference::Field { object, path, value: self.value.clone(), others };
        }
        let place = TextPlace { path, text: self.value.text.as_ref().into(), range: self.range.clone() };
        Reference::Text { object, place, others }
    }
}

impl PodCommand {
    /// References of the command to a listener's number, each with the other pods in which the command runs.
    pub(in crate::model) fn references(
        &self,
        object: ObjectId,
        number: u16,
        all: &AffectedWorkloads,
    ) -> Vec<Reference> {
        let mut found = exec_references(object, &self.path, &self.words, number);
        for reference in &mut found {
            if let Reference::Text { others, .. } = reference {
                *others = all.clone();
            }
        }
        found
    }
}
