//! Settings of Crossplane's core in the input: flags and variables of its container, or values of its chart.

use super::effective::{KnownValue, resolve_value};
use super::facts::ProxyFacts;
use super::objects::Objects;
use crate::crossplane::{CoreSetting, flag, is_core, lacks_core};
use crate::model::{Model, ObjectId};

/// Reads a setting from the container of the first core, or of core `core` if given; from values of the chart if the
/// input has no core. Returns the value, and its source for messages; `None` for the default.
pub(super) fn core_setting(
    model: &Model,
    facts: &ProxyFacts,
    core: Option<ObjectId>,
    setting: CoreSetting,
) -> Option<(KnownValue, String)> {
    let is_meant = |id: ObjectId| core.is_none_or(|core| core == id);
    for (id, object, template) in model.workloads().filter(|(id, ..)| is_meant(id.object)) {
        for (position, container) in template.containers.iter().enumerate().filter(|(_, one)| is_core(template, one)) {
            let known = Objects::new(model, facts, object.meta.namespace.as_deref());
            let variables = facts.container(id.object, id.template, position);
            let by_variable = || Some((resolve_value(variables?, &known, setting.variable)?, setting.variable));
            let name = setting.flags.first().copied().unwrap_or_default();
            let by_flag = flag(container, setting.flags).map(|text| (KnownValue::Text(text), name));
            if let Some((value, name)) = by_flag.or_else(by_variable) {
                return Some((value, format!("`{name}` of {}", object.meta)));
            }
        }
    }
    let mut charts = facts.core_charts.iter().filter(|_| core.is_none() && lacks_core(model));
    charts.find_map(|(id, values)| {
        let (value, name) = values.setting(setting)?;
        Some((KnownValue::Text(value), format!("`{name}` of {}", model.object(*id)?.meta)))
    })
}
