//! Objects that a target matches and that have no pods to move: kinds that hostnet leaves unchanged, and objects that
//! use the pod template of another object.

use std::collections::BTreeMap;

use crate::model::{Facts, Object, ObjectId};
use crate::plan::{Finding, listed, reason_not_moved};
use crate::rule::{self, Severity};

/// Maximum number of names in a message.
const NAMED: usize = 5;

/// Reports matched objects without pods of the target at `place`: a finding per object that uses the template of
/// another object, and a finding per reason for the other objects. `alone` is true if the target matches nothing that
/// moves; notes are then warnings.
pub(super) fn report_objects_without_pods<'m>(
    objects: impl Iterator<Item = (ObjectId, &'m Object)>,
    place: impl Fn() -> String,
    alone: bool,
    findings: &mut Vec<Finding>,
) {
    let mut left: BTreeMap<&'static str, Vec<(ObjectId, &Object)>> = BTreeMap::new();
    for (id, object) in objects {
        if let Facts::TakesTemplateOf(workload) = &object.facts {
            let severity = if alone { Severity::Warning } else { Severity::Info };
            let message = format!(
                "{} is matched by the target at {} and has no pod template: its pods belong to {workload}, which moves if a target \
                 matches it",
                object.meta,
                place()
            );
            findings.push(Finding::new(severity, rule::UNMATCHED, message).on_object(id));
        } else if let Some(reason) = reason_not_moved(object) {
            left.entry(reason).or_default().push((id, object));
        }
    }
    for (reason, objects) in left {
        let list = listed(objects.iter().map(|(_, object)| &object.meta), NAMED);
        let message = format!(
            "the target at {} matches objects that do not move: {list}. {reason}; put objects that should stay under `exclude`",
            place()
        );
        let finding = Finding::new(Severity::Warning, rule::UNMATCHED, message);
        findings.extend(objects.first().map(|(id, _)| finding.on_object(*id)));
    }
}
