//! Which workloads and packages the API server calls, and why.

use std::collections::{BTreeMap, BTreeSet};

use super::hints::Hints;
use super::program::{program_of, program_of_package};
use crate::model::id::ObjectId;
use crate::model::index::Model;

/// Why the API server calls something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Why {
    /// What an object of the input makes it call.
    pub seen: BTreeSet<String>,
    /// The programs that register what they serve when they run, which no manifest shows.
    pub registers: Vec<String>,
}

/// What the API server calls.
#[must_use]
pub fn called(model: &Model) -> BTreeMap<ObjectId, Why> {
    called_together(model, |_, _| true)
}

/// The same, of objects of which each two are ever applied together.
#[must_use]
pub fn called_together(model: &Model, together: impl Fn(ObjectId, ObjectId) -> bool) -> BTreeMap<ObjectId, Why> {
    let mut called: BTreeMap<ObjectId, Why> = BTreeMap::new();
    for (id, meta, service) in model.services() {
        for (caller, call) in model.callers_of(meta).filter(|(caller, _)| together(*caller, id)) {
            let selected = model.selected_by(meta, service).map(|(workload, _)| workload);
            for workload in selected.filter(|one| together(one.object, id) && together(one.object, caller)) {
                called.entry(workload.object).or_default().seen.insert(format!("{} calls it through {meta}", call.by));
            }
        }
    }
    for (id, object, template) in model.workloads() {
        let programs = template.running().filter_map(|(_, c)| program_of(c, &object.meta, &Hints::default()));
        for (program, _) in programs.filter(|(program, _)| !program.registers.is_empty()) {
            called.entry(id.object).or_default().registers.push(program.name.clone());
        }
    }
    for (id, meta, package) in model.packages() {
        let program = program_of_package(package, meta).filter(|(program, _)| !program.registers.is_empty());
        if let Some((program, _)) = program {
            called.entry(id).or_default().registers.push(program.name.clone());
        }
    }
    called
}
