//! What the API server calls in some inputs, and the config that moves it: what `hostnet ports` and `hostnet init` say without one.

use std::collections::{BTreeMap, BTreeSet};

use super::function::RunError;
use super::host_network::{Reading, Trial};
use crate::api::{API_VERSION, Config, HOST_NETWORK};
use crate::host_network::{PortRow, remedies};
use crate::model::index::object_key;
use crate::render::Diagnostic;
use crate::rule::{self, Severity};
use krm::Input;

/// What was found in inputs that nobody has written a config for.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The listeners of the workloads that the API server calls; of all workloads when it calls none.
    pub rows: Vec<PortRow>,
    /// Whether it calls some.
    pub called: bool,
    /// The config that moves them, as a file's text; none after errors, and when nothing is called.
    pub config: Option<String>,
    /// What a run with this config has to say.
    pub results: Vec<Diagnostic>,
}

/// Looks for what the API server calls, and drafts the config that moves it.
///
/// The draft is tried: a workload for which `ports: auto` would warn gets a target of its own, in which the ports are kept that cannot
/// move or that clients of the node use, when there is less to warn of then.
pub fn survey(inputs: &[Input]) -> Result<Survey, RunError> {
    let called = draft(&any_called())?;
    let mut reading = Reading::of(inputs, &called)?;
    let first = reading.plan(&called, true)?;
    if first.rows.is_empty() {
        // Nobody has asked for a move of what is shown here: of the trial only its listeners count.
        let all = draft(&(config("  - select: {name: .*}\n") + "  unmatched: Ignore\n"))?;
        let rows = reading.plan(&all, true)?.rows;
        let mut results = results(&mut reading, first);
        results.retain(|result| result.rule != rule::UNMATCHED.id);
        return Ok(Survey { rows, called: false, config: None, results });
    }
    let rows = first.rows.clone();
    if first.plan.has_errors() {
        return Ok(Survey { rows, called: true, config: None, results: results(&mut reading, first) });
    }
    let mut trials = Trials::new(&reading, first);
    trials.keep_where_better(&rows)?;
    let Trials { own, last, .. } = trials;
    Ok(Survey { rows, called: true, config: Some(text(own.values())), results: results(&mut reading, last) })
}

/// The listeners of workloads that the API server calls, and that are not among these.
pub fn called_beside(inputs: &[Input], selected: &[PortRow]) -> Result<Vec<PortRow>, RunError> {
    let called = draft(&any_called())?;
    let mut rows = Reading::of(inputs, &called)?.plan(&called, true)?.rows;
    let selected: BTreeSet<&str> = selected.iter().map(|row| row.object.as_str()).collect();
    rows.retain(|row| row.is_called() && !selected.contains(row.object.as_str()));
    Ok(rows)
}

/// Reads a config that is drafted here.
fn draft(text: &str) -> Result<Config, RunError> {
    Config::read(text, "the drafted config", 1).map_err(RunError::Config)
}

/// The results of a trial, with warnings of workloads that may register webhooks when they run.
fn results(reading: &mut Reading<'_>, trial: Trial) -> Vec<Diagnostic> {
    let mut results = reading.results(trial);
    warn_of_self_registering(&mut results);
    results
}

/// The most plans that one survey makes: more than a handful are needed only where workloads collide whose ports are kept.
const MOST_TRIALS: usize = 24;

/// Drafts that are tried one after the other over the same objects.
struct Trials<'r, 'i> {
    reading: &'r Reading<'i>,
    /// The targets of single workloads that were found to be better, by the keys of their objects.
    own: BTreeMap<String, String>,
    /// The plan with these targets.
    last: Trial,
    left: usize,
}

impl<'r, 'i> Trials<'r, 'i> {
    fn new(reading: &'r Reading<'i>, last: Trial) -> Self {
        Self { reading, own: BTreeMap::new(), last, left: MOST_TRIALS }
    }

    /// Gives each workload with a warning a target of its own, where there is less to warn of then. Ports are called by name first,
    /// and by number where names do not help.
    fn keep_where_better(&mut self, rows: &[PortRow]) -> Result<(), RunError> {
        let before = self.warnings(&self.last);
        let mut pending: Vec<Candidate<'_>> = by_object(rows)
            .into_iter()
            .filter(|(object, _)| before.contains_key(*object))
            .map(|(object, rows)| Candidate { object, rows })
            .collect();
        for named in [true, false] {
            pending = self.take(pending, named)?;
        }
        Ok(())
    }

    /// Takes the candidates that are better with a target of their own, and gives back the others. All are tried at once, then, where
    /// they fail together, in halves.
    fn take<'w>(&mut self, candidates: Vec<Candidate<'w>>, named: bool) -> Result<Vec<Candidate<'w>>, RunError> {
        if candidates.is_empty() || self.left == 0 {
            return Ok(candidates);
        }
        self.left -= 1;
        let drafted =
            candidates.iter().filter_map(|one| Some((one.object.to_owned(), target(one.object, &one.rows, named)?)));
        let own: BTreeMap<String, String> = self.own.clone().into_iter().chain(drafted).collect();
        let trial = self.reading.plan(&draft(&text(own.values()))?, true)?;
        let (before, after) = (self.warnings(&self.last), self.warnings(&trial));
        let total = |warnings: &BTreeMap<String, usize>| warnings.values().sum::<usize>();
        let failed = trial.plan.has_errors();
        let is_better = |one: &Candidate<'_>| !failed && after.get(one.object) < before.get(one.object);
        let (mut better, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_better);
        if others.is_empty() && total(&after) < total(&before) {
            (self.own, self.last) = (own, trial);
            return Ok(Vec::new());
        }
        if better.is_empty() && !failed {
            return Ok(others);
        }
        if !better.is_empty() && !others.is_empty() {
            better = self.take(better, named)?;
            better.extend(others);
            return Ok(better);
        }
        // All fail together, or each is better and all are not.
        better.extend(others);
        if better.len() == 1 {
            return Ok(better);
        }
        let second = better.split_off(better.len() / 2);
        let mut left = self.take(better, named)?;
        left.extend(self.take(second, named)?);
        Ok(left)
    }

    /// The warnings of a trial, counted by the key of their object; those of no object have the empty one.
    fn warnings(&self, trial: &Trial) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for finding in trial.plan.findings.iter().filter(|finding| finding.severity == Severity::Warning) {
            let object = finding.object.and_then(|id| self.reading.objects().get(id));
            *counts.entry(object.map(|object| object_key(&object.meta)).unwrap_or_default()).or_default() += 1;
        }
        counts
    }
}

/// A workload that may get a target of its own.
struct Candidate<'w> {
    /// The key of its object.
    object: &'w str,
    rows: Vec<&'w PortRow>,
}

/// Makes a warning of the information that workloads may register webhooks when they run. A list of what the API server calls is wrong
/// without them; a run that changes files only reports that they were left.
pub fn warn_of_self_registering(results: &mut [Diagnostic]) {
    // Of the results of this rule that are no more than information, these alone are about a field.
    let is_it = |result: &&mut Diagnostic| result.rule == rule::PORT_CALLED.id && result.path.is_some();
    for result in results.iter_mut().filter(is_it) {
        result.severity = result.severity.min(Severity::Warning);
    }
}

fn by_object(rows: &[PortRow]) -> BTreeMap<&str, Vec<&PortRow>> {
    let mut objects: BTreeMap<&str, Vec<&PortRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.is_guess) {
        objects.entry(&row.object).or_default().push(row);
    }
    objects
}

/// A target for one object: what cannot move, or what clients of the node reach, is kept by name. `named` keys are names, others
/// numbers.
fn target(object: &str, rows: &[&PortRow], named: bool) -> Option<String> {
    let mut key = object.rsplit('/');
    let (name, kind) = (key.next()?, key.next()?);
    let around: Vec<&str> = key.collect();
    let group = around.first().filter(|part| part.contains('.'));
    let namespace = around.last().filter(|part| Some(*part) != group);
    let field = |key: &str, value: Option<&&str>| value.map(|value| format!("{key}: {value}, ")).unwrap_or_default();
    let (group, namespace) = (field("group", group), field("namespace", namespace));
    let (mut choices, mut notes, mut seen) = (Vec::new(), String::new(), BTreeSet::new());
    let (mut kept, mut movable) = (Vec::new(), Vec::new());
    for row in rows {
        let key = if named { row.port.clone() } else { row.from.to_string() };
        let stays = row.stays.as_ref().filter(|_| row.to == row.from);
        let why = match (row.to == row.from, row.has_host_port) {
            (true, _) => {
                let why = stays.map_or("nothing moves it", |why| why.text.as_str());
                format!("{} stays: {why}.", row.from)
            }
            (false, true) => format!("{} is a hostPort, which clients of the node use", row.from),
            (false, false) => String::new(),
        };
        if !seen.insert(key.clone()) {
            continue;
        }
        kept.extend(stays.map(|why| &why.remedy));
        movable.extend(stays.filter(|why| why.remedy.may_move()).map(|_| format!("`{key}: auto`")));
        if !why.is_empty() {
            notes.push_str(&comment(&format!("{key}: {why}")));
        }
        choices.push(format!("{key}: {}", if why.is_empty() { "auto" } else { "keep" }));
    }
    let remedies = remedies(kept.into_iter(), true);
    if !remedies.is_empty() {
        notes.push_str(&comment(&remedies));
    }
    if !movable.is_empty() {
        notes.push_str(&comment(&format!("Then write {} in `ports`", movable.join(", "))));
    }
    let ports = if choices.is_empty() { "keep".to_owned() } else { format!("{{{}}}", choices.join(", ")) };
    Some(format!("{notes}  - select: {{{group}kind: {kind}, {namespace}name: {name}}}\n    ports: {ports}\n"))
}

/// A comment of the config, a line for each sentence. Names of the input cannot end it: a line break would.
fn comment(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.split_inclusive(". ").map(|sentence| format!("  # {}\n", sentence.trim_end())).collect()
}

/// The config that moves whatever the API server calls.
#[must_use]
pub fn any_called() -> String {
    text(std::iter::empty())
}

/// A config with these targets, and one for all else that the API server calls.
fn text<'t>(own: impl Iterator<Item = &'t String>) -> String {
    let own: String = own.map(String::as_str).collect();
    let rest = if own.is_empty() { "" } else { "  # All else that the API server calls.\n" };
    config(&format!("{own}{rest}  - select: {{calledByApiServer: true}}\n    ports: auto\n"))
}

fn config(targets: &str) -> String {
    format!(
        "apiVersion: {API_VERSION}\nkind: {HOST_NETWORK}\nmetadata:\n  name: webhooks\nspec:\n  targets:\n{targets}"
    )
}
