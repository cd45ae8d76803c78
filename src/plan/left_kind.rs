//! Kinds that hostnet leaves unchanged.

use crate::catalog;
use crate::model::{Facts, Object};

/// True if hostnet reports the matched object, which has no template, with a reason.
pub(crate) fn has_reason(object: &Object) -> bool {
    matches!(object.facts, Facts::TakesTemplateOf(_)) || why_left(object).is_some()
}

pub(crate) fn why_left(object: &Object) -> Option<&'static str> {
    let gvk = &object.meta.gvk;
    catalog::why_left(&gvk.group, &gvk.kind).filter(|_| !object.has_template())
}
