//! Which workloads and packages the API server calls, and why.

use std::collections::{BTreeMap, BTreeSet};

use super::hints::Hints;
use super::program::{program_of, program_of_package};
use crate::model::Meta;
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::index::Model;
use crate::model::pod::PodTemplate;

/// Why the API server calls something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Why {
    /// What an object of the input makes it call.
    pub seen: BTreeSet<String>,
    /// Objects of the input whose `url` is that of a Service: the API server that they are for may be another one.
    pub by_url: BTreeSet<String>,
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
                let why = called.entry(workload.object).or_default();
                let calls = if call.url.is_some() { &mut why.by_url } else { &mut why.seen };
                calls.insert(format!("{} calls it through {meta}", call.by));
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

/// Workloads that may register webhooks when they run: the roles of their service account let them write webhook configurations, the
/// catalogue does not know all of their programs, and nothing of the input shows a call (`is_called`).
pub fn may_register(model: &Model, is_called: impl Fn(ObjectId) -> bool) -> Vec<(WorkloadId, &Meta, &PodTemplate)> {
    let writers = model.webhook_writers();
    if writers.is_empty() {
        return Vec::new();
    }
    let uncalled = model.workloads().filter(|(id, ..)| !is_called(id.object));
    let may_write = uncalled.filter(|(_, object, template)| {
        let namespaces = [None, object.meta.namespace.as_deref()];
        namespaces.into_iter().any(|namespace| writers.contains(&(namespace, template.service_account.as_ref())))
    });
    let is_known = |container, meta| program_of(container, meta, &Hints::default()).is_some();
    may_write
        .filter(|(_, object, template)| !template.running().all(|(_, container)| is_known(container, &object.meta)))
        .map(|(id, object, template)| (id, &object.meta, template))
        .collect()
}
