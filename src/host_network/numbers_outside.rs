//! Numbers in the object of a workload, outside of its pod templates, that may refer to a moved port.

use super::assignments::Assignments;
use super::workload::Workload;
use crate::model::{Model, Object};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Warns about numbers outside of the pod templates that may refer to a moved port, once per number.
pub(super) fn report_numbers_outside<'w>(
    model: &'w Model,
    workloads: &'w [Workload<'w>],
    assignments: &'w Assignments,
) -> impl Iterator<Item = Finding> + 'w {
    workloads.iter().flat_map(move |workload| {
        let object = model.object(workload.id.object);
        let numbers = object.into_iter().flat_map(Object::outside_numbers);
        numbers.filter_map(move |(path, text, number)| {
            let (listener, new) = assignments.first_move(workload, *number)?;
            let message = format!(
                "{}: moves to {new}, and `{path}` of its object is `{text}`; if that refers to this port, change it too",
                workload.display_name(listener)
            );
            let finding = Finding::new(Severity::Warning, rule::PORT_REFERENCE, message);
            Some(finding.on_object(workload.id.object).at(path.clone()).of_port(*number))
        })
    })
}
