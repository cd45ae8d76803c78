//! MutatingAdmissionPolicies of a config, for objects that operators make in the cluster.

use std::collections::HashMap;

use super::super::function::{Function, ObjectIndex, Planned, RunError};
use super::super::run::settle;
use super::{Identity, edits_by_object, identity, whole_object};
use crate::api::FailOn;
use crate::catalog::workload_kinds;
use crate::check::generator::generator;
use crate::model::pod::{Owner, owner};
use crate::model::{Meta, ObjectId};
use crate::plan::{Edit, Finding, Plan};
use crate::render::patch::admission::{MutatingPolicy, of_object};
use crate::render::{Diagnostic, results};
use crate::rule::{self, Severity};
use krm::{Input, ReadError};

/// Policies of a config.
#[derive(Debug)]
pub struct Policies {
    /// One policy per changed object, in input order; empty if an error stops the run.
    pub policies: Vec<MutatingPolicy>,
    /// All results, sorted.
    pub results: Vec<Diagnostic>,
    /// Severity from which on the run fails.
    pub fail_on: FailOn,
}

impl Policies {
    /// True if findings stopped the run.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.results.iter().any(|result| self.fail_on.stops(result.severity))
    }
}

/// Policies for the changes of a config in inputs that belong together. With `changes` every change has a result.
///
/// # Errors
///
/// An input that cannot be read, or an invalid config.
pub fn policies(inputs: &[Input], config: &impl Function, changes: bool) -> Result<Policies, RunError> {
    let Planned { mut plan, read } = config.plan(inputs)?;
    settle(&mut plan, &read);
    let mut policies = Vec::new();
    if !plan.has_errors() {
        let (made, broken) = of_plan(&read, &plan)?;
        policies = made;
        plan.findings.extend(broken);
    }
    let results = results(plan, &read, changes);
    let mut this = Policies { policies, results, fail_on: config.fail_on() };
    if this.failed() {
        this.policies.clear();
        // After an error planned changes are not made.
        this.results.retain(|result| !result.is_change);
    }
    Ok(this)
}

/// Converts a plan to policies; adds findings about changes that policies cannot express.
fn of_plan(read: &ObjectIndex<'_>, plan: &Plan) -> Result<(Vec<MutatingPolicy>, Vec<Finding>), ReadError> {
    let mut broken = Vec::new();
    if let Some(whole) = whole_object(plan) {
        let why = format!("{}: policies change objects and make none; use `hostnet apply`", whole.message);
        return Ok((Vec::new(), vec![Finding::new(Severity::Error, rule::DOCUMENT, why)]));
    }
    let edits = edits_by_object(plan, read);
    let mut changed: HashMap<Identity<'_>, (ObjectId, &[&Edit])> = HashMap::new();
    let mut copies: HashMap<Identity<'_>, usize> = HashMap::new();
    for meta in &read.metas {
        *copies.entry(identity(meta)).or_default() += 1;
    }
    for (id, edits) in &edits {
        let Some(meta) = read.metas.get(*id) else { continue };
        if copies.get(&identity(meta)).is_some_and(|count| *count > 1) {
            let why =
                format!("{meta} is in the input more than once; give one of them, so that one policy can change it");
            broken.push(Finding::new(Severity::Error, rule::DOCUMENT, why).on(*id));
            continue;
        }
        changed.insert(identity(meta), (*id, edits));
    }
    let mut policies = Vec::new();
    for input in read.inputs {
        let found = input.objects(|_, node| {
            let meta = Meta::read(node);
            let (id, edits) = changed.get(&identity(&meta))?;
            let owner = owner(node);
            // The pods of a Deployment follow from its template.
            let is_workload = |owner: &&Owner| {
                workload_kinds().iter().any(|row| row.group == owner.group && row.kind == owner.kind)
            };
            if let Some(owner) = owner.as_deref().filter(is_workload) {
                let why = format!("{meta}: a {} makes it from its own template, so no policy is printed for it", owner.kind);
                return Some((*id, Err((Severity::Info, why))));
            }
            let source = owner.is_none().then(|| generator(&meta)).flatten().filter(|(row, _)| row.is_source);
            if let Some((row, made_by)) = source {
                let change = row.change;
                let why = format!("{meta}: {made_by} applies it, so no policy is printed: change it in {change} (`hostnet patch --into`)");
                return Some((*id, Err((Severity::Warning, why))));
            }
            Some((*id, of_object(&meta, node, edits).map_err(|why| (Severity::Error, why))))
        })?;
        for (id, policy) in found.into_iter().flatten() {
            match policy {
                Ok(policy) => policies.push(policy),
                Err((severity, why)) => broken.push(Finding::new(severity, rule::DOCUMENT, why).on(id)),
            }
        }
    }
    Ok((policies, broken))
}
