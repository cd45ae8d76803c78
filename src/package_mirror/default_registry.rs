//! The meaning of package names without registry: the default of the version, or a setting of the core.

use super::facts::MirrorFacts;
use crate::crossplane::{REGISTRY, RegistrySetting, Unqualified, flag, is_crossplane, unqualified};
use crate::model::Model;
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
    let mut containers = facts.core_containers.values().flatten();
    let by_variable = || {
        let value = containers.find_map(|container| container.registry.clone())?;
        Some(match value {
            Value::Str(registry) => RegistrySetting::Given(registry),
            _ => RegistrySetting::Hidden,
        })
    };
    let by_chart = || {
        let mut charts = facts.core_charts.values().filter(|_| facts.core_containers.is_empty());
        charts.find_map(|chart| Some(RegistrySetting::Given(chart.programs.setting(REGISTRY)?.0)))
    };
    by_flag.map(RegistrySetting::Given).or_else(by_variable).or_else(by_chart)
}
