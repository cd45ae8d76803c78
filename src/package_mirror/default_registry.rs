//! The meaning of package names without registry: the default of the version, or a setting of the core.

use super::core_env::{EnvFromValue, resolve_env_from};
use super::core_facts::CoreContainer;
use super::facts::MirrorFacts;
use crate::crossplane::{REGISTRY, RegistrySetting, Unqualified, flag, is_crossplane, unqualified};
use crate::model::{Model, Object};
use crate::version::ProgramVersion;
use lossless_yaml::Value;

/// Determines the meaning of names without registry.
pub(super) fn unqualified_names(model: &Model, facts: &MirrorFacts, version: &ProgramVersion) -> Unqualified {
    unqualified(version, setting(model, facts))
}

/// The registry that the core's flag, its variable or, without a core, values of its chart set.
fn setting(model: &Model, facts: &MirrorFacts) -> Option<RegistrySetting> {
    let by_flag = model.workloads().find_map(|(_, _, template)| {
        let mut cores = template.running().filter(|(_, container)| is_crossplane(template, container));
        cores.find_map(|(_, container)| flag(container, REGISTRY.flags))
    });
    let mut containers = facts.core_containers.iter().flat_map(|(id, all)| all.iter().map(move |core| (*id, core)));
    let by_variable = || containers.find_map(|(id, core)| variable(core, facts, model.object(id)?));
    let by_chart = || {
        let mut charts = facts.core_charts.values().filter(|_| facts.core_containers.is_empty());
        charts.find_map(|chart| Some(RegistrySetting::Given(chart.programs.setting(REGISTRY)?.0)))
    };
    by_flag.map(RegistrySetting::Given).or_else(by_variable).or_else(by_chart)
}

/// The registry that a variable of the core sets, in `env` or else in `envFrom`.
fn variable(core: &CoreContainer, facts: &MirrorFacts, object: &Object) -> Option<RegistrySetting> {
    let namespace = object.meta.namespace.as_deref();
    let known = |text: Option<String>| text.map_or(RegistrySetting::Hidden, RegistrySetting::Given);
    let text = |value: &Value| if let Value::Str(text) = value { Some(text.clone()) } else { None };
    if let Some(key) = &core.registry_key {
        return Some(known(key.resolve(&facts.env_data, namespace)));
    }
    if let Some(value) = &core.registry {
        return Some(known(text(value)));
    }
    match resolve_env_from(&core.env_from, &facts.env_data, (namespace, REGISTRY.variable)) {
        EnvFromValue::Set(_, _, value) => Some(known(text(value))),
        EnvFromValue::Unknown(_) => Some(RegistrySetting::Hidden),
        EnvFromValue::Unset => None,
    }
}
