//! Field values that the API server refuses, or that YAML readers interpret differently. No other rule checks such
//! fields.

use crate::check::facts::Invalid;
use crate::check::{CheckContext, Finding};
use crate::rule::{DOCUMENT, Severity};
use lossless_yaml::Path;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let objects = context.model.objects().iter().zip(context.facts).enumerate();
    let applied = objects.filter(|(_, (object, _))| !object.meta.is_local_config());
    let find = |(id, (object, facts)): (usize, (&crate::model::Object, &crate::check::CheckFacts))| {
        let meta = &object.meta;
        let finding = |(path, reason, remedy, is_dropped): (&Path, &String, &str, bool)| {
            let message = format!("{meta}: {path}: {reason}. {remedy}");
            let (severity, fix) = if is_dropped {
                (Severity::Warning, "remove the field: the API server stores the object without it")
            } else {
                let fix = "correct the value: the API server rejects it, or YAML parsers read it differently, so no rule checks it";
                (Severity::Error, fix)
            };
            let finding = Finding::new(severity, DOCUMENT, message).on_object(id).at(path.clone());
            finding.brief(fix, format!("{path}: {reason}. {remedy}"))
        };
        let is_wrong = |invalid: &&Invalid| invalid.namespace_of.as_ref().is_none_or(|name| !is_in_base(context, name));
        let invalid = facts
            .invalid
            .iter()
            .filter(is_wrong)
            .map(|invalid| (&invalid.path, &invalid.reason, invalid.remedy, false));
        let faults = facts.crd_faults.iter().filter(|fault| fault.applies(&context.versions.crossplane));
        let faults = faults.map(|fault| (&fault.path, &fault.reason, fault.remedy, fault.is_dropped));
        invalid.chain(faults).map(finding).collect::<Vec<_>>()
    };
    applied.flat_map(find).collect()
}

/// True if the input has a Service of this name without a namespace, as in the base of a kustomization.
fn is_in_base(context: &CheckContext<'_>, service: &str) -> bool {
    context.model.objects().iter().any(|object| {
        let meta = &object.meta;
        meta.gvk.group.is_empty() && meta.gvk.kind == "Service" && meta.name == service && meta.namespace.is_none()
    })
}
