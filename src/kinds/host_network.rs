//! `kind: HostNetwork`: read the objects, plan, render.

use std::collections::{BTreeMap, HashSet};

use crate::api::{Config, ConfigError, Day, HostNetworkSpec};
use crate::catalog::workload_kinds;
use crate::host_network::{self, PortRow, Targets};
use crate::judge::suppress::Suppressions;
use crate::model::{Kinds, Meta, Model, Object, ObjectId, TemplateKind};
use crate::plan::{Change, Content, Finding, Plan};
use crate::render::{Diagnostic, Objects, Ops, Source, ops, results};
use crate::rule::{self, Severity};
use crate::wire::{Changes, DuplicateKey, Form, Input, ReadError};
use crate::yaml::{NodeRef, Splice};

pub use super::function::RunError;
use super::function::{Function, ObjectIndex, Planned};

mod accept;
#[cfg(test)]
mod tests;

pub(super) use accept::accept;

/// What a run gives: for every input what changes in it, and the results.
#[derive(Debug)]
pub struct Run {
    /// For every input, in order, what changes in its text; only results when the run failed.
    pub splices: Vec<Vec<Splice>>,
    /// All results, sorted.
    pub results: Vec<Diagnostic>,
    /// Whether objects change.
    pub changes: bool,
    /// How many workloads move to the host network, or get another port there.
    pub workloads: usize,
    /// How many listeners get another number.
    pub ports: usize,
}

impl Run {
    /// Whether an error stopped the run: then nothing but results may be written.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.results.iter().any(|result| result.severity == Severity::Error)
    }
}

/// An object of an input, and what was noticed while it was read.
struct LoadedObject {
    object: Object,
    source: Option<Source>,
    duplicates: Vec<DuplicateKey>,
}

/// What was read from all inputs.
pub(super) struct Loaded {
    pub(super) model: Model,
    /// The objects that come from a file, in order.
    pub(super) sources: Vec<(ObjectId, Source)>,
    pub(super) firsts: Vec<usize>,
    pub(super) duplicates: Vec<(ObjectId, DuplicateKey)>,
    /// The warnings that are accepted.
    pub(super) suppressions: Suppressions,
}

pub(super) fn load(inputs: &[Input], config: &Config, targets: &Targets<'_>) -> Result<Loaded, RunError> {
    let spec = &config.host_network.spec;
    let mut suppressions = Suppressions::of(&spec.suppress, config, Day::today())?;
    let kinds = kinds(Some(spec));
    let read = |node: NodeRef<'_, '_>| (Object::of(node, &kinds, |meta| targets.reads(meta)), ());
    let loaded = load_with(inputs, read, |_, _, ()| ())?;
    suppressions.look_at(&loaded.model);
    Ok(Loaded { suppressions, ..loaded })
}

/// Reads all objects by `read`; what that gives beside an object goes to `keep`, in reading order.
pub(super) fn load_with<T: Send>(
    inputs: &[Input],
    read: impl Fn(NodeRef<'_, '_>) -> (Object, T) + Sync,
    mut keep: impl FnMut(ObjectId, &Object, T),
) -> Result<Loaded, ReadError> {
    let mut objects = Vec::new();
    let mut sources = Vec::new();
    let mut duplicates = Vec::new();
    let mut firsts = Vec::new();
    for input in inputs {
        firsts.push(objects.len());
        let seen = input.objects(|place, node| {
            let (object, more) = read(node);
            let source = source(&object.meta, input, place.document - 1);
            (LoadedObject { object, source, duplicates: place.duplicate_keys(node) }, more)
        })?;
        objects.reserve_exact(seen.len());
        for (seen, more) in seen {
            keep(objects.len(), &seen.object, more);
            duplicates.extend(seen.duplicates.into_iter().map(|duplicate| (objects.len(), duplicate)));
            objects.push(seen.object);
            sources.extend(seen.source.map(|source| (objects.len() - 1, source)));
        }
    }
    let suppressions = Suppressions::default();
    Ok(Loaded { model: Model::new(objects), sources, firsts, duplicates, suppressions })
}

/// What a config decides of every listener of the inputs, and what it has to say. Nothing is rendered.
///
/// With `unrecorded` a number that `assigned` lacks is not an error, even if the config asks for it: `hostnet pin` adds it.
pub fn ports(inputs: &[Input], config: &Config, unrecorded: bool) -> Result<(Vec<PortRow>, Vec<Diagnostic>), RunError> {
    let targets = Targets::compile(config)?;
    let Loaded { model, sources, firsts, duplicates, suppressions } = load(inputs, config, &targets)?;
    let (mut plan, rows) = host_network::plan_with_ports(&model, &targets);
    plan.findings.retain(|finding| !(unrecorded && finding.rule == rule::PORT_ASSIGNED));
    let mut read = ObjectIndex { inputs, metas: model.into_metas(), sources, firsts };
    report_duplicates(&duplicates, &read, &mut plan);
    settle(&mut plan, &read);
    accept(&mut plan, suppressions, config, &read);
    read.metas.append(&mut plan.new);
    Ok((rows, results(plan, &read, false)))
}

/// Runs a config over inputs that belong together: references are followed from one to the other.
///
/// With `changes` a result is made for every change too; errors and warnings always have one. A ResourceList takes all.
pub fn run(inputs: &[Input], config: &impl Function, changes: bool) -> Result<Run, RunError> {
    let Planned { plan, read } = config.plan(inputs)?;
    Ok(rendered(inputs, plan, read, changes))
}

impl Function for Config {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        let targets = Targets::compile(self)?;
        let Loaded { model, sources, firsts, duplicates, suppressions } = load(inputs, self, &targets)?;
        let mut plan = host_network::plan(&model, &targets);
        // All is decided: what the rules needed makes room for what is written.
        let read = ObjectIndex { inputs, metas: model.into_metas(), sources, firsts };
        report_duplicates(&duplicates, &read, &mut plan);
        accept(&mut plan, suppressions, self, &read);
        Ok(Planned { plan, read })
    }
}

/// What a plan makes of the inputs.
fn rendered(inputs: &[Input], mut plan: Plan, mut read: ObjectIndex<'_>, changes: bool) -> Run {
    let ops = settle(&mut plan, &read);
    let lists = inputs.iter().any(|input| input.form() == Form::ResourceList);
    let errors = plan.has_errors();
    let (workloads, ports) = if errors { (0, 0) } else { moved(&plan) };
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
    let told = |outcome: &&Diagnostic| changes || outcome.severity != Severity::Info;
    let kept = outcomes.iter().filter(told).cloned().collect();
    let changes = changes_of.iter().any(|own| !own.is_empty());
    let mut run = Run { splices: Vec::new(), results: kept, changes, workloads, ports };
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
        (run.changes, run.workloads, run.ports) = (false, 0, 0);
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

/// What a plan changes, once all is said of it that stops it. Nothing changes
/// when there are errors.
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
    let stays: Vec<bool> = read.inputs.iter().zip(changes).map(|(input, changes)| input.marks(changes)).collect();
    if !stays.contains(&true) {
        return;
    }
    for edit in plan.edits.iter_mut().chain(plan.moves.iter_mut().flat_map(|moved| &mut moved.edits)) {
        let input = read.firsts.partition_point(|&first| first <= edit.object).checked_sub(1);
        let stays = input.and_then(|input| stays.get(input)) == Some(&true);
        if stays && edit.change == Change::RemoveDocument {
            edit.message.push_str("; its file has to keep it, so it stays there with the annotation ");
            edit.message.push_str("config.kubernetes.io/local-config: \"true\", and nobody applies it");
        }
    }
}

/// Keys that an object has twice: readers differ in which one counts, so an object that changes must not have any.
pub(super) fn report_duplicates(duplicates: &[(usize, DuplicateKey)], read: &ObjectIndex<'_>, plan: &mut Plan) {
    if duplicates.is_empty() {
        return;
    }
    let changed = plan.all_edits().filter_map(|edit| match &edit.change {
        Change::AddDocument { after, content } => Some(*after).filter(|_| *content == Content::Copy),
        Change::RemoveDocument => None,
        _ => Some(edit.object),
    });
    let changed: HashSet<ObjectId> = changed.collect();
    for (object, DuplicateKey { key, first, second }) in duplicates {
        let severity = if changed.contains(object) { Severity::Error } else { Severity::Warning };
        let name = read.describe(*object).map(|(meta, _)| meta.to_string()).unwrap_or_default();
        let message = format!(
            "{name}: key `{key}` stands on line {first} and again on line {second}; readers differ in which of them \
             counts, and the API server's refuses both. Remove one"
        );
        plan.findings.push(Finding::new(severity, rule::DUPLICATE_KEY, message).on(*object));
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

/// The kinds that are data: the catalogue's and the config's.
pub(super) fn kinds(config: Option<&HostNetworkSpec>) -> Kinds<'_> {
    let own = config.into_iter().flat_map(|config| &config.templates);
    let own = own.map(|own| TemplateKind::new(&own.group, &own.kind, &own.path).of_versions(&own.versions));
    let templates = own.chain(workload_kinds().iter().map(TemplateKind::from));
    Kinds { templates: templates.collect(), references: config.map_or(&[], |config| &config.references) }
}

/// The file of an object, when it is a real one: kpt's, kustomize's origin, or one that was opened here.
pub(super) fn source(meta: &Meta, input: &Input, document: usize) -> Option<Source> {
    if let Some(path) = input.origin().path() {
        return Some(Source { path: path.display().to_string(), index: document });
    }
    let annotation = |key: &str| meta.annotations.get(key);
    if let Some(origin) = annotation("config.kubernetes.io/origin") {
        let path = origin.lines().find_map(|line| line.strip_prefix("path: "))?;
        return Some(Source { path: path.trim().to_owned(), index: 0 });
    }
    // kustomize makes paths up from the second function on; kpt's are real.
    if annotation("kustomize.config.k8s.io/id").is_some() {
        return None;
    }
    let path = annotation("internal.config.kubernetes.io/path").or_else(|| annotation("config.kubernetes.io/path"))?;
    let index = annotation("internal.config.kubernetes.io/index").or_else(|| annotation("config.kubernetes.io/index"));
    Some(Source { path: path.to_owned(), index: index.and_then(|index| index.parse().ok()).unwrap_or(0) })
}
