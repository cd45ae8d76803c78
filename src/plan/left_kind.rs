//! Kinds that hostnet leaves unchanged.

use crate::catalog;
use crate::model::{Facts, Object};

/// True if hostnet reports the matched object, which has no template, with a reason.
pub(crate) fn is_reported_with_reason(object: &Object) -> bool {
    matches!(object.facts, Facts::TakesTemplateOf(_)) || reason_not_moved(object).is_some()
}

/// Reason why objects of this kind cannot move; `None` for objects with pod templates.
pub(crate) fn reason_not_moved(object: &Object) -> Option<&'static str> {
    let gvk = &object.meta.gvk;
    catalog::reason_not_moved(&gvk.group, &gvk.kind).filter(|_| !object.has_template())
}
