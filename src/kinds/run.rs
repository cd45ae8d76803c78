//! A run of a config over inputs: plan, then render.

use std::collections::{BTreeMap, HashSet};

use super::function::{Function, ObjectIndex, Planned, RunError};
use super::{kustomize, names};
use crate::api::{ConfigError, FailOn};
use crate::model::ObjectId;
use crate::plan::{Change, Finding, Plan};
use crate::render::{Diagnostic, Objects, Ops, ops, results};
use crate::rule::{self, Severity};
use krm::{Changes, Form, Input};
use lossless_yaml::Splice;

#[cfg(test)]
mod tests;

/// What a run gives: for every input what changes in it, and the results.
#[derive(Debug)]
pub struct Run {
    /// For every input, in order, what changes in its text; only results when the run failed.
    pub splices: Vec<Vec<Splice>>,
    /// All results, sorted.
    pub results: Vec<Diagnostic>,
    /// Whether objects change.
    pub changes: bool,
    /// How many objects change, new ones included.
    pub objects: usize,
    /// How many workloads move to the host network, or get another port there.
    pub workloads: usize,
    /// How many listeners get another number.
    pub ports: usize,
    /// Number of workloads that keep ports which could not move, as the config asks; only results of severity info report them.
    pub kept: usize,
    /// The severity from which on the run fails.
    pub fail_on: FailOn,
    /// True if the input is a build by kustomize, which drops results.
    pub in_kustomize: bool,
}

impl Run {
    /// The run of a config that cannot be used.
    #[must_use]
    pub fn of_config_error(inputs: &[Input], error: &ConfigError) -> Self {
        let results = config_results(error);
        Self {
            splices: only_results(inputs, &results),
            results,
            changes: false,
            objects: 0,
            workloads: 0,
            ports: 0,
            kept: 0,
            fail_on: FailOn::default(),
            in_kustomize: inputs.iter().any(kustomize::may_be_build),
        }
    }

    /// True if findings stopped the run: then nothing but results may be written.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.results.iter().any(|result| self.fail_on.fails(result.severity))
    }
}

/// Runs a config over inputs that belong together: references are followed from one to the other.
///
/// With `changes` a result is made for every change too; errors and warnings always have one. A ResourceList takes all.
pub fn run(inputs: &[Input], config: &impl Function, changes: bool) -> Result<Run, RunError> {
    let Planned { mut plan, read } = config.plan(inputs)?;
    let in_kustomize = kustomize::is_build(inputs, read.metas.iter());
    if kustomize::is_empty_build(inputs, &read.metas) {
        plan = Plan::default();
    } else if in_kustomize {
        kustomize::report(&config.label(), &mut plan, &read.metas);
    }
    Ok(Run { in_kustomize, ..rendered(inputs, plan, read, config.fail_on(), changes) })
}

impl Planned<'_> {
    /// What is to change in each input, before anything is written: nothing when there is an error.
    #[must_use]
    pub fn changes(mut self) -> Vec<Changes> {
        let ops = settle(&mut self.plan, &self.read);
        let ops = if self.plan.has_errors() { Ops::default() } else { ops };
        by_input(ops, &self.read.firsts)
    }
}

/// What a plan makes of the inputs.
fn rendered(inputs: &[Input], mut plan: Plan, mut read: ObjectIndex<'_>, fail_on: FailOn, changes: bool) -> Run {
    let mut ops = settle(&mut plan, &read);
    names::report_renamed(inputs, &ops, &mut plan, &read);
    if plan.has_errors() {
        ops = Ops::default();
    }
    let lists = inputs.iter().any(|input| input.form() == Form::ResourceList);
    let errors = plan.findings.iter().any(|finding| fail_on.stops(finding.severity));
    let (workloads, ports) = if errors { (0, 0) } else { moved(&plan) };
    let is_kept = |finding: &&Finding| finding.rule == rule::PORT_SETTING && finding.severity == Severity::Info;
    let kept_ports = plan.findings.iter().filter(is_kept).count();
    let objects = if errors { 0 } else { plan.all_edits().map(|edit| edit.object).collect::<HashSet<_>>().len() };
    // What would have changed does not when there are errors.
    let mut changes_of = if errors { Vec::new() } else { by_input(ops, &read.firsts) };
    say_what_stays(&mut plan, &read, &changes_of);
    read.metas.append(&mut plan.new);
    let mut outcomes = results(plan, &read, changes || lists);
    drop(read);
    if errors {
        outcomes.retain(|outcome| !outcome.is_change);
    }
    // What only the results of a list say goes away while it is written there: there may be more results than objects.
    let shown = |outcome: &&Diagnostic| changes || outcome.severity != Severity::Info;
    let kept = outcomes.iter().filter(shown).cloned().collect();
    let changes = changes_of.iter().any(|own| !own.is_empty());
    let mut run = Run {
        splices: Vec::new(),
        results: kept,
        changes,
        objects,
        workloads,
        ports,
        kept: kept_ports,
        fail_on,
        in_kustomize: false,
    };
    let mut broken = Vec::new();
    for (position, input) in inputs.iter().enumerate().rev() {
        let own = changes_of.get_mut(position).map(std::mem::take).unwrap_or_default();
        let rendered = if position == 0 {
            input.render(own, std::mem::take(&mut outcomes).into_iter().map(Diagnostic::into_value))
        } else {
            input.render(own, outcomes.iter().cloned().map(Diagnostic::into_value))
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
        run.splices = only_results(inputs, &run.results);
    }
    run
}

/// How many workloads a plan moves, and how many of their listeners.
fn moved(plan: &Plan) -> (usize, usize) {
    let of_pods = plan.all_edits().filter(|edit| edit.rule == rule::HOST_NETWORK).map(|edit| edit.object);
    let objects: HashSet<ObjectId> = of_pods.chain(plan.moves.iter().map(|moved| moved.workload.object)).collect();
    (objects.len(), plan.moves.len())
}

/// What a plan changes, once all is said of it that stops it. Nothing changes when there are errors.
pub(super) fn settle(plan: &mut Plan, read: &ObjectIndex<'_>) -> Ops {
    if plan.has_errors() {
        return Ops::default();
    }
    let mut ops = ops(plan.all_edits());
    for (object, why) in std::mem::take(&mut ops.refused) {
        let name = read.describe(object).map(|(meta, _)| meta.to_string()).unwrap_or_default();
        plan.findings.push(Finding::new(Severity::Error, rule::DOCUMENT, format!("{name}: {why}")).on(object));
    }
    ops
}

/// The changes of each input.
fn by_input(mut ops: Ops, firsts: &[usize]) -> Vec<Changes> {
    let mut changes: Vec<Changes> = firsts.iter().rev().map(|&first| ops.split_off(first)).collect();
    changes.reverse();
    changes
}

/// An object that goes from its input, but stays in a file that others list or that would hold nothing without it.
fn say_what_stays(plan: &mut Plan, read: &ObjectIndex<'_>, changes: &[Changes]) {
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
            edit.message.push_str("; its file has to keep it, so it stays there with the annotation ");
            edit.message.push_str("config.kubernetes.io/local-config: \"true\", and nobody applies it");
        }
    }
}

/// The splices that add results to inputs that have a place for them, and change nothing else.
#[must_use]
pub fn only_results(inputs: &[Input], results: &[Diagnostic]) -> Vec<Vec<Splice>> {
    let none = BTreeMap::new();
    let render = |input: &Input| input.render(&none, results.iter().cloned().map(Diagnostic::into_value));
    inputs.iter().map(|input| render(input).unwrap_or_default()).collect()
}

/// The results of a config that cannot be used: one for each mistake.
#[must_use]
pub fn config_results(error: &ConfigError) -> Vec<Diagnostic> {
    error.lines().map(|line| Diagnostic::error(rule::CONFIG, line)).collect()
}
