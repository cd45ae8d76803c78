//! Field values that the API server refuses, or that YAML readers interpret differently. No other rule checks such
//! fields.

use crate::check::{CheckContext, Finding};
use crate::rule::{DOCUMENT, Severity};
use lossless_yaml::Path;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let objects = context.model.objects().iter().zip(context.facts).enumerate();
    let applied = objects.filter(|(_, (object, _))| !object.meta.is_local_config());
    let find = |(id, (object, facts)): (usize, (&crate::model::Object, &crate::check::CheckFacts))| {
        let meta = &object.meta;
        let finding = |(path, reason, remedy): (&Path, &String, &str)| {
            let message = format!("{meta}: {path}: {reason}. {remedy}");
            let finding = Finding::new(Severity::Error, DOCUMENT, message).on(id).at(path.clone());
            finding.brief(
                "correct the value: the API server rejects it, or readers differ, and no rule checks it",
                format!("{path}: {reason}. {remedy}"),
            )
        };
        let invalid = facts.invalid.iter().map(|invalid| (&invalid.path, &invalid.reason, invalid.remedy));
        let faults = facts.crd_faults.iter().filter(|fault| fault.applies(&context.versions.crossplane));
        let faults = faults.map(|fault| (&fault.path, &fault.reason, fault.remedy));
        invalid.chain(faults).map(finding).collect::<Vec<_>>()
    };
    applied.flat_map(find).collect()
}
