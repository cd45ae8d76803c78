//! References between the pod templates of one object. The controller gives pods names without a Service in the input
//! (`train-leader-0-0.train`), and variables that no manifest sets (`$(LWS_LEADER_ADDRESS)`); a person has to decide
//! which pods are meant.

use std::collections::BTreeSet;

use super::search::Search;
use super::types::Reference;
use crate::model::id::ObjectId;
use crate::model::pod::Dialled;
use crate::model::text::labels;
use lossless_yaml::Path;

/// Numbers after possible pod names, in the other templates of a listener's object.
pub(in crate::model) fn references(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let Search { model, pods, listener, .. } = *search;
    if !pods.template.has_siblings {
        return;
    }
    let object = pods.id.object;
    let siblings = model.object(object).into_iter().flat_map(|object| object.templates().iter().enumerate());
    let known: BTreeSet<(ObjectId, Path)> = found.iter().filter_map(Reference::text_object_and_path).collect();
    let mut seen = BTreeSet::new();
    for (_, sibling) in siblings.filter(|(index, _)| *index != pods.id.template) {
        let from = sibling.dialled.partition_point(|dialled| dialled.port < listener.number);
        let here = sibling.dialled.iter().skip(from).take_while(|dialled| dialled.port == listener.number);
        for dialled in here.filter(|dialled| may_be_a_pod(dialled, &pods.meta.name)) {
            let path = dialled.place.path.clone();
            if known.contains(&(object, path.clone())) || !seen.insert(path.clone()) {
                continue;
            }
            let name = sibling.name.as_deref().unwrap_or_default();
            let what = format!(
                "{} follows the host `{}`, which may be one of its pods, in template {name}",
                listener.number, dialled.host
            );
            found.push(Reference::Seen { object, path, what });
        }
    }
}

/// True if a host may be a pod of an object: the first label is a variable that is not set, or begins with the name of
/// the object.
fn may_be_a_pod(dialled: &Dialled, object: &str) -> bool {
    let host = labels(&dialled.host);
    let Some(first) = host.first() else { return false };
    let rest = first
        .get(..object.len())
        .filter(|start| start.eq_ignore_ascii_case(object))
        .and_then(|_| first.get(object.len()..));
    first.starts_with('$') || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
