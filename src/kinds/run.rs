//! Runs a config over inputs: plans, then renders.

use std::collections::{BTreeMap, HashSet};

use super::changed_objects::{ChangedObject, changed_objects};
use super::function::{Function, ObjectIndex, Planned, RunError};
use super::{kustomize, kustomize_names};
use crate::api::{ConfigError, FailOn};
use crate::model::ObjectId;
use crate::plan::{Change, Finding, Plan};
use crate::render::{Diagnostic, Objects, Ops, ops, results};
use crate::rule::{self, Severity};
use krm::{Changes, Form, Input};
use lossless_yaml::Splice;

#[cfg(test)]
mod tests;

/// Result of a run: the changes of each input, and the results.
#[derive(Debug, Default)]
pub struct Run {
    /// Text changes for each input, in order; after a failure only changes that add results.
    pub splices: Vec<Vec<Splice>>,
    /// All results, sorted.
    pub results: Vec<Diagnostic>,
    /// True if objects change.
    pub changes: bool,
    /// Number of changed objects, including new objects.
    pub objects: usize,
    /// Number of workloads that move to the host network, or get another port there.
    pub workloads: usize,
    /// Number of listeners that get another port.
    pub ports: usize,
    /// Changed objects of files.
    pub changed: Vec<ChangedObject>,
    /// Number of workloads that keep immovable ports as configured; reported only by results of severity info.
    pub kept: usize,
    /// Severity from which on the run fails.
    pub fail_on: FailOn,
    /// True if the input is a kustomize build; kustomize drops results.
    pub in_kustomize: bool,
}

impl Run {
    /// Result for an invalid config.
    pub fn from_config_error(inputs: &[Input], error: &ConfigError) -> Self {
        let results = config_results(error);
        Self {
            splices: splices_with_only_results(inputs, &results),
            results,
            in_kustomize: inputs.iter().any(kustomize::may_be_build),
            ..Self::default()
        }
    }

    /// True if findings stopped the run: only results may then be written.
    pub fn failed(&self) -> bool {
        self.results.iter().any(|result| self.fail_on.fails(result.severity))
    }
}

/// Runs a config over inputs that belong together, following references between them.
///
/// With `changes` every change has a result; errors and warnings always have a result. A ResourceList gets all results.
pub fn run(inputs: &[Input], config: &impl Function, changes: bool) -> Result<Run, RunError> {
    let Planned { mut plan, read } = config.plan(inputs)?;
    let in_kustomize = kustomize::is_build(inputs, read.metas.iter());
    if kustomize::is_empty_build(inputs, &read.metas) {
        plan = Plan::default();
    } else if in_kustomize {
        kustomize::report_unreached_objects(&config.label(), &mut plan, &read.metas);
    }
    Ok(Run { in_kustomize, ..rendered(inputs, plan, read, config.fail_on(), changes) })
}

impl Planned<'_> {
    /// Changes of each input; empty after an error.
    pub fn changes(mut self) -> Vec<Changes> {
        let ops = checked_ops(&mut self.plan, &self.read);
        let ops = if self.plan.has_errors() { Ops::default() } else { ops };
        by_input(ops, &self.read.firsts)
    }
}

/// Converts a plan to a run.
fn rendered(inputs: &[Input], mut plan: Plan, mut read: ObjectIndex<'_>, fail_on: FailOn, changes: bool) -> Run {
    let mut ops = checked_ops(&mut plan, &read);
    kustomize_names::report_renamed(inputs, &ops, &mut plan, &read);
    if plan.has_errors() {
        ops = Ops::default();
    }
    let lists = inputs.iter().any(|input| input.form() == Form::ResourceList);
    let errors = plan.findings.iter().any(|finding| fail_on.stops(finding.severity));
    let (workloads, ports) = if errors { (0, 0) } else { moved(&plan) };
    let of_files = if errors { Vec::new() } else { changed_objects(&plan, &read) };
    let is_kept = |finding: &&Finding| finding.rule == rule::PORT_SETTING && finding.severity == Severity::Info;
    let kept_ports = plan.findings.iter().filter(is_kept).count();
    let objects = if errors { 0 } else { plan.all_edits().map(|edit| edit.object).collect::<HashSet<_>>().len() };
    // After errors planned changes are not made.
    let mut changes_of = if errors { Vec::new() } else { by_input(ops, &read.firsts) };
    report_kept_objects(&mut plan, &read, &changes_of);
    read.metas.append(&mut plan.new);
    let mut outcomes = results(plan, &read, changes || lists);
    drop(read);
    if errors {
        outcomes.retain(|outcome| !outcome.is_change);
    }
    // Results of severity info for a ResourceList are dropped after writing: there may be more of them than objects.
    let shown = |outcome: &&Diagnostic| changes || outcome.severity != Severity::Info;
    let kept = outcomes.iter().filter(shown).cloned().collect();
    let changes = changes_of.iter().any(|changes| !changes.is_empty());
    let mut run = Run {
        splices: Vec::new(),
        results: kept,
        changes,
        objects,
        workloads,
        ports,
        changed: of_files,
        kept: kept_ports,
        fail_on,
        in_kustomize: false,
    };
    let mut broken = Vec::new();
    for (position, input) in inputs.iter().enumerate().rev() {
        let changes_of_input = changes_of.get_mut(position).map(std::mem::take).unwrap_or_default();
        let rendered = if position == 0 {
            input.render(changes_of_input, std::mem::take(&mut outcomes).into_iter().map(Diagnostic::into_value))
        } else {
            input.render(changes_of_input, outcomes.iter().cloned().map(Diagnostic::into_value))
        };
        match rendered {
            Ok(splices) => run.splices.push(splices),
            Err(error) => {
                broken.push(Diagnostic::error(rule::DOCUMENT, error.to_string()));
            }
        }
    }
    run.splices.reverse();
    if !broken.is_empty() {
        run.results.retain(|outcome| !outcome.is_change);
        run.results.extend(broken);
        (run.changes, run.objects, run.workloads, run.ports) = (false, 0, 0, 0);
        run.splices = splices_with_only_results(inputs, &run.results);
    }
    run
}

/// Number of moved workloads and of listeners with a new port.
fn moved(plan: &Plan) -> (usize, usize) {
    let of_pods = plan.all_edits().filter(|edit| edit.rule == rule::HOST_NETWORK).map(|edit| edit.object);
    let objects: HashSet<ObjectId> = of_pods.chain(plan.moves.iter().map(|moved| moved.workload.object)).collect();
    (objects.len(), plan.moves.len())
}

/// Converts a plan to operations, adding errors about contradictions. Empty after errors.
pub(super) fn checked_ops(plan: &mut Plan, read: &ObjectIndex<'_>) -> Ops {
    if plan.has_errors() {
        return Ops::default();
    }
    let mut ops = ops(plan.all_edits());
    for (object, why) in std::mem::take(&mut ops.refused) {
        let name = read.describe(object).map(|(meta, _)| meta.to_string()).unwrap_or_default();
        plan.findings.push(Finding::new(Severity::Error, rule::DOCUMENT, format!("{name}: {why}")).on_object(object));
    }
    ops
}

/// Changes of each input.
fn by_input(mut ops: Ops, firsts: &[usize]) -> Vec<Changes> {
    let mut changes: Vec<Changes> = firsts.iter().rev().map(|&first| ops.split_off(first)).collect();
    changes.reverse();
    changes
}

/// Reports removed objects that stay in their file because the file is listed elsewhere or would become empty.
fn report_kept_objects(plan: &mut Plan, read: &ObjectIndex<'_>, changes: &[Changes]) {
    let stay = read
        .inputs
        .iter()
        .zip(changes)
        .zip(&read.firsts)
        .flat_map(|((input, changes), &first)| input.marks(changes).into_iter().map(move |object| first + object));
    let stay: HashSet<ObjectId> = stay.collect();
    if stay.is_empty() {
        return;
    }
    for edit in plan.edits.iter_mut().chain(plan.moves.iter_mut().flat_map(|moved| &mut moved.edits)) {
        if stay.contains(&edit.object) && edit.change == Change::RemoveDocument {
            edit.message.push_str("; its file must keep the object, which gets the annotation ");
            edit.message.push_str("config.kubernetes.io/local-config: \"true\", so that it is not applied");
        }
    }
}

/// Text changes that only add results, for inputs that can contain results.
pub fn splices_with_only_results(inputs: &[Input], results: &[Diagnostic]) -> Vec<Vec<Splice>> {
    let none = BTreeMap::new();
    let render = |input: &Input| input.render(&none, results.iter().cloned().map(Diagnostic::into_value));
    inputs.iter().map(|input| render(input).unwrap_or_default()).collect()
}

/// Results for an invalid config: one per mistake.
pub fn config_results(error: &ConfigError) -> Vec<Diagnostic> {
    error.lines().map(|line| Diagnostic::error(rule::CONFIG, line)).collect()
}
