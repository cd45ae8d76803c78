//! Inputs that no rule can check: all objects have kinds that no cluster has, or are workloads without a spec.

use crate::catalog;
use crate::releases::{group_and_kind, name_of};
use krm::{Form, Input, ReadError, escape_line};
use lossless_yaml::NodeRef;

/// Kinds of objects that no cluster has: group, kind (empty for any kind), and description with the remedy.
const NO_OBJECTS: [(&str, &str, &str); 9] = [
    ("", "APIGroupList", DISCOVERY),
    ("", "APIGroup", DISCOVERY),
    ("", "APIResourceList", DISCOVERY),
    ("", "APIVersions", DISCOVERY),
    (
        "admission.k8s.io",
        "AdmissionReview",
        "a request to a webhook and not a manifest: give the object inside of it, at `request.object`",
    ),
    ("", "Config", "a kubeconfig and not a manifest"),
    ("kpt.dev", "Kptfile", "the description of a kpt package: give the folder of the package"),
    ("skaffold", "Config", "the config of skaffold: give the output of `skaffold render`"),
    ("hostnet.dev", "", "a config of hostnet: give the manifests too"),
];

const DISCOVERY: &str =
    "an answer of the API server about its APIs, and not a manifest: the path of the request names no resource";

/// Error if no object of the inputs can be checked. Reads up to the first object that can be.
pub fn no_checkable_object(inputs: &[Input]) -> Option<ReadError> {
    let mut first = None;
    for input in inputs {
        if matches!(input.form(), Form::ResourceList) {
            return None;
        }
        let faults = input.object_batches(|place, object| Some((place.line_of(object), fault(object)?))).ok()??;
        let found = faults.into_iter().flatten().next();
        first = first.or_else(|| found.map(|(line, fault)| (input.origin().to_string(), line, fault)));
    }
    let (place, line, message) = first?;
    let mut error = ReadError::for_run(message);
    (error.place, error.position) = (place, Some((line, 1)));
    Some(error)
}

/// Reason why an object cannot be checked.
fn fault(object: NodeRef<'_, '_>) -> Option<String> {
    let (group, kind) = group_and_kind(object)?;
    let is_row = |(of, its, _): &&(&str, &str, &str)| *of == group && (its.is_empty() || *its == kind);
    if let Some((.., description)) = NO_OBJECTS.iter().find(is_row) {
        return Some(format!("this {} is {description}", escape_line(kind)));
    }
    let is_workload = catalog::WORKLOAD_KINDS.iter().any(|row| row.group == group && row.kind == kind);
    let has_spec = object.get("spec").is_some_and(|spec| !spec.is_null());
    (is_workload && !has_spec)
        .then(|| format!("{} has no spec, so nothing is judged: is the file complete?", name_of(object, kind)))
}
