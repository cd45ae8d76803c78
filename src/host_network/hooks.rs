//! Workloads that a broad select leaves on the pod network: hooks of a release, and Jobs without a port. Hooks and Jobs
//! run briefly, have no clients and gain nothing from the host network.

use crate::catalog;
use crate::model::listener::{Hints, ports};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model, Object, ObjectId};
use crate::plan::{Finding, Matcher, listed};
use crate::rule::{self, Severity};

/// Maximum number of names in a message.
const NAMED: usize = 5;

/// True if a select skips an object that it matches: the select is broad, and the object is a hook or a Job without a
/// port.
pub(super) fn skips(model: &Model, matcher: &Matcher, hints: &Hints, object: &Object) -> bool {
    if !object.has_template() || matcher.is_specific_select() {
        return false;
    }
    let has_port = || object.templates().iter().any(|template| has_port(model, &object.meta, template, hints));
    is_hook(&object.meta) || (object.meta.is_job() && !has_port())
}

/// True if an annotation marks the object as a hook of a release, which a tool such as Helm runs before or after the
/// release.
fn is_hook(meta: &Meta) -> bool {
    catalog::HOOK_ANNOTATIONS.iter().any(|key| meta.annotations.get(key).is_some())
}

/// True if a container of the pods has a declared port or a listener.
fn has_port(model: &Model, meta: &Meta, template: &PodTemplate, hints: &Hints) -> bool {
    let mut declared = template.running().flat_map(|(_, container)| container.ports.iter().flatten());
    declared.next().is_some() || !ports(model, meta, template, hints).listeners.is_empty()
}

/// One finding that lists the skipped objects.
pub(super) fn report_hooks(model: &Model, skipped: &[ObjectId]) -> Option<Finding> {
    let list = listed(skipped.iter().filter_map(|id| Some(&model.object(*id)?.meta)), NAMED);
    let message = format!(
        "hooks of a release and Jobs without a port stay on the pod network, because only a broad select matches them: \
         {list}. To move one of them, write a target with its `name`, its `kind` or a `labelSelector`"
    );
    (!skipped.is_empty()).then(|| Finding::new(Severity::Info, rule::HOOK, message))
}
