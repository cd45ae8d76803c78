//! ImageConfigs of the input that the API server refuses, or whose rewrite it drops.

use super::conflict::Conflict;
use super::facts::MirrorFacts;
use crate::model::Model;
use crate::rule::Severity;
use crate::version::ProgramVersion;

/// An error for each refused object, a warning for each dropped field.
pub(super) fn conflicts(model: &Model, facts: &MirrorFacts, version: &ProgramVersion) -> Vec<Conflict> {
    let faults = facts.invalid_image_configs.iter().flat_map(|(id, all)| all.iter().map(|fault| (*id, fault)));
    let conflict = |(id, fault): (_, &crate::xpkg::CrdFault)| {
        let meta = &model.object(id)?.meta;
        let severity = if fault.is_dropped { Severity::Warning } else { Severity::Error };
        let message = format!("{meta}: {}: {}. {}", fault.path, fault.reason, fault.remedy);
        Some(Conflict { severity, message, source: meta.to_string(), object: Some(id) })
    };
    faults.filter(|(_, fault)| fault.applies(version)).filter_map(conflict).collect()
}
