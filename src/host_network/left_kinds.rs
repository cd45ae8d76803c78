//! Objects that a target matches and that have nothing to move: kinds that hostnet leaves as they are, and those whose pods are another
//! object's.

use std::collections::BTreeMap;

use crate::model::{Facts, Object, ObjectId};
use crate::plan::{Finding, listed, why_left};
use crate::rule::{self, Severity};

/// How many are named.
const NAMED: usize = 5;

/// What is said of those among the objects of the target at `place`: one result for each reason. Where the target matches nothing that
/// moves (`alone`), a person expects more of it.
pub(super) fn report<'m>(
    objects: impl Iterator<Item = (ObjectId, &'m Object)>,
    place: &str,
    alone: bool,
    findings: &mut Vec<Finding>,
) {
    let mut left: BTreeMap<&'static str, Vec<(ObjectId, &Object)>> = BTreeMap::new();
    for (id, object) in objects {
        if let Facts::TakesTemplateOf(workload) = &object.facts {
            let severity = if alone { Severity::Warning } else { Severity::Info };
            let message = format!(
                "{} is matched by the target at {place} and has no pod template: its pods are those of {workload}, which moves where a \
                 target matches it",
                object.meta
            );
            findings.push(Finding::new(severity, rule::UNMATCHED, message).on(id));
        } else if let Some(why) = why_left(object) {
            left.entry(why).or_default().push((id, object));
        }
    }
    for (why, objects) in left {
        let list = listed(objects.iter().map(|(_, object)| object.meta.to_string()), NAMED);
        let message = format!(
            "the target at {place} matches what does not move: {list}. {why}; put what is meant to stay under `exclude`"
        );
        let finding = Finding::new(Severity::Warning, rule::UNMATCHED, message);
        findings.extend(objects.first().map(|(id, _)| finding.on(*id)));
    }
}
